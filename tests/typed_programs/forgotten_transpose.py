"""K is multiplied without its transpose; NumPy runs it whenever m == d_k."""

from __future__ import annotations

from mha_spec.shapes import DK, Array, B, M, N


def right(Q: Array[*B, N, DK], K: Array[*B, M, DK]) -> Array[*B, N, M]:
    return Q @ K.mT


def wrong(Q: Array[*B, N, DK], K: Array[*B, M, DK]) -> Array[*B, N, M]:
    return Q @ K  # E[operator]: for @ ("Array[*B, N, DK]" and "Array[*B, M, DK]")
