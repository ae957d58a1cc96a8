"""T5's attention (`T5Attention`), without its relative positions, and with the scale that it leaves to its weights.

T5 does not divide the scores by the root of `d_k`: it expects the scale in the weights of the queries. So the scale of
the design is multiplied into them here. There are no biases.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from transformers import PretrainedConfig, T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from mha_spec.conformance.declarations import KnownFailure
from mha_spec.design import AttentionDesign

from ..torch.tensors import Tensors, linear, output_linear
from .module import AttentionModule, WithWeights


class T5(AttentionModule):
    """Self-attention, or attention to a memory. Even run `"sdpa"`, hidden keys of an empty row are equally hidden."""

    config_class: ClassVar[type[PretrainedConfig]] = T5Config
    requires: ClassVar[object] = {"H2", "H3", "H4", "H6"}
    options: ClassVar[object] = ("scale",)
    takes_memory: ClassVar[bool] = True
    causal_alignment: ClassVar[object] = "top-left"
    empty_row: ClassVar[object] = "uniform"

    def settings(self, design: AttentionDesign) -> dict[str, int | bool]:
        """Its width and its heads."""
        return {"d_model": design.d_model, "num_heads": design.h, "d_kv": design.d_k}

    def module_of(self, config: PretrainedConfig, design: AttentionDesign) -> torch.nn.Module:
        """The module of a layer without relative positions of its own."""
        return T5Attention(config, layer_idx=0, is_causal=design.causal)

    def arranged(self, parameters: Tensors) -> dict[str, torch.Tensor]:
        """Four linear layers, with the scale in that of the queries."""
        scale = self.design.d_k**-0.5 if self.design.scale is None else self.design.scale
        return (
            linear("q", parameters["w_q"] * scale, None)
            | linear("k", parameters["w_k"], None)
            | linear("v", parameters["w_v"], None)
            | output_linear("o", parameters)
        )

    def run(
        self, x: torch.Tensor, memory: torch.Tensor | None, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights."""
        output, _, weights = self.module(x, mask, key_value_states=memory)
        return output, weights


class T5Eager(WithWeights, T5):
    """The same run `"eager"`; no scale is left that could come too late."""

    known_failures: ClassVar[tuple[KnownFailure, ...]] = ()


factory = T5
eager = T5Eager
