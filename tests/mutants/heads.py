"""Mistakes in the heads: split, merged, grouped or mixed the wrong way."""

from __future__ import annotations

import numpy as np

from mha_spec.conformance.contract import Array

from .layer import CorrectLayer
from .registry import mutant


@mutant("head-split-order")
class HeadsSplitWithoutTranspose(CorrectLayer):
    """A bare view of `(batch, n, h*d)` as `(batch, h, n, d)`."""

    def project(self, rows: Array, w: Array, b: Array | None) -> Array:
        right = super().project(rows, w, b)
        return right.transpose(0, 2, 1, 3).reshape(right.shape)


@mutant("head-split-order")
class HeadsMergedWithoutTranspose(CorrectLayer):
    def merge(self, heads: Array) -> Array:
        batch, h, n, d_v = heads.shape
        return heads.reshape(batch, n, h * d_v)


@mutant("head-split-order")
class HeadsMergedWidthFirst(CorrectLayer):
    def merge(self, heads: Array) -> Array:
        batch, h, n, d_v = heads.shape
        return heads.transpose(0, 2, 3, 1).reshape(batch, n, h * d_v)


@mutant("head-split-order")
class HeadsMergedInReverse(CorrectLayer):
    def merge(self, heads: Array) -> Array:
        return super().merge(heads[:, ::-1])


@mutant("gqa-repeat-vs-tile")
class GroupsTiled(CorrectLayer):
    def for_every_head(self, heads: Array) -> Array:
        return np.tile(heads, (1, self.design.group, 1, 1))


@mutant("gqa-repeat-vs-tile")
class ValuesTiledKeysRepeated(CorrectLayer):
    def for_every_head(self, heads: Array) -> Array:
        is_value = heads.shape[-1] == self.design.d_v != self.design.d_k
        return np.tile(heads, (1, self.design.group, 1, 1)) if is_value else super().for_every_head(heads)


@mutant("gqa-indivisible")
class EveryGroupReadsTheFirstHead(CorrectLayer):
    def for_every_head(self, heads: Array) -> Array:
        return np.repeat(heads[:, :1], self.design.h, 1) if self.design.group > 1 else heads


@mutant("head-split-order")
class HeadLeaksOnePercent(CorrectLayer):
    """The first head is 0.99 of itself and 0.01 of the last."""

    def mix(self, weights: Array, v: Array) -> Array:
        heads = super().mix(weights, v).copy()
        heads[:, 0] = (0.99 * heads[:, 0] + 0.01 * heads[:, -1]).astype(heads.dtype)
        return heads


@mutant("value-dim-assumed")
class ValuesOfTheKeyWidth(CorrectLayer):
    """An accumulator of the width of the keys: features of the values beyond that are lost."""

    def mix(self, weights: Array, v: Array) -> Array:
        heads = super().mix(weights, v).copy()
        heads[..., self.design.d_k :] = 0
        return heads


@mutant("head-split-order")
class FirstHeadCountsDouble(CorrectLayer):
    def mix(self, weights: Array, v: Array) -> Array:
        heads = super().mix(weights, v).copy()
        heads[:, 0] *= 2
        return heads


@mutant("mask-broadcast-axis")
class WeightsOfTheFirstHeadForAll(CorrectLayer):
    def mix(self, weights: Array, v: Array) -> Array:
        return super().mix(np.broadcast_to(weights[:, :1], weights.shape), v)
