"""Shape types, and the few typed operations that attention needs.

`Array[*B, N, DK]` is a type for the checker only: at run time every value is a plain `np.ndarray` (or an
array that follows NumPy's dispatch protocols), and nothing here is instantiated except `Dim`. All types are
invariant, so an axis is equal to another one only if it has the same name.

The signatures below are trusted by mypy, not proved by it: the bodies see their arguments as `Any`. Each of
them is therefore run against NumPy in the tests, at sizes that are distinct primes.

The bodies never turn a size into an `int` and never read an array's values, so the same code also runs on
arrays whose shape entries are symbolic and on object arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, TypeVarTuple

import numpy as np
import numpy.typing as npt

N = TypeVar("N")
M = TypeVar("M")
DModel = TypeVar("DModel")
DMemory = TypeVar("DMemory")
DK = TypeVar("DK")
DV = TypeVar("DV")
H = TypeVar("H")
KvHeads = TypeVar("KvHeads")
Group = TypeVar("Group")
I = TypeVar("I")
J = TypeVar("J")
K = TypeVar("K")
B = TypeVarTuple("B")
"""Any number of leading batch axes."""
Axes = TypeVarTuple("Axes")
Float = TypeVar("Float", bound="np.floating[Any]")

Alignment = Literal["top-left", "bottom-right"]
"""Where a causal mask with n != m is anchored: query i is at position i, or at position i + (m - n)."""


class Mul(Generic[I, J]):
    """The size of an axis that holds `I` blocks of `J` entries each, such as `Mul[H, DV]`: heads first."""


class Dim(int, Generic[I]):
    """A size as a value. At run time any `int` will do."""


class Index(int, Generic[I]):
    """A position along an axis of size `I`. At run time any `int` will do."""


class Array(Generic[*Axes]):
    """An array of numbers with one type argument per axis."""

    if TYPE_CHECKING:

        @property
        def mT(self: Array[*B, I, J]) -> Array[*B, J, I]:
            """The last two axes exchanged."""

        def swapaxes(self: Array[*B, I, J, K], a: Literal[-3], b: Literal[-2], /) -> Array[*B, J, I, K]:
            """The head axis and the token axis exchanged."""

        def __matmul__(self: Array[*B, I, J], other: Array[*B, J, K]) -> Array[*B, I, K]: ...
        def __add__(self, other: Array[*Axes]) -> Array[*Axes]: ...
        def __mul__(self, other: float) -> Array[*Axes]: ...
        def __truediv__(self, other: float) -> Array[*Axes]: ...


class Column(Generic[*Axes]):
    """One number per row: the last axis is kept, with one entry."""

    if TYPE_CHECKING:

        def __rsub__(self: Column[*B, I], x: Array[*B, I, J]) -> Array[*B, I, J]: ...
        def __rtruediv__(self: Column[*B, I], x: Array[*B, I, J]) -> Array[*B, I, J]: ...


class Weight(Generic[*Axes]):
    """A parameter. It has no batch axes, and it multiplies from the right only."""

    if TYPE_CHECKING:

        def __rmatmul__(self: Weight[J, K], x: Array[*B, I, J]) -> Array[*B, I, K]: ...
        def __radd__(self: Weight[J], x: Array[*B, J]) -> Array[*B, J]: ...
        def __getitem__(self: Weight[I, *B], i: Index[I], /) -> Weight[*B]: ...


class Mask(Generic[*Axes]):
    """Booleans: True = may attend."""

    if TYPE_CHECKING:

        def __and__(self, other: Mask[*Axes]) -> Mask[*Axes]: ...


class Rows(Generic[*Axes]):
    """One boolean per row: the last axis is kept, with one entry."""


def untyped(x: object) -> Any:
    """The same value without its shape type; only this file calls it."""
    return x


def exp(x: Array[*Axes], /) -> Array[*Axes]:
    """The exponential of every entry."""
    out: Array[*Axes] = np.exp(untyped(x))
    return out


def tanh(x: Array[*Axes], /) -> Array[*Axes]:
    """The hyperbolic tangent of every entry."""
    out: Array[*Axes] = np.tanh(untyped(x))
    return out


def where(mask: Mask[*Axes], x: Array[*Axes], y: float, /) -> Array[*Axes]:
    """`x` where the mask is True, the number `y` elsewhere."""
    out: Array[*Axes] = untyped(np.where(untyped(mask), untyped(x), y))
    return out


def otherwise(rows: Rows[*Axes], x: Column[*Axes], y: float, /) -> Column[*Axes]:
    """`x` for the rows that are True, the number `y` for the others."""
    out: Column[*Axes] = untyped(np.where(untyped(rows), untyped(x), y))
    return out


def rowmax(x: Array[*B, J]) -> Column[*B]:
    """The largest entry of each row."""
    out: Column[*B] = untyped(x).max(axis=-1, keepdims=True)
    return out


def rowsum(x: Array[*B, J]) -> Column[*B]:
    """The sum of each row."""
    out: Column[*B] = untyped(x).sum(axis=-1, keepdims=True)
    return out


def any_key(mask: Mask[*B, J]) -> Rows[*B]:
    """Whether a query may attend to at least one key."""
    out: Rows[*B] = untyped(mask).any(axis=-1, keepdims=True)
    return out


def each(h: Dim[H], /) -> Iterator[Index[H]]:
    """The indices below `h`; a symbolic size brings a loop of its own."""
    out: Iterator[Index[H]] = untyped(h).each() if hasattr(h, "each") else untyped(iter(range(h)))
    return out


def visible(like: Array[*B, N, M], alignment: Alignment, window: int | None) -> Mask[*B, N, M]:
    """The pairs that causality leaves, with the shape of `like`.

    Query `i` is at position `p = i` (top-left) or `p = i + (m - n)` (bottom-right) and sees key `j` iff
    `j <= p` and, with a window `w`, `p - w < j`. The two alignments differ as soon as n != m.
    """
    shape = untyped(like).shape
    n, m = shape[-2], shape[-1]
    offset = 0 if alignment == "top-left" else m - n
    pairs = np.tri(n, m, k=offset, dtype=np.bool_, like=untyped(like))
    if window is not None:
        pairs = pairs & ~np.tri(n, m, k=offset - window, dtype=np.bool_, like=untyped(like))
    out: Mask[*B, N, M] = untyped(np.broadcast_to(pairs, shape))
    return out


def over_heads(mask: Mask[*B, N, M], h: Dim[H], /) -> Mask[*B, H, N, M]:
    """The same mask for every head."""
    *lead, n, m = untyped(mask).shape
    out: Mask[*B, H, N, M] = untyped(np.broadcast_to(np.expand_dims(untyped(mask), -3), (*lead, h, n, m)))
    return out


def repeat_heads(x: Array[*B, H, M, J], group: Dim[Group], /) -> Array[*B, Mul[H, Group], M, J]:
    """Each head `group` times in a row: head `i` of the result is head `i // group` of `x`."""
    out: Array[*B, Mul[H, Group], M, J] = untyped(np.repeat(untyped(x), group, axis=-3))
    return out


def side_by_side(w: Weight[H, I, J], /) -> Weight[I, Mul[H, J]]:
    """The matrices of all heads as the column blocks of one matrix."""
    h, i, j = untyped(w).shape
    out: Weight[I, Mul[H, J]] = untyped(w).swapaxes(0, 1).reshape((i, h * j))
    return out


def in_a_row(b: Weight[H, J], /) -> Weight[Mul[H, J]]:
    """The biases of all heads one after the other."""
    h, j = untyped(b).shape
    out: Weight[Mul[H, J]] = untyped(b).reshape((h * j,))
    return out


def unflatten(x: Array[*B, Mul[I, J]], i: Dim[I]) -> Array[*B, I, J]:
    """The last axis split into `i` blocks."""
    *lead, width = untyped(x).shape
    out: Array[*B, I, J] = untyped(np.reshape(untyped(x), (*lead, i, width // i)))
    return out


def flatten(x: Array[*B, I, J]) -> Array[*B, Mul[I, J]]:
    """The last two axes joined."""
    *lead, i, j = untyped(x).shape
    out: Array[*B, Mul[I, J]] = untyped(np.reshape(untyped(x), (*lead, i * j)))
    return out


def times(i: Dim[I], j: Dim[J]) -> Dim[Mul[I, J]]:
    """The product of two sizes."""
    out: Dim[Mul[I, J]] = untyped(i * j)
    return out


def position(i: Index[I], j: Index[J], of: Dim[J]) -> Index[Mul[I, J]]:
    """The index of entry `j` of block `i`, in blocks of `of` entries."""
    out: Index[Mul[I, J]] = untyped(i * of + j)
    return out


def concat(h: Dim[H], parts: Sequence[Array[*B, J]]) -> Array[*B, Mul[H, J]]:
    """`h` arrays joined along the last axis. Raises `ValueError` if the parts are not `h` equal ones."""
    out: Array[*B, Mul[H, J]] = untyped(np.concatenate(untyped(parts), axis=-1))
    width, part = untyped(out).shape[-1], untyped(parts[0]).shape[-1]
    if width != h * part:
        raise ValueError(f"concat: the joined axis has {width} entries, expected h * {part} with h = {h}")
    return out


def size(x: Array[*B, J], axis: Literal[-1]) -> Dim[J]:
    """The size of the last axis."""
    out: Dim[J] = untyped(x).shape[axis]
    return out


def sqrt(d: int) -> float:
    """The square root of a size; a power, because `math.sqrt` would ask a symbolic size for its value."""
    root: float = d**0.5
    return root


def trust(x: npt.NDArray[np.floating[Any]]) -> Array[*Axes]:
    """An ndarray taken to have the axes that the caller writes down."""
    out: Array[*Axes] = untyped(x)
    return out


def trust_weight(x: npt.NDArray[np.floating[Any]]) -> Weight[*Axes]:
    """An ndarray of parameters taken to have the axes that the caller writes down."""
    out: Weight[*Axes] = untyped(x)
    return out


def trust_mask(x: npt.NDArray[np.bool_]) -> Mask[*Axes]:
    """A boolean ndarray taken to have the axes that the caller writes down."""
    out: Mask[*Axes] = untyped(x)
    return out


def plain(x: Array[*Axes], like: npt.NDArray[Float]) -> npt.NDArray[Float]:
    """The same array as an ndarray of NumPy's own type, with the dtype of the array it was computed from."""
    out: npt.NDArray[Float] = untyped(x)
    return out
