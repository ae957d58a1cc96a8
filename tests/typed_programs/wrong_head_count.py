"""The number of heads is taken from the axis that holds d_k."""

from __future__ import annotations

from mha_spec.attention import split_heads
from mha_spec.shapes import DK, Array, B, Dim, H, Mul, N, size


def right(X: Array[*B, N, Mul[H, DK]], h: Dim[H]) -> Array[*B, H, N, DK]:
    return split_heads(X, h)


def wrong(X: Array[*B, N, Mul[H, DK]], Q: Array[*B, N, DK]) -> Array[*B, H, N, DK]:
    d_k = size(Q, -1)
    return split_heads(X, d_k)  # E[arg-type]: "Dim[DK]"; expected "Dim[H]"
