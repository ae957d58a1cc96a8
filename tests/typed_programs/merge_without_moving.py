"""The heads are merged where they stand: a reshape that NumPy runs at every size."""

from __future__ import annotations

from mha_spec.shapes import DV, Array, B, H, Mul, N, flatten


def right(Z: Array[*B, H, N, DV]) -> Array[*B, N, Mul[H, DV]]:
    return flatten(Z.swapaxes(-3, -2))


def wrong(Z: Array[*B, H, N, DV]) -> Array[*B, N, Mul[H, DV]]:
    merged = flatten(Z)
    return merged  # E[return-value]: got "Array[*B, H, Mul[N, DV]]", expected "Array[*B, N, Mul[H, DV]]"
