"""Arrays made from nothing: filled, triangular, or counting up. They cost no arithmetic."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from mha_spec.counting.recording import current_recording
from mha_spec.counting.sizes import Size, SizeLike
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.counting.symbolic.broadcasting import (
    as_shape,
    broadcast,
    new_array,
    result_dtype,
    shape_of,
    use,
)


def _like(a: SymbolicArray, dtype: DTypeLike | None, shape: object) -> SymbolicArray:
    return new_array(use(a).shape if shape is None else as_shape(shape), a.dtype if dtype is None else np.dtype(dtype))


def zeros_like(a: SymbolicArray, dtype: DTypeLike | None = None, *, shape: object = None) -> SymbolicArray:
    """`np.zeros_like`."""
    return _like(a, dtype, shape)


def ones_like(a: SymbolicArray, dtype: DTypeLike | None = None, *, shape: object = None) -> SymbolicArray:
    """`np.ones_like`."""
    return _like(a, dtype, shape)


def empty_like(prototype: SymbolicArray, /, dtype: DTypeLike | None = None, *, shape: object = None) -> SymbolicArray:
    """`np.empty_like`."""
    return _like(prototype, dtype, shape)


def full_like(
    a: SymbolicArray, fill_value: object, dtype: DTypeLike | None = None, *, shape: object = None
) -> SymbolicArray:
    """`np.full_like`."""
    return _like(a, dtype, shape)


def ones(shape: object, dtype: DTypeLike | None = None) -> SymbolicArray:
    """`np.ones(shape, like=x)`."""
    return new_array(as_shape(shape), np.float64 if dtype is None else dtype)


def full(shape: object, fill_value: object, dtype: DTypeLike | None = None) -> SymbolicArray:
    """`np.full(shape, value, like=x)`."""
    wanted = as_shape(shape)
    broadcast(shape_of(fill_value), wanted)
    return new_array(wanted, result_dtype(fill_value) if dtype is None else np.dtype(dtype))


def eye(N: SizeLike, M: SizeLike | None = None, k: SizeLike = 0, dtype: DTypeLike = float) -> SymbolicArray:
    """`np.eye(n, like=x)`."""
    return new_array((N, N if M is None else M), dtype)


def tri(N: SizeLike, M: SizeLike | None = None, k: SizeLike = 0, dtype: DTypeLike = float) -> SymbolicArray:
    """`np.tri(n, m, k, like=x)`: ones at and below a diagonal."""
    M = N if M is None else M
    current_recording().ledger.triangles.append((Size.of(N), Size.of(M), Size.of(k)))
    return new_array((N, M), dtype)


def arange(start: SizeLike, stop: SizeLike | None = None, *, dtype: DTypeLike | None = None) -> SymbolicArray:
    """`np.arange(n, like=x)`, with step 1 and a proved length."""
    length = Size.of(start) if stop is None else Size.of(stop) - Size.of(start)
    return new_array((length if length >= 0 else 0,), np.int64 if dtype is None else dtype)
