"""What a ufunc costs: one operation an entry of the result; and which ufuncs are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mha_spec.counting.errors import TraceError
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.counting.symbolic.broadcasting import (
    book,
    broadcast,
    is_symbolic,
    new_array,
    product,
    require_fits,
    result_dtype,
    shape_of,
    use,
)
from mha_spec.counting.symbolic.products import matmul
from mha_spec.counting.symbolic.reductions import REDUCTIONS, reduce

ARITHMETIC: dict[str, str] = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "exp": "exp",
    "tanh": "tanh",
    "sqrt": "sqrt",
    "log": "log",
    "square": "mul",
    "power": "pow",
    "negative": "neg",
    "absolute": "abs",
    "reciprocal": "div",
    "maximum": "cmp",
    "minimum": "cmp",
}
"""The kind of the one operation that each entry of the result takes."""

COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
LOGICAL = ("logical_and", "logical_or", "logical_not", "logical_xor")
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor", "invert")
UFUNCS = (*ARITHMETIC, *COMPARISONS, *LOGICAL, *BITWISE, "matmul")

_ALWAYS_FLOAT = ("divide", "true_divide", "exp", "tanh", "sqrt", "log", "reciprocal")
_FIXES = {
    "isfinite": "find empty rows with mask.any(axis=-1, keepdims=True)",
    "isnan": "find empty rows with mask.any(axis=-1, keepdims=True), so that no NaN comes to be",
    "isinf": "find empty rows with mask.any(axis=-1, keepdims=True)",
    "clip": "write np.maximum and np.minimum",
}


def apply_ufunc(name: str, method: str, inputs: tuple[object, ...], keywords: Mapping[str, object]) -> SymbolicArray:
    """The result of `np.name(*inputs)`, or of `np.name.reduce(x)`; TraceError for what is not known."""
    given = {key: value for key, value in keywords.items() if value is not None}
    if method == "reduce" and name in REDUCTIONS:
        return _reduce_method(name, inputs, given)
    if method != "__call__" or name not in UFUNCS:
        shown = name if method == "__call__" else f"{name}.{method}"
        known = f"the ufuncs that can be traced are {', '.join(sorted(UFUNCS))}"
        raise TraceError(f"np.{shown} has no symbolic meaning", _FIXES.get(name, known))
    out = given.pop("out", None)
    if given.pop("where", True) is not True or given:
        raise TraceError(f"np.{name} with {', '.join(given) or 'where'}= is not traced", "use np.where around it")
    result = matmul(*inputs) if name == "matmul" else _entry_by_entry(name, inputs, out)
    return result if out is None else _written(result, out)


def _entry_by_entry(name: str, inputs: Sequence[object], out: object) -> SymbolicArray:
    shape = broadcast(*map(shape_of, inputs))
    dtype = _dtype(name, inputs)
    book(_kind(name, inputs, dtype), product(shape))
    return new_array(shape, dtype) if out is None else SymbolicArray(shape, dtype)


def _written(result: SymbolicArray, out: object) -> SymbolicArray:
    """The array given as `out=`, into which the result is written (`x += y` does this too)."""
    target = use(out[0] if isinstance(out, tuple) else out)
    require_fits(result.shape, target.shape, "the result does not fit the array it is written to")
    if not np.can_cast(result.dtype, target.dtype, casting="same_kind"):
        raise TraceError(
            f"a result of {result.dtype} is written to an array of {target.dtype}", "make the array of floats"
        )
    return target


def _dtype(name: str, inputs: Sequence[object]) -> np.dtype[np.generic]:
    if name in COMPARISONS or name in LOGICAL:
        return np.dtype(np.bool_)
    dtype = result_dtype(*inputs)
    return np.dtype(np.float64) if name in _ALWAYS_FLOAT and dtype.kind in "biu" else dtype


def _kind(name: str, inputs: Sequence[object], dtype: np.dtype[np.generic]) -> str:
    """The kind of work; on booleans and integers it is not work on the numbers of the model."""
    numbers = any(is_symbolic(x) and x.dtype.kind in "fc" for x in inputs)
    if name in LOGICAL or name in BITWISE:
        if numbers:
            raise TraceError(f"np.{name} of numbers is not traced", "compare the numbers first, as in x != 0")
        return "logic"
    if name in COMPARISONS:
        return "cmp" if numbers else "logic"
    if dtype.kind not in "fc":
        return "integer"
    if name == "power":
        return _kind_of_power(inputs[1])
    return ARITHMETIC[name]


def _kind_of_power(exponent: object) -> str:
    """NumPy squares with one multiplication and takes a root for the exponent 1/2."""
    if isinstance(exponent, (int, float)):
        return "mul" if exponent == 2 else "sqrt" if exponent == 0.5 else "pow"
    return "pow"


def _reduce_method(name: str, inputs: tuple[object, ...], given: dict[str, object]) -> SymbolicArray:
    axis = given.pop("axis", inputs[1] if len(inputs) > 1 else 0)
    keepdims = given.pop("keepdims", False)
    if given or len(inputs) > 2:
        raise TraceError(f"np.{name}.reduce with {', '.join(given)}= is not traced", "leave it out")
    return reduce(name, use(inputs[0]), axis, bool(keepdims))
