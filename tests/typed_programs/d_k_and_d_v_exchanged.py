"""Keys and values change places; NumPy runs it whenever d_k == d_v."""

from __future__ import annotations

from mha_spec.attention import attention
from mha_spec.design import DEFAULT_RULE
from mha_spec.shapes import DK, DV, Array, B, M, N


def right(Q: Array[*B, N, DK], K: Array[*B, M, DK], V: Array[*B, M, DV]) -> Array[*B, N, DV]:
    return attention(Q, K, V, None, DEFAULT_RULE)


def wrong(Q: Array[*B, N, DK], K: Array[*B, M, DK], V: Array[*B, M, DV]) -> Array[*B, N, DV]:
    return attention(Q, V, K, None, DEFAULT_RULE)  # E[arg-type]: "Array[*B, M, DK]"; expected "Array[*B, Any, DV]"
