"""Falcon's attention (`FalconAttention`) in its three layouts, with rotary positions turned off.

- As many key/value heads as heads: rows `(h, 3, d_k)`, the three of each head together.
- One key/value head (`multi_query`): the queries of all heads, then the key, then the value.
- Else (`new_decoder_architecture`): for each key/value head the queries of its group, then its key and its value.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch
from transformers import DynamicCache, FalconConfig, PretrainedConfig
from transformers.models.falcon.modeling_falcon import FalconAttention

from mha_spec.conformance.contract import BoolArray
from mha_spec.design import AttentionDesign

from ..torch.tensors import Tensors, linear, output_linear
from .decoding import DecodingModule
from .module import WithWeights
from .positions import unrotated


def by_group(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """For each key/value head the queries of its group, its key and its value, `(kv_heads*(group + 2), ...)`.

    With one key/value head, and with one for each head, this is the order of the older layouts as well.
    """
    grouped = queries.unflatten(0, (keys.shape[0], -1))
    return torch.cat([grouped, keys[:, None], values[:, None]], dim=1).flatten(0, 1)


class Falcon(DecodingModule):
    """Self-attention in the layout that a model with so many key/value heads has."""

    config_class: ClassVar[type[PretrainedConfig]] = FalconConfig
    requires: ClassVar[object] = {"H1", "H2", "H6"}

    def settings(self, design: AttentionDesign) -> dict[str, int | bool]:
        """Its width, its heads and their layout."""
        return {
            "hidden_size": design.d_model,
            "num_attention_heads": design.h,
            "num_kv_heads": design.kv_heads,
            "bias": bool(design.bias),
            **self.layout(design),
        }

    def layout(self, design: AttentionDesign) -> dict[str, bool]:
        """The keys of the configuration that choose the layout."""
        one_for_each = design.kv_heads == design.h
        return {
            "new_decoder_architecture": not one_for_each and design.kv_heads > 1,
            "multi_query": not one_for_each and design.kv_heads == 1,
        }

    def module_of(self, config: PretrainedConfig, design: AttentionDesign) -> torch.nn.Module:
        """The module of the first layer."""
        return FalconAttention(config, layer_idx=0)

    def arranged(self, parameters: Tensors) -> dict[str, torch.Tensor]:
        """One linear layer for queries, keys and values, and one for the output."""
        p = parameters
        weight = by_group(p["w_q"], p["w_k"], p["w_v"])
        bias = by_group(p["b_q"], p["b_k"], p["b_v"]) if self.design.bias else None
        return linear("query_key_value", weight, bias) | output_linear("dense", p)

    def run_on(
        self, cache: DynamicCache | None, x: torch.Tensor, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights."""
        positions = unrotated(x, self.design.d_k)
        output, weights = self.module(x, None, mask, layer_past=cache, position_embeddings=positions)
        return output, weights


class FalconEager(WithWeights, Falcon):
    """The same run `"eager"`, which adds a mask without asking whether there is one."""

    def own_mask(self, x: torch.Tensor, memory: torch.Tensor | None, mask: BoolArray | None) -> torch.Tensor | None:
        """A mask always, of zeros where nothing is hidden."""
        hides_nothing = np.ones((x.shape[0], x.shape[1], x.shape[1]), dtype=np.bool_)
        return super().own_mask(x, memory, hides_nothing if mask is None else mask)


class FalconNewDecoder(Falcon):
    """Self-attention in the layout of `new_decoder_architecture`, however many key/value heads there are."""

    def layout(self, design: AttentionDesign) -> dict[str, bool]:
        """The keys of the configuration that choose the layout."""
        return {"new_decoder_architecture": True}


factory = Falcon
eager = FalconEager
new_decoder = FalconNewDecoder
