"""Formulas at given sizes: every sum written out, on floats, on exact fractions or on SymPy symbols.

It shares nothing with the normal form of `sums` but the notation, so each is a test of the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy
from sympy.core.function import AppliedUndef

from .sums.notation import Below, Expectation, Gradient, Minor, Quotient, Remainder
from .sums.reading import Definitions

Scalar = Any
"""A float, a Fraction, a SymPy expression or a `Dual` of one of them: what Python's arithmetic works on."""
Lookup = Callable[..., Scalar]
Arrays = Callable[[str], Lookup]
Places = Mapping[str, int]
"""Values of sizes and indices by name."""


@dataclass(frozen=True)
class Dual:
    """A number and its derivative towards one entry; products and quotients follow the rules of calculus."""

    value: Scalar
    slope: Scalar

    def __add__(self, other: Scalar) -> Dual:
        other = _dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: Scalar) -> Dual:
        other = _dual(other)
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, exponent: int) -> Dual:
        return Dual(self.value**exponent, exponent * self.value ** (exponent - 1) * self.slope)


def _dual(value: Scalar) -> Dual:
    return value if isinstance(value, Dual) else Dual(value, 0)


def _power(base: Scalar, exponent: Scalar) -> Scalar:
    return base ** (int(exponent) if exponent.is_Integer else float(exponent))


@dataclass
class Valuation:
    """Values for the names in a formula.

    `sizes` and `functions` (permutations of indices) are by name; `arrays` gives for a name what leads from an
    entry's indices to its value.  `exp` and `power` fit the kind of number that the arrays hold.  `worlds` are equally
    likely values of random arrays, over which an expectation is the mean.
    """

    sizes: Places
    arrays: Arrays
    definitions: Definitions = field(default_factory=dict)
    functions: Mapping[str, Callable[..., int]] = field(default_factory=dict)
    exp: Callable[[Scalar], Scalar] = math.exp
    power: Callable[[Scalar, Scalar], Scalar] = _power
    worlds: Sequence[Mapping[str, Lookup]] = ()

    def __post_init__(self) -> None:
        self._meanings = {str(entry.base.label): (entry.indices, of) for entry, of in self.definitions.items()}
        self._known: dict[tuple[str, tuple[int, ...]], Scalar] = {}

    @staticmethod
    def of_arrays(arrays: Mapping[sympy.IndexedBase, npt.NDArray[Any]], **others: Any) -> Valuation:
        """A valuation of arrays of numbers."""
        lookups = {str(base.label): (lambda *at, array=array: array[at].item()) for base, array in arrays.items()}
        return Valuation(arrays=lookups.__getitem__, **others)

    def table(self, formula: sympy.Expr, *over: tuple[sympy.Symbol, sympy.Expr]) -> npt.NDArray[Any]:
        """The formula for all values of its indices, each below its size, as an array with these axes."""
        shape = [int(self.value(size)) for _, size in over]
        names = [str(index.name) for index, _ in over]
        flat = [self.value(formula, dict(zip(names, at, strict=True))) for at in product(*map(range, shape))]
        return np.array(flat).reshape(shape)

    def value(self, formula: sympy.Expr, places: Places | None = None) -> Scalar:
        """The value of a formula with its free indices at the places given.  KeyError for a name without a value."""
        places = self.sizes if places is None else {**self.sizes, **places}
        return self._value(sympy.sympify(formula), places)

    def _value(self, formula: sympy.Expr, places: Places) -> Scalar:
        if formula.is_Integer:
            return int(formula)
        if formula is sympy.E:
            return self.exp(1)
        if formula.is_Symbol:
            return places[str(formula.name)]
        if isinstance(formula, sympy.Indexed):
            return self._entry(formula, places)
        if isinstance(formula, sympy.Sum):
            return self._sum(formula, places)
        if isinstance(formula, Gradient):
            return self._gradient(formula, places)
        if isinstance(formula, Minor):
            return self._minor(formula, places)
        if isinstance(formula, Expectation):
            worlds = [replace(self, arrays=_overlaid(self.arrays, world)) for world in self.worlds]
            return sum(world._value(formula.args[0], places) for world in worlds) * Fraction(1, len(worlds))
        if formula.is_Rational:
            return self.power(int(formula.q), sympy.Integer(-1)) * int(formula.p)
        if isinstance(formula, sympy.Pow):
            return self.power(self._value(formula.base, places), formula.exp)
        return self._operation(formula, [self._value(arg, places) for arg in formula.args])

    def _operation(self, formula: sympy.Expr, values: list[Scalar]) -> Scalar:
        if formula.is_Add:
            return sum(values[1:], values[0])
        if formula.is_Mul:
            return math.prod(values[1:], start=values[0])
        if isinstance(formula, sympy.exp):
            of = values[0]
            return self.exp(of) if not isinstance(of, Dual) else Dual(self.exp(of.value), self.exp(of.value) * of.slope)
        if isinstance(formula, sympy.KroneckerDelta):
            return int(values[0] == values[1])
        if isinstance(formula, Below):
            return int(values[0] < values[1])
        if isinstance(formula, Quotient):
            return values[0] // values[1]
        if isinstance(formula, Remainder):
            return values[0] % values[1]
        if isinstance(formula, AppliedUndef):
            return self.functions[str(formula.func)](*values)
        raise ValueError(f"{formula}: there is no rule for {type(formula).__name__}")

    def _sum(self, formula: sympy.Sum, places: Places) -> Scalar:
        (index, low, high), *outer = formula.limits[::-1]
        body = sympy.Sum(formula.function, *outer[::-1]) if outer else formula.function
        first, last = int(self._value(low, places)), int(self._value(high, places))
        terms = (self._value(body, {**places, str(index.name): at}) for at in range(first, last + 1))
        return sum(terms, 0)

    def _entry(self, formula: sympy.Indexed, places: Places) -> Scalar:
        name, at = str(formula.base.label), tuple(int(self._value(index, places)) for index in formula.indices)
        if name not in self._meanings:
            return self.arrays(name)(*at)
        if (name, at) not in self._known:
            parameters, meaning = self._meanings[name]
            inside = {**self.sizes, **{str(p.name): place for p, place in zip(parameters, at, strict=True)}}
            self._known[name, at] = self._value(meaning, inside)
        return self._known[name, at]

    def _gradient(self, formula: Gradient, places: Places) -> Scalar:
        of, entry = formula.args
        name, at = str(entry.base.label), tuple(int(self._value(index, places)) for index in entry.indices)
        array = self.arrays(name)
        varied = replace(self, arrays=_overlaid(self.arrays, {name: lambda *q: Dual(array(*q), int(q == at))}))
        return _dual(varied._value(of, places)).slope

    def _minor(self, formula: Minor, places: Places) -> Scalar:
        entry, row, column, size = formula.args
        width = int(self._value(size, places))
        matrix = [
            [self._value(entry, {**places, str(row.name): a, str(column.name): b}) for b in range(width)]
            for a in range(width)
        ]
        return _determinant(matrix)


