"""Mistakes in the softmax: the wrong axis, the wrong denominator, no maximum subtracted."""

from __future__ import annotations

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray

from .layer import CorrectLayer
from .registry import mutant


class SoftmaxOver(CorrectLayer):
    """A softmax over another axis than the keys."""

    axis = -1

    def softmax(self, scores: Array, seen: BoolArray) -> Array:
        hidden = self.hide(scores, seen)
        top = hidden.max(self.axis, keepdims=True, initial=-np.inf)
        e = np.exp(hidden - np.where(np.isfinite(top), top, 0).astype(hidden.dtype))
        return self.normalise(e, e.sum(self.axis, keepdims=True))


@mutant("softmax-axis")
class SoftmaxOverQueries(SoftmaxOver):
    axis = -2


@mutant("softmax-axis")
class SoftmaxOverHeads(SoftmaxOver):
    axis = 1


@mutant("softmax-axis-batch")
class SoftmaxOverBatch(SoftmaxOver):
    axis = 0


@mutant("softmax-axis")
class SoftmaxOverQueriesWhenSquare(SoftmaxOver):
    """Only where the scores are square, so that an `n != m` case shows nothing."""

    def softmax(self, scores: Array, seen: BoolArray) -> Array:
        self.axis = -2 if scores.shape[-1] == scores.shape[-2] else -1
        return super().softmax(scores, seen)


@mutant("exp-overflow")
class NoMaximumSubtracted(CorrectLayer):
    def exponentials(self, hidden: Array) -> Array:
        exponentials: Array = np.exp(hidden)
        return exponentials


@mutant("exp-overflow")
class MaximumOfTheFirstRow(CorrectLayer):
    """Stable for most inputs, since the maximum of another row is often near."""

    def exponentials(self, hidden: Array) -> Array:
        top = hidden[..., :1, :].max(-1, keepdims=True, initial=-np.inf)
        exponentials: Array = np.exp(hidden - np.where(np.isfinite(top), top, 0).astype(hidden.dtype))
        return exponentials


@mutant("exp-overflow")
class DenominatorHasAnEpsilon(CorrectLayer):
    def normalise(self, e: Array, total: Array) -> Array:
        normalised: Array = e / (total + e.dtype.type(1e-6))
        return normalised


@mutant("exp-overflow")
class ScoresAreClippedAtFifty(CorrectLayer):
    def exponentials(self, hidden: Array) -> Array:
        exponentials: Array = np.exp(np.minimum(hidden, hidden.dtype.type(2)))
        return exponentials


@mutant("mask-after-softmax")
class MaskAfterSoftmax(CorrectLayer):
    """Hidden weights are set to zero, but the others still sum to less than one."""

    def softmax(self, scores: Array, seen: BoolArray) -> Array:
        e = self.exponentials(scores)
        weights: Array = np.where(seen, self.normalise(e, e.sum(-1, keepdims=True)), scores.dtype.type(0))
        return weights


@mutant("softmax-axis")
class WeightsSumToTheNumberOfKeys(CorrectLayer):
    def normalise(self, e: Array, total: Array) -> Array:
        normalised: Array = super().normalise(e, total) * e.shape[-1]
        return normalised


@mutant("softmax-axis")
class WeightsAreUniform(CorrectLayer):
    """The scores are lost: every visible key weighs the same."""

    def exponentials(self, hidden: Array) -> Array:
        visible: Array = np.isfinite(hidden).astype(hidden.dtype)
        return visible
