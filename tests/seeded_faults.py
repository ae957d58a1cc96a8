"""Faults put into the package's own attention.py, as replacements of its text.

`BY_TYPE` change a shape, or the name of an axis: mypy refuses each. `BEYOND_TYPES` keep every shape, so no
checker of shapes can see them; values do.
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """A sentence, the text to replace (it occurs once) and what replaces it."""

    sentence: str
    old: str
    new: str


BATCHED_KEYS = "    K = repeat_heads(key_heads(Y, w, kv_heads), group)\n    V ="

BY_TYPE = [
    Fault("the keys are not transposed", "return Q @ K.mT", "return Q @ K"),
    Fault("the scores are keys by queries", "return Q @ K.mT", "return K @ Q.mT"),
    Fault("queries meet queries", "return Q @ K.mT", "return Q @ Q.mT"),
    Fault("the projection multiplies from the left", "Y = X @ W", "Y = W @ X"),
    Fault(
        "the bias is added before the projection",
        "return Y if b is None else Y + b",
        "return Y if b is None else (X + b) @ W",
    ),
    Fault("the row maximum runs over the queries", "E = exp(S - rowmax(S))", "E = exp(S - rowmax(S.mT))"),
    Fault("the softmax runs over the queries", "return E / rowsum(E)\n", "return E / rowsum(E.mT)\n"),
    Fault(
        "the masked softmax runs over the queries",
        "return E / otherwise(alive, rowsum(E), 1.0)",
        "return E / otherwise(alive, rowsum(E.mT), 1.0)",
    ),
    Fault("weights are mixed with weights", "return A @ V", "return A @ A"),
    Fault("weights are transposed before they are mixed", "return A @ V", "return A.mT @ V"),
    Fault(
        "values take the place of keys",
        "attention_weights(Q, K, mask, rule), V)",
        "attention_weights(Q, V, mask, rule), K)",
    ),
    Fault(
        "keys take the place of values",
        "attention_weights(Q, K, mask, rule), V)",
        "attention_weights(Q, K, mask, rule), K)",
    ),
    Fault("causality is transposed", "visible(S, rule", "visible(S.mT, rule"),
    Fault("the heads are not moved before the tokens", "unflatten(X, h).swapaxes(-3, -2)", "unflatten(X, h)"),
    Fault("heads are merged where they stand", "return flatten(X.swapaxes(-3, -2))", "return flatten(X)"),
    Fault("features are merged head-minor", "flatten(X.swapaxes(-3, -2))", "flatten(X.swapaxes(-3, -2).mT)"),
    Fault("the per-head keys come from the input", "K = project(Y, w.w_k[j]", "K = project(X, w.w_k[j]"),
    Fault("the per-head queries come from the memory", "Q = project(X, w.w_q[i]", "Q = project(Y, w.w_q[i]"),
    Fault("the values are projected with W_K", "V = project(Y, w.w_v[j]", "V = project(Y, w.w_k[j]"),
    Fault("the values get the bias of the keys", "head_bias(w.b_v, j)", "head_bias(w.b_k, j)"),
    Fault(
        "the keys of a query head are looked up by its own index",
        "V = project(Y, w.w_v[j]",
        "V = project(Y, w.w_v[position(j, j, kv_heads)]",
    ),
    Fault("the query matrix is that of the key/value head", "project(X, w.w_q[i]", "project(X, w.w_q[j]"),
    Fault("groups are tiled, not repeated", "position(j, g, group)", "position(g, j, kv_heads)"),
    Fault(
        "heads are joined along the tokens",
        "concat(times(kv_heads, group), heads)",
        "concat(times(kv_heads, group), [Z.mT for Z in heads]).mT",
    ),
    Fault(
        "only the key/value heads are joined",
        "concat(times(kv_heads, group), heads)",
        "concat(kv_heads, heads)",
    ),
    Fault("W_O is W_Q of a head", "heads), w.w_o, w.b_o)", "heads), w.w_q[i], w.b_o)"),
    Fault(
        "the output bias is added to the heads",
        "merge_heads(attention(Q, K, V, over, rule)), w.w_o, w.b_o)",
        "merge_heads(attention(Q, K, V, over, rule)), w.w_o, w.b_v)",
    ),
    Fault("the batched keys are not repeated", BATCHED_KEYS, "    K = key_heads(Y, w, kv_heads)\n    V ="),
    Fault("keys are split into query heads", "joined_bias(w.b_k)), kv_heads)", "joined_bias(w.b_k)), h)"),
    Fault("queries are split into key/value heads", "key_heads(\n    Y:", "key_heads(\n    X:"),
    Fault("W_Q keeps its head axis", "project(X, side_by_side(w.w_q)", "project(X, w.w_q"),
    Fault("the bias keeps its head axis", "return None if b is None else in_a_row(b)", "return b"),
    Fault("the values use W_K in the batched form", "side_by_side(w.w_v)", "side_by_side(w.w_k)"),
    Fault(
        "the mask is not spread over the heads",
        "attention(Q, K, V, over, rule)), w.w_o",
        "attention(Q, K, V, mask, rule)), w.w_o",
    ),
    Fault(
        "the mask is spread over the key/value heads",
        "over_heads(mask, times(kv_heads, group))",
        "over_heads(mask, kv_heads)",
    ),
    Fault(
        "the batched heads are not merged",
        "project(merge_heads(attention(Q, K, V, over, rule))",
        "project((attention(Q, K, V, over, rule))",
    ),
    Fault(
        "W_O has the rows of one head",
        "w_o: Weight[Mul[Mul[KvHeads, Group], DV], DModel]",
        "w_o: Weight[DV, DModel]",
    ),
    Fault("the output bias has the size d_v", "b_o: Weight[DModel] | None", "b_o: Weight[DV] | None"),
    Fault(
        "W_K reads the input's width", "w_k: Weight[KvHeads, DMemory, DK]", "w_k: Weight[KvHeads, DModel, DK]"
    ),
    Fault(
        "the groups come first in W_Q",
        "w_q: Weight[Mul[KvHeads, Group], DModel, DK]",
        "w_q: Weight[Mul[Group, KvHeads], DModel, DK]",
    ),
]

BEYOND_TYPES = [
    Fault("the scale is the root of m", "size(Q, -1), rule.scale", "size(K.mT, -1), rule.scale"),
    Fault("the scale is missing", "return S / sqrt(d_k) if scale is None else S * scale", "return S"),
    Fault("the scale is d_k, not its root", "return S / sqrt(d_k)", "return S / d_k"),
    Fault("the scale multiplies", "return S / sqrt(d_k)", "return S * sqrt(d_k)"),
    Fault("a given scale divides", "else S * scale", "else S / scale"),
    Fault("the softcap is not scaled back", "return tanh(S / softcap) * softcap", "return tanh(S / softcap)"),
    Fault(
        "the softcap is left out",
        "    if rule.softcap is not None:\n        S = cap_scores(S, rule.softcap)\n",
        "",
    ),
    Fault("the mask is ignored", "    return softmax(S, mask)\n", "    return softmax(S, None)\n"),
    Fault("causality is ignored", "    if rule.causal:\n", "    if False:\n"),
    Fault("causality replaces the mask", "past if mask is None else mask & past", "past"),
    Fault(
        "the mask replaces causality",
        "past if mask is None else mask & past",
        "past if mask is None else mask",
    ),
    Fault(
        "the alignment is always top-left", "rule.causal_alignment, rule.window", '"top-left", rule.window'
    ),
    Fault("the window is ignored", "rule.causal_alignment, rule.window", "rule.causal_alignment, None"),
    Fault("the softmax is not stable", "E = exp(S - rowmax(S))", "E = exp(S)"),
    Fault("the softmax is not normalised", "return E / rowsum(E)\n", "return E\n"),
    Fault("the exponential is left out", "E = exp(S - rowmax(S))", "E = S"),
    Fault(
        "masked scores are 0, not minus infinity", "S = where(mask, S, -np.inf)", "S = where(mask, S, 0.0)"
    ),
    Fault("masked scores are large, not infinite", "S = where(mask, S, -np.inf)", "S = where(mask, S, -1e4)"),
    Fault(
        "an empty row is divided by zero",
        "return E / otherwise(alive, rowsum(E), 1.0)",
        "return E / rowsum(E)",
    ),
    Fault("an empty row is not a number", "otherwise(alive, rowmax(S), 0.0)", "rowmax(S)"),
    Fault("the bias is left out", "return Y if b is None else Y + b", "return Y"),
    Fault(
        "the bias is added twice", "return Y if b is None else Y + b", "return Y if b is None else Y + b + b"
    ),
    Fault("the output bias is left out", "heads), w.w_o, w.b_o)", "heads), w.w_o, None)"),
    Fault(
        "the batched values have no bias",
        "side_by_side(w.w_v), joined_bias(w.b_v)",
        "side_by_side(w.w_v), None",
    ),
    Fault(
        "the per-head form forgets the mask",
        "attention(Q, K, V, mask, rule))",
        "attention(Q, K, V, None, rule))",
    ),
    Fault(
        "the batched form forgets the mask",
        "attention(Q, K, V, over, rule))",
        "attention(Q, K, V, None, rule))",
    ),
]
