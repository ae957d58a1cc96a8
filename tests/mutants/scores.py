"""Mistakes in the scores: scale and softcap."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray

from .layer import CorrectLayer
from .registry import mutant


class DefaultScale(CorrectLayer):
    """Another scale where the design gives none."""

    def scale(self) -> float:
        return self.instead() if self.design.scale is None else self.design.scale

    def instead(self) -> float:
        raise NotImplementedError


@mutant("scale-missing")
class ScaleMissing(DefaultScale):
    def instead(self) -> float:
        return 1.0


@mutant("scale-inverted")
class ScaleInverted(DefaultScale):
    def instead(self) -> float:
        return float(self.design.d_k**0.5)


@mutant("scale-missing")
class ScaleByModelWidth(DefaultScale):
    def instead(self) -> float:
        return float(self.design.d_model**-0.5)


@mutant("scale-missing")
class ScaleByValueWidth(DefaultScale):
    def instead(self) -> float:
        return float(self.design.d_v**-0.5)


@mutant("scale-missing")
class ScaleWithoutTheRoot(DefaultScale):
    def instead(self) -> float:
        return 1 / self.design.d_k


@mutant("scale-missing")
class ScaleTwiceOverTheWidth(DefaultScale):
    """`2/d_k`, which is right at `d_k = 4`."""

    def instead(self) -> float:
        return 2 / self.design.d_k


@mutant("scale-backend-mismatch")
class ScaleOptionIgnored(CorrectLayer):
    def scale(self) -> float:
        return float(self.design.d_k**-0.5)


@mutant("scale-backend-mismatch")
class ScaleOptionAppliedOnTop(CorrectLayer):
    def scale(self) -> float:
        return float(self.design.d_k**-0.5 * (self.design.scale or 1))


@mutant("scale-backend-mismatch")
class ScaleOfAnEarlierLayer(CorrectLayer):
    """A cache of compiled layers whose key lacks the scale."""

    cache: ClassVar[dict[int, float]] = {}

    def scale(self) -> float:
        return self.cache.setdefault(self.design.d_k, super().scale())


@mutant("scale-missing")
class ScaleAfterSoftmax(CorrectLayer):
    def scores(self, q: Array, k: Array) -> Array:
        scores: Array = q @ k.swapaxes(-1, -2)
        return scores

    def normalise(self, e: Array, total: Array) -> Array:
        normalised: Array = super().normalise(e, total) * e.dtype.type(self.scale())
        return normalised


@mutant("fp16-scores")
class ScaleAfterTheProductInHalf(CorrectLayer):
    """`Q K^T` leaves the range of float16 before the scale brings it back."""

    def scores(self, q: Array, k: Array) -> Array:
        scores: Array = (q @ k.swapaxes(-1, -2)) * q.dtype.type(self.scale())
        return scores


@mutant("option-ignored")
class SoftcapIgnored(CorrectLayer):
    def capped(self, scores: Array) -> Array:
        return scores


@mutant("option-ignored")
class SoftcapWithoutTheFactor(CorrectLayer):
    """`tanh(s/c)` without the multiplication by `c`."""

    def capped(self, scores: Array) -> Array:
        cap = self.design.softcap
        return scores if cap is None else super().capped(scores) / scores.dtype.type(cap)


@mutant("mask-combine")
class SoftcapAfterMask(CorrectLayer):
    """The cap turns minus infinity into `-c`, so that hidden keys get a weight."""

    def capped(self, scores: Array) -> Array:
        return scores

    def hide(self, scores: Array, seen: BoolArray) -> Array:
        return super().capped(super().hide(scores, seen))


@mutant("scale-backend-mismatch")
class ScoresInAbsoluteValue(CorrectLayer):
    """No scalar product any more: it sees the sign of every product."""

    def scores(self, q: Array, k: Array) -> Array:
        parts = np.abs(q[..., :, None, :] * k[..., None, :, :]).sum(-1)
        scores: Array = parts * q.dtype.type(self.scale())
        return scores
