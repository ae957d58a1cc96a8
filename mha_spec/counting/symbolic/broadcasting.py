"""Shapes and dtypes of operands, and the shape that several of them have together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard, cast

import numpy as np
from numpy.typing import DTypeLike

from mha_spec.counting import comparisons
from mha_spec.counting.errors import TraceError
from mha_spec.counting.recording import current_recording
from mha_spec.counting.sizes import Size, SizeLike
from mha_spec.counting.symbolic.array import Shape, SymbolicArray, entry
from mha_spec.counting.unknown import UnknownNumber


def is_symbolic(operand: object) -> TypeGuard[SymbolicArray]:
    """Whether this is a symbolic array (isinstance would be True of ndarrays too, by its __class__)."""
    return type(operand) is SymbolicArray


def use(operand: object) -> SymbolicArray:
    """A symbolic operand. TraceError for other things, and for an array that stands for several."""
    if not is_symbolic(operand):
        raise TraceError(
            f"{type(operand).__name__} is used where a traced array is needed",
            "pass one of the traced arrays",
        )
    for one in operand.passes:
        if one.loop.finished:
            raise TraceError(
                f"an array made inside a loop over {one.loop.trip} is used after it, where it stands for "
                "one array a pass",
                "append it to a list and join that with np.concatenate or np.stack, or add it in place "
                "(total += x) to an array that was made before the loop",
            )
    return operand


def is_number(operand: object) -> bool:
    """Whether this is a single number outside any array: its value may be unknown."""
    return isinstance(operand, (int, float, np.generic, Size, UnknownNumber))


def shape_of(operand: object) -> Shape:
    """The shape of an operand, () for a number."""
    if is_symbolic(operand):
        return use(operand).shape
    return () if is_number(operand) else np.shape(cast(np.ndarray[tuple[int, ...], np.dtype[np.generic]], operand))


def result_dtype(*operands: object) -> np.dtype[np.generic]:
    """NumPy's result type; unknown numbers count as Python floats, sizes as Python ints."""
    kinds: list[DTypeLike | float] = []
    for operand in operands:
        if is_symbolic(operand):
            kinds.append(operand.dtype)
        elif isinstance(operand, UnknownNumber):
            kinds.append(1.0)
        elif isinstance(operand, Size):
            kinds.append(1)
        elif isinstance(operand, (int, float)) and not isinstance(operand, np.generic):
            kinds.append(operand)
        else:
            kinds.append(np.asarray(operand).dtype)
    return cast("np.dtype[np.generic]", np.result_type(*kinds))


def product(sizes: Iterable[SizeLike]) -> Size:
    """The product of sizes."""
    total = Size.of(1)
    for size in sizes:
        total = total * Size.of(size)
    return total


def require_equal(left: SizeLike, right: SizeLike, what: str) -> None:
    """Go on only if the two sizes are equal for all sizes. Raises TraceError with sizes where they differ."""
    a, b = Size.of(left), Size.of(right)
    if a.same_as(b):
        return
    found = comparisons.witnesses(dict(a.monomials), "==", dict(b.monomials))
    raise TraceError(
        f"{what}: {a} and {b} are not equal for all sizes; they differ at "
        f"{comparisons.text_of_point(found.get(False))}",
        "check the axes; if the two are meant to be one size, declare it, as in declare={'d_model': 'h*d_k'}",
    )


def broadcast(*shapes: Shape, what: str = "the operands do not broadcast") -> Shape:
    """The common shape. An axis stretches only if its size is 1 for all sizes."""
    joined: list[int | Size] = []
    for axis in range(-max(map(len, shapes), default=0), 0):
        size: int | Size = 1
        for shape in shapes:
            if len(shape) < -axis or (isinstance(shape[axis], int) and shape[axis] == 1):
                continue
            if isinstance(size, int) and size == 1:
                size = shape[axis]
            else:
                require_equal(size, shape[axis], f"{what}, shapes {' and '.join(map(str, shapes))}")
        joined.append(size)
    return tuple(joined)


def require_fits(source: Shape, target: Shape, what: str) -> None:
    """Go on only if an array of shape `source` can be stretched to `target`."""
    together = broadcast(source, target, what=what)
    if len(together) != len(target):
        raise TraceError(f"{what}: {source} does not fit {target}")
    for size, wanted in zip(together, target, strict=True):
        require_equal(size, wanted, what)


def new_array(shape: Iterable[SizeLike], dtype: DTypeLike) -> SymbolicArray:
    """An array that the running function has made."""
    array = SymbolicArray(tuple(shape), dtype)
    current_recording().made(array.entries)
    return array


def view(array: SymbolicArray, shape: Iterable[SizeLike]) -> SymbolicArray:
    """The same entries in another shape or order: no work, and a parameter stays the parameter it is."""
    current_recording().touch()
    return SymbolicArray(tuple(shape), array.dtype, array.name)


def book(kind: str, count: Size) -> None:
    """Book work to the user's function that is running."""
    current_recording().book(kind, count)


def positive_axis(axis: object, ndim: int) -> int:
    """The axis counted from the front. Raises TraceError if there is none such."""
    if isinstance(axis, (int, np.integer)) and -ndim <= axis < ndim:
        return int(axis) % ndim
    raise TraceError(f"axis {axis} of an array with {ndim} axes", f"axes go from {-ndim} to {ndim - 1}")


def as_shape(shape: object) -> Shape:
    """The shape that an argument such as `(n, d)` or `n` gives."""
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    return tuple(entry(size) for size in sizes)
