"""The rules of finite sums.

A sum is linear, and factors free of its index stand outside.  What is left, a sum over one product, is brought to
sums that begin at 0: from `low` up to `high` is what comes before `high` without what comes before `low`.  That
makes splitting, merging and telescoping a matter of adding and subtracting, and holds for every integer bound
if a sum whose bounds are upside down is minus the sum between them (M. Karr, Summation in Finite Terms, 1981).
"""

from __future__ import annotations

from collections.abc import Iterator

from .atoms import Atoms
from .labels import ordered
from .polynomials import ONE, ZERO, Atom, Monomial, Number, Polynomial, symbol

_MOST_TERMS_WRITTEN_OUT = 20


class Sums(Atoms):
    """Normal forms of formulas with sums over symbolic bounds, under the facts of one theorem."""

    def total(
        self, name: str, low: Polynomial, high: Polynomial, body: Polynomial, *, shifted: bool = False
    ) -> Polynomial:
        """The sum of `body` over an index from `low` up to but without `high`."""
        result = ZERO
        for monomial, coefficient in body.terms.items():
            outside = tuple(p for p in monomial if name not in p[0].free)
            inside = tuple(p for p in monomial if name in p[0].free)
            total = self._of_product(name, low, high, inside, shifted) if inside else high - low
            result = result + Polynomial({outside: coefficient}) * total
        return result

    def _of_product(self, name: str, low: Polynomial, high: Polynomial, inside: Monomial, shifted: bool) -> Polynomial:
        for rule in (self._at_a_delta, self._split_at_a_guard, self._along_a_permutation, self._in_blocks):
            result = rule(name, low, high, inside)
            if result is not None:
                return result
        offset = ZERO if shifted else _offset(name, inside)
        if offset.terms:
            low, high = low + offset, high + offset
            index = self.fresh(low, high)
            body = self.rename(Polynomial.of(inside), {name: symbol(index) - offset})
            return self.total(index, low, high, body, shifted=True)
        return self._before(name, high, inside) - self._before(name, low, inside)

    def _at_a_delta(self, name: str, low: Polynomial, high: Polynomial, inside: Monomial) -> Polynomial | None:
        """Of a product with the indicator of one index in the range, that term is left."""
        for atom, _ in inside:
            if atom.kind != "delta":
                continue
            slope, rest = _linear(name, atom.args[0])
            at = rest * Polynomial.of(-slope)
            if abs(slope) == 1 and self.facts.at_most(low, at) and self.facts.at_most(at + ONE, high):
                others = tuple(p for p in inside if p[0] != atom)
                return self.rename(Polynomial.of(others), {name: at})
        return None

    def _split_at_a_guard(self, name: str, low: Polynomial, high: Polynomial, inside: Monomial) -> Polynomial | None:
        """Where a product asks whether the index is below a point of the range, the range is split there."""
        for atom in within(inside, name, frozenset({"below()"})):
            if atom.kind != "below":
                continue
            slope, point = _linear(name, atom.args[0])
            if slope == -1 and self.facts.at_most(low, point) and self.facts.at_most(point, high):
                return self._part(name, low, point, inside, atom, ONE) + self._part(
                    name, point, high, inside, atom, ZERO
                )
        return None

    def _part(
        self, name: str, low: Polynomial, high: Polynomial, inside: Monomial, atom: Atom, value: Polynomial
    ) -> Polynomial:
        known = self.replace(Polynomial.of(inside), {atom.key: value}, frozenset({name}))
        index = self.fresh(low, high)
        return self.total(index, low, high, self.rename(known, {name: symbol(index)}))

    def _along_a_permutation(self, name: str, low: Polynomial, high: Polynomial, inside: Monomial) -> Polynomial | None:
        """Where the index occurs only under a permutation of its range, the order is changed, not the sum."""
        for atom in within(inside, name, frozenset(f"{function}()" for function in self.facts.permutations)):
            if atom.kind != "call" or low != ZERO or self.facts.permutations.get(atom.name) != high:
                continue
            if atom.args[-1] != symbol(name) or any(name in arg.free or _has_bound(arg) for arg in atom.args[:-1]):
                continue
            index = self.fresh(low, high)
            body = self.replace(Polynomial.of(inside), {atom.key: symbol(index)}, frozenset({name}))
            if name not in body.free:
                return self.total(index, low, high, body)
        return None

    def _in_blocks(self, name: str, low: Polynomial, high: Polynomial, inside: Monomial) -> Polynomial | None:
        """A sum over as many indices as blocks times entries of a block is a sum over blocks and entries."""
        if low != ZERO or high.key not in self.facts.layouts:
            return None
        blocks, entries = self.facts.layouts[high.key]
        block, entry = self.fresh(ZERO, blocks), self.fresh(ZERO, entries)
        body = self.rename(Polynomial.of(inside), {name: symbol(block) * entries + symbol(entry)})
        return self.total_over([(block, blocks), (entry, entries)], body)

    def _before(self, name: str, bound: Polynomial, inside: Monomial) -> Polynomial:
        """The sum from 0 up to but without `bound`; terms at whole distances from its other part stand alone."""
        if bound.constant.denominator != 1 or not -_MOST_TERMS_WRITTEN_OUT <= bound.constant <= _MOST_TERMS_WRITTEN_OUT:
            raise ValueError(f"a sum up to {bound!r}: its constant is no integer of at most {_MOST_TERMS_WRITTEN_OUT}")
        distance = int(bound.constant)
        start = bound - Polynomial.of(distance)
        result = self._whole(name, start, inside) if start.terms else ZERO
        for step in range(distance) if distance > 0 else range(distance, 0):
            term = self.rename(Polynomial.of(inside), {name: start + Polynomial.of(step)})
            result = result + term if distance > 0 else result - term
        return result

    def _whole(self, name: str, high: Polynomial, inside: Monomial) -> Polynomial:
        """The atom of a sum from 0: all sums in its product are opened, and its indices named by their order."""
        more, body = self.opened(inside)
        indices = ordered(self, [(name, high), *more], body)
        level = 1 + max(part.level for part in (body, *(high for _, high in indices)))
        bound = tuple(f"%{level}.{place}" for place in range(len(indices)))
        names = {old: symbol(new) for (old, _), new in zip(indices, bound, strict=True)}
        args = tuple(self.rename(part, names) for part in (body, *(high for _, high in indices)))
        return Polynomial.of(Atom("sum", "", args, bound))

    def meaning(self, name: str, indices: tuple[Polynomial, ...]) -> Polynomial:
        """What an entry is short for."""
        raise NotImplementedError

    def gradient(self, of: Polynomial, array: str, indices: tuple[Polynomial, ...]) -> Polynomial:
        """The derivative towards one entry of an array."""
        result = ZERO
        for monomial, coefficient in of.terms.items():
            for atom, exponent in monomial:
                if self.depends(atom, array):
                    lowered = tuple((a, e - 1 if a == atom else e) for a, e in monomial)
                    others = Polynomial({tuple(p for p in lowered if p[1]): coefficient * exponent})
                    result = result + others * self._slope(atom, array, indices)
        return result

    def _slope(self, atom: Atom, array: str, indices: tuple[Polynomial, ...]) -> Polynomial:
        if atom.kind == "entry" and atom.name == array:
            product = ONE
            for own, other in zip(atom.args, indices, strict=True):
                product = product * self.delta(own - other)
            return product
        if atom.kind == "exp":
            return Polynomial.of(atom) * self.gradient(atom.args[0], array, indices)
        if atom.kind == "inverse":
            return -Polynomial.of(((atom, 2),)) * self.gradient(atom.args[0], array, indices)
        if atom.kind == "entry" and atom.name in self.reach:
            return self.gradient(self.meaning(atom.name, atom.args), array, indices)
        if atom.kind == "sum" and not any(self.depends(a, array) for high in atom.args[1:] for a in high.atoms()):
            bounds, body = self.instance(atom, {})
            return self.total_over(bounds, self.gradient(body, array, indices))
        raise ValueError(f"no rule for the derivative of {atom!r} towards {array}")


