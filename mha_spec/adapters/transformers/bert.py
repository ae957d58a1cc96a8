"""BERT's attention (`BertSelfAttention`, `BertCrossAttention`), followed by the matrix of `BertSelfOutput`.

BERT keeps `W_O` in a module of its own, `BertSelfOutput.dense`; the residual and the normalisation that follow there
are no part of attention and left out. All projections have biases, which are zeros where the design has none.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from transformers import BertConfig, PretrainedConfig
from transformers.models.bert.modeling_bert import BertCrossAttention, BertSelfAttention, BertSelfOutput

from mha_spec.design import AttentionDesign

from ..torch.tensors import Tensors, linear, output_linear
from .module import AttentionModule, WithWeights, zero_biases


class Bert(AttentionModule):
    """Self-attention; causal as in a BERT that is a decoder."""

    config_class: ClassVar[type[PretrainedConfig]] = BertConfig
    has_biases_always: ClassVar[bool] = True

    def settings(self, design: AttentionDesign) -> dict[str, int | bool]:
        """Its width and its heads."""
        return {"hidden_size": design.d_model, "num_attention_heads": design.h}

    def module_of(self, config: PretrainedConfig, design: AttentionDesign) -> torch.nn.Module:
        """The attention, and beside it the output projection."""
        attention = BertSelfAttention(config, is_causal=design.causal)
        return torch.nn.ModuleDict({"attention": attention, "dense": BertSelfOutput(config).dense})

    @property
    def attention(self) -> torch.nn.Module:
        """The module that attends."""
        return self.module["attention"]

    def arranged(self, parameters: Tensors) -> dict[str, torch.Tensor]:
        """Four linear layers."""
        p = zero_biases(self.design, parameters)
        return (
            linear("attention.query", p["w_q"], p["b_q"])
            | linear("attention.key", p["w_k"], p["b_k"])
            | linear("attention.value", p["w_v"], p["b_v"])
            | output_linear("dense", p)
        )

    def run(
        self, x: torch.Tensor, memory: torch.Tensor | None, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights."""
        heads, weights = self.attention(x, attention_mask=mask)
        return self.module["dense"](heads), weights


class BertEager(WithWeights, Bert):
    """The same run `"eager"`."""


class BertCross(Bert):
    """Attention to an encoder's states, which are those of the layer itself where there is no memory."""

    takes_memory: ClassVar[bool] = True
    causal: ClassVar[object] = False

    def module_of(self, config: PretrainedConfig, design: AttentionDesign) -> torch.nn.Module:
        """The attention, and beside it the output projection."""
        return torch.nn.ModuleDict({"attention": BertCrossAttention(config), "dense": BertSelfOutput(config).dense})

    def run(
        self, x: torch.Tensor, memory: torch.Tensor | None, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights."""
        heads, weights = self.attention(x, x if memory is None else memory, mask)
        return self.module["dense"](heads), weights


class BertCrossEager(WithWeights, BertCross):
    """The same run `"eager"`."""


factory = Bert
eager = BertEager
cross = BertCross
cross_eager = BertCrossEager
