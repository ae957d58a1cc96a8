"""Multi-head attention as in "Attention Is All You Need" (Vaswani et al. 2017, section 3.2), on NumPy arrays.

Every function does one kind of work, because its name is the place to which the cost of that work is booked.
The code reads sizes only through shape entries and never looks at an array's values, so it also runs
unmodified on arrays with symbolic sizes and on object arrays of counting scalars.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

import numpy as np

from .design import DEFAULT_RULE, ScoreRule
from .shapes import (
    DK,
    DV,
    Array,
    B,
    Dim,
    DMemory,
    DModel,
    Group,
    H,
    I,
    Index,
    J,
    KvHeads,
    M,
    Mask,
    Mul,
    N,
    Weight,
    any_key,
    concat,
    each,
    exp,
    flatten,
    in_a_row,
    otherwise,
    over_heads,
    position,
    repeat_heads,
    rowmax,
    rowsum,
    side_by_side,
    size,
    sqrt,
    tanh,
    times,
    unflatten,
    visible,
    where,
)


@dataclass(frozen=True)
class Weights(Generic[DModel, DMemory, KvHeads, Group, DK, DV]):
    """The parameters of one layer in the paper's layout; query head `i` reads key/value head `i // group`."""

    w_q: Weight[Mul[KvHeads, Group], DModel, DK]
    w_k: Weight[KvHeads, DMemory, DK]
    w_v: Weight[KvHeads, DMemory, DV]
    w_o: Weight[Mul[Mul[KvHeads, Group], DV], DModel]
    b_q: Weight[Mul[KvHeads, Group], DK] | None = None
    b_k: Weight[KvHeads, DK] | None = None
    b_v: Weight[KvHeads, DV] | None = None
    b_o: Weight[DModel] | None = None


def project(X: Array[*B, N, I], W: Weight[I, J], b: Weight[J] | None) -> Array[*B, N, J]:
    """`X W + b`."""
    Y = X @ W
    return Y if b is None else Y + b


def scores(Q: Array[*B, N, DK], K: Array[*B, M, DK]) -> Array[*B, N, M]:
    """`Q K^T`, before the scale."""
    return Q @ K.mT


def scale_scores(S: Array[*B, N, M], d_k: Dim[DK], scale: float | None) -> Array[*B, N, M]:
    """`S / sqrt(d_k)` (section 3.2.1), or `S * scale` where a scale is given."""
    return S / sqrt(d_k) if scale is None else S * scale


def cap_scores(S: Array[*B, N, M], softcap: float) -> Array[*B, N, M]:
    """`c tanh(S / c)` (Gemma 2, arXiv:2408.00118, section 2): scores kept between -c and c."""
    return tanh(S / softcap) * softcap


def softmax(S: Array[*B, N, M], mask: Mask[*B, N, M] | None) -> Array[*B, N, M]:
    """The softmax over the keys that the mask leaves, stable for scores of any size.

    A query that may attend to no key gets the weights zero.
    """
    if mask is None:
        E = exp(S - rowmax(S))
        return E / rowsum(E)
    alive = any_key(mask)
    S = where(mask, S, -np.inf)
    E = exp(S - otherwise(alive, rowmax(S), 0.0))
    return E / otherwise(alive, rowsum(E), 1.0)


def mix(A: Array[*B, N, M], V: Array[*B, M, DV]) -> Array[*B, N, DV]:
    """The values averaged with the attention weights."""
    return A @ V


def attention_weights(
    Q: Array[*B, N, DK], K: Array[*B, M, DK], mask: Mask[*B, N, M] | None, rule: ScoreRule
) -> Array[*B, N, M]:
    """The attention weights: scores, scale, cap, mask and causality (both must allow), softmax."""
    S = scale_scores(scores(Q, K), size(Q, -1), rule.scale)
    if rule.softcap is not None:
        S = cap_scores(S, rule.softcap)
    if rule.causal:
        past = visible(S, rule.causal_alignment, rule.window)
        mask = past if mask is None else mask & past
    return softmax(S, mask)


def attention(
    Q: Array[*B, N, DK],
    K: Array[*B, M, DK],
    V: Array[*B, M, DV],
    mask: Mask[*B, N, M] | None,
    rule: ScoreRule,
) -> Array[*B, N, DV]:
    """Scaled dot-product attention, equation 1 of the paper."""
    return mix(attention_weights(Q, K, mask, rule), V)


def split_heads(X: Array[*B, N, Mul[H, DK]], h: Dim[H]) -> Array[*B, H, N, DK]:
    """The features of each head, with the head axis before the token axis."""
    return unflatten(X, h).swapaxes(-3, -2)


