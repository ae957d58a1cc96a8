"""Mistakes that show at some sizes only: beyond a block, at one query, at none, or where two shapes agree."""

from __future__ import annotations

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray, Unsupported

from .layer import CorrectLayer, Memory, Pairs
from .registry import mutant


@mutant("tail-block")
class KeysBeyondSixtyFourDropped(CorrectLayer):
    def hide(self, scores: Array, seen: BoolArray) -> Array:
        return super().hide(scores, seen & (np.arange(scores.shape[-1]) < 64))


@mutant("tail-block")
class LastPartialBlockDropped(CorrectLayer):
    def hide(self, scores: Array, seen: BoolArray) -> Array:
        m = scores.shape[-1]
        whole = m // 16 * 16 if m > 16 else m
        return super().hide(scores, seen & (np.arange(m) < whole))


@mutant("tail-block")
class QueriesBeyondSixtyFourRepeatTheLast(CorrectLayer):
    def output(self, merged: Array) -> Array:
        out = super().output(merged).copy()
        out[:, 64:] = out[:, 63:64]
        return out


@mutant("tail-block")
class PaddingToEightIsVisible(CorrectLayer):
    """Keys are padded with zeros to a multiple of eight, and the padding takes its share of the weights."""

    def normalise(self, e: Array, total: Array) -> Array:
        padded = -e.shape[-1] % 8
        extra = 0 if e.shape[-1] <= 8 else padded
        return super().normalise(e, total + e.dtype.type(0.01 * extra))


@mutant("export-shape-frozen")
class AtMostSixtyFourTokens(CorrectLayer):
    """A table of positions of 64 entries."""

    def run(self, x: Array, memory: Memory, mask: Pairs) -> tuple[Array, Array]:
        if x.shape[1] > 64:
            raise IndexError("index 64 is out of bounds for axis 0 with size 64")
        return super().run(x, memory, mask)


@mutant("export-shape-frozen")
class OneQueryLosesItsAxis(CorrectLayer):
    def output(self, merged: Array) -> Array:
        out = super().output(merged)
        return out[:, 0] if out.shape[1] == 1 else out


@mutant("zero-length")
class NoTokensRaise(CorrectLayer):
    def run(self, x: Array, memory: Memory, mask: Pairs) -> tuple[Array, Array]:
        if 0 in (*x.shape, *self.read_from(x, memory).shape):
            raise ZeroDivisionError("integer modulo by zero")
        return super().run(x, memory, mask)


@mutant("embed-dim-assumed")
class MemoryIgnoredWhenOfTheShapeOfX(CorrectLayer):
    def read_from(self, x: Array, memory: Memory) -> Array:
        return x if memory is not None and memory.shape == x.shape else super().read_from(x, memory)


@mutant("batch-first-axis")
class BatchTakenForTokens(CorrectLayer):
    """`(batch, n, d)` is read as `(n, batch, d)`: entries attend to each other, tokens do not."""

    def run(self, x: Array, memory: Memory, mask: Pairs) -> tuple[Array, Array]:
        y = self.read_from(x, memory)
        if y.shape[1] != x.shape[1] or mask is not None or self.design.causal:
            raise Unsupported("it attends along the batch")
        out, weights = super().run(x.swapaxes(0, 1), y.swapaxes(0, 1), None)
        batch, n = x.shape[:2]
        return out.swapaxes(0, 1), np.resize(weights, (batch, self.design.h, n, n))


@mutant("batch-first-axis")
class KeysOfTheFirstEntryForAll(CorrectLayer):
    def keys(self, y: Array) -> Array:
        keys = super().keys(y)
        return np.broadcast_to(keys[:1], keys.shape)


@mutant("mask-fast-path-shape")
class AnOddNumberOfHeadsIsRoundedDown(CorrectLayer):
    """A fast path works on pairs of heads, and leaves out the last of an odd number."""

    def mix(self, weights: Array, v: Array) -> Array:
        heads = super().mix(weights, v).copy()
        if self.design.h > 1 and self.design.h % 2:
            heads[:, -1] = 0
        return heads
