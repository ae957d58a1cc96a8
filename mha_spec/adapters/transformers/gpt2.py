"""GPT-2's attention (`GPT2Attention`), as self-attention and as attention to an encoder's states.

Its projections are `Conv1D`: matrices `(d_in, d_out)` that are multiplied from the right, those of queries, keys and
values side by side in `c_attn`; in cross-attention `c_attn` holds keys and values, and `q_attn` the queries. All have
biases, which are zeros where the design has none.
"""

from __future__ import annotations

from typing import ClassVar, Final

import torch
from transformers import DynamicCache, GPT2Config, PretrainedConfig
from transformers.models.gpt2.modeling_gpt2 import GPT2Attention

from mha_spec.conformance.declarations import KnownFailure
from mha_spec.design import AttentionDesign

from ..torch.tensors import Tensors, side_by_side
from .decoding import DecodingModule
from .module import OVERFLOWING_SCORES, AttentionModule, WithWeights, always, zero_biases


def conv1d(name: str, parameters: Tensors, of: str) -> dict[str, torch.Tensor]:
    """The entries of a `Conv1D` called `name` that holds the projections `of` these letters side by side."""
    return {
        f"{name}.weight": torch.cat([side_by_side(parameters[f"w_{letter}"]) for letter in of], dim=1),
        f"{name}.bias": torch.cat([parameters[f"b_{letter}"].flatten() for letter in of]),
    }


VIEW_OF_ITS_INPUT: Final = KnownFailure(
    frozenset({"views_equal_copies"}),
    always,
    "transformers 5.24's Conv1D takes x.view(-1, d) of its input, which raises for hidden states that are not "
    "contiguous, such as a transposed tensor",
)


def output_conv1d(parameters: Tensors) -> dict[str, torch.Tensor]:
    """The entries of `c_proj`, which is `W_O`."""
    return {"c_proj.weight": parameters["w_o"], "c_proj.bias": parameters["b_o"]}


class GPT2(DecodingModule):
    """Self-attention."""

    config_class: ClassVar[type[PretrainedConfig]] = GPT2Config
    has_biases_always: ClassVar[bool] = True
    known_failures: ClassVar[tuple[KnownFailure, ...]] = (VIEW_OF_ITS_INPUT,)

    def settings(self, design: AttentionDesign) -> dict[str, int | bool]:
        """Its width and its heads."""
        return {"n_embd": design.d_model, "n_head": design.h}

    def module_of(self, config: PretrainedConfig, design: AttentionDesign) -> torch.nn.Module:
        """The module of the first layer."""
        return GPT2Attention(config, layer_idx=0)

    def arranged(self, parameters: Tensors) -> dict[str, torch.Tensor]:
        """Two `Conv1D`."""
        p = zero_biases(self.design, parameters)
        return conv1d("c_attn", p, "qkv") | output_conv1d(p)

    def run_on(
        self, cache: DynamicCache | None, x: torch.Tensor, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights."""
        output, weights = self.module(x, cache=cache, attention_mask=mask)
        return output, weights


class GPT2Eager(WithWeights, GPT2):
    """The same run `"eager"`."""

    known_failures: ClassVar[tuple[KnownFailure, ...]] = (VIEW_OF_ITS_INPUT, OVERFLOWING_SCORES)


class GPT2Cross(AttentionModule):
    """Attention to an encoder's states, which are those of the layer itself where there is no memory."""

    config_class: ClassVar[type[PretrainedConfig]] = GPT2Config
    takes_memory: ClassVar[bool] = True
    has_biases_always: ClassVar[bool] = True
    known_failures: ClassVar[tuple[KnownFailure, ...]] = (VIEW_OF_ITS_INPUT,)
    causal: ClassVar[object] = False

    def settings(self, design: AttentionDesign) -> dict[str, int | bool]:
        """Its width and its heads."""
        return {"n_embd": design.d_model, "n_head": design.h}

    def module_of(self, config: PretrainedConfig, design: AttentionDesign) -> torch.nn.Module:
        """The module of the first layer that attends to an encoder."""
        return GPT2Attention(config, is_cross_attention=True, layer_idx=0)

    def arranged(self, parameters: Tensors) -> dict[str, torch.Tensor]:
        """Three `Conv1D`."""
        p = zero_biases(self.design, parameters)
        return conv1d("q_attn", p, "q") | conv1d("c_attn", p, "kv") | output_conv1d(p)

    def run(
        self, x: torch.Tensor, memory: torch.Tensor | None, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights."""
        states = x if memory is None else memory
        output, weights = self.module(x, encoder_hidden_states=states, encoder_attention_mask=mask)
        return output, weights


class GPT2CrossEager(WithWeights, GPT2Cross):
    """The same run `"eager"`."""

    known_failures: ClassVar[tuple[KnownFailure, ...]] = (VIEW_OF_ITS_INPUT, OVERFLOWING_SCORES)


factory = GPT2
eager = GPT2Eager
cross = GPT2Cross
cross_eager = GPT2CrossEager
