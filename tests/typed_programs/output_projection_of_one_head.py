"""W_O has d_v rows, as if there were one head."""

from __future__ import annotations

from mha_spec.shapes import DV, Array, B, DModel, H, Mul, N, Weight


def right(Z: Array[*B, N, Mul[H, DV]], W_O: Weight[Mul[H, DV], DModel]) -> Array[*B, N, DModel]:
    return Z @ W_O


def wrong(Z: Array[*B, N, Mul[H, DV]], W_O: Weight[DV, DModel]) -> Array[*B, N, DModel]:
    return Z @ W_O  # E[operator]: for @ ("Array[*B, N, Mul[H, DV]]" and "Weight[DV, DModel]")
