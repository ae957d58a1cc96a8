"""Polynomials over atoms: what every formula of a value theorem is brought to before two of them are compared.

An atom is a size, an entry of an array, an exponential, a sum, an inverse or an indicator; an exponent may be
negative or a fraction.  Two formulas with the same polynomial are equal.  Equality is that of `key`, a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Literal

Kind = Literal[
    "symbol", "entry", "call", "exp", "sum", "inverse", "delta", "below", "quotient", "remainder", "expectation"
]
Number = int | Fraction
Monomial = tuple[tuple["Atom", Number], ...]
"""Atoms with their exponents, none of them zero, ordered by the key of the atom."""

INDICATORS = frozenset({"delta", "below"})
"""Atoms that are 0 or 1, so that each of their powers is the atom itself."""


class Atom:
    """An indivisible factor: its kind, its name if it has one, and the polynomials it is made of.

    A sum has `bound` indices, each from 0 up to the polynomial after the body in `args`.  `free` holds the names
    of the symbols it depends on, ``name[]`` for each array, ``name()`` for each function and ``below()`` where it asks
    whether an index is below another; `level` is how deeply sums are nested in it.
    """

    __slots__ = ("args", "bound", "free", "key", "kind", "level", "name")

    def __init__(self, kind: Kind, name: str, args: tuple[Polynomial, ...] = (), bound: tuple[str, ...] = ()) -> None:
        self.kind, self.name, self.args, self.bound = kind, name, args, bound
        self.key = name if kind == "symbol" else f"{kind} {name}({'; '.join(arg.key for arg in args)})"
        self.free = frozenset[str]().union(*(arg.free for arg in args)) - frozenset(bound)
        if kind == "symbol":
            self.free = frozenset({name})
        elif kind == "entry":
            self.free |= {f"{name}[]"}
        elif kind in ("call", "below"):
            self.free |= {f"{name or kind}()"}
        self.level = max((arg.level for arg in args), default=0) + (kind == "sum")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return self.key


class Polynomial:
    """A sum of monomials with rational coefficients, none of them zero."""

    def __init__(self, terms: Mapping[Monomial, Number]) -> None:
        self.terms = {monomial: coefficient for monomial, coefficient in terms.items() if coefficient}

    @staticmethod
    def of(value: Number | Atom | Monomial) -> Polynomial:
        """A number, an atom or a monomial as a polynomial."""
        if isinstance(value, Atom):
            return Polynomial({((value, 1),): 1})
        if isinstance(value, tuple):
            return Polynomial({value: 1})
        return Polynomial({(): value})

    @cached_property
    def key(self) -> str:
        """The polynomial as a text, the same for equal polynomials."""
        return " + ".join(sorted(f"{coefficient}*{_text(monomial)}" for monomial, coefficient in self.terms.items()))

    @cached_property
    def free(self) -> frozenset[str]:
        """The names of the symbols and arrays that it depends on."""
        return frozenset[str]().union(*(atom.free for atom in self.atoms()))

    @cached_property
    def level(self) -> int:
        """How deeply sums are nested in it."""
        return max((atom.level for atom in self.atoms()), default=0)

    @cached_property
    def constant(self) -> Number:
        """The coefficient of the monomial without atoms."""
        return self.terms.get((), 0)

    def atoms(self) -> Iterator[Atom]:
        """Every atom that is a factor of a monomial; those inside other atoms are left out."""
        return (atom for monomial in self.terms for atom, _ in monomial)

    def is_number(self) -> bool:
        """Whether it has no atoms."""
        return all(monomial == () for monomial in self.terms)

    def single(self) -> tuple[Monomial, Number] | None:
        """The only monomial and its coefficient, or None if there are none or several."""
        return next(iter(self.terms.items())) if len(self.terms) == 1 else None

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Polynomial(terms)

    def __neg__(self) -> Polynomial:
        return Polynomial({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, Number] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                product = times(left, right)
                terms[product] = terms.get(product, 0) + a * b
        return Polynomial(terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return self.key or "0"


def integral(value: Fraction) -> Number:
    """The same number, as an integer if it is one."""
    return int(value) if value.denominator == 1 else value


ZERO, ONE = Polynomial({}), Polynomial.of(1)


def symbol(name: str) -> Polynomial:
    """A named number as a polynomial."""
    return Polynomial.of(Atom("symbol", name))


def monomial_of(powers: Iterable[tuple[Atom, Number]]) -> Monomial:
    """Atoms with exponents in order, without those of exponent zero; powers of indicators are the indicator."""
    kept = ((a, 1 if a.kind in INDICATORS and e > 0 else e) for a, e in powers if e)
    return tuple(sorted(kept, key=lambda power: power[0].key))


def times(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials."""
    if not left or not right:
        return left or right
    powers = dict(left)
    for atom, exponent in right:
        powers[atom] = powers.get(atom, 0) + exponent
    return monomial_of(powers.items())


