"""The split leaves the heads behind the tokens, so heads attend to heads."""

from __future__ import annotations

from mha_spec.shapes import DK, Array, B, Dim, H, Mul, N, unflatten


def right(X: Array[*B, N, Mul[H, DK]], h: Dim[H]) -> Array[*B, H, N, DK]:
    return unflatten(X, h).swapaxes(-3, -2)


def wrong(X: Array[*B, N, Mul[H, DK]], h: Dim[H]) -> Array[*B, H, N, DK]:
    heads = unflatten(X, h)
    return heads  # E[return-value]: got "Array[*B, N, H, DK]", expected "Array[*B, H, N, DK]"