def merge_heads(X: Array[*B, H, N, DV]) -> Array[*B, N, Mul[H, DV]]:
    """The heads of each token side by side: the inverse of `split_heads`."""
    return flatten(X.swapaxes(-3, -2))


def head_bias(b: Weight[H, J] | None, i: Index[H]) -> Weight[J] | None:
    """The bias of head `i`, if there are biases."""
    return None if b is None else b[i]


def joined_bias(b: Weight[H, J] | None) -> Weight[Mul[H, J]] | None:
    """The biases of all heads in a row, if there are biases."""
    return None if b is None else in_a_row(b)


def multi_head_per_head(
    X: Array[*B, N, DModel],
    Y: Array[*B, M, DMemory],
    w: Weights[DModel, DMemory, KvHeads, Group, DK, DV],
    kv_heads: Dim[KvHeads],
    group: Dim[Group],
    mask: Mask[*B, N, M] | None = None,
    rule: ScoreRule = DEFAULT_RULE,
) -> Array[*B, N, DModel]:
    """Multi-head attention as section 3.2.2 writes it: one head after the other, concatenated, times `W_O`.

    Queries come from `X`, keys and values from `Y`. Each key/value head is projected once and serves `group`
    query heads (Ainslie et al. 2023, arXiv:2305.13245).
    """
    heads: list[Array[*B, N, DV]] = []
    for j in each(kv_heads):
        K = project(Y, w.w_k[j], head_bias(w.b_k, j))
        V = project(Y, w.w_v[j], head_bias(w.b_v, j))
        for g in each(group):
            i = position(j, g, group)
            Q = project(X, w.w_q[i], head_bias(w.b_q, i))
            heads.append(attention(Q, K, V, mask, rule))
    return project(concat(times(kv_heads, group), heads), w.w_o, w.b_o)


def query_heads(
    X: Array[*B, N, DModel], w: Weights[DModel, DMemory, KvHeads, Group, DK, DV], h: Dim[Mul[KvHeads, Group]]
) -> Array[*B, Mul[KvHeads, Group], N, DK]:
    """The queries of all heads by one projection."""
    return split_heads(project(X, side_by_side(w.w_q), joined_bias(w.b_q)), h)


def key_heads(
    Y: Array[*B, M, DMemory], w: Weights[DModel, DMemory, KvHeads, Group, DK, DV], kv_heads: Dim[KvHeads]
) -> Array[*B, KvHeads, M, DK]:
    """The keys of all key/value heads by one projection."""
    return split_heads(project(Y, side_by_side(w.w_k), joined_bias(w.b_k)), kv_heads)


def value_heads(
    Y: Array[*B, M, DMemory], w: Weights[DModel, DMemory, KvHeads, Group, DK, DV], kv_heads: Dim[KvHeads]
) -> Array[*B, KvHeads, M, DV]:
    """The values of all key/value heads by one projection."""
    return split_heads(project(Y, side_by_side(w.w_v), joined_bias(w.b_v)), kv_heads)


def multi_head_weights(
    X: Array[*B, N, DModel],
    Y: Array[*B, M, DMemory],
    w: Weights[DModel, DMemory, KvHeads, Group, DK, DV],
    kv_heads: Dim[KvHeads],
    group: Dim[Group],
    mask: Mask[*B, N, M] | None = None,
    rule: ScoreRule = DEFAULT_RULE,
) -> Array[*B, Mul[KvHeads, Group], N, M]:
    """The attention weights of every head."""
    h = times(kv_heads, group)
    Q, K = query_heads(X, w, h), repeat_heads(key_heads(Y, w, kv_heads), group)
    return attention_weights(Q, K, None if mask is None else over_heads(mask, h), rule)


def multi_head_batched(
    X: Array[*B, N, DModel],
    Y: Array[*B, M, DMemory],
    w: Weights[DModel, DMemory, KvHeads, Group, DK, DV],
    kv_heads: Dim[KvHeads],
    group: Dim[Group],
    mask: Mask[*B, N, M] | None = None,
    rule: ScoreRule = DEFAULT_RULE,
) -> Array[*B, N, DModel]:
    """The same function as `multi_head_per_head`, with the heads as an axis of every array."""
    Q = query_heads(X, w, times(kv_heads, group))
    K = repeat_heads(key_heads(Y, w, kv_heads), group)
    V = repeat_heads(value_heads(Y, w, kv_heads), group)
    over = None if mask is None else over_heads(mask, times(kv_heads, group))
    return project(merge_heads(attention(Q, K, V, over, rule)), w.w_o, w.b_o)
