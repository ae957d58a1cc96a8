"""`torch.nn.functional.scaled_dot_product_attention` as a layer: the projections around it are NumPy's.

Its boolean mask is True where a query may attend, as here. A causal design is given as `is_causal`, which aligns
top-left; where there is a mask as well, which must not be combined with `is_causal`, both are given as one mask.
"""

from __future__ import annotations

from typing import ClassVar

import torch

from mha_spec.conformance.contract import Array, BoolArray

from ..functions.layer import DifferentiableFunctionLayer
from ..masks import causal_pairs
from .layer import array, gradients, inference, one_thread
from .tensors import tensor


class ScaledDotProductAttention(DifferentiableFunctionLayer):
    """The function with the kernel that it chooses by itself."""

    options: ClassVar[object] = ("scale",)
    causal_alignment: ClassVar[object] = "top-left"
    hidden_values_may_leak: ClassVar[object] = True
    empty_row: ClassVar[object] = "zero"
    allows_empty: ClassVar[object] = ("batch", "n", "m")

    def attend(self, q: Array, k: Array, v: Array, mask: BoolArray | None) -> Array:
        """The heads' outputs, as for inference."""
        with inference():
            return array(self.called(tensor(q), tensor(k), tensor(v), mask))

    def attend_vjp(
        self, q: Array, k: Array, v: Array, mask: BoolArray | None, cotangent: Array
    ) -> tuple[Array, Array, Array, Array]:
        """The heads' outputs and the gradients for `q`, `k` and `v` by autograd."""
        with one_thread():
            leaves = [tensor(entries).requires_grad_() for entries in (q, k, v)]
            heads = self.called(leaves[0], leaves[1], leaves[2], mask)
            d_q, d_k, d_v = gradients(heads, tensor(cotangent), leaves)
        return array(heads), array(d_q), array(d_k), array(d_v)

    def called(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: BoolArray | None) -> torch.Tensor:
        """What the function gives."""
        causal = causal_pairs(self.design, q.shape[2], k.shape[2])
        both = None if mask is None else mask if causal is None else mask & causal
        return torch.nn.functional.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=None if both is None else tensor(both[:, None]),
            is_causal=self.design.causal and mask is None,
            scale=self.design.scale,
            enable_gqa=self.design.group > 1,
        )


class MathScaledDotProductAttention(ScaledDotProductAttention):
    """The function with the kernel that is made of matrix products and a softmax."""

    def called(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: BoolArray | None) -> torch.Tensor:
        """What that kernel gives."""
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            return super().called(q, k, v, mask)


factory = ScaledDotProductAttention
math = MathScaledDotProductAttention
