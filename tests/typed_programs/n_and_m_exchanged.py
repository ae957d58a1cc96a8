"""Queries come from the memory; NumPy runs it whenever d_memory == d_model."""

from __future__ import annotations

from mha_spec.attention import project
from mha_spec.shapes import DK, Array, B, DModel, M, N, Weight


def right(X: Array[*B, N, DModel], Y: Array[*B, M, DModel], W_Q: Weight[DModel, DK]) -> Array[*B, N, DK]:
    return project(X, W_Q, None)


def wrong(X: Array[*B, N, DModel], Y: Array[*B, M, DModel], W_Q: Weight[DModel, DK]) -> Array[*B, N, DK]:
    return project(Y, W_Q, None)  # E[arg-type]: "Array[*B, M, DModel]"; expected "Array[*B, N, DModel]"
