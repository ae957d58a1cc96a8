"""The scores are keys by queries."""

from __future__ import annotations

from mha_spec.attention import scores
from mha_spec.shapes import DK, Array, B, M, N


def right(Q: Array[*B, N, DK], K: Array[*B, M, DK]) -> Array[*B, N, M]:
    S = scores(Q, K)
    return S


def wrong(Q: Array[*B, N, DK], K: Array[*B, M, DK]) -> Array[*B, N, M]:
    S = scores(K, Q)
    return S  # E[return-value]: got "Array[*B, M, N]", expected "Array[*B, N, M]"
