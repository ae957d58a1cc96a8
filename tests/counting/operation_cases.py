"""For every operation of a symbolic array, programs that use it and the shapes that they are run on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Program: TypeAlias = Callable[..., Any]

AS_TYPE: Program = getattr(np, "astype", lambda x, dtype: x.astype(dtype))
"""`np.astype`, which NumPy has since 2.1."""


class Array(NamedTuple):
    """An argument: an array whose shape is written in names of sizes."""

    shape: tuple[str | int, ...]
    kind: str = "f"


class Case(NamedTuple):
    """A program and its arguments; a text is a size."""

    program: Program
    arguments: tuple[Array | str, ...]


X, XT, V = Array(("n", "d")), Array(("d", "n")), Array(("d",))
Y, S, K = Array(("d", "m")), Array(("n", "m")), Array(("m", "d"))
HEADS, WIDE, COLUMN = Array(("h", "n", "d")), Array(("n", "h*d")), Array(("n", 1))
MASK, OTHER_MASK, POSITIONS = Array(("n", "m"), "b"), Array(("n", "m"), "b"), Array(("n",), "i")


def case(program: Program, *arguments: Array | str) -> Case:
    return Case(program, arguments)


def _written(program: Callable[..., None]) -> Program:
    """The program run for its effect on its first argument, which it gives back."""

    def run(x: Any, *rest: Any) -> Any:
        program(x, *rest)
        return x

    return run


def _add_in_place(x: Any, y: Any) -> None:
    x += y


def _assign_columns(x: Any, y: Any) -> None:
    x[:, 1:] = y[:, 1:]
    x[0] = 0.0


UFUNC_CASES: dict[str, list[Case]] = {
    "ufunc add": [
        case(lambda x, v: x + v, X, V),
        case(lambda x: 1.0 + x, X),
        case(_written(_add_in_place), X, V),
        case(lambda p: p + 1, POSITIONS),
        case(lambda p: p + 0.5, POSITIONS),
    ],
    "ufunc subtract": [case(lambda x, c: x - c, X, COLUMN), case(lambda k: 1.0 - k, MASK)],
    "ufunc multiply": [
        case(lambda x, d: x * d**-0.5, X, "d"),
        case(lambda s, k: s * k, S, MASK),
        case(lambda x, d: d * x, X, "d"),
        case(lambda x: np.multiply(np.ones((1, 1)), x), X),
    ],
    "ufunc divide": [
        case(lambda x, c: x / c, X, COLUMN),
        case(lambda x, d: x / np.sqrt(d), X, "d"),
        case(lambda x: 1.0 / (1.0 + np.exp(-x)), X),
        case(lambda k, m: k.sum(axis=-1) / m, MASK, "m"),
    ],
    "ufunc true_divide": [case(lambda x: np.true_divide(x, 2.0), X)],
    "ufunc exp": [case(lambda x: np.exp(x), X), case(lambda p: np.exp(p), POSITIONS)],
    "ufunc tanh": [case(lambda x: np.tanh(x / 30.0) * 30.0, X)],
    "ufunc sqrt": [case(lambda x: np.sqrt(x), X), case(lambda x: x**0.5, X)],
    "ufunc log": [case(lambda x: np.log(np.exp(x)), X)],
    "ufunc square": [case(lambda x: np.square(x), X)],
    "ufunc power": [case(lambda x: x**2, X), case(lambda x: x**3, X), case(lambda x: np.power(x, 2), X)],
    "ufunc negative": [case(lambda x: -x, X)],
    "ufunc absolute": [case(lambda x: abs(x), X)],
    "ufunc reciprocal": [case(lambda x: np.reciprocal(x), X)],
    "ufunc maximum": [case(lambda x: np.maximum(x, 0.0), X), case(lambda x, v: np.maximum(x, v), X, V)],
    "ufunc minimum": [case(lambda x: np.minimum(0.0, x), X)],
    "ufunc equal": [case(lambda x: x == 0.0, X), case(lambda k: k == 0, MASK)],
    "ufunc not_equal": [case(lambda x, y: x != y, X, X)],
    "ufunc less": [case(lambda x: x < 0, X)],
    "ufunc less_equal": [case(lambda x: x <= 0.5, X)],
    "ufunc greater": [case(lambda x, v: x > v, X, V)],
    "ufunc greater_equal": [case(lambda p, x, m: p[:, None] >= np.arange(m, like=x), POSITIONS, X, "m")],
    "ufunc logical_and": [case(lambda k, q: np.logical_and(k, q), MASK, OTHER_MASK)],
    "ufunc logical_or": [case(lambda k, q: np.logical_or(k, q), MASK, OTHER_MASK)],
    "ufunc logical_not": [case(lambda k: np.logical_not(k), MASK)],
    "ufunc logical_xor": [case(lambda k, q: np.logical_xor(k, q), MASK, OTHER_MASK)],
    "ufunc bitwise_and": [case(lambda k, q: k & q, MASK, OTHER_MASK)],
    "ufunc bitwise_or": [case(lambda k, q: k | q, MASK, OTHER_MASK)],
    "ufunc bitwise_xor": [case(lambda k, q: k ^ q, MASK, OTHER_MASK)],
    "ufunc invert": [case(lambda k: ~k, MASK)],
    "ufunc matmul": [
        case(lambda x, y: x @ y, X, Y),
        case(lambda x, v: x @ v, X, V),
        case(lambda v, y: v @ y, V, Y),
        case(lambda v: v @ v, V),
        case(lambda q, k: q @ k.mT, HEADS, K),
        case(lambda k, v: k @ v, MASK, K),
        case(lambda x, y: np.ones((1, 1)) @ (x @ y)[:1, :1], X, Y),
    ],
    "add.reduce": [case(lambda x: np.add.reduce(x), X), case(lambda x: np.add.reduce(x, axis=-1), X)],
    "multiply.reduce": [case(lambda x: np.multiply.reduce(x, axis=1), X)],
    "maximum.reduce": [case(lambda x: np.maximum.reduce(x, axis=1, keepdims=True), X)],
    "minimum.reduce": [case(lambda x: np.minimum.reduce(x, axis=0), X)],
    "logical_or.reduce": [case(lambda k: np.logical_or.reduce(k, axis=-1), MASK)],
    "logical_and.reduce": [case(lambda k: np.logical_and.reduce(k, axis=-1), MASK)],
}

REDUCTION_CASES: dict[str, list[Case]] = {
    "np.sum": [
        case(lambda x: np.sum(x), X),
        case(lambda x: np.sum(x, axis=(0, 2), keepdims=True), HEADS),
        case(lambda k: np.sum(k, axis=-1), MASK),
    ],
    "np.prod": [case(lambda x: np.prod(x, axis=0), X)],
    "np.max": [case(lambda x: np.max(x, axis=-1, keepdims=True), X), case(lambda p: np.max(p), POSITIONS)],
    "np.min": [case(lambda x: np.min(x), X)],
    "np.amax": [case(lambda x: np.amax(x, axis=0), X)],
    "np.amin": [case(lambda x: np.amin(x, axis=0), X)],
    "np.any": [case(lambda k: np.any(k, axis=-1, keepdims=True), MASK)],
    "np.all": [case(lambda k: np.all(k, axis=0), MASK)],
    "np.mean": [case(lambda x: np.mean(x, axis=-1, keepdims=True), X), case(lambda x: np.mean(x), X)],
    "x.sum": [case(lambda x: x.sum(-1), X), case(lambda x: x.sum(axis=(0, 1)), X)],
    "x.prod": [case(lambda x: x.prod(), X)],
    "x.max": [case(lambda x: x.max(axis=-1, keepdims=True), X)],
    "x.min": [case(lambda x: x.min(axis=0), X)],
    "x.any": [case(lambda k: k.any(axis=-1, keepdims=True), MASK)],
    "x.all": [case(lambda k: k.all(), MASK)],
    "x.mean": [case(lambda x: x.mean(axis=0), X), case(lambda x: x.mean(), X)],
}

PRODUCT_CASES: dict[str, list[Case]] = {
    "np.dot": [case(lambda x, y: np.dot(x, y), X, Y), case(lambda q, v: np.dot(q, v), HEADS, V)],
    "x.dot": [case(lambda x, y: x.dot(y), X, Y)],
    "np.outer": [case(lambda v: np.outer(v, v), V)],
    "np.tensordot": [
        case(lambda x, y: np.tensordot(x, y, 1), X, Y),
        case(lambda q, k: np.tensordot(q, k, axes=([2], [1])), HEADS, K),
        case(lambda q: np.tensordot(q, q, axes=((0, 2), (0, 2))), HEADS),
    ],
    "np.einsum": [
        case(lambda x, y: np.einsum("nd,dm->nm", x, y), X, Y),
        case(lambda q, k: np.einsum("hnd,md->hnm", q, k), HEADS, K),
        case(lambda q, k: np.einsum("...nd,md", q, k), HEADS, K),
        case(lambda x, y, k: np.einsum("nd,dm,me->ne", x, y, k), X, Y, K),
        case(lambda x: np.einsum("nd->dn", x), X),
        case(lambda x: np.einsum("nd->n", x), X),
        case(lambda x: np.einsum("nd->", x), X),
        case(lambda x: np.einsum("...d->...", x), X),
        case(lambda x, c: np.einsum("nd,nd->nd", x, c), X, COLUMN),
        case(lambda s: np.einsum("aa", s @ s.T), S),
        case(lambda s: np.einsum("aa->a", s @ s.T), S),
    ],
}

SHAPE_CASES: dict[str, list[Case]] = {
    "np.reshape": [
        case(lambda x, h, d: np.reshape(x, (-1, h, d)), WIDE, "h", "d"),
        case(lambda x, h: np.reshape(x, (x.shape[0], h, x.shape[1] // h)), WIDE, "h"),
    ],
    "x.reshape": [
        case(lambda x, h: x.reshape(*x.shape[:-1], h, -1), WIDE, "h"),
        case(lambda x: x.reshape(-1), X),
    ],
    "np.ravel": [case(lambda x: np.ravel(x), X)],
    "x.ravel": [case(lambda x: x.ravel(), X)],
    "x.flatten": [case(lambda x: x.flatten(), X)],
    "np.transpose": [case(lambda q: np.transpose(q, (1, 0, 2)), HEADS), case(lambda x: np.transpose(x), X)],
    "x.transpose": [
        case(lambda q: q.transpose(1, 0, 2), HEADS),
        case(lambda q: q.transpose((2, 0, 1)), HEADS),
        case(lambda q: q.transpose(), HEADS),
        case(lambda q: q.T, HEADS),
    ],
    "np.swapaxes": [case(lambda q: np.swapaxes(q, -1, 0), HEADS)],
    "x.swapaxes": [case(lambda q: q.swapaxes(-3, -2), HEADS)],
    "np.moveaxis": [
        case(lambda q: np.moveaxis(q, 0, -2), HEADS),
        case(lambda q: np.moveaxis(q, 2, 0), HEADS),
    ],
    "np.matrix_transpose": [case(lambda q: np.matrix_transpose(q), HEADS)],
    "np.expand_dims": [
        case(lambda k: np.expand_dims(k, -3), MASK),
        case(lambda k: np.expand_dims(k, (0, 3)), MASK),
    ],
    "np.squeeze": [case(lambda c: np.squeeze(c, axis=-1), COLUMN)],
    "x.squeeze": [case(lambda c: c.squeeze(axis=1), COLUMN)],
    "np.broadcast_to": [case(lambda k, h: np.broadcast_to(k, (h, *k.shape)), MASK, "h")],
    "np.repeat": [case(lambda q, m: np.repeat(q, m, axis=-3), HEADS, "m")],
    "x.repeat": [case(lambda q: q.repeat(2, axis=0), HEADS)],
    "np.tile": [case(lambda x, h: np.tile(x, (h, 1, 1)), X, "h"), case(lambda q: np.tile(q, 2), HEADS)],
    "np.astype": [case(lambda k: AS_TYPE(k, np.float64), MASK)],
    "x.astype": [case(lambda k: 1.0 - k.astype(np.float64), MASK), case(lambda x: x.astype(np.float64), X)],
    "np.copy": [case(lambda x: np.copy(x), X)],
    "x.copy": [case(lambda x: x.copy(), X)],
    "np.shape": [case(lambda x: x.reshape(np.shape(x)[::-1]), X)],
    "np.ndim": [case(lambda x: x.sum(axis=np.ndim(x) - 1), X)],
    "np.size": [case(lambda x: x.reshape((np.size(x),)), X), case(lambda x: x / np.size(x, 1), X)],
}

OTHER_CASES: dict[str, list[Case]] = {
    "np.concatenate": [case(lambda x, w: np.concatenate([x, w], axis=-1), X, WIDE)],
    "np.stack": [case(lambda x: np.stack([x, x, x], axis=1), X)],
    "np.hstack": [case(lambda x, w: np.hstack((x, w)), X, WIDE), case(lambda v: np.hstack((v, v)), V)],
    "np.vstack": [case(lambda x, k: np.vstack((x, k)), X, K)],
    "np.split": [
        case(lambda x: np.split(np.concatenate([x, x], axis=1), 2, axis=1)[1], X),
    ],
    "np.where": [
        case(lambda k, s: np.where(k, s, -np.inf), MASK, S),
        case(lambda k, s: s + np.where(k, 0.0, -1e9), MASK, S),
    ],
    "np.tril": [case(lambda s: np.tril(s), S), case(lambda k: np.tril(k, 1), MASK)],
    "np.triu": [case(lambda s: np.triu(s, k=1), S)],
    "np.zeros_like": [
        case(lambda x: np.zeros_like(x) + 1.0, X),
        case(lambda x: np.zeros_like(x, dtype=bool), X),
    ],
    "np.ones_like": [case(lambda x: np.ones_like(x) * x, X)],
    "np.empty_like": [case(_written(lambda x: np.empty_like(x).__setitem__(0, 1.0)), X)],
    "np.full_like": [case(lambda x: np.exp(np.full_like(x, -np.inf)), X)],
    "np.ones": [case(lambda x, n: np.ones((n, 2), like=x) * 2.0, X, "n")],
    "np.full": [case(lambda x, n, m: np.full((n, m), -np.inf, like=x) + 1.0, X, "n", "m")],
    "np.eye": [case(lambda x, n: np.eye(n, like=x) @ x, X, "n")],
    "np.tri": [
        case(lambda x, n: np.tri(n, like=x) == 0, X, "n"),
        case(lambda x, n, m: np.tri(n, m, k=m - n, dtype=bool, like=x), X, "n", "m"),
    ],
    "np.arange": [
        case(lambda x, n, m: np.arange(n, like=x)[:, None] >= np.arange(m, like=x), X, "n", "m"),
        case(lambda x, n, m: np.arange(m, n + m, like=x), X, "n", "m"),
    ],
    "x[...]": [
        case(lambda q: q[0], HEADS),
        case(lambda q: q[..., -1], HEADS),
        case(lambda x, d: x[:, None, :d], WIDE, "d"),
        case(lambda x, h, d: x[:, (h - 1) * d :], WIDE, "h", "d"),
        case(lambda x: np.concatenate([x, x], axis=1)[:, ::2], X),
        case(lambda x: np.concatenate([x, x], axis=1)[:, 1::2], X),
        case(lambda x: x[::-1], X),
        case(lambda x, p: (x + 1.0)[p * 0], X, POSITIONS),
        case(lambda x: x[[0, -1]], X),
        case(lambda x: x[:1], X),
    ],
    "x[...] = y": [case(_written(_assign_columns), X, X)],
}

CASES: dict[str, list[Case]] = {
    **UFUNC_CASES,
    **REDUCTION_CASES,
    **PRODUCT_CASES,
    **SHAPE_CASES,
    **OTHER_CASES,
}
