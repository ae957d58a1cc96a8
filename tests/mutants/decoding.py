"""Mistakes in cached decoding."""

from __future__ import annotations

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray

from .layer import CorrectLayer
from .registry import mutant


@mutant("cache-decode-causal")
class CacheForgetsTheLatestToken(CorrectLayer):
    def cached(self, before: Array, x_part: Array) -> Array:
        return np.concatenate([before[:, :-1], x_part], axis=1)


@mutant("cache-mask-shape")
class ChunksAreNotCausal(CorrectLayer):
    def chunk(self, visible: BoolArray) -> BoolArray:
        return np.ones_like(visible)


@mutant("causal-alignment")
class ChunksAlignedAtTheTopLeft(CorrectLayer):
    """Right for one token after the other, wrong for chunks."""

    def chunk(self, visible: BoolArray) -> BoolArray:
        n, m = visible.shape
        return np.tri(n, m, dtype=np.bool_) if n > 1 else visible


@mutant("cache-decode-causal")
class ResetKeepsTheCache(CorrectLayer):
    def reset(self) -> None:
        if self.tokens is not None:
            self.tokens = self.tokens[:, :1]

    def cached(self, before: Array, x_part: Array) -> Array:
        fits = len(before) == len(x_part)
        return super().cached(before if fits else x_part[:, :0], x_part)


@mutant("cache-decode-causal")
class ResetKeepsTheBatch(CorrectLayer):
    """The cache is emptied, but keeps room for as many entries as at first."""

    entries: int | None = None

    def step(self, x_part: Array) -> Array:
        self.entries = self.entries or len(x_part)
        out = super().step(x_part).copy()
        out[self.entries :] = 0
        return out
