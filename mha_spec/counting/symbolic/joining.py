"""Arrays joined and cut apart; here an array of a finished loop counts as often as the loop has passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mha_spec.counting.errors import TraceError
from mha_spec.counting.recording import Loop
from mha_spec.counting.sizes import Size, SizeLike
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.counting.symbolic.broadcasting import (
    is_symbolic,
    new_array,
    positive_axis,
    require_equal,
    result_dtype,
    use,
    view,
)


def _parts(arrays: Iterable[object]) -> list[SymbolicArray]:
    parts = list(arrays)
    for part in parts:
        if not is_symbolic(part):
            raise TraceError("plain arrays are joined with traced ones", "make them with like=x")
    if not parts:
        raise TraceError("no arrays to join", "append an array in every pass of the loop")
    symbolic = [part for part in parts if is_symbolic(part)]
    _require_every_pass(symbolic)
    return symbolic


def _require_every_pass(parts: Sequence[SymbolicArray]) -> None:
    """Refuse a selection of a finished loop's arrays: each of its passes must give equally many."""
    counts: dict[Loop, list[int]] = {}
    for part in parts:
        for one in part.passes:
            if one.closed and not one.loop.finished:
                raise TraceError(
                    f"arrays of several passes of the loop over {one.loop.trip} are joined inside the loop",
                    "join them after the loop",
                )
            if one.loop.finished:
                order = 0 if not one.name else 2 if one.weight.same_as(0) else 1
                counts.setdefault(one.loop, [0, 0, 0])[order] += 1
    for loop, (first, others, check) in counts.items():
        if not first == others == check:
            raise TraceError(
                f"some arrays of the loop over {loop.trip} are joined and others are not",
                "join all arrays that the loop made, one or more from every pass",
            )


def _multiplicity(part: SymbolicArray) -> Size:
    """How many arrays the part stands for."""
    count = Size.of(1)
    for one in part.passes:
        if one.loop.finished:
            count = count * one.weight
    for size in part.shape:
        if isinstance(size, Size) and any(one.closed and one.name in size.names() for one in part.passes):
            raise TraceError(
                f"arrays are joined whose size {size} depends on the pass", "give every pass the same shape"
            )
    return count


def concatenate(arrays: Iterable[object], axis: int = 0) -> SymbolicArray:
    """`np.concatenate`: the parts one after the other along an axis."""
    parts = _parts(arrays)
    first = parts[0]
    where = positive_axis(axis, first.ndim)
    total = Size.of(0)
    for part in parts:
        if part.ndim != first.ndim:
            raise TraceError(f"arrays of {first.ndim} and {part.ndim} axes are joined", "reshape them first")
        for one, (size, wanted) in enumerate(zip(part.shape, first.shape, strict=True)):
            if one != where:
                require_equal(size, wanted, f"axis {one} of arrays joined along axis {where}")
        total = total + Size.of(part.shape[where]) * _multiplicity(part)
    shape = [total if one == where else size for one, size in enumerate(first.shape)]
    return new_array(shape, result_dtype(*parts))


def stack(arrays: Iterable[object], axis: int = 0) -> SymbolicArray:
    """`np.stack`: the parts along a new axis."""
    parts = _parts(arrays)
    first = parts[0]
    for part in parts:
        if part.ndim != first.ndim:
            raise TraceError(f"arrays of {first.ndim} and {part.ndim} axes are stacked", "reshape them first")
        for size, wanted in zip(part.shape, first.shape, strict=True):
            require_equal(size, wanted, "the shapes of stacked arrays")
    count = sum((_multiplicity(part) for part in parts), Size.of(0))
    shape: list[SizeLike] = list(first.shape)
    shape.insert(positive_axis(axis, first.ndim + 1), count)
    return new_array(shape, result_dtype(*parts))


def hstack(tup: Iterable[object]) -> SymbolicArray:
    """`np.hstack`: joined along the second axis, vectors along their only one."""
    parts = list(tup)
    vectors = bool(parts) and is_symbolic(parts[0]) and parts[0].ndim == 1
    return concatenate(parts, 0 if vectors else 1)


def vstack(tup: Iterable[object]) -> SymbolicArray:
    """`np.vstack`: joined along the first axis; vectors are refused."""
    parts = list(tup)
    if any(is_symbolic(part) and part.ndim < 2 for part in parts):
        raise TraceError("np.vstack of vectors is not traced", "write np.stack(parts)")
    return concatenate(parts, 0)


def split(ary: SymbolicArray, indices_or_sections: object, axis: int = 0) -> list[SymbolicArray]:
    """`np.split` into a known number of equal parts."""
    sections = indices_or_sections
    if not isinstance(sections, int):
        raise TraceError(
            f"np.split at {sections!r}: the number of parts must be an integer",
            "reshape to (h, d_k) and swap axes, or loop with each(h) over slices x[:, i*d_k:(i+1)*d_k]",
        )
    where = positive_axis(axis, use(ary).ndim)
    part, rest = divmod(Size.of(ary.shape[where]), sections)
    if not rest.same_as(0):
        raise TraceError(f"np.split: {sections} is not proved to divide {ary.shape[where]}", "declare the product")
    shape = [part if one == where else size for one, size in enumerate(ary.shape)]
    return [view(ary, shape) for _ in range(sections)]