def power(base: Polynomial, exponent: Number) -> Polynomial:
    """`base` to a power; whoever asks for a negative one knows that `base` is not zero.

    Raises ValueError for a fraction of anything but a product of sizes and exponentials, which are positive, and
    ZeroDivisionError for the inverse of zero.
    """
    if exponent == 1:
        return base
    if exponent < 0 and not base.terms:
        raise ZeroDivisionError("the inverse of zero")
    single = base.single()
    if single is not None and (exponent.denominator == 1 or single[1] == 1):
        monomial, coefficient = single
        if exponent.denominator != 1 and any(atom.kind not in ("symbol", "exp") for atom, _ in monomial):
            raise ValueError(f"the power {exponent} of {base!r}, which is not known to be positive")
        whole = integral(Fraction(coefficient) ** int(exponent)) if exponent.denominator == 1 else 1
        return _inverses_opened(monomial, exponent, whole)
    if exponent.denominator != 1:
        raise ValueError(f"the power {exponent} of {base!r}, which has several terms")
    if exponent < 0:
        return _inverse_of_several(base, -exponent)
    product = ONE
    for _ in range(int(exponent)):
        product = product * base
    return product


def _inverses_opened(monomial: Monomial, exponent: Number, coefficient: Number) -> Polynomial:
    """A power of a monomial; the inverse of an inverse is what was inverted."""
    result = Polynomial({monomial_of((a, e * exponent) for a, e in monomial if a.kind != "inverse"): coefficient})
    for atom, e in monomial:
        if atom.kind == "inverse":
            raised = e * exponent
            result = result * (Polynomial({((atom, raised),): 1}) if raised > 0 else power(atom.args[0], -raised))
    return result


def _inverse_of_several(base: Polynomial, exponent: Number) -> Polynomial:
    """The inverse of a sum: what its terms have in common is inverted by itself, the rest is one atom."""
    shared = dict(next(iter(base.terms)))
    for monomial in base.terms:
        here = dict(monomial)
        shared = {atom: min(e, here[atom]) for atom, e in shared.items() if atom in here and atom.kind != "inverse"}
    content = monomial_of(shared.items())
    rest = base * Polynomial.of(monomial_of((atom, -e) for atom, e in content))
    leading = rest.terms[min(rest.terms, key=_text)]
    rest = rest * Polynomial.of(integral(Fraction(1) / leading))
    scale = integral(Fraction(leading) ** -int(exponent))
    inverse = Polynomial({((Atom("inverse", "", (rest,)), exponent),): scale})
    return inverse * Polynomial.of(monomial_of((atom, -e * exponent) for atom, e in content))


def vanishes(polynomial: Polynomial) -> bool:
    """Whether it is zero, decided after multiplying by every inverted sum among its factors."""
    while True:
        inverted = {atom for atom in polynomial.atoms() if atom.kind == "inverse"}
        if not inverted or not polynomial.terms:
            return not polynomial.terms
        atom = min(inverted, key=lambda inverse: inverse.key)
        most = max(dict(monomial).get(atom, 0) for monomial in polynomial.terms)
        cleared = ZERO
        for monomial, coefficient in polynomial.terms.items():
            missing = most - dict(monomial).get(atom, 0)
            others = Polynomial({tuple(p for p in monomial if p[0] != atom): coefficient})
            cleared = cleared + others * power(atom.args[0], missing)
        polynomial = cleared


def _text(monomial: Monomial) -> str:
    return " ".join(atom.key if exponent == 1 else f"{atom.key}^{exponent}" for atom, exponent in monomial)
