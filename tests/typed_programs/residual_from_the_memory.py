"""The residual adds the memory, not the input; NumPy runs it whenever n == m."""

from __future__ import annotations

from mha_spec.shapes import Array, B, DModel, M, N


def right(X: Array[*B, N, DModel], Y: Array[*B, M, DModel], Z: Array[*B, N, DModel]) -> Array[*B, N, DModel]:
    return Z + X


def wrong(X: Array[*B, N, DModel], Y: Array[*B, M, DModel], Z: Array[*B, N, DModel]) -> Array[*B, N, DModel]:
    return Z + Y  # E[operator]: for + ("Array[*B, N, DModel]" and "Array[*B, M, DModel]")
