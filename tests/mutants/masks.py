"""Mistakes with masks: their polarity, their axes, when they are lost and with what hidden scores are filled."""

from __future__ import annotations

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray

from .layer import CorrectLayer, Memory, Pairs
from .registry import mutant


@mutant("mask-polarity")
class MaskInverted(CorrectLayer):
    def spread(self, mask: BoolArray) -> BoolArray:
        inverted: BoolArray = np.logical_not(mask[:, None])
        return inverted


@mutant("mask-square-assumed")
class MaskTransposedWhenSquare(CorrectLayer):
    def spread(self, mask: BoolArray) -> BoolArray:
        square = mask.shape[-1] == mask.shape[-2]
        return (mask.swapaxes(-1, -2) if square else mask)[:, None]


@mutant("mask-broadcast-axis")
class MaskOfTheFirstEntryForAll(CorrectLayer):
    def spread(self, mask: BoolArray) -> BoolArray:
        return mask[:1, None]


@mutant("mask-square-assumed")
class MaskOfTheFirstQueryForAll(CorrectLayer):
    def spread(self, mask: BoolArray) -> BoolArray:
        return mask[:, None, :1]


@mutant("mask-broadcast-axis")
class MaskFoldedHeadsFirst(CorrectLayer):
    """The batch and head axes of a mask folded into one in the other order than those of the scores."""

    def spread(self, mask: BoolArray) -> BoolArray:
        batch, n, m = mask.shape
        return np.tile(mask, (self.design.h, 1, 1)).reshape(batch, self.design.h, n, m)


@mutant("mask-fast-path-shape")
class MaskReadPerHeadWhenBatchIsHeads(CorrectLayer):
    """A mask whose first axis is as long as there are heads is taken for a mask of the heads."""

    def spread(self, mask: BoolArray) -> BoolArray:
        return mask[None] if len(mask) == self.design.h > 1 else mask[:, None]


@mutant("mask-dropped")
class MaskDroppedInCrossAttention(CorrectLayer):
    def seen(self, x: Array, y: Array, memory: Memory, mask: Pairs) -> BoolArray:
        return super().seen(x, y, memory, None if memory is not None else mask)


@mutant("mask-combine")
class MaskDroppedWhenCausal(CorrectLayer):
    def seen(self, x: Array, y: Array, memory: Memory, mask: Pairs) -> BoolArray:
        return super().seen(x, y, memory, None if self.design.causal else mask)


@mutant("mask-combine")
class MaskOrCausality(CorrectLayer):
    """A pair is visible if one of the two allows it."""

    def joined(self, visible: BoolArray, mask: BoolArray) -> BoolArray:
        return visible | mask if self.design.causal else mask


@mutant("mask-dropped")
class MaskDroppedForOneQuery(CorrectLayer):
    def seen(self, x: Array, y: Array, memory: Memory, mask: Pairs) -> BoolArray:
        return super().seen(x, y, memory, None if x.shape[1] == 1 else mask)


@mutant("mask-dropped")
class MaskOnlyOnTheFirstHead(CorrectLayer):
    def spread(self, mask: BoolArray) -> BoolArray:
        every = np.ones((len(mask), self.design.h, *mask.shape[1:]), dtype=np.bool_)
        every[:, 0] = mask
        return every


@mutant("inplace-noop")
class HiddenScoresSetToZero(CorrectLayer):
    def hide(self, scores: Array, seen: BoolArray) -> Array:
        return np.where(seen, scores, scores.dtype.type(0))


@mutant("mask-dtype")
class HiddenScoresSetToMinusThirty(CorrectLayer):
    def hide(self, scores: Array, seen: BoolArray) -> Array:
        return np.where(seen, scores, scores.dtype.type(-30))


@mutant("mask-dtype")
class HiddenScoresLessAThousand(CorrectLayer):
    """A finite number added to hidden scores: large hidden scores stay visible."""

    def hide(self, scores: Array, seen: BoolArray) -> Array:
        hidden: Array = scores + np.where(seen, 0, -1000).astype(scores.dtype)
        return hidden


@mutant("mask-dtype")
class MaskAddedAsZeroAndOne(CorrectLayer):
    """A boolean mask added to the scores as a number."""

    def hide(self, scores: Array, seen: BoolArray) -> Array:
        hidden: Array = scores + seen.astype(scores.dtype)
        return hidden


@mutant("mask-dropped")
class AMaskOfAllTrueHidesTheLastKey(CorrectLayer):
    """A shortcut for masks that hide nothing is wrong by one."""

    def spread(self, mask: BoolArray) -> BoolArray:
        spread = mask[:, None].copy()
        if mask.all() and mask.shape[-1] > 1:
            spread[..., -1] = False
        return spread


@mutant("fully-masked-nan", empty_row="zero")
class EmptyRowIsNan(CorrectLayer):
    def normalise(self, e: Array, total: Array) -> Array:
        normalised: Array = e / total
        return normalised


@mutant("fully-masked-path-divergence")
class EmptyRowIsUniform(CorrectLayer):
    def hide(self, scores: Array, seen: BoolArray) -> Array:
        alive = seen.any(-1, keepdims=True)
        return np.where(alive, super().hide(scores, seen), scores.dtype.type(0))


@mutant("fully-masked-nan")
class EmptyRowHarmsTheBatch(CorrectLayer):
    def normalise(self, e: Array, total: Array) -> Array:
        weights = super().normalise(e, total)
        return weights * weights.dtype.type(0) if (total <= 0).any() else weights


@mutant("fully-masked-path-divergence", empty_row="nan")
class EmptyRowIsNotNanAsDeclared(CorrectLayer):
    pass


@mutant("fully-masked-path-divergence", empty_row="uniform")
class EmptyRowIsUniformOverVisibleKeys(CorrectLayer):
    """Declared to be the mean over all keys, it is the mean over those that causality allows."""

    def softmax(self, scores: Array, seen: BoolArray) -> Array:
        visible = self.visible(scores.shape[-2], scores.shape[-1], None, None)
        alive = seen.any(-1, keepdims=True)
        even = (visible / np.maximum(visible.sum(-1, keepdims=True), 1)).astype(scores.dtype)
        return np.where(alive, super().softmax(scores, seen), even)


@mutant("fully-masked-path-divergence", empty_row="raises")
class EmptyRowDoesNotRaiseAsDeclared(CorrectLayer):
    pass


@mutant("mask-dropped")
class HiddenNanLeaks(CorrectLayer):
    """A weight of zero times NaN is NaN."""

    def mix(self, weights: Array, v: Array) -> Array:
        mixed: Array = weights @ v
        return mixed
