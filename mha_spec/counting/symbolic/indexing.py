"""Parts of an array: indices and slices that are proved to lie inside it for all sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mha_spec.counting.errors import TraceError
from mha_spec.counting.sizes import Size
from mha_spec.counting.symbolic.array import Shape, SymbolicArray
from mha_spec.counting.symbolic.broadcasting import is_symbolic, new_array, require_fits, shape_of, use, view


def getitem(array: SymbolicArray, key: object) -> SymbolicArray:
    """`x[key]` for integers, sizes, slices, None, an ellipsis and at most one array of integers."""
    keys = list(key) if isinstance(key, tuple) else [key]
    shape: list[int | Size] = []
    gathers = 0
    for part, size in _with_axes(keys, use(array).shape):
        if part is None:
            shape.append(1)
        elif isinstance(part, slice):
            shape.append(_length_of_slice(size, part))
        elif isinstance(part, (int, np.integer, Size)) and not isinstance(part, bool):
            _require_inside(size, Size.of(_whole(part)))
        else:
            shape.extend(_gathered(part))
            gathers += 1
    if gathers > 1:
        raise TraceError("an array is indexed by more than one array", "index one axis after the other")
    if not gathers:
        return view(array, shape)
    taken = new_array(shape, array.dtype)
    taken.name = array.name
    return taken


def setitem(array: SymbolicArray, key: object, value: object) -> None:
    """`x[key] = value`: the value must fit; writing costs no arithmetic."""
    target = getitem(array, key)
    require_fits(shape_of(value), target.shape, "the value does not fit the part it is assigned to")


def _with_axes(keys: list[object], shape: Shape) -> Iterator[tuple[object, int | Size]]:
    """Each key with the size of the axis that it indexes; None has no axis and is given the size 1."""
    used = sum(key is not None and key is not Ellipsis for key in keys)
    if used > len(shape):
        raise TraceError(f"an array of shape {shape} is indexed by {used} keys", "drop some")
    if not any(key is Ellipsis for key in keys):
        keys = [*keys, Ellipsis]
    axis = 0
    for key in keys:
        if key is None:
            yield None, 1
        elif key is Ellipsis:
            for size in shape[axis : axis + len(shape) - used]:
                yield slice(None), size
            axis += len(shape) - used
        else:
            yield key, shape[axis]
            axis += 1


def _require_inside(size: int | Size, index: Size) -> None:
    from_front = index.is_at_least(0) and (Size.of(size) - 1).is_at_least(index)
    from_back = (-index).is_at_least(1) and Size.of(size).is_at_least(-index)
    if not from_front and not from_back:
        raise TraceError(
            f"the index {index} is not proved to lie inside an axis of size {size}",
            "take indices of a symbolic axis from `for i in mha_spec.shapes.each(size)`",
        )


def _gathered(key: object) -> Shape:
    """The shape that an array of integers as a key puts in place of its axis."""
    if is_symbolic(key):
        kind = use(key).dtype.kind
    elif isinstance(key, (list, np.ndarray)):
        kind = np.asarray(key).dtype.kind
    else:
        raise TraceError(f"the index {key!r} is not traced", "index with integers, sizes and slices")
    if kind == "b":
        raise TraceError(
            "x[mask] gives a shape that depends on the values of the mask", "write np.where(mask, x, fill)"
        )
    if kind not in "iu":
        raise TraceError("an array is indexed by an array that holds no integers", "index with integers")
    return shape_of(key)


def _length_of_slice(size: int | Size, part: slice) -> Size:
    length = Size.of(size)
    if part.step is not None and Size.of(part.step).same_as(-1) and part.start is None and part.stop is None:
        return length
    start = _position(length, part.start, Size.of(0))
    stop = _position(length, part.stop, length)
    if stop > length:
        stop = length
    if not start.is_at_least(0) or not stop.is_at_least(start):
        raise TraceError(
            f"the slice {start}:{stop} is not proved to lie inside an axis of size {size}",
            "write bounds that hold for all sizes",
        )
    return stop - start if part.step is None else _steps(stop - start, part.step)


def _position(size: Size, bound: object, default: Size) -> Size:
    if bound is None:
        return default
    if not isinstance(bound, (int, np.integer, Size)):
        raise TraceError(f"the slice bound {bound!r} is not a size", "slice with integers and sizes")
    position = Size.of(_whole(bound))
    return position + size if (-position).is_at_least(1) else position


def _whole(number: int | np.integer[Any] | Size) -> int | Size:
    return int(number) if isinstance(number, np.integer) else number


def _steps(length: Size, step: object) -> Size:
    """The length divided by the step, rounded up, where that is one polynomial for all sizes."""
    if not isinstance(step, (int, np.integer)) or step < 1:
        raise TraceError(f"the slice step {step!r} is not traced", "use steps that are integers of at least 1")
    return (length + (int(step) - 1)) // int(step)
