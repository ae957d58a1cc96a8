"""GPT-NeoX's attention (`GPTNeoXAttention`): one fused projection, head by head, with rotary positions turned off.

The rows of `query_key_value` are `(h, 3, d_k)`: queries, keys and values of the first head, then of the second, and
so on. Run `"eager"`, its softmax is computed in float32 whatever the dtype of the model.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from transformers import DynamicCache, GPTNeoXConfig, PretrainedConfig
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXAttention

from mha_spec.design import AttentionDesign

from ..torch.tensors import Tensors, linear, output_linear
from .decoding import DecodingModule
from .module import SoftmaxInFloat32
from .positions import unrotated


class GPTNeoX(DecodingModule):
    """Self-attention."""

    config_class: ClassVar[type[PretrainedConfig]] = GPTNeoXConfig

    def settings(self, design: AttentionDesign) -> dict[str, int | bool]:
        """Its width and its heads."""
        return {
            "hidden_size": design.d_model,
            "num_attention_heads": design.h,
            "attention_bias": bool(design.bias),
        }

    def module_of(self, config: PretrainedConfig, design: AttentionDesign) -> torch.nn.Module:
        """The module of the first layer."""
        return GPTNeoXAttention(config, layer_idx=0)

    def arranged(self, parameters: Tensors) -> dict[str, torch.Tensor]:
        """One linear layer for queries, keys and values of each head in turn, and one for the output."""
        p = parameters
        weight = torch.cat([p["w_q"], p["w_k"], p["w_v"]], dim=-1)
        bias = torch.cat([p["b_q"], p["b_k"], p["b_v"]], dim=-1) if self.design.bias else None
        return linear("query_key_value", weight, bias) | output_linear("dense", p)

    def run_on(
        self, cache: DynamicCache | None, x: torch.Tensor, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights."""
        positions = unrotated(x, self.design.d_k)
        output, weights = self.module(x, mask, layer_past=cache, position_embeddings=positions)
        return output, weights


class GPTNeoXEager(SoftmaxInFloat32, GPTNeoX):
    """The same run `"eager"`."""


factory = GPTNeoX
eager = GPTNeoXEager
