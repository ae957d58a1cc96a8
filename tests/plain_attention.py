"""Multi-head attention as loops over Python floats: what every array program is compared with.

Nothing here comes from the package. A layer is a mapping of sizes and options, its parameters nested lists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Matrix = Sequence[Sequence[float]]


def linear(x: Sequence[float], w: Matrix, b: Sequence[float] | None) -> list[float]:
    """One row times a matrix, plus a bias."""
    out = []
    for column in range(len(w[0])):
        terms = [x[row] * w[row][column] for row in range(len(w))]
        out.append(math.fsum(terms) + (b[column] if b is not None else 0.0))
    return out


def may_attend(i: int, j: int, n: int, m: int, layer: Mapping[str, Any], mask: Any) -> bool:
    """Whether query i sees key j: the mask and causality must both allow."""
    if mask is not None and not mask[i][j]:
        return False
    if not layer["causal"]:
        return True
    position = i if layer["causal_alignment"] == "top-left" else i + m - n
    return j <= position and (layer["window"] is None or j > position - layer["window"])


def weights_of_a_query(
    q: Sequence[float], keys: Matrix, visible: Sequence[bool], layer: Mapping[str, Any]
) -> list[float]:
    """The attention weights of one query of one head; all zero if it sees no key."""
    scores = []
    for key in keys:
        score = math.fsum(a * b for a, b in zip(q, key, strict=True))
        score *= 1.0 / math.sqrt(len(key)) if layer["scale"] is None else layer["scale"]
        if layer["softcap"] is not None:
            score = layer["softcap"] * math.tanh(score / layer["softcap"])
        scores.append(score)
    seen = [score for score, allowed in zip(scores, visible, strict=True) if allowed]
    if not seen:
        return [0.0] * len(keys)
    top = max(seen)
    parts = [math.exp(s - top) if allowed else 0.0 for s, allowed in zip(scores, visible, strict=True)]
    total = math.fsum(parts)
    return [part / total for part in parts]


def plain_layer(
    layer: Mapping[str, Any], p: Mapping[str, Any], x: Matrix, y: Matrix, mask: Any
) -> tuple[list[list[float]], list[list[list[float]]]]:
    """The output rows and the weights (head, query, key) of one sequence without batch axes."""
    n, m, group = len(x), len(y), layer["h"] // layer["kv_heads"]
    joined: list[list[float]] = [[] for _ in range(n)]
    weights: list[list[list[float]]] = []

    def bias(name: str, head: int) -> Any:
        return p[name][head] if name in p else None

    for head in range(layer["h"]):
        shared = head // group
        keys = [linear(row, p["w_k"][shared], bias("b_k", shared)) for row in y]
        values = [linear(row, p["w_v"][shared], bias("b_v", shared)) for row in y]
        weights.append([])
        for i in range(n):
            q = linear(x[i], p["w_q"][head], bias("b_q", head))
            row = weights_of_a_query(q, keys, [may_attend(i, j, n, m, layer, mask) for j in range(m)], layer)
            weights[head].append(row)
            for column in range(len(values[0])):
                joined[i].append(math.fsum(row[j] * values[j][column] for j in range(m)))
    return [linear(row, p["w_o"], p.get("b_o")) for row in joined], weights
