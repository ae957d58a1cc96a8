"""`torch.nn.MultiheadAttention`, put under test as it is used for inference: `eval()`, and under `no_grad`.

The projections of queries, keys and values are stacked in `in_proj_weight`, or kept in three matrices where the memory
has another width (`kdim`, `vdim`). Its masks are True where a key is hidden. A mask that is the same for all queries
of an entry, and no other, is given as `key_padding_mask`; every other as `attn_mask`, once for each head.
"""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
import torch

from mha_spec.conformance.contract import Array, BoolArray, Call
from mha_spec.conformance.declarations import KnownFailure
from mha_spec.design import AttentionDesign

from ..masks import causal_pairs
from .layer import ModuleLayer, array, inference, inverted
from .tensors import Tensors, stacked, tensor

NAN_REASON = (
    "torch 2.13.0's fused inference path (eval, no_grad, need_weights=False, one object as query, key and value, "
    "biases, an even number of heads) gives NaN for a query that may attend to nothing; every other path gives b_o"
)

EMPTY_SIZE_REASON = (
    "torch 2.13.0 spreads a mask over the heads by a view with one size left out, such as view(batch, h, -1, m), which "
    "raises where another size is 0; without a mask the same call works"
)
NAN_GRADIENTS_REASON = (
    "with need_weights=True the weights of a query that may attend to nothing are NaN, and every gradient that passes "
    "it is NaN even where the cotangent of its output is 0"
)


def takes_the_fused_path(design: AttentionDesign, call: Call) -> bool:
    """Whether inference without weights takes torch's fused operator instead of `scaled_dot_product_attention`."""
    return bool(design.bias) and design.h % 2 == 0 and design.satisfies("H6") and not call.memory


def spreads_an_empty_mask(design: AttentionDesign, call: Call) -> bool:
    """Whether a mask without entries has to be spread over the heads."""
    return call.mask is not None and call.mask.size == 0


EMPTY_SIZE: Final = KnownFailure(frozenset({"it_accepts_sizes_of_zero"}), spreads_an_empty_mask, EMPTY_SIZE_REASON)


class MultiheadAttention(ModuleLayer):
    """The layer with `need_weights=False`, which takes a fused operator where it can."""

    requires: ClassVar[object] = {"H1", "H2", "H3"}
    options: ClassVar[object] = ()
    causal_alignment: ClassVar[object] = "top-left"
    hidden_values_may_leak: ClassVar[object] = True
    empty_row: ClassVar[object] = "zero"
    allows_empty: ClassVar[object] = ("batch", "n", "m")
    known_failures: ClassVar[tuple[KnownFailure, ...]] = (
        KnownFailure(frozenset({"an_empty_row_gives_what_is_declared"}), takes_the_fused_path, NAN_REASON),
        EMPTY_SIZE,
    )
    need_weights: ClassVar[bool] = False

    def build(self, design: AttentionDesign) -> torch.nn.MultiheadAttention:
        """The module, batch first."""
        return torch.nn.MultiheadAttention(
            design.d_model,
            design.h,
            bias=bool(design.bias),
            kdim=design.d_memory,
            vdim=design.d_memory,
            batch_first=True,
        )

    def arranged(self, parameters: Tensors) -> dict[str, torch.Tensor]:
        """One stack of three matrices, or three where the memory has another width; biases are always stacked."""
        weights = {name: stacked(parameters[f"w_{name}"]) for name in "qkv"}
        if self.design.satisfies("H6"):
            own = {"in_proj_weight": torch.cat(list(weights.values()))}
        else:
            own = {f"{name}_proj_weight": weight for name, weight in weights.items()}
        own["out_proj.weight"] = parameters["w_o"].transpose(0, 1)
        if self.design.bias:
            own["in_proj_bias"] = torch.cat([parameters[f"b_{name}"].flatten() for name in "qkv"])
            own["out_proj.bias"] = parameters["b_o"]
        return own

    def output(self, x: torch.Tensor, memory: torch.Tensor | None, mask: BoolArray | None) -> torch.Tensor:
        """The first of what the module gives; in self-attention one object is query, key and value."""
        return self.run(x, memory, mask, need_weights=self.need_weights)[0]

    def weights(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The weights of each head, as the module gives them when it is asked not to average."""
        with inference():
            return array(self.run(tensor(x), None if memory is None else tensor(memory), mask, need_weights=True)[1])

    def run(
        self, x: torch.Tensor, memory: torch.Tensor | None, mask: BoolArray | None, *, need_weights: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What the module gives: output and weights, the latter None if they are not needed."""
        read_from = x if memory is None else memory
        masks = self.masks(x.shape[0], x.shape[1], read_from.shape[1], mask)
        asked = {"need_weights": need_weights, "average_attn_weights": False}
        output, weights = self.module(x, read_from, read_from, **asked, **masks)
        return output, weights

    def masks(self, batch: int, n: int, m: int, mask: BoolArray | None) -> dict[str, torch.Tensor | bool]:
        """The keywords that say which keys are hidden."""
        causal = causal_pairs(self.design, n, m)
        given: dict[str, torch.Tensor | bool] = {}
        if mask is not None and n and (mask == mask[:, :1]).all():
            given["key_padding_mask"] = inverted(mask[:, 0])
        elif mask is not None:
            both = mask if causal is None else mask & causal
            return {"attn_mask": inverted(np.repeat(both, self.design.h, axis=0))}
        if causal is not None:
            given |= {"attn_mask": inverted(causal), "is_causal": True}
        return given


class MultiheadAttentionWithWeights(MultiheadAttention):
    """The layer as it is called by default, with `need_weights=True`: scores and weights are computed in full."""

    empty_row: ClassVar[object] = "nan"
    known_failures: ClassVar[tuple[KnownFailure, ...]] = (
        KnownFailure(
            frozenset({"gradients_are_finite_beside_empty_rows"}), lambda design, call: True, NAN_GRADIENTS_REASON
        ),
        EMPTY_SIZE,
    )
    need_weights: ClassVar[bool] = True


factory = MultiheadAttention
with_weights = MultiheadAttentionWithWeights