def _determinant(matrix: list[list[Scalar]]) -> Scalar:
    """By expansion along the first row, so that no number is divided by another."""
    if not matrix:
        return 1
    minors = ([row[:at] + row[at + 1 :] for row in matrix[1:]] for at in range(len(matrix)))
    return sum(((-1) ** at * matrix[0][at] * _determinant(minor) for at, minor in enumerate(minors)), 0)


def agree_at(left: sympy.Expr, right: sympy.Expr, sizes: Places, definitions: Definitions, free: Places) -> bool:
    """Whether two formulas are the same rational function of the entries at these sizes, with free indices at places.

    Every entry is a symbol of its own and the exponential of every monomial another: the difference, over one
    denominator and multiplied out, must be zero.
    """
    valuation = Valuation(
        sizes=sizes,
        arrays=lambda name: lambda *at: sympy.Symbol("_".join((name, *map(str, at)))),
        definitions=definitions,
        exp=_exponential,
        power=lambda base, exponent: sympy.sympify(base) ** exponent,
    )
    difference = valuation.value(left, free) - valuation.value(right, free)
    return bool(sympy.expand(sympy.fraction(sympy.together(difference))[0]) == 0)


def _overlaid(arrays: Arrays, by: Mapping[str, Lookup]) -> Arrays:
    return lambda name: by[name] if name in by else arrays(name)


def _exponential(of: Scalar) -> Scalar:
    terms = sympy.expand(of).as_coefficients_dict().items()
    return sympy.Mul(*(sympy.Symbol(f"exp({monomial})", positive=True) ** factor for monomial, factor in terms))
