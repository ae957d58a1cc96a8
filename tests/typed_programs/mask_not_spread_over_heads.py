"""A mask (b, n, m) meets scores (b, h, n, m); NumPy may align b with h."""

from __future__ import annotations

from math import inf

from mha_spec.shapes import Array, B, Dim, H, M, Mask, N, over_heads, where


def right(S: Array[*B, H, N, M], mask: Mask[*B, N, M], h: Dim[H]) -> Array[*B, H, N, M]:
    return where(over_heads(mask, h), S, -inf)


def wrong(S: Array[*B, H, N, M], mask: Mask[*B, N, M]) -> Array[*B, H, N, M]:
    return where(mask, S, -inf)  # E[arg-type]: "Mask[*B, N, M]"; expected "Mask[*B, H, N, M]"
