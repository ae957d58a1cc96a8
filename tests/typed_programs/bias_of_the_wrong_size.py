"""A bias of size d_v is added to features of size d_model."""

from __future__ import annotations

from mha_spec.shapes import DV, Array, B, DModel, N, Weight


def right(Z: Array[*B, N, DModel], b: Weight[DModel]) -> Array[*B, N, DModel]:
    return Z + b


def wrong(Z: Array[*B, N, DModel], b: Weight[DV]) -> Array[*B, N, DModel]:
    return Z + b  # E[operator]: for + ("Array[*B, N, DModel]" and "Weight[DV]")
