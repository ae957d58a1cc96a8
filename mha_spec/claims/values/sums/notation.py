"""What the formulas of value theorems are written with beyond SymPy's own sums, entries and exponentials."""

from __future__ import annotations

import sympy


class Notation(sympy.Function):  # type: ignore[misc]  # SymPy has no types
    """A function that SymPy leaves as it is written."""

    nargs: object = 2

    def _latex(self, printer: sympy.printing.latex.LatexPrinter, exp: str | None = None) -> str:
        text = self.written(*(printer.doprint(arg) for arg in self.args))
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def written(self, *args: str) -> str:
        """In LaTeX, with its arguments in LaTeX."""
        raise NotImplementedError


class Gradient(Notation):
    """`Gradient(of, entry)`: the derivative of a formula towards an entry of an array."""

    def written(self, *args: str) -> str:
        """In LaTeX."""
        of, entry = args
        if self.args[0].is_Add or self.args[0].is_Mul:
            of = rf"\left({of}\right)"
        return rf"\frac{{\partial}}{{\partial {entry}}} {of}"


class Below(Notation):
    """`Below(i, j)`: 1 where i < j, else 0."""

    def written(self, *args: str) -> str:
        """In LaTeX."""
        left, right = args
        return f"[{left} < {right}]"


class Quotient(Notation):
    """`Quotient(i, size)`: the block in which position i lies, of blocks of `size` entries."""

    def written(self, *args: str) -> str:
        """In LaTeX."""
        left, right = args
        return rf"\lfloor {left} / {right} \rfloor"


class Remainder(Notation):
    """`Remainder(i, size)`: the place of position i in its block, of blocks of `size` entries."""

    def written(self, *args: str) -> str:
        """In LaTeX."""
        left, right = args
        return rf"({left} \bmod {right})"


class Expectation(Notation):
    """`Expectation(of)`: the mean over the random entries of a formula."""

    nargs: object = 1

    def written(self, *args: str) -> str:
        """In LaTeX."""
        return rf"\mathbb{{E}}\left[{args[0]}\right]"


class Minor(Notation):
    """`Minor(entry, row, column, size)`: the determinant of the first `size` rows and columns of a matrix.

    `entry` is a formula in the symbols `row` and `column`.  It is expanded at given sizes only.
    """

    nargs: object = 4

    def written(self, *args: str) -> str:
        """In LaTeX."""
        entry, row, column, size = args
        return rf"\det\left[{entry}\right]_{{{row}, {column} < {size}}}"


def total(of: sympy.Expr, *over: tuple[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    """The sum over each index from 0 up to but without its size, the first index outermost."""
    for index, size in reversed(over):
        of = sympy.Sum(of, (index, 0, size - 1))
    return of
