"""The symbolic array: NumPy's protocols, operators and methods, without values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike

from mha_spec.counting.errors import MissingOperationError, TraceError
from mha_spec.counting.recording import open_passes
from mha_spec.counting.refusals import refused_integer
from mha_spec.counting.sizes import Size, SizeLike

Shape: TypeAlias = "tuple[int | Size, ...]"
FLOAT64 = np.dtype(np.float64)


def entry(size: SizeLike) -> int | Size:
    """A shape entry: an int where the size is one, so that plain Python can use it."""
    exact = Size.of(size)
    return exact if exact.constant is None else exact.constant


class SymbolicArray(NDArrayOperatorsMixin):
    """An array of which only the shape, the dtype and the cost are known.

    `shape` is a tuple of sizes: integers, texts such as `"h*d_k"`, or `Size`. `name` marks a parameter: the
    work of the matrix products that it takes part in is booked to it as well.
    """

    __slots__ = ("dtype", "name", "passes", "shape")
    __array_priority__ = 2000
    if not TYPE_CHECKING:
        # isinstance(x, np.ndarray) guards in the traced code must take the branch that they would take.
        __class__ = property(lambda self: np.ndarray)

    def __init__(self, shape: Sequence[SizeLike], dtype: DTypeLike = FLOAT64, name: str | None = None) -> None:
        self.shape: Shape = tuple(entry(size) for size in shape)
        self.dtype: np.dtype[np.generic] = np.dtype(dtype)
        self.name = name
        self.passes = open_passes()

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def entries(self) -> Size:
        """The number of entries, the product of the shape."""
        return functools.reduce(Size.__mul__, map(Size.of, self.shape), Size.of(1))

    @property
    def size(self) -> int | Size:
        """The number of entries, an int where it is one for all sizes."""
        return entry(self.entries)

    @property
    def T(self) -> SymbolicArray:
        """The array with its axes reversed."""
        return self.transpose()

    @property
    def mT(self) -> SymbolicArray:
        """The array with its last two axes exchanged."""
        return self.swapaxes(-1, -2)

    def __repr__(self) -> str:
        shape = ", ".join(map(str, self.shape))
        return f"SymbolicArray(({shape}), {self.dtype})"

    def __getattr__(self, name: str) -> Callable[..., SymbolicArray]:
        from mha_spec.counting.symbolic.operations import METHODS

        if name.startswith("__"):
            raise AttributeError(name)
        if name not in METHODS:
            raise MissingOperationError(
                f"the array method or attribute .{name} has no symbolic meaning", _known("methods", METHODS)
            )
        return functools.partial(METHODS[name], self)

    def __getitem__(self, key: object) -> SymbolicArray:
        from mha_spec.counting.symbolic.indexing import getitem

        return getitem(self, key)

    def __setitem__(self, key: object, value: object) -> None:
        from mha_spec.counting.symbolic.indexing import setitem

        setitem(self, key, value)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object) -> object:
        """Book what a NumPy ufunc does with this array and give the array that results."""
        from mha_spec.counting.symbolic.elementwise import apply_ufunc

        return apply_ufunc(ufunc.__name__, method, inputs, keywords)

    def __array_function__(
        self,
        function: Callable[..., object],
        types: object,
        positional: tuple[object, ...],
        keywords: dict[str, object],
    ) -> object:
        """Book what a NumPy function does with this array and give what results."""
        from mha_spec.counting.symbolic.operations import FUNCTIONS

        name = function.__name__
        if name not in FUNCTIONS:
            raise TraceError(f"np.{name} has no symbolic meaning", _known("functions", FUNCTIONS))
        return FUNCTIONS[name](*positional, **keywords)

    def __array_namespace__(self, api_version: str | None = None) -> ModuleType:
        """NumPy itself, whose functions dispatch to this array."""
        return np

    def __iter__(self) -> Iterator[SymbolicArray]:
        if self.ndim and isinstance(self.shape[0], int):
            return iter([self[index] for index in range(self.shape[0])])
        raise TraceError(
            f"Python iterates over the first axis of an array of shape {self.shape}",
            "loop with `for i in mha_spec.shapes.each(n): ... x[i]`",
        )

    def __len__(self) -> int:
        if self.ndim and isinstance(self.shape[0], int):
            return self.shape[0]
        raise refused_integer(str(self.shape[0]) if self.ndim else "of an array without axes")

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        """Refuse: NumPy's C code asked for the values of the array."""
        raise TraceError(
            "the values of a symbolic array were asked for (np.asarray, np.array or C code)",
            "drop np.asarray(x) and np.array(x), or pass on arrays as they are",
        )

    def _no_value(self) -> NoReturn:
        raise TraceError(
            "the program's control flow depends on the values of an array",
            "choose entries with np.where(condition, x, y) in place of if; find empty rows with mask.any(axis=-1)",
        )

    __bool__ = __float__ = __int__ = __index__ = __complex__ = _no_value
    __hash__ = object.__hash__


def _known(what: str, table: object) -> str:
    names = ", ".join(sorted(table)) if isinstance(table, dict) else ""
    return f"the {what} that can be traced are {names}"
