"""Operations that only give entries another shape or order: they cost no arithmetic."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from mha_spec.counting.errors import TraceError
from mha_spec.counting.sizes import Size, SizeLike
from mha_spec.counting.symbolic.array import Shape, SymbolicArray
from mha_spec.counting.symbolic.broadcasting import (
    as_shape,
    new_array,
    positive_axis,
    product,
    require_equal,
    require_fits,
    use,
    view,
)


def reshape(a: SymbolicArray, shape: object) -> SymbolicArray:
    """`np.reshape`: the same number of entries for all sizes; one -1 stands for what is missing."""
    wanted = as_shape(shape)
    missing = [axis for axis, size in enumerate(wanted) if isinstance(size, int) and size == -1]
    if len(missing) > 1:
        raise TraceError(f"reshape to {wanted} has more than one -1", "write the sizes")
    if missing:
        known = product(size for axis, size in enumerate(wanted) if axis not in missing)
        rest = _inferred(use(a), wanted, known)
        wanted = tuple(rest if axis in missing else size for axis, size in enumerate(wanted))
    else:
        require_equal(use(a).entries, product(wanted), f"reshape of {a.shape} to {wanted} changes the entries")
    return view(a, wanted)


def _inferred(array: SymbolicArray, wanted: Shape, known: Size) -> Size:
    quotient, remainder = divmod(array.entries, known)
    if not remainder.same_as(0):
        raise TraceError(
            f"reshape of {array.shape} to {wanted}: {known} is not proved to divide {array.entries}",
            "declare the product, as in declare={'d_model': 'h*d_k'}",
        )
    return quotient


def ravel(a: SymbolicArray) -> SymbolicArray:
    """`np.ravel` and `x.flatten()`: one axis."""
    return reshape(a, (use(a).entries,))


def transpose(a: SymbolicArray, axes: object = None) -> SymbolicArray:
    """`np.transpose`: the axes in another order, reversed if none is given."""
    ndim = use(a).ndim
    wanted = range(ndim)[::-1] if axes is None else axes
    if not isinstance(wanted, (tuple, list, range)):
        raise TraceError(f"the axes {axes!r} of a transpose", "give a tuple of all axes")
    order = [positive_axis(axis, ndim) for axis in wanted]
    if sorted(order) != list(range(ndim)):
        raise TraceError(f"the axes {tuple(order)} of a transpose of {a.shape}", "name each axis once")
    return view(a, [a.shape[axis] for axis in order])


def swapaxes(a: SymbolicArray, axis1: int, axis2: int) -> SymbolicArray:
    """`np.swapaxes`: two axes exchanged."""
    order = list(range(use(a).ndim))
    i, j = positive_axis(axis1, a.ndim), positive_axis(axis2, a.ndim)
    order[i], order[j] = j, i
    return transpose(a, order)


def moveaxis(a: SymbolicArray, source: int, destination: int) -> SymbolicArray:
    """`np.moveaxis` of one axis."""
    ndim = use(a).ndim
    moved = positive_axis(source, ndim)
    order = [axis for axis in range(ndim) if axis != moved]
    order.insert(positive_axis(destination, ndim), moved)
    return transpose(a, order)


def matrix_transpose(x: SymbolicArray, /) -> SymbolicArray:
    """`np.matrix_transpose`: the last two axes exchanged."""
    return swapaxes(x, -1, -2)


def expand_dims(a: SymbolicArray, axis: object) -> SymbolicArray:
    """`np.expand_dims`: axes of size 1 put in."""
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    ndim = use(a).ndim + len(given)
    new = [positive_axis(one, ndim) for one in given]
    rest = iter(a.shape)
    return view(a, [1 if one in new else next(rest) for one in range(ndim)])


def squeeze(a: SymbolicArray, axis: object = None) -> SymbolicArray:
    """`np.squeeze` of axes that are named and have size 1 for all sizes."""
    if axis is None:
        raise TraceError("squeeze without axis= drops an axis only at some sizes", "name the axis, as in axis=0")
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    gone = [positive_axis(one, use(a).ndim) for one in given]
    for one in gone:
        require_equal(a.shape[one], 1, f"squeeze of axis {one} of {a.shape}")
    return view(a, [size for one, size in enumerate(a.shape) if one not in gone])


def broadcast_to(array: SymbolicArray, shape: object) -> SymbolicArray:
    """`np.broadcast_to`: axes of size 1 stretched, and new leading ones."""
    wanted = as_shape(shape)
    require_fits(use(array).shape, wanted, f"broadcast of {array.shape} to {wanted}")
    return view(array, wanted)


def repeat(a: SymbolicArray, repeats: SizeLike, axis: int | None = None) -> SymbolicArray:
    """`np.repeat` along an axis, the same number of times for each entry."""
    if axis is None or not isinstance(repeats, (int, Size, np.integer)):
        raise TraceError("np.repeat is traced with one count and an axis", "write np.repeat(x, k, axis=-3)")
    where = positive_axis(axis, use(a).ndim)
    shape = [size * Size.of(repeats) if one == where else size for one, size in enumerate(a.shape)]
    repeated = new_array(shape, a.dtype)
    repeated.name = a.name
    return repeated


def tile(A: SymbolicArray, reps: object) -> SymbolicArray:
    """`np.tile`: the array repeated as a whole along its axes."""
    times = as_shape(reps)
    ndim = max(use(A).ndim, len(times))
    shape = (*(1,) * (ndim - A.ndim), *A.shape)
    counts = (*(1,) * (ndim - len(times)), *times)
    return new_array([Size.of(x) * Size.of(k) for x, k in zip(shape, counts, strict=True)], A.dtype)


def astype(a: SymbolicArray, dtype: DTypeLike, *, copy: bool = True) -> SymbolicArray:
    """`x.astype(dtype)`."""
    if np.dtype(dtype).kind not in "biuf" or (use(a).dtype.kind == "f" and np.dtype(dtype).kind != "f"):
        raise TraceError(f"astype from {a.dtype} to {np.dtype(dtype)} is not traced", "compare, as in x != 0")
    cast = view(a, a.shape)
    cast.dtype = np.dtype(dtype)
    return cast


def copy(a: SymbolicArray) -> SymbolicArray:
    """`np.copy` and `x.copy()`."""
    copied = new_array(use(a).shape, a.dtype)
    copied.name = a.name
    return copied


def shape(a: SymbolicArray) -> Shape:
    """`np.shape`."""
    return a.shape


def ndim(a: SymbolicArray) -> int:
    """`np.ndim`."""
    return a.ndim


def size(a: SymbolicArray, axis: int | None = None) -> int | Size:
    """`np.size`, of one axis or of all."""
    return a.size if axis is None else a.shape[positive_axis(axis, a.ndim)]


def reshape_method(a: SymbolicArray, *shape: object) -> SymbolicArray:
    """`x.reshape(n, d)` and `x.reshape((n, d))`."""
    return reshape(a, shape[0] if len(shape) == 1 else shape)


def transpose_method(a: SymbolicArray, *axes: object) -> SymbolicArray:
    """`x.transpose()`, `x.transpose(1, 0, 2)` and `x.transpose((1, 0, 2))`."""
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        return transpose(a, axes[0])
    return transpose(a, axes or None)
