"""A value theorem: an identity or a bound of attention itself, derived by a chain with one reason a step.

A step is decided for all sizes by the normal form of `sums`, or, where it says so, at sizes by writing every sum
out.  What a hypothesis allows is a `Fact`; without it the chain is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import sympy

from mha_spec.claims.theorem import TheoremError

from .sums.reading import Definitions

Sign = Literal["==", "<="]


@dataclass(frozen=True)
class Positive:
    """Every entry of an array is above 0, so that one may divide by it."""

    array: sympy.IndexedBase


@dataclass(frozen=True)
class Keeps:
    """A mask, of entries (query, key) that are 0 or 1, leaves every query at least one of so many keys."""

    mask: sympy.IndexedBase
    keys: sympy.Expr


@dataclass(frozen=True)
class Nonnegative:
    """No entry of an array is below 0; a step names it in its `gap`."""

    array: sympy.IndexedBase


@dataclass(frozen=True)
class Zero:
    """Every entry of an array is 0; a step names it in its `gap`."""

    array: sympy.IndexedBase


@dataclass(frozen=True)
class Permutes:
    """A function permutes, in its last argument, the indices below a size."""

    function: sympy.FunctionClass
    size: sympy.Expr


@dataclass(frozen=True)
class Equal:
    """One entry has a value."""

    entry: sympy.Indexed
    value: sympy.Expr


Fact = Positive | Keeps | Nonnegative | Zero | Permutes | Equal


@dataclass(frozen=True)
class Hypothesis:
    """What is assumed, in words, and what the checker may use of it; None where a definition already says it."""

    sentence: str
    fact: Fact | None = None


@dataclass(frozen=True)
class ValueStep:
    """One link of a chain: the next formula and why it may stand there.

    `gap` is the formula before minus this one (in a step of sign ``<=``, this one minus the one before), written
    such that the hypotheses show it to be zero (or not negative).  `at` lists sizes and free indices: the step is
    then decided there only.
    """

    to: sympy.Expr
    because: str
    sign: Sign = "=="
    gap: sympy.Expr = field(default_factory=lambda: sympy.Integer(0))
    at: tuple[Mapping[str, int], ...] = ()


@dataclass(frozen=True)
class Chain:
    """A derivation of `left == right`, or of `left <= right`; its first step is `left`, its last `right`."""

    states: str
    left: sympy.Expr
    right: sympy.Expr
    steps: tuple[ValueStep, ...]
    sign: Sign = "=="


@dataclass(frozen=True, eq=False)
class Comparison:
    """What the running layer computed and what a theorem says, as arrays of one shape.

    `tolerance` is the largest deviation allowed, in units of the largest of 1 and the expected entries.
    """

    says: str
    found: npt.NDArray[np.floating[Any]]
    expected: npt.NDArray[np.floating[Any]]
    tolerance: float

    def deviation(self) -> float:
        """The largest deviation in these units; infinite for shapes that differ."""
        if self.found.shape != self.expected.shape:
            return float("inf")
        unit = max(1.0, float(np.max(np.abs(self.expected), initial=0.0)))
        return float(np.max(np.abs(self.found - self.expected), initial=0.0)) / unit

    def agrees(self) -> bool:
        """Whether the deviation is within the tolerance; one that is not a number is not."""
        return self.deviation() <= self.tolerance


@dataclass(frozen=True, eq=False)
class ValueTheorem:
    """A statement about the values of attention, with its derivations.

    `definitions` say what an array is short for; `indices` below which size each free index lies; `layouts` which
    products count blocks, as (blocks, entries of a block).  Arrays in `kept` are not written out, except by a
    derivative.  Those in `random` hold random variables, everything else numbers.  `confirms` draws a call of the
    package's own layer and compares it with what the theorem says.  `source` is the paper and section.
    """

    name: str
    sentence: str
    hypotheses: tuple[Hypothesis, ...]
    chains: tuple[Chain, ...]
    source: str
    confirms: Callable[[np.random.Generator], Sequence[Comparison]]
    definitions: Definitions = field(default_factory=dict)
    indices: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=dict)
    layouts: tuple[tuple[sympy.Expr, sympy.Expr], ...] = ()
    kept: tuple[sympy.IndexedBase, ...] = ()
    random: tuple[sympy.IndexedBase, ...] = ()

    @property
    def steps(self) -> tuple[ValueStep, ...]:
        """The steps of all chains, one after the other."""
        return tuple(step for chain in self.chains for step in chain.steps)

    @property
    def rocq(self) -> str:
        """Where its second witness is, relative to the folder of proofs; `rocq_witness` says whether it is there."""
        return f"rocq/{self.name}.v"

    def rocq_witness(self, proofs: Path) -> Path | None:
        """The Rocq file of this theorem in the folder of proofs, or None if there is none."""
        path = proofs / self.rocq
        return path if path.is_file() else None

    def refuse(self, place: str, reason: str) -> TheoremError:
        """The error for something wrong at a place of this theorem."""
        return TheoremError(f"theorem {self.name}, {place}: {reason}")


def confirm(theorem: ValueTheorem, rng: np.random.Generator) -> tuple[Comparison, ...]:
    """Compare the theorem with the running layer on one drawn call.

    Returns the comparisons; raises TheoremError, with the numbers, where one does not agree.
    """
    comparisons = tuple(theorem.confirms(rng))
    if not comparisons:
        raise theorem.refuse("its confirmation", "it compares nothing")
    for one in comparisons:
        if not one.agrees():
            numbers = f"deviation {one.deviation():.3g}, tolerance {one.tolerance:.3g}"
            raise theorem.refuse("its confirmation", f"on the running layer, {one.says}: {numbers}")
    return comparisons
