"""Real NumPy on arrays of counting scalars: an ndarray subclass that keeps every entry counting."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mha_spec.counting.counting_scalar import KINDS, TALLY, Countable, Scalar
from mha_spec.counting.places import current_function

AnyArray: TypeAlias = "npt.NDArray[Any]"
"""An ndarray of counting scalars, booleans or integers: its entries have no one static type."""


class Product(NamedTuple):
    """The arrays of one matrix product that was executed."""

    left: AnyArray
    right: AnyArray
    result: AnyArray


class CountingRun:
    """What one counted run has executed so far, by function."""

    def __init__(self) -> None:
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.products: defaultdict[str, list[Product]] = defaultdict(list)
        self.busy = False

    def book_since(self, before: list[int]) -> None:
        """Book the operations executed since `before` to the function that called NumPy."""
        row: Counter[str] | None = None
        for kind, earlier, now in zip(KINDS, before, TALLY, strict=True):
            if now != earlier:
                row = self.counts[current_function()] if row is None else row
                row[kind] += now - earlier


CURRENT_RUN: ContextVar[CountingRun | None] = ContextVar("CURRENT_RUN", default=None)


class CountingArray(np.ndarray):
    """An object array of counting scalars, or an array of booleans or integers that belongs to the run."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        """Run NumPy's own loop and book what it executed to the calling function."""
        out = keywords.pop("out", None)
        if out is not None:
            keywords["out"] = tuple(_plain(x) for x in out)
        plain = [_ready(x) for x in inputs]
        run = getattr(ufunc, method)
        result = _booked(lambda: run(*plain, **keywords))
        if _is_float_array(result):
            # Numbers made from a mask or from positions are numbers of the model: count this work too.
            lifted = [_plain(lift(x)) if isinstance(x, CountingArray) else x for x in inputs]
            result = _booked(lambda: run(*(_as_scalars(x) for x in lifted), **keywords))
        if ufunc is np.matmul and method == "__call__":
            _note_product(plain, result)
        if out is None:
            return kept_counting(result)
        _lift_in_place(keywords["out"][0])
        return out[0]

    def __array_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: Iterable[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run NumPy's own function and book what it executed to the calling function."""
        parent, positional = super().__array_function__, tuple(args)
        if hasattr(func, "_implementation"):
            result = _booked(lambda: parent(func, (CountingArray,), positional, dict(kwargs)))
        else:  # NumPy 2.0 and 2.1 hand over what like=x calls, which does not dispatch any more.
            result = _booked(lambda: func(*positional, **kwargs))
        if result is None and positional and isinstance(positional[0], CountingArray):
            _lift_in_place(positional[0])  # np.copyto and its like write plain numbers into their first argument
        return kept_counting(result)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.dtype == object:
            # NumPy would store an array without axes as an entry, so such a one is unwrapped by [()].
            entries = _as_scalars(value)
            value = entries[()] if entries.ndim == 0 else entries
        super().__setitem__(key, value)

    def fill(self, value: Any) -> None:
        """Every entry set to one number."""
        self[...] = value

    def astype(self, dtype: Any, *positional: Any, **keywords: Any) -> Any:
        """The same entries; as floats they stay, or become, counting scalars."""
        if np.dtype(dtype).kind == "f":
            return _as_scalars(self).view(CountingArray)
        if self.dtype == object:
            raise TypeError(f"astype({np.dtype(dtype)}) of counting scalars: compare them first, as in x != 0")
        return super().astype(dtype, *positional, **keywords)

    def dot(self, b: Any, out: Any = None) -> Any:
        """`np.dot`, whose work is booked (the method of ndarray runs past NumPy's hooks)."""
        return np.dot(self, b, out)


def lift(value: object) -> CountingArray:
    """The array with its floats as counting scalars; booleans and integers stay what they are."""
    array = np.asarray(value)
    if array.dtype.kind in "biu":
        return array.view(CountingArray)
    return _as_scalars(array).view(CountingArray)


def lifted_with(array: npt.ArrayLike, scalar: Callable[[float], Countable]) -> CountingArray:
    """The array with each of its floats made a counting scalar by `scalar`."""
    floats = np.asarray(array, np.float64)
    out = np.empty(floats.shape, object)
    flat = out.reshape(-1)
    for index, number in enumerate(floats.ravel().tolist()):
        flat[index] = scalar(number)
    return out.view(CountingArray)


def to_floats(result: object) -> AnyArray:
    """The values of a result as an ndarray of floats; booleans and integers as they are."""
    array = np.asarray(result)
    if array.dtype != object:
        return array.view(np.ndarray)
    values = [x.value if isinstance(x, Countable) else float(x) for x in array.ravel().tolist()]
    return np.array(values, np.float64).reshape(array.shape)


def kept_counting(result: Any) -> Any:
    """A result of NumPy, with its entries as counting scalars and its arrays of this class."""
    if isinstance(result, (list, tuple)):
        return type(result)(kept_counting(part) for part in result)
    if isinstance(result, Countable):
        holder = np.empty((), object)
        holder[()] = result
        return holder.view(CountingArray)
    return lift(result) if isinstance(result, np.ndarray) else result


def _plain(x: Any) -> Any:
    return x.view(np.ndarray) if isinstance(x, CountingArray) else x


def _ready(x: Any) -> Any:
    """An input for NumPy's own loop; plain numbers that were put into a counting array count from here on."""
    if isinstance(x, CountingArray) and x.dtype == object:
        return _as_scalars(x)
    return _plain(x)


def _is_float_array(result: object) -> bool:
    return isinstance(result, (np.ndarray, np.floating)) and result.dtype.kind == "f"


def _as_scalars(x: Any) -> AnyArray:
    """An object array all of whose entries are counting scalars (None, which np.empty_like leaves, stays)."""
    array = np.asarray(x)
    entries = array.ravel().tolist()
    if array.dtype == object and all(issubclass(kind, Countable) for kind in set(map(type, entries))):
        return array.view(np.ndarray)
    out = np.empty(array.shape, object)
    flat = out.reshape(-1)
    for index, number in enumerate(entries):
        flat[index] = number if number is None or isinstance(number, Countable) else Scalar(float(number))
    return out


def _lift_in_place(target: AnyArray) -> None:
    if target.dtype == object:
        target[...] = _as_scalars(target)


def _note_product(operands: list[AnyArray], result: AnyArray) -> None:
    run = CURRENT_RUN.get()
    if run is not None:
        run.products[current_function()].append(Product(operands[0], operands[1], np.asarray(result)))


def _booked(work: Callable[[], Any]) -> Any:
    """Do the work; the outermost call of NumPy books what was executed."""
    run = CURRENT_RUN.get()
    if run is None or run.busy:
        return work()
    before, run.busy = TALLY[:], True
    try:
        return work()
    finally:
        run.busy = False
        run.book_since(before)