def within(monomial: Monomial, name: str, also: frozenset[str] | None = None) -> Iterator[Atom]:
    """Every atom that depends on a symbol, and on one of `also`, at any depth; an atom before what is inside it."""
    for atom, _ in monomial:
        if name in atom.free and (also is None or atom.free & also):
            yield atom
            for arg in atom.args:
                for inner in arg.terms:
                    yield from within(inner, name, also)


def _has_bound(polynomial: Polynomial) -> bool:
    """Whether it depends on an index of a sum around it, inside the sum at hand."""
    return any(name.startswith("%") for name in polynomial.free)


def _linear(name: str, polynomial: Polynomial) -> tuple[Number, Polynomial]:
    """The coefficient of a symbol and the rest; 0 and the whole where it does not occur linearly."""
    slope = polynomial.terms.get(((Atom("symbol", name), 1),), 0)
    rest = polynomial - symbol(name) * Polynomial.of(slope)
    return (0, polynomial) if name in rest.free else (slope, rest)


def _offset(name: str, inside: Monomial) -> Polynomial:
    """What is added to the index where it first stands, by name of the array: shifting by it makes that zero."""
    found: list[tuple[str, int, str, Number, Polynomial]] = []
    for atom in within(inside, name):
        for place, arg in enumerate(atom.args if atom.kind in ("entry", "call") else ()):
            slope, rest = _linear(name, arg)
            if slope == 1 and not _has_bound(rest):
                found.append((atom.name, place, (rest - Polynomial.of(rest.constant)).key, rest.constant, rest))
    return min(found, key=lambda one: one[:4])[4] if found else ZERO
