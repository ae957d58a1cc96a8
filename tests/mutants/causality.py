"""Mistakes with causality and windows: lost on a path, off by one, counted from the other corner."""

from __future__ import annotations

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray

from .layer import CorrectLayer, Memory, Pairs
from .registry import mutant


@mutant("causal-dropped")
class CausalityIgnored(CorrectLayer):
    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        return np.ones((n, m), dtype=np.bool_)


@mutant("causal-dropped")
class CausalityDroppedWithAMask(CorrectLayer):
    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        every = np.ones((n, m), dtype=np.bool_)
        return every if mask is not None else super().visible(n, m, memory, mask)


@mutant("causal-dropped")
class CausalityDroppedInCrossAttention(CorrectLayer):
    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        every = np.ones((n, m), dtype=np.bool_)
        return every if memory is not None else super().visible(n, m, memory, mask)


@mutant("causal-path-divergence")
class CausalityDroppedBeyondSixtyFour(CorrectLayer):
    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        every = np.ones((n, m), dtype=np.bool_)
        return every if n > 64 else super().visible(n, m, memory, mask)


@mutant("causal-alignment")
class CausalityAlignedAtTheOtherCorner(CorrectLayer):
    def position(self, n: int, m: int) -> Array:
        return np.arange(n) + (0 if self.design.causal_alignment == "bottom-right" else m - n)


@mutant("causal-alignment", alignment="bottom-right")
class CausalityAlignedAtTheTopLeft(CorrectLayer):
    def position(self, n: int, m: int) -> Array:
        return np.arange(n)


@mutant("window-off-by-one")
class CausalitySeesTheNext(CorrectLayer):
    def position(self, n: int, m: int) -> Array:
        return super().position(n, m) + 1


@mutant("window-off-by-one")
class CausalityHidesTheTokenItself(CorrectLayer):
    def position(self, n: int, m: int) -> Array:
        earlier: Array = np.maximum(super().position(n, m) - 1, 0)
        return earlier


@mutant("option-ignored")
class WindowIgnored(CorrectLayer):
    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        every = np.ones((n, m), dtype=np.bool_)
        if not self.design.causal or not n:
            return every
        past: BoolArray = np.tril(every, int(self.position(n, m)[0]))
        return past


@mutant("window-off-by-one")
class WindowOneTooLong(CorrectLayer):
    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        visible = super().visible(n, m, memory, mask)
        if self.design.window is None:
            return visible
        position = self.position(n, m)[:, None]
        longer: BoolArray = visible | (np.arange(m) == position - self.design.window)
        return longer


@mutant("window-off-by-one")
class WindowOneTooShort(CorrectLayer):
    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        visible = super().visible(n, m, memory, mask)
        if self.design.window in (None, 1):
            return visible
        position = self.position(n, m)[:, None]
        shorter: BoolArray = visible & (np.arange(m) > position - self.design.window + 1)
        return shorter


@mutant("window-off-by-one")
class WindowAlsoWhereNotCausal(CorrectLayer):
    """Every layer looks back at most eight tokens."""

    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        visible = super().visible(n, m, memory, mask)
        near: BoolArray = visible & (np.arange(m) > self.position(n, m)[:, None] - 8)
        return near


@mutant("causal-path-divergence")
class CausalityOfTheFirstCall(CorrectLayer):
    """The causal mask is kept from the first call, and cut to the size of later ones."""

    kept: BoolArray | None = None

    def visible(self, n: int, m: int, memory: Memory, mask: Pairs) -> BoolArray:
        if self.kept is None:
            self.kept = super().visible(n, m, memory, mask)
        rows, columns = self.kept.shape
        visible = super().visible(n, m, memory, mask).copy()
        if self.design.causal:
            visible[rows:] = True
            visible[:, columns:] = True
        return visible
