"""The attention weights take the place of the values; NumPy runs it whenever n == m."""

from __future__ import annotations

from mha_spec.attention import mix
from mha_spec.shapes import DV, Array, B, M, N


def right(A: Array[*B, N, M], V: Array[*B, M, DV]) -> Array[*B, N, DV]:
    return mix(A, V)


def wrong(A: Array[*B, N, M], V: Array[*B, M, DV]) -> Array[*B, N, DV]:
    return mix(A, A)  # E[arg-type]: "Array[*B, N, M]"; expected "Array[*B, Any, DV]"
