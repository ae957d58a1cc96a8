"""The heads are joined along the tokens; at h == 1 nothing shows."""

from __future__ import annotations

from mha_spec.shapes import DV, Array, Dim, DModel, H, Mul, N, Weight, concat


def right(h: Dim[H], heads: list[Array[N, DV]], W_O: Weight[Mul[H, DV], DModel]) -> Array[N, DModel]:
    return concat(h, heads) @ W_O


def wrong(h: Dim[H], heads: list[Array[N, DV]], W_O: Weight[Mul[H, DV], DModel]) -> Array[N, DModel]:
    tall = concat(h, [head.mT for head in heads]).mT
    return tall @ W_O  # E[operator]: for @ ("Array[Mul[H, N], DV]" and "Weight[Mul[H, DV], DModel]")
