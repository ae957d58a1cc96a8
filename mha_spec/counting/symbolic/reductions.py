"""What a reduction costs: one operation for each entry that disappears."""

from __future__ import annotations

import numpy as np

from mha_spec.counting.errors import TraceError
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.counting.symbolic.broadcasting import book, new_array, positive_axis, product, use

REDUCTIONS: dict[str, tuple[str, str]] = {
    "add": ("add", "integer"),
    "multiply": ("mul", "integer"),
    "maximum": ("cmp", "logic"),
    "minimum": ("cmp", "logic"),
    "logical_or": ("", "logic"),
    "logical_and": ("", "logic"),
}
"""The kind of work of each ufunc's reduction, for numbers and for booleans and integers."""


def reduced_axes(axis: object, ndim: int) -> tuple[int, ...]:
    """The axes that an `axis=` argument names, all of them for None."""
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(positive_axis(one, ndim) for one in given)
    if len(set(axes)) != len(axes):
        raise TraceError(f"an axis is named twice in axis={axis}", "name each axis once")
    return axes


def reduce(ufunc: str, array: SymbolicArray, axis: object, keepdims: bool) -> SymbolicArray:
    """The array with some axes reduced by a ufunc of two operands."""
    axes = reduced_axes(axis, use(array).ndim)
    kept = [1 if one in axes else size for one, size in enumerate(array.shape)]
    kind = REDUCTIONS[ufunc][array.dtype.kind not in "fc"]
    if not kind:
        raise TraceError("any and all of numbers are not traced", "compare the numbers first, as in x != 0")
    book(kind, array.entries - product(kept))
    shape = kept if keepdims else [size for one, size in enumerate(array.shape) if one not in axes]
    return new_array(shape, _reduced_dtype(ufunc, array.dtype))


def _reduced_dtype(ufunc: str, dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    if ufunc.startswith("logical"):
        return np.dtype(np.bool_)
    return np.dtype(np.int64) if ufunc in ("add", "multiply") and dtype.kind in "biu" else dtype


def sum(a: SymbolicArray, axis: object = None, *, keepdims: bool = False) -> SymbolicArray:
    """`np.sum`: one addition less than there are terms."""
    return reduce("add", a, axis, keepdims)


def prod(a: SymbolicArray, axis: object = None, *, keepdims: bool = False) -> SymbolicArray:
    """`np.prod`: one multiplication less than there are factors."""
    return reduce("multiply", a, axis, keepdims)


def max(a: SymbolicArray, axis: object = None, *, keepdims: bool = False) -> SymbolicArray:
    """`np.max`: one comparison less than there are entries."""
    return reduce("maximum", a, axis, keepdims)


def min(a: SymbolicArray, axis: object = None, *, keepdims: bool = False) -> SymbolicArray:
    """`np.min`: one comparison less than there are entries."""
    return reduce("minimum", a, axis, keepdims)


def any(a: SymbolicArray, axis: object = None, *, keepdims: bool = False) -> SymbolicArray:
    """`np.any` of booleans."""
    return reduce("logical_or", a, axis, keepdims)


def all(a: SymbolicArray, axis: object = None, *, keepdims: bool = False) -> SymbolicArray:
    """`np.all` of booleans."""
    return reduce("logical_and", a, axis, keepdims)


def mean(a: SymbolicArray, axis: object = None, *, keepdims: bool = False) -> SymbolicArray:
    """`np.mean`: the sum, and one division an entry of the result."""
    if use(a).dtype.kind not in "fc":
        raise TraceError("np.mean of booleans or integers is not traced", "sum them and divide")
    total = reduce("add", a, axis, keepdims)
    book("div", total.entries)
    return total
