"""Multi-head attention as plain loops over Python floats: what every value law compares a layer with.

It shares no code with `mha_spec.attention`, and computes in float64 on the arrays as they are given. A query that may
attend to no key has the weights zero, so its output is `b_o`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mha_spec.design import AttentionDesign, FloatArray, Parameters

from .contract import Array, BoolArray

Vector: TypeAlias = Sequence[float]
Rows: TypeAlias = list[list[float]]


@dataclass(frozen=True)
class Defined:
    """What the definition gives: `output (batch, n, d_model)` and `weights (batch, h, n, m)`, in float64."""

    output: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]


def define(
    design: AttentionDesign,
    parameters: Parameters,
    x: Array,
    memory: Array | None = None,
    mask: BoolArray | None = None,
    queries: Iterable[int] | None = None,
) -> Defined:
    """The layer of a design on `x (batch, n, d_model)`; with `queries`, only their rows, and zero in the others."""
    read_from = x if memory is None else memory
    batch, n, m = x.shape[0], x.shape[1], read_from.shape[1]
    rows = range(n) if queries is None else sorted(set(queries))
    output, weights = np.zeros((batch, n, design.d_model)), np.zeros((batch, design.h, n, m))
    heads = Heads.of(design, parameters)
    for entry in range(batch):
        keys, values = heads.keys_and_values(as_rows(read_from[entry]))
        for i in rows:
            seen = [j for j in range(m) if visible(design, i, j, n, m) and (mask is None or bool(mask[entry, i, j]))]
            concatenated: list[float] = []
            for a in range(design.h):
                query, kv = heads.query(a, as_row(x[entry, i])), a // design.group
                row = softmax([score(design, query, keys[kv][j]) for j in seen])
                weights[entry, a, i, seen] = row
                concatenated += mixed(row, [values[kv][j] for j in seen], design.d_v)
            output[entry, i] = heads.output(concatenated)
    return Defined(output, weights)


def visible(design: AttentionDesign, i: int, j: int, n: int, m: int) -> bool:
    """Whether causality and the window let query `i` of `n` attend to key `j` of `m`."""
    if not design.causal:
        return True
    position = i + (m - n if design.causal_alignment == "bottom-right" else 0)
    reach = m + n if design.window is None else design.window
    return position - reach < j <= position


def visible_pairs(design: AttentionDesign, n: int, m: int) -> BoolArray:
    """`visible` for all pairs, `(n, m)`."""
    if not design.causal:
        return np.ones((n, m), dtype=np.bool_)
    return np.array([[visible(design, i, j, n, m) for j in range(m)] for i in range(n)], dtype=np.bool_).reshape(n, m)


def scale_of(design: AttentionDesign) -> float:
    """What the scores are multiplied by: `1/sqrt(d_k)`, unless the design says otherwise."""
    return 1 / math.sqrt(design.d_k) if design.scale is None else design.scale


def dot(a: Vector, b: Vector) -> float:
    """The scalar product, rounded once."""
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def score(design: AttentionDesign, query: Vector, key: Vector) -> float:
    """One score: the scalar product, scaled, and capped where the design has a softcap."""
    scaled = dot(query, key) * scale_of(design)
    return scaled if design.softcap is None else design.softcap * math.tanh(scaled / design.softcap)


def softmax(scores: Vector) -> list[float]:
    """Exponentials that sum to 1; nothing for no scores."""
    top = max(scores, default=0.0)
    exponentials = [math.exp(s - top) for s in scores]
    total = math.fsum(exponentials)
    return [e / total for e in exponentials]


def mixed(weights: Vector, values: Sequence[Vector], width: int) -> list[float]:
    """The weighted sum of value vectors of this width; zero for none."""
    return [dot(weights, [value[c] for value in values]) for c in range(width)]


def as_row(vector: Array) -> list[float]:
    """A vector as Python floats."""
    return [float(entry) for entry in vector]


def as_rows(matrix: Array) -> Rows:
    """The rows of a matrix as Python floats."""
    return [as_row(row) for row in matrix]


def columns(matrix: FloatArray) -> Rows:
    """The columns of a matrix as Python floats."""
    return as_rows(matrix.T)


def projected(row: Vector, matrix: Rows, bias: Vector | None) -> list[float]:
    """`row W + b`, with `W` given by its columns."""
    product = [dot(row, column) for column in matrix]
    return product if bias is None else [p + b for p, b in zip(product, bias, strict=True)]


@dataclass(frozen=True)
class Heads:
    """The projections of a layer as lists of floats: one matrix, given by its columns, and one bias for each head."""

    w_q: list[Rows]
    w_k: list[Rows]
    w_v: list[Rows]
    w_o: Rows
    b_q: list[list[float]] | None
    b_k: list[list[float]] | None
    b_v: list[list[float]] | None
    b_o: list[float] | None

    @staticmethod
    def of(design: AttentionDesign, p: Parameters) -> Heads:
        """The projections of these parameters."""
        return Heads(
            w_q=[columns(p.w_q[a]) for a in range(design.h)],
            w_k=[columns(p.w_k[c]) for c in range(design.kv_heads)],
            w_v=[columns(p.w_v[c]) for c in range(design.kv_heads)],
            w_o=columns(p.w_o),
            b_q=None if p.b_q is None else as_rows(p.b_q),
            b_k=None if p.b_k is None else as_rows(p.b_k),
            b_v=None if p.b_v is None else as_rows(p.b_v),
            b_o=None if p.b_o is None else as_row(p.b_o),
        )

    def query(self, head: int, row: Vector) -> list[float]:
        """The query vector of a head."""
        return projected(row, self.w_q[head], None if self.b_q is None else self.b_q[head])

    def keys_and_values(self, rows: Rows) -> tuple[list[Rows], list[Rows]]:
        """The key vectors and the value vectors of these rows, for every key/value head."""
        keys = [
            [projected(row, w, None if self.b_k is None else self.b_k[c]) for row in rows]
            for c, w in enumerate(self.w_k)
        ]
        values = [
            [projected(row, w, None if self.b_v is None else self.b_v[c]) for row in rows]
            for c, w in enumerate(self.w_v)
        ]
        return keys, values

    def output(self, concatenated: Vector) -> list[float]:
        """The concatenated heads of one query, times `W_O`, plus `b_o`."""
        return projected(concatenated, self.w_o, self.b_o)
