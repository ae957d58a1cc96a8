"""The weights are normalised over the queries; NumPy runs it whenever n == m."""

from __future__ import annotations

from mha_spec.shapes import Array, B, M, N, rowsum


def right(E: Array[*B, N, M]) -> Array[*B, N, M]:
    return E / rowsum(E)


def wrong(E: Array[*B, N, M]) -> Array[*B, N, M]:
    return E / rowsum(E.mT)  # E[operator]: for / ("Array[*B, N, M]" and "Column[*B, M]")
