"""Llama's attention (`LlamaAttention`): grouped heads of a width of their own, with rotary positions turned off.

The positions reach the module as an argument, so they are turned off from outside: cosines of 1, sines of 0. Run
`"eager"`, its softmax is computed in float32 whatever the dtype of the model.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from transformers import DynamicCache, LlamaConfig, PretrainedConfig
from transformers.models.llama.modeling_llama import LlamaAttention

from mha_spec.design import AttentionDesign

from ..torch.tensors import Tensors, linear, output_linear
from .decoding import DecodingModule
from .module import SoftmaxInFloat32
from .positions import unrotated


class Llama(DecodingModule):
    """Self-attention."""

    config_class: ClassVar[type[PretrainedConfig]] = LlamaConfig
    requires: ClassVar[object] = {"H2", "H6"}

    def settings(self, design: AttentionDesign) -> dict[str, int | bool]:
        """Its width, its heads and theirs."""
        return {
            "hidden_size": design.d_model,
            "num_attention_heads": design.h,
            "num_key_value_heads": design.kv_heads,
            "head_dim": design.d_k,
            "attention_bias": bool(design.bias),
        }

    def module_of(self, config: PretrainedConfig, design: AttentionDesign) -> torch.nn.Module:
        """The module of the first layer."""
        return LlamaAttention(config, layer_idx=0)

    def arranged(self, parameters: Tensors) -> dict[str, torch.Tensor]:
        """Four linear layers."""
        p = parameters
        return (
            linear("q_proj", p["w_q"], p.get("b_q"))
            | linear("k_proj", p["w_k"], p.get("b_k"))
            | linear("v_proj", p["w_v"], p.get("b_v"))
            | output_linear("o_proj", p)
        )

    def run_on(
        self, cache: DynamicCache | None, x: torch.Tensor, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights."""
        output, weights = self.module(x, unrotated(x, self.design.d_k), mask, cache=cache)
        return output, weights


class LlamaEager(SoftmaxInFloat32, Llama):
    """The same run `"eager"`."""


factory = Llama
eager = LlamaEager
