"""Formulas of value theorems as plain text and as LaTeX."""

from __future__ import annotations

import sympy
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from mha_spec.claims.values.sums.notation import Below, Expectation, Gradient, Minor, Notation, Quotient, Remainder


class _PositiveFirst:
    """For a printer of SymPy: of the terms of a sum, those with a minus come last."""

    def _as_ordered_terms(self, formula: sympy.Add, order: str | None = None) -> list[sympy.Expr]:
        terms = formula.as_ordered_terms(order)
        return sorted(terms, key=lambda term: bool(term.could_extract_minus_sign()))


class _Latex(_PositiveFirst, LatexPrinter):  # type: ignore[misc]  # SymPy has no types
    """SymPy's LaTeX."""

    def _print_Pow(self, formula: sympy.Pow) -> str:
        # SymPy hands the exponent to the base to print, and notation prints only itself
        if isinstance(formula.base, Notation):
            return rf"\left({self.doprint(formula.base)}\right)^{{{self.doprint(formula.exp)}}}"
        return str(super()._print_Pow(formula))


class _Plain(_PositiveFirst, StrPrinter):  # type: ignore[misc]
    """SymPy's text, but with sums and the project's notation in the signs of a book."""

    def _print_Sum(self, formula: sympy.Sum) -> str:
        over = ", ".join(map(self._range, reversed(formula.limits)))
        return f"sum[{over}]({self.doprint(formula.function)})"

    def _range(self, limit: sympy.Tuple) -> str:
        index, first, last = limit
        lower = "" if first == 0 else f"{self.doprint(first)} <= "
        return f"{lower}{self.doprint(index)} < {self.doprint(last + 1)}"

    def _print_Function(self, formula: sympy.Function) -> str:
        written = [self.doprint(part) for part in formula.args]
        if isinstance(formula, Gradient):
            return f"(d/d{written[1]} {written[0]})"
        if isinstance(formula, Below):
            return f"[{written[0]} < {written[1]}]"
        if isinstance(formula, Quotient):
            return f"({written[0]} // {written[1]})"
        if isinstance(formula, Remainder):
            return f"({written[0]} % {written[1]})"
        if isinstance(formula, Expectation):
            return f"expected({written[0]})"
        if isinstance(formula, Minor):
            entry, row, column, size = written
            return f"det[{row}, {column} < {size}]({entry})"
        return str(super()._print_Function(formula))

    def _print_KroneckerDelta(self, formula: sympy.KroneckerDelta) -> str:
        return f"delta({', '.join(map(self.doprint, formula.args))})"


_PLAIN, _LATEX = _Plain(), _Latex()


def plain(formula: sympy.Expr) -> str:
    """A formula in one line: ``sum[j < m](A[i, j])`` is the sum over j from 0 up to but without m."""
    return str(_PLAIN.doprint(formula))


def as_latex(formula: sympy.Expr) -> str:
    """A formula in LaTeX mathematics."""
    return str(_LATEX.doprint(formula))
