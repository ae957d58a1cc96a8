"""Mistakes that show between calls or in the arrays of a call: states, caches, dropout, views, precision."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray

from .layer import CorrectLayer, Memory, Pairs
from .registry import mutant


class CountsCalls(CorrectLayer):
    """A layer that knows how often it was called."""

    calls = 0

    def run(self, x: Array, memory: Memory, mask: Pairs) -> tuple[Array, Array]:
        self.calls += 1
        return super().run(x, memory, mask)


@mutant("scale-backend-mismatch")
class LaterCallsAreOnePercentLarger(CountsCalls):
    def output(self, merged: Array) -> Array:
        out = super().output(merged)
        return out * out.dtype.type(1.01) if self.calls > 1 else out


@mutant("cache-mask-shape")
class MaskOfTheFirstCallKept(CorrectLayer):
    kept: BoolArray | None = None

    def spread(self, mask: BoolArray) -> BoolArray:
        if self.kept is None or self.kept.shape != mask.shape:
            self.kept = mask.copy()
        return self.kept[:, None]


@mutant("cache-mask-shape")
class MemoryOfTheFirstCallKept(CorrectLayer):
    """Keys and values of the memory are computed once, as for an encoder that does not change."""

    kept: Array | None = None

    def read_from(self, x: Array, memory: Memory) -> Array:
        if memory is None:
            return x
        if self.kept is None or self.kept.shape != memory.shape:
            self.kept = memory.copy()
        return self.kept


@mutant("scale-backend-mismatch")
class OutputProjectionSharedByShape(CorrectLayer):
    """A cache of constants over all layers, by their shape."""

    shared: ClassVar[dict[tuple[int, ...], Array]] = {}

    def output(self, merged: Array) -> Array:
        w_o = self.shared.setdefault((*self.p.w_o.shape, *merged.shape[:2]), self.p.w_o)
        product: Array = (merged @ w_o).astype(merged.dtype)
        return product if self.p.b_o is None else product + self.p.b_o


@mutant("dropout-at-eval")
class DropoutLeftOn(CorrectLayer):
    def normalise(self, e: Array, total: Array) -> Array:
        weights = super().normalise(e, total)
        return weights * (np.random.random(weights.shape) > 0.1)


@mutant("dropout-at-eval")
class DropoutLeftOnBeyondEightTokens(CorrectLayer):
    def normalise(self, e: Array, total: Array) -> Array:
        weights = super().normalise(e, total)
        return weights * (np.random.random(weights.shape) > 0.1) if weights.shape[-2] > 8 else weights


@mutant("dropout-weights")
class WeightsAreScaledByTheDropoutRate(CorrectLayer):
    """The weights that are shown are not those that are used."""

    def weights(self, x: Array, memory: Memory = None, mask: Pairs = None) -> Array:
        shown: Array = super().weights(x, memory, mask) / x.dtype.type(0.9)
        return shown


@mutant("need-weights-divergence")
class AskingForWeightsTurnsOffCausality(CorrectLayer):
    asked = False

    def weights(self, x: Array, memory: Memory = None, mask: Pairs = None) -> Array:
        found = super().weights(x, memory, mask)
        self.asked = True
        return found

    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        visible = super().visible(n, m, memory, mask)
        return np.ones_like(visible) if self.asked else visible


@mutant("need-weights-divergence")
class WeightsBeforeTheMask(CorrectLayer):
    def weights(self, x: Array, memory: Memory = None, mask: Pairs = None) -> Array:
        y = self.read_from(x, memory)
        scores = self.capped(self.scores(self.queries(x), self.for_every_head(self.keys(y))))
        return self.softmax(scores, np.ones(scores.shape, dtype=np.bool_))


@mutant("inplace-noop")
class InputScaledInPlace(CorrectLayer):
    def run(self, x: Array, memory: Memory, mask: Pairs) -> tuple[Array, Array]:
        found = super().run(x, memory, mask)
        x *= x.dtype.type(1.0009765625)
        return found


@mutant("inplace-noop")
class MaskInvertedInPlace(CorrectLayer):
    def run(self, x: Array, memory: Memory, mask: Pairs) -> tuple[Array, Array]:
        found = super().run(x, memory, mask)
        if mask is not None:
            np.logical_not(mask, out=mask)
        return found


@mutant("inplace-noop")
class WritesIntoItsInputAndRestoresIt(CorrectLayer):
    """Nothing is to be seen afterwards, but an array that is read-only is refused."""

    def run(self, x: Array, memory: Memory, mask: Pairs) -> tuple[Array, Array]:
        x *= 1
        return super().run(x, memory, mask)


@mutant("mask-fast-path-shape")
class StridesIgnored(CorrectLayer):
    """The bytes of the input are read as they lie in memory."""

    def run(self, x: Array, memory: Memory, mask: Pairs) -> tuple[Array, Array]:
        return super().run(x.ravel(order="K").reshape(x.shape), memory, mask)


@mutant("inplace-noop")
class OutputBufferUsedAgain(CorrectLayer):
    buffer: Array | None = None

    def output(self, merged: Array) -> Array:
        out = super().output(merged)
        if self.buffer is None or self.buffer.shape != out.shape:
            self.buffer = out.copy()
        self.buffer[...] = out
        return self.buffer


@mutant("fp16-scores")
class ComputesInFloat32(CorrectLayer):
    def run(self, x: Array, memory: Memory, mask: Pairs) -> tuple[Array, Array]:
        narrow = np.float32 if x.dtype == np.float64 else x.dtype
        low = type(self.p)(**{name: array.astype(narrow) for name, array in self.p.arrays().items()})
        inner = CorrectLayer(self.design, low)
        out, weights = inner.run(x.astype(narrow), None if memory is None else memory.astype(narrow), mask)
        return out.astype(x.dtype), weights.astype(x.dtype)


@mutant("fp16-scores")
class WeightsRoundedToHalf(CorrectLayer):
    """The weights of a float32 layer pass through float16."""

    def normalise(self, e: Array, total: Array) -> Array:
        weights = super().normalise(e, total)
        return weights.astype(np.float16).astype(e.dtype) if e.dtype == np.float32 else weights


@mutant("mask-dtype")
class OutputInFloat64(CorrectLayer):
    def output(self, merged: Array) -> Array:
        return super().output(merged).astype(np.float64)
