"""What a theorem assumes, in the form in which the rules of sums may use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .polynomials import ONE, ZERO, Atom, Polynomial, symbol

Range = tuple[Polynomial, Polynomial]
"""From the first, up to but without the second."""


@dataclass
class Facts:
    """Which names are sizes (integers of at least 1), where indices lie, and what arrays are known to be.

    `permutations` says of a function, by name, that in its last argument it permutes the indices below a size.
    `layouts` says of a size, by key, that it is a product, and which factor counts blocks.  `values` gives
    entries, by key, a value.  `nonnegative` and `positive` are names of arrays, `positive_sums` further keys of
    polynomials; `random` are arrays of random variables.  `keeping` are masks, by name, that are 0 or 1 and leave
    every query at least one of so many keys.
    """

    sizes: set[str] = field(default_factory=set)
    ranges: dict[str, Range] = field(default_factory=dict)
    permutations: Mapping[str, Polynomial] = field(default_factory=dict)
    layouts: Mapping[str, tuple[Polynomial, Polynomial]] = field(default_factory=dict)
    values: Mapping[str, Polynomial] = field(default_factory=dict)
    nonnegative: frozenset[str] = frozenset()
    positive: frozenset[str] = frozenset()
    positive_sums: set[str] = field(default_factory=set)
    random: frozenset[str] = frozenset()
    keeping: Mapping[str, Polynomial] = field(default_factory=dict)

    def at_most(self, lower: Polynomial, upper: Polynomial) -> bool:
        """Whether `lower <= upper` follows from the ranges of indices and from sizes being at least 1."""
        gap: Polynomial | None = upper - lower
        while gap is not None:
            names = sorted(atom.name for atom in gap.atoms() if atom.kind == "symbol" and atom.name in self.ranges)
            if not names:
                break
            gap = self._least_over(names[0], gap)
        if gap is None or any(a.name not in self.sizes or e < 1 for mono in gap.terms for a, e in mono):
            return False
        growing = [coefficient for monomial, coefficient in gap.terms.items() if monomial]
        return all(coefficient > 0 for coefficient in growing) and sum(growing) + gap.constant >= 0

    def _least_over(self, name: str, gap: Polynomial) -> Polynomial | None:
        """The least value of `gap` over the range of an index that occurs linearly; None if it does not."""
        slope = gap.terms.get(((Atom("symbol", name), 1),), 0)
        rest = gap - symbol(name) * Polynomial.of(slope)
        if name in rest.free:
            return None
        low, high = self.ranges[name]
        return rest + Polynomial.of(slope) * (low if slope > 0 else high - ONE)

    def is_positive(self, polynomial: Polynomial) -> bool:
        """Whether it is above 0: no term is below 0, and one is above."""
        if polynomial.key in self.positive_sums:
            return True
        return self.is_nonnegative(polynomial) and any(
            all(self._positive_atom(atom) or exponent < 0 for atom, exponent in monomial)
            for monomial in polynomial.terms
        )

    def is_nonnegative(self, polynomial: Polynomial) -> bool:
        """Whether no term is below 0."""
        return all(
            coefficient > 0 and all(e.numerator % 2 == 0 or self._nonnegative_atom(a) for a, e in monomial)
            for monomial, coefficient in polynomial.terms.items()
        )

    def _positive_atom(self, atom: Atom) -> bool:
        if atom.kind == "symbol":
            return atom.name in self.sizes
        if atom.kind == "sum":
            filled = all(self.at_most(ONE, high) for high in atom.args[1:])
            return (filled and self.is_positive(atom.args[0])) or self._keeps(atom)
        if atom.kind == "inverse":
            return self.is_positive(atom.args[0])
        return atom.kind == "exp" or (atom.kind == "entry" and atom.name in self.positive)

    def _keeps(self, atom: Atom) -> bool:
        """Whether it is a sum over all keys of what is positive, times a mask that leaves at least one of them."""
        single = atom.args[0].single()
        if single is None or single[1] <= 0 or len(atom.bound) != 1:
            return False
        masks = [(a, e) for a, e in single[0] if a.kind == "entry" and self.keeping.get(a.name) == atom.args[1]]
        others = [a for a, e in single[0] if (a, e) not in masks]
        if len(masks) != 1 or masks[0][1] != 1 or not all(map(self._positive_atom, others)):
            return False
        *query, key = masks[0][0].args
        return key == symbol(atom.bound[0]) and not any(atom.bound[0] in arg.free for arg in query)

    def _nonnegative_atom(self, atom: Atom) -> bool:
        if atom.kind == "sum":
            bounded = {symbol(name).key for name in atom.bound}
            counting = all(high.key in bounded or self.at_most(ZERO, high) for high in atom.args[1:])
            return counting and self.is_nonnegative(atom.args[0])
        if atom.kind == "inverse":
            return self.is_nonnegative(atom.args[0])
        known = atom.kind in ("delta", "below") or (atom.kind == "entry" and atom.name in self._never_below_0())
        indexed = atom.kind == "symbol" and atom.name in self.ranges and self.at_most(ZERO, symbol(atom.name))
        return known or indexed or self._positive_atom(atom) or Polynomial.of(atom).key in self.positive_sums

    def _never_below_0(self) -> frozenset[str]:
        return self.nonnegative | self.keeping.keys()
