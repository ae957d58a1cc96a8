"""`torch.nn.functional.multi_head_attention_forward`: the function behind `nn.MultiheadAttention`, tokens first.

Called with three matrices for queries, keys and values (`use_separate_proj_weight`). Their biases are stacked.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch

from mha_spec.conformance.contract import Array, BoolArray
from mha_spec.conformance.declarations import KnownFailure

from ..masks import causal_pairs
from .layer import TorchLayer, array, inference, inverted
from .multihead_attention import EMPTY_SIZE
from .tensors import Tensors, stacked, tensor


class MultiHeadAttentionForward(TorchLayer):
    """The function with `need_weights=False`."""

    requires: ClassVar[object] = {"H1", "H2", "H3"}
    options: ClassVar[object] = ()
    causal_alignment: ClassVar[object] = "top-left"
    hidden_values_may_leak: ClassVar[object] = True
    empty_row: ClassVar[object] = "zero"
    allows_empty: ClassVar[object] = ("batch", "n", "m")
    known_failures: ClassVar[tuple[KnownFailure, ...]] = (EMPTY_SIZE,)

    def arranged(self, parameters: Tensors) -> dict[str, torch.Tensor]:
        """Its parameters, named as its arguments."""
        own = {f"{name}_proj_weight": stacked(parameters[f"w_{name}"]) for name in "qkv"}
        own["out_proj_weight"] = parameters["w_o"].transpose(0, 1)
        if self.design.bias:
            own["in_proj_bias"] = torch.cat([parameters[f"b_{name}"].flatten() for name in "qkv"])
            own["out_proj_bias"] = parameters["b_o"]
        return own

    def output(self, x: torch.Tensor, memory: torch.Tensor | None, mask: BoolArray | None) -> torch.Tensor:
        """The output without weights."""
        return self.called(x, memory, mask, need_weights=False)[0].transpose(0, 1)

    def weights(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The weights of each head."""
        with inference():
            read_from = None if memory is None else tensor(memory)
            return array(self.called(tensor(x), read_from, mask, need_weights=True)[1])

    def called(
        self, x: torch.Tensor, memory: torch.Tensor | None, mask: BoolArray | None, *, need_weights: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What the function gives: the output, tokens first, and the weights, None if they are not needed."""
        read_from = x if memory is None else memory
        output, weights = torch.nn.functional.multi_head_attention_forward(
            x.transpose(0, 1),
            *[read_from.transpose(0, 1)] * 2,
            embed_dim_to_check=self.design.d_model,
            num_heads=self.design.h,
            in_proj_weight=None,
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=0.0,
            training=False,
            need_weights=need_weights,
            average_attn_weights=False,
            use_separate_proj_weight=True,
            **(dict.fromkeys(("in_proj_bias", "out_proj_bias")) | dict(self.own)),
            **self.masks(x.shape[1], read_from.shape[1], mask),
        )
        return output, weights

    def masks(self, n: int, m: int, mask: BoolArray | None) -> dict[str, torch.Tensor | bool]:
        """The keywords that say which keys are hidden."""
        causal = causal_pairs(self.design, n, m)
        if mask is not None:
            both = mask if causal is None else mask & causal
            return {"attn_mask": inverted(np.repeat(both, self.design.h, axis=0))}
        return {} if causal is None else {"attn_mask": inverted(causal), "is_causal": True}


factory = MultiHeadAttentionForward
