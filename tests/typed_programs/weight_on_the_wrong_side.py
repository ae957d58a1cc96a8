"""W_Q multiplies from the left."""

from __future__ import annotations

from mha_spec.shapes import DK, Array, B, DModel, N, Weight


def right(X: Array[*B, N, DModel], W_Q: Weight[DModel, DK]) -> Array[*B, N, DK]:
    return X @ W_Q


def wrong(X: Array[*B, N, DModel], W_Q: Weight[DModel, DK]) -> Array[*B, N, DK]:
    return W_Q @ X  # E[operator]: left operand type for @ ("Weight[DModel, DK]")
