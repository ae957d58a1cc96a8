"""Mistakes in the projections: the wrong matrix, a bias lost or used twice, something after `W_O`."""

from __future__ import annotations

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray

from .layer import CorrectLayer
from .registry import mutant


@mutant("embed-dim-assumed")
class KeysProjectedLikeQueries(CorrectLayer):
    """Where the shapes allow it, the matrix of the queries is used for the keys."""

    def keys(self, y: Array) -> Array:
        fits = self.p.w_k.shape == self.p.w_q.shape
        return self.project(y, self.p.w_q if fits else self.p.w_k, self.p.b_k)


@mutant("kdim-vdim")
class ValuesProjectedLikeKeys(CorrectLayer):
    def values(self, y: Array) -> Array:
        fits = self.p.w_v.shape == self.p.w_k.shape
        return self.project(y, self.p.w_k if fits else self.p.w_v, self.p.b_v)


@mutant("wo-missing")
class OutputProjectionMissingWhenSquare(CorrectLayer):
    def output(self, merged: Array) -> Array:
        return merged if self.p.w_o.shape[0] == self.p.w_o.shape[1] else super().output(merged)


@mutant("wo-missing")
class OutputProjectionTransposedWhenSquare(CorrectLayer):
    def output(self, merged: Array) -> Array:
        square = self.p.w_o.shape[0] == self.p.w_o.shape[1]
        product: Array = merged @ (self.p.w_o.T if square else self.p.w_o)
        return product if self.p.b_o is None else product + self.p.b_o


@mutant("option-ignored")
class QueryBiasDropped(CorrectLayer):
    def queries(self, x: Array) -> Array:
        return self.project(x, self.p.w_q, None)


@mutant("option-ignored")
class ValueBiasDropped(CorrectLayer):
    def values(self, y: Array) -> Array:
        return self.project(y, self.p.w_v, None)


@mutant("option-ignored")
class OutputBiasDropped(CorrectLayer):
    def output(self, merged: Array) -> Array:
        product: Array = merged @ self.p.w_o
        return product


@mutant("option-ignored")
class KeyBiasOnlyOnTheFirstKey(CorrectLayer):
    def keys(self, y: Array) -> Array:
        keys = self.project(y, self.p.w_k, None).copy()
        if self.p.b_k is not None:
            keys[:, :, :1] += self.p.b_k[None, :, None]
        return keys


@mutant("option-ignored")
class BiasOfTheFirstHeadForAll(CorrectLayer):
    def project(self, rows: Array, w: Array, b: Array | None) -> Array:
        return super().project(rows, w, None if b is None else np.broadcast_to(b[:1], b.shape))


@mutant("wo-missing")
class OutputBiasOncePerHead(CorrectLayer):
    def output(self, merged: Array) -> Array:
        again = 0 if self.p.b_o is None else self.p.b_o * self.p.b_o.dtype.type(self.design.h - 1)
        result: Array = super().output(merged) + again
        return result.astype(merged.dtype)


@mutant("wo-missing")
class ReluAfterTheOutput(CorrectLayer):
    def output(self, merged: Array) -> Array:
        clipped: Array = np.maximum(super().output(merged), merged.dtype.type(0))
        return clipped


@mutant("wo-missing")
class ResidualAdded(CorrectLayer):
    def run(self, x: Array, memory: Array | None, mask: BoolArray | None) -> tuple[Array, Array]:
        out, weights = super().run(x, memory, mask)
        return out + x, weights


@mutant("wo-missing")
class ValuesThroughATanh(CorrectLayer):
    """Every value goes through a function that is not linear."""

    def values(self, y: Array) -> Array:
        bent: Array = np.tanh(super().values(y))
        return bent
