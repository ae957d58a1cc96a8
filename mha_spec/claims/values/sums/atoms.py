"""The constructors of atoms: each returns the normal form of what it is named after.

`Atoms` knows the facts of one theorem.  Every polynomial of the normal form is built by these methods, so that
`replace` can put other polynomials in the place of atoms and have the rules applied anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count

from .facts import Facts
from .polynomials import ONE, ZERO, Atom, Kind, Monomial, Polynomial, monomial_of, power, symbol

Indices = Sequence[tuple[str, Polynomial]]
"""Summation indices with their upper bounds; each runs from 0 up to but without the bound."""


class Atoms:
    """Normal forms of everything but sums, which the rules of sums give.

    `reach` says of the name of an array that is short for a formula which arrays that formula depends on.
    """

    def __init__(self, facts: Facts, reach: Mapping[str, frozenset[str]]) -> None:
        self.facts, self.reach = facts, reach
        self._numbers = count()

    def depends(self, atom: Atom, array: str) -> bool:
        """Whether an atom depends on an array, be it through an array that is short for a formula."""
        names = (name[:-2] for name in atom.free if name.endswith("[]"))
        return any(name == array or array in self.reach.get(name, ()) for name in names)

    def fresh(self, low: Polynomial, high: Polynomial) -> str:
        """A new index.  Its range may be used where it is known not to be upside down."""
        name = f"#{next(self._numbers)}"
        if self.facts.at_most(low, high):
            self.facts.ranges[name] = (low, high)
        return name

    def total(self, name: str, low: Polynomial, high: Polynomial, body: Polynomial) -> Polynomial:
        """The sum of `body` over an index from `low` up to but without `high`."""
        raise NotImplementedError

    def entry(self, name: str, indices: tuple[Polynomial, ...]) -> Polynomial:
        """An entry of an array."""
        atom = Atom("entry", name, indices)
        return self.facts.values.get(atom.key, Polynomial.of(atom))

    def call(self, name: str, args: tuple[Polynomial, ...]) -> Polynomial:
        """An index under a function, such as a permutation."""
        return Polynomial.of(Atom("call", name, args))

    def exp(self, of: Polynomial) -> Polynomial:
        """`exp(a + b) = exp(a) exp(b)`, and `exp(c a) = exp(a)**c` for a number c."""
        factors = {Atom("exp", "", (Polynomial.of(term),)): factor for term, factor in of.terms.items()}
        return Polynomial.of(monomial_of(factors.items()))

    def delta(self, difference: Polynomial) -> Polynomial:
        """1 where the difference of two indices is zero, else 0."""
        if difference.is_number():
            return ZERO if difference.terms else ONE
        sided = min(difference, -difference, key=lambda side: side.key)
        return Polynomial.of(Atom("delta", "", (sided,)))

    def below(self, gap: Polynomial) -> Polynomial:
        """1 where a difference of indices is above 0, else 0."""
        if self.facts.at_most(ONE, gap):
            return ONE
        return ZERO if self.facts.at_most(gap, ZERO) else Polynomial.of(Atom("below", "", (gap,)))

    def quotient(self, of: Polynomial, size: Polynomial) -> Polynomial:
        """The whole part of an index over a size: `a` where the index is `a*size + b` with `0 <= b < size`."""
        whole, rest = self._divided(of, size)
        if self._fits(rest, size):
            return whole
        return Polynomial.of(Atom("quotient", "", (of, size)))

    def remainder(self, of: Polynomial, size: Polynomial) -> Polynomial:
        """The rest of an index over a size: `b` where the index is `a*size + b` with `0 <= b < size`."""
        _, rest = self._divided(of, size)
        return rest if self._fits(rest, size) else Polynomial.of(Atom("remainder", "", (of, size)))

    def _divided(self, of: Polynomial, size: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Two polynomials, the first without denominators, such that the first times `size` plus the second is `of`."""
        whole, rest = ZERO, ZERO
        divisor = size.single()
        for monomial, coefficient in of.terms.items():
            term = Polynomial({monomial: coefficient})
            if divisor is None or divisor[1] != 1 or coefficient.denominator != 1:
                rest = rest + term
                continue
            fraction = term * power(size, -1)
            if all(exponent > 0 for mono in fraction.terms for _, exponent in mono):
                whole = whole + fraction
            else:
                rest = rest + term
        return whole, rest

    def _fits(self, rest: Polynomial, size: Polynomial) -> bool:
        return self.facts.at_most(ZERO, rest) and self.facts.at_most(rest + ONE, size)

    def expectation(self, of: Polynomial) -> Polynomial:
        """The mean; it is linear, so numbers and sums are taken out of it."""
        mean = ZERO
        for monomial, coefficient in of.terms.items():
            mean = mean + Polynomial.of(coefficient) * self._mean_of(monomial)
        return mean

    def _mean_of(self, monomial: Monomial) -> Polynomial:
        drawn = tuple(p for p in monomial if self._is_random(p[0]))
        known = Polynomial.of(tuple(p for p in monomial if not self._is_random(p[0])))
        if not drawn:
            return known
        indices, inside = self.opened(drawn)
        if indices:
            return known * self.total_over(indices, self.expectation(inside))
        return known * Polynomial.of(Atom("expectation", "", (inside,)))

    def _is_random(self, atom: Atom) -> bool:
        return any(self.depends(atom, array) for array in self.facts.random)

    def opened(self, monomial: Monomial) -> tuple[list[tuple[str, Polynomial]], Polynomial]:
        """The indices and the body of the product of all sums in a monomial; inverted sums stay as they are."""
        indices: list[tuple[str, Polynomial]] = []
        body = ONE
        for atom, exponent in monomial:
            if atom.kind != "sum" or exponent < 0:
                body = body * Polynomial.of(((atom, exponent),))
                continue
            for _ in range(int(exponent)):
                more, inside = self.instance(atom, {})
                indices += more
                body = body * inside
        return indices, body

    def instance(
        self, atom: Atom, mapping: Mapping[str, Polynomial], touched: frozenset[str] = frozenset()
    ) -> tuple[Indices, Polynomial]:
        """A sum's indices, outermost first, and its body, with new names and with atoms replaced by key."""
        names = dict(mapping)
        indices: list[tuple[str, Polynomial]] = []
        waiting = list(zip(atom.bound, atom.args[1:], strict=True))
        while waiting:
            left = {name for name, _ in waiting}
            bound, high = next(pair for pair in waiting if not pair[1].free & left)
            waiting.remove((bound, high))
            high = self.replace(high, names, touched)
            name = self.fresh(ZERO, high)
            names[bound] = symbol(name)
            touched = touched | {bound}
            indices.append((name, high))
        return indices, self.replace(atom.args[0], names, touched)

    def total_over(self, indices: Indices, body: Polynomial) -> Polynomial:
        """The sum over several indices, the last one innermost."""
        for name, high in reversed(indices):
            body = self.total(name, ZERO, high, body)
        return body

    def rename(self, polynomial: Polynomial, mapping: Mapping[str, Polynomial]) -> Polynomial:
        """The polynomial with symbols, by name, replaced by polynomials."""
        return self.replace(polynomial, mapping, frozenset(mapping))

    def replace(self, polynomial: Polynomial, mapping: Mapping[str, Polynomial], touched: frozenset[str]) -> Polynomial:
        """The polynomial with atoms, by key, replaced wherever they occur; each depends on a name in `touched`."""
        if not polynomial.free & touched:
            return polynomial
        result = ZERO
        for monomial, coefficient in polynomial.terms.items():
            term = Polynomial({tuple(p for p in monomial if not p[0].free & touched): coefficient})
            for atom, exponent in monomial:
                if atom.free & touched:
                    term = term * power(self._replaced(atom, mapping, touched), exponent)
            result = result + term
        return result

    def _replaced(self, atom: Atom, mapping: Mapping[str, Polynomial], touched: frozenset[str]) -> Polynomial:
        if atom.key in mapping:
            return mapping[atom.key]
        if atom.kind == "symbol":
            return Polynomial.of(atom)
        if atom.kind == "sum":
            return self.total_over(*self.instance(atom, mapping, touched))
        return self._built(atom.kind, atom.name, tuple(self.replace(arg, mapping, touched) for arg in atom.args))

    def _built(self, kind: Kind, name: str, args: tuple[Polynomial, ...]) -> Polynomial:
        if kind == "entry":
            return self.entry(name, args)
        if kind == "call":
            return self.call(name, args)
        if kind == "inverse":
            return power(args[0], -1)
        build: Callable[..., Polynomial] = getattr(self, kind)
        return build(*args)
