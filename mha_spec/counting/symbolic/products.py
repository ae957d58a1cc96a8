"""What matrix products cost: for sums of k products, k multiplications and k-1 additions."""

from __future__ import annotations

from collections.abc import Sequence

from mha_spec.counting.errors import TraceError
from mha_spec.counting.recording import current_recording
from mha_spec.counting.sizes import Size
from mha_spec.counting.symbolic.array import Shape, SymbolicArray
from mha_spec.counting.symbolic.broadcasting import (
    broadcast,
    is_symbolic,
    new_array,
    positive_axis,
    product,
    require_equal,
    result_dtype,
    shape_of,
)


def book_product(operands: Sequence[object], multiplications: Size, additions: Size, entries: Size) -> None:
    """Book a product to the running function and to the parameters among its factors."""
    names = tuple({x.name for x in operands if is_symbolic(x) and x.name})
    run = current_recording()
    of_numbers = result_dtype(*operands).kind in "fc"
    run.book("mul" if of_numbers else "integer", multiplications, names)
    run.book("add" if of_numbers else "integer", additions, names)
    run.book("out", entries, names)


def _sums_of_products(a: object, b: object, shape: Shape, terms: int | Size) -> SymbolicArray:
    """The result of a product each entry of which is a sum of so many terms."""
    entries, terms = product(shape), Size.of(terms)
    book_product((a, b), entries * terms, entries * (terms - 1), entries)
    return new_array(shape, result_dtype(a, b))


def matmul(a: object, b: object) -> SymbolicArray:
    """`a @ b`, with leading axes broadcast and vectors as rows or columns, as NumPy does."""
    left, right = shape_of(a), shape_of(b)
    if not left or not right:
        raise TraceError("np.matmul of a number", "multiply by numbers with *")
    rows = left[-2:-1]
    columns = right[-1:] if len(right) > 1 else ()
    inner = right[-2] if len(right) > 1 else right[-1]
    require_equal(left[-1], inner, f"the inner sizes of {left} @ {right}")
    lead = broadcast(left[:-2], right[:-2], what=f"the leading axes of {left} @ {right}")
    return _sums_of_products(a, b, (*lead, *rows, *columns), inner)


def dot(a: object, b: object) -> SymbolicArray:
    """`np.dot` where it is the same as `@`, that is if `b` has one or two axes."""
    if not 1 <= len(shape_of(b)) <= 2 or not shape_of(a):
        raise TraceError(
            f"np.dot of shapes {shape_of(a)} and {shape_of(b)} pairs every leading axis with every other",
            "write a @ b, or np.einsum with its axes named",
        )
    return matmul(a, b)


def outer(a: object, b: object) -> SymbolicArray:
    """`np.outer` of two vectors: one multiplication an entry."""
    if len(shape_of(a)) != 1 or len(shape_of(b)) != 1:
        raise TraceError("np.outer of arrays that are no vectors is not traced", "flatten them with x.ravel()")
    shape = (*shape_of(a), *shape_of(b))
    return _sums_of_products(a, b, shape, 1)


def tensordot(a: object, b: object, axes: object = 2) -> SymbolicArray:
    """`np.tensordot`: sums of products over pairs of axes."""
    left, right = shape_of(a), shape_of(b)
    of_left, of_right = _paired_axes(axes, len(left), len(right))
    terms = Size.of(1)
    for i, j in zip(of_left, of_right, strict=True):
        require_equal(left[i], right[j], f"np.tensordot over axis {i} of {left} and axis {j} of {right}")
        terms = terms * left[i]
    kept_left = [size for axis, size in enumerate(left) if axis not in of_left]
    kept_right = [size for axis, size in enumerate(right) if axis not in of_right]
    return _sums_of_products(a, b, (*kept_left, *kept_right), terms)


def _paired_axes(axes: object, left: int, right: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, int):
        return list(range(left - axes, left)), list(range(axes))
    if not isinstance(axes, (tuple, list)) or len(axes) != 2:
        raise TraceError(f"axes={axes!r} of np.tensordot", "give a number, or the axes of a and those of b")
    first, second = (one if isinstance(one, (tuple, list)) else (one,) for one in axes)
    if len(first) != len(second):
        raise TraceError(f"axes={axes!r} of np.tensordot pairs {len(first)} axes with {len(second)}")
    return [positive_axis(i, left) for i in first], [positive_axis(j, right) for j in second]
