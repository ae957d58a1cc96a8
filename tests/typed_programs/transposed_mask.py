"""The mask is keys by queries; NumPy runs it whenever n == m."""

from __future__ import annotations

from math import inf

from mha_spec.shapes import Array, B, M, Mask, N, where


def right(S: Array[*B, N, M], mask: Mask[*B, N, M]) -> Array[*B, N, M]:
    return where(mask, S, -inf)


def wrong(S: Array[*B, N, M], mask: Mask[*B, M, N]) -> Array[*B, N, M]:
    return where(mask, S, -inf)  # E[arg-type]: "Mask[*B, M, N]"; expected "Mask[*B, N, M]"
