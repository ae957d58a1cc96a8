"""Arithmetic of integer polynomials, kept as {monomial: coefficient} without zero coefficients.

A monomial is the sorted tuple of its (name, exponent) pairs. The name `bias` is 0 or 1, so its powers are
itself; with that, a polynomial is zero for all sizes iff it has no terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

Monomial: TypeAlias = tuple[tuple[str, int], ...]
Polynomial: TypeAlias = dict[Monomial, int]

BINARY = "bias"
"""The one name that may be 0: it is 0 or 1, and never a divisor."""


def constant(value: int) -> Polynomial:
    """The polynomial that is `value` everywhere."""
    return {(): value} if value else {}


def variable(name: str) -> Polynomial:
    """The polynomial that is the size called `name`."""
    return {((name, 1),): 1}


def add(left: Polynomial, right: Polynomial, factor: int = 1) -> Polynomial:
    """`left + factor * right`."""
    total = dict(left)
    for monomial, coefficient in right.items():
        value = total.get(monomial, 0) + factor * coefficient
        if value:
            total[monomial] = value
        else:
            total.pop(monomial, None)
    return total


def _multiply_monomials(left: Monomial, right: Monomial) -> Monomial:
    if not left or not right:
        return left or right
    exponents = dict(left)
    for name, exponent in right:
        exponents[name] = exponents.get(name, 0) + exponent
    if BINARY in exponents:
        exponents[BINARY] = 1
    return tuple(sorted(exponents.items()))


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product."""
    product: Polynomial = {}
    for a, x in left.items():
        for b, y in right.items():
            monomial = _multiply_monomials(a, b)
            product[monomial] = product.get(monomial, 0) + x * y
    return {monomial: coefficient for monomial, coefficient in product.items() if coefficient}


def power(base: Polynomial, exponent: int) -> Polynomial:
    """`base ** exponent` for an exponent that is at least 0."""
    result = constant(1)
    for _ in range(exponent):
        result = multiply(result, base)
    return result


def names(polynomial: Polynomial) -> set[str]:
    """The names that occur."""
    return {name for monomial in polynomial for name, _ in monomial}


def _leading(polynomial: Polynomial, order: Iterable[str]) -> Monomial:
    """The largest monomial in graded lexicographic order, which every division step makes smaller."""
    order = tuple(order)

    def rank(monomial: Monomial) -> tuple[int, ...]:
        exponents = dict(monomial)
        return (sum(exponents.values()), *(exponents.get(name, 0) for name in order))

    return max(polynomial, key=rank)


def _divide_monomials(dividend: Monomial, divisor: Monomial) -> Monomial | None:
    exponents = dict(dividend)
    for name, exponent in divisor:
        left = exponents.get(name, 0) - exponent
        if left < 0:
            return None
        exponents[name] = left
    return tuple((name, exponent) for name, exponent in exponents.items() if exponent)


def divide(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """A quotient and a remainder with `dividend == quotient * divisor + remainder`, for a nonzero divisor.

    Exact whenever the divisor is a factor; otherwise the remainder is only one of several.
    """
    order = sorted(names(dividend) | names(divisor))
    lead = _leading(divisor, order)
    rest = dict(dividend)
    quotient: Polynomial = {}
    remainder: Polynomial = {}
    while rest:
        monomial = _leading(rest, order)
        shifted = _divide_monomials(monomial, lead)
        times = 0 if shifted is None else rest[monomial] // divisor[lead]
        if shifted is not None and times:
            quotient[shifted] = quotient.get(shifted, 0) + times
            rest = add(rest, multiply({shifted: times}, divisor), -1)
        if monomial in rest:
            remainder[monomial] = rest.pop(monomial)
    return quotient, remainder


def substitute(polynomial: Polynomial, values: Mapping[str, Polynomial]) -> Polynomial:
    """The polynomial with each name replaced by its value, all at once."""
    total: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        kept = tuple(pair for pair in monomial if pair[0] not in values)
        term: Polynomial = {kept: coefficient}
        for name, exponent in monomial:
            if name in values:
                term = multiply(term, power(values[name], exponent))
        total = add(total, term)
    return total


def evaluate(polynomial: Polynomial, sizes: Mapping[str, int]) -> int:
    """The value at given sizes; KeyError for a name that has none."""
    total = 0
    for monomial, coefficient in polynomial.items():
        for name, exponent in monomial:
            coefficient *= sizes[name] ** exponent
        total += coefficient
    return total


def _text_of_term(monomial: Monomial, size: int) -> str:
    factors = [name if exponent == 1 else f"{name}**{exponent}" for name, exponent in monomial]
    if size != 1 or not factors:
        factors.insert(0, str(size))
    return "*".join(factors)


def text(polynomial: Polynomial) -> str:
    """The polynomial as Python would read it, the terms of highest degree first."""

    def rank(monomial: Monomial) -> tuple[int, Monomial]:
        return -sum(exponent for _, exponent in monomial), monomial

    written = ""
    for monomial in sorted(polynomial, key=rank):
        coefficient = polynomial[monomial]
        term = _text_of_term(monomial, abs(coefficient))
        if not written:
            written = term if coefficient > 0 else f"-{term}"
        else:
            written += f" + {term}" if coefficient > 0 else f" - {term}"
    return written or "0"
