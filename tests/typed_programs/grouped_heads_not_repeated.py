"""Query heads meet key/value heads that were not repeated; at kv_heads == h nothing shows."""

from __future__ import annotations

from mha_spec.attention import scores
from mha_spec.shapes import DK, Array, B, Dim, Group, KvHeads, M, Mul, N, repeat_heads


def right(
    Q: Array[*B, Mul[KvHeads, Group], N, DK], K: Array[*B, KvHeads, M, DK], group: Dim[Group]
) -> Array[*B, Mul[KvHeads, Group], N, M]:
    return scores(Q, repeat_heads(K, group))


def wrong(
    Q: Array[*B, Mul[KvHeads, Group], N, DK], K: Array[*B, KvHeads, M, DK]
) -> Array[*B, Mul[KvHeads, Group], N, M]:
    return scores(Q, K)  # E[arg-type]: "Array[*B, KvHeads, M, DK]"; expected "Array[*B, Mul[KvHeads, Group], M, DK]"
