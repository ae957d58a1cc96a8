"""A key matrix is picked by the index of a query head; at kv_heads == h nothing shows."""

from __future__ import annotations

from mha_spec.shapes import DK, DMemory, H, Index, KvHeads, Weight


def right(w_k: Weight[KvHeads, DMemory, DK], j: Index[KvHeads]) -> Weight[DMemory, DK]:
    return w_k[j]


def wrong(w_k: Weight[KvHeads, DMemory, DK], i: Index[H]) -> Weight[DMemory, DK]:
    return w_k[i]  # E[index]: "Index[KvHeads]"
