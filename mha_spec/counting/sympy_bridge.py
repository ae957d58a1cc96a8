"""Sizes as SymPy expressions and back; the only file of `counting` that loads SymPy."""

from __future__ import annotations

import sympy

from mha_spec.counting.errors import TraceError
from mha_spec.counting.sizes import BINARY, Size


def symbol(name: str) -> sympy.Symbol:
    """The SymPy symbol of a size: a positive integer, or for `bias` one that may be 0."""
    if name == BINARY:
        return sympy.Symbol(name, integer=True, nonnegative=True)
    return sympy.Symbol(name, integer=True, positive=True)


def to_sympy(size: Size) -> sympy.Expr:
    """The same polynomial as an expanded SymPy expression."""
    terms = (
        sympy.Mul(coefficient, *(symbol(name) ** exponent for name, exponent in monomial))
        for monomial, coefficient in size.monomials.items()
    )
    return sympy.Add(*terms)


def from_sympy(expression: sympy.Expr) -> Size:
    """The size that a SymPy expression is. TraceError unless it is a polynomial with integer coefficients."""
    symbols = sorted(expression.free_symbols, key=str)
    try:
        polynomial = sympy.Poly(expression, *symbols, domain=sympy.ZZ) if symbols else None
    except sympy.PolynomialError:
        raise TraceError(f"{expression} is not a polynomial in its sizes", "clear its denominators") from None
    except sympy.CoercionFailed:
        raise TraceError(f"{expression} has a coefficient that is no integer", "clear its denominators") from None
    if polynomial is None:
        return Size.of(_integer(expression))
    total = Size()
    for exponents, coefficient in polynomial.terms():
        term = Size.of(int(coefficient))
        for one, exponent in zip(symbols, exponents, strict=True):
            term = term * Size.of(str(one)) ** exponent
        total = total + term
    return total


def _integer(expression: sympy.Expr) -> int:
    if not expression.is_Integer:
        raise TraceError(f"{expression} is not an integer", "clear its denominators")
    return int(expression)
