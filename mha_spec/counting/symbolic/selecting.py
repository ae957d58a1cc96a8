"""Entries chosen by a mask: no arithmetic, one selection an entry."""

from __future__ import annotations

from mha_spec.counting.errors import TraceError
from mha_spec.counting.sizes import SizeLike
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.counting.symbolic.broadcasting import (
    book,
    broadcast,
    is_symbolic,
    new_array,
    product,
    result_dtype,
    shape_of,
    use,
)

_MISSING = object()


def where(condition: object, x: object = _MISSING, y: object = _MISSING, /) -> SymbolicArray:
    """`np.where` with three arguments; the mask must be boolean."""
    if x is _MISSING or y is _MISSING:
        raise TraceError(
            "np.where with one argument gives a shape that depends on values", "write np.where(mask, x, y)"
        )
    if is_symbolic(condition) and condition.dtype.kind != "b":
        raise TraceError(f"np.where with a condition of {condition.dtype}", "compare, as in mask != 0")
    shape = broadcast(*map(shape_of, (condition, x, y)))
    book("select", product(shape))
    return new_array(shape, result_dtype(x, y))


def _triangle(m: SymbolicArray) -> SymbolicArray:
    if use(m).ndim < 2:
        raise TraceError("a triangle of a vector is not traced", "give an array with two axes or more")
    book("select", m.entries)
    return new_array(m.shape, m.dtype)


def tril(m: SymbolicArray, k: SizeLike = 0) -> SymbolicArray:
    """`np.tril`: zeros above a diagonal."""
    return _triangle(m)


def triu(m: SymbolicArray, k: SizeLike = 0) -> SymbolicArray:
    """`np.triu`: zeros below a diagonal."""
    return _triangle(m)
