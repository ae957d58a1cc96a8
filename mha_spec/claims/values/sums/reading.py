"""From SymPy formulas to normal forms.  Of SymPy nothing is trusted here but that it builds what is written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

import sympy
from sympy.core.function import AppliedUndef

from .facts import Facts
from .notation import Below, Expectation, Gradient, Quotient, Remainder
from .polynomials import ONE, Polynomial, integral, power, symbol
from .rules import Sums

Definitions = Mapping[sympy.Indexed, sympy.Expr]
"""An entry with symbols as indices, and the formula that it is short for."""
Environment = Mapping[str, Polynomial]
Bound = tuple[str, Polynomial, Polynomial]
"""An index, where it begins, and where it has ended."""


class UnknownFormulaError(ValueError):
    """A formula, or a division in it, that the normal form cannot vouch for."""


class Reader(Sums):
    """Reads formulas under the facts and the definitions of one theorem.

    The arrays named in `kept` stand for themselves, and only a derivative looks at what they are short for.
    """

    def __init__(self, facts: Facts, definitions: Definitions, kept: Collection[str] = ()) -> None:
        self._definitions = {str(entry.base.label): (entry.indices, formula) for entry, formula in definitions.items()}
        self._kept, self._open = frozenset(kept), list[str]()
        super().__init__(facts, {name: self._reached(name) for name in self._definitions})

    def _reached(self, name: str) -> frozenset[str]:
        """The arrays that a formula depends on, through all definitions."""
        found: set[str] = set()
        waiting = {name}
        while waiting:
            _, formula = self._definitions[waiting.pop()]
            arrays = {str(entry.base.label) for entry in formula.atoms(sympy.Indexed)} - found
            found |= arrays
            waiting |= arrays & self._definitions.keys()
        return frozenset(found)

    def read(self, formula: sympy.Expr) -> Polynomial:
        """The normal form.  UnknownFormulaError for what has none, and a divisor that is not known to be positive."""
        try:
            return self._read(sympy.sympify(formula), {})
        except (ZeroDivisionError, RecursionError) as error:
            raise UnknownFormulaError(f"{formula}: {error}") from None

    def _read(self, formula: sympy.Expr, names: Environment) -> Polynomial:
        if formula.is_Rational:
            return Polynomial.of(integral(Fraction(int(formula.p), int(formula.q))))
        if formula is sympy.E:
            return self.exp(ONE)
        if formula.is_Symbol:
            return self._symbol(formula, names)
        if formula.is_Add or formula.is_Mul:
            return self._several(formula, names)
        if isinstance(formula, sympy.Pow):
            return self._power(formula, names)
        if isinstance(formula, sympy.Sum):
            return self._sum(formula, names)
        if isinstance(formula, sympy.Indexed):
            return self._entry(formula, names)
        return self._function(formula, names)

    def _symbol(self, formula: sympy.Symbol, names: Environment) -> Polynomial:
        name = str(formula.name)
        if name in names:
            return names[name]
        if formula.is_integer and formula.is_positive:
            self.facts.sizes.add(name)
        return symbol(name)

    def _several(self, formula: sympy.Expr, names: Environment) -> Polynomial:
        parts = [self._read(arg, names) for arg in formula.args]
        result = parts[0]
        for part in parts[1:]:
            result = result + part if formula.is_Add else result * part
        return result

    def _power(self, formula: sympy.Pow, names: Environment) -> Polynomial:
        base, exponent = formula.args
        if not exponent.is_Rational:
            raise UnknownFormulaError(f"{formula}: the exponent is not a number")
        read = self._read(base, names)
        if exponent < 0 and not self._is_positive(base, names):
            raise UnknownFormulaError(f"{formula}: {base} is not known to be positive")
        if not exponent.is_Integer and not self.facts.is_positive(read):
            raise UnknownFormulaError(f"{formula}: a root of what is not known to be positive")
        return power(read, integral(Fraction(int(exponent.p), int(exponent.q))))

    def _is_positive(self, formula: sympy.Expr, names: Environment) -> bool:
        """Whether it is above 0: by hypothesis, as a sum of positive terms that is not empty, or term by term."""
        if isinstance(formula, sympy.Indexed) and str(formula.base.label) in self.facts.positive:
            return True
        if isinstance(formula, sympy.Sum):
            bounds, inner = self._bounds(formula, names)
            filled = all(self.facts.at_most(first + ONE, end) for _, first, end in bounds)
            if filled and self._is_positive(formula.function, inner):
                return True
        return self.facts.is_positive(self._read(formula, names))

    def _sum(self, formula: sympy.Sum, names: Environment) -> Polynomial:
        bounds, inner = self._bounds(formula, names)
        body = self._read(formula.function, inner)
        for name, first, end in reversed(bounds):
            body = self.total(name, first, end, body)
        return body

    def _bounds(self, formula: sympy.Sum, names: Environment) -> tuple[list[Bound], dict[str, Polynomial]]:
        """The indices of a sum, outermost first, with new names, and what the names in its body stand for."""
        inner, bounds = dict(names), list[Bound]()
        for index, low, high in reversed(formula.limits):
            first, end = self._read(low, inner), self._read(high, inner) + ONE
            name = self.fresh(first, end)
            inner[str(index.name)] = symbol(name)
            bounds.append((name, first, end))
        return bounds, inner

    def _entry(self, formula: sympy.Indexed, names: Environment) -> Polynomial:
        name = str(formula.base.label)
        indices = tuple(self._read(index, names) for index in formula.indices)
        if name not in self._definitions or name in self._kept:
            return self.entry(name, indices)
        return self.meaning(name, indices)

    def meaning(self, name: str, indices: tuple[Polynomial, ...]) -> Polynomial:
        """The normal form of what an entry is short for."""
        parameters, formula = self._definitions[name]
        if name in self._open:
            raise UnknownFormulaError(f"{name} is defined by itself")
        if len(parameters) != len(indices):
            raise UnknownFormulaError(f"{name} is used with {len(indices)} indices, but has {len(parameters)}")
        self._open.append(name)
        try:
            return self._read(formula, {str(p.name): at for p, at in zip(parameters, indices, strict=True)})
        finally:
            self._open.pop()

    def _function(self, formula: sympy.Expr, names: Environment) -> Polynomial:
        if isinstance(formula, Gradient):
            return self._gradient(formula, names)
        args = tuple(self._read(arg, names) for arg in formula.args)
        if isinstance(formula, sympy.exp):
            return self.exp(args[0])
        if isinstance(formula, sympy.KroneckerDelta):
            return self.delta(args[0] - args[1])
        if isinstance(formula, Below):
            return self.below(args[1] - args[0])
        if isinstance(formula, Quotient):
            return self.quotient(*args)
        if isinstance(formula, Remainder):
            return self.remainder(*args)
        if isinstance(formula, Expectation):
            return self.expectation(args[0])
        if isinstance(formula, AppliedUndef):
            return self.call(str(formula.func), args)
        raise UnknownFormulaError(f"{formula}: there is no rule for {type(formula).__name__}")

    def _gradient(self, formula: Gradient, names: Environment) -> Polynomial:
        of, towards = formula.args
        if not isinstance(towards, sympy.Indexed) or str(towards.base.label) in self._definitions:
            raise UnknownFormulaError(
                f"{formula}: {towards} is not an entry of an array that the formula is free to vary"
            )
        name = str(towards.base.label)
        if any(key.startswith(f"entry {name}(") for key in self.facts.values):
            raise UnknownFormulaError(f"{formula}: an entry of {name} has a value, so it is not free to vary")
        indices = tuple(self._read(index, names) for index in towards.indices)
        return self.gradient(self._read(of, names), name, indices)
