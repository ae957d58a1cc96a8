"""The group counts the slow axis: head i reads i % kv_heads, not i // group."""

from __future__ import annotations

from mha_spec.shapes import DK, Dim, DModel, Group, Index, KvHeads, Mul, Weight, position


def right(
    j: Index[KvHeads], g: Index[Group], group: Dim[Group], W_Q: Weight[Mul[KvHeads, Group], DModel, DK]
) -> Weight[DModel, DK]:
    return W_Q[position(j, g, group)]


def wrong(
    j: Index[KvHeads], g: Index[Group], kv_heads: Dim[KvHeads], W_Q: Weight[Mul[KvHeads, Group], DModel, DK]
) -> Weight[DModel, DK]:
    i = position(g, j, kv_heads)
    return W_Q[i]  # E[index]: "Index[Mul[KvHeads, Group]]"
