"""Features are merged (d_v, h), not (h, d_v): NumPy runs it at every size."""

from __future__ import annotations

from mha_spec.shapes import DV, Array, B, H, Mul, N, flatten


def right(Z: Array[*B, H, N, DV]) -> Array[*B, N, Mul[H, DV]]:
    return flatten(Z.swapaxes(-3, -2))


def wrong(Z: Array[*B, H, N, DV]) -> Array[*B, N, Mul[H, DV]]:
    merged = flatten(Z.swapaxes(-3, -2).mT)
    return merged  # E[return-value]: got "Array[*B, N, Mul[DV, H]]", expected "Array[*B, N, Mul[H, DV]]"
