"""Squares that take the negative products out of an inequality; searched for here, and not trusted.

A product ``-c*x*y`` is covered by ``x**2`` and ``y**2``, of which ``c/2*(x - y)**2`` takes as much as is needed.
"""

from __future__ import annotations

from .certificate import Certificate, Equations, Polynomial, polynomial, remainder
from .terms import Operation, Relation, Term, names, of_monomials


def with_squares(goal: Relation, equations: Equations, certificate: Certificate) -> Certificate | None:
    """The certificate doubled and with squares for each negative product that is left; None if some stays."""
    rest = remainder(goal.right, goal.left, equations, certificate)
    variables = tuple(sorted(names(rest)))
    left = {exponents: 2 * coefficient for exponents, coefficient in polynomial(rest, variables).items()}
    squares: list[tuple[Term, Term]] = []
    for product in [exponents for exponents, coefficient in left.items() if coefficient < 0]:
        found = _covering(product, left)
        if found is None:
            return None
        x, y = found
        weight = -left[product] // 2
        for exponents in (x, y):
            left[exponents] -= weight
        common, base = _as_square(x, y, variables)
        squares.append((Operation("*", weight, common) if common != 1 else weight, base))
        del left[product]
    return _doubled(certificate, tuple(squares)) if squares else None


def _covering(
    product: tuple[int, ...], left: Polynomial
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Two positive products whose geometric mean is this one, with enough of each; None if there are none."""
    needed = -left[product] // 2
    for x, coefficient in left.items():
        y = tuple(2 * p - a for p, a in zip(product, x, strict=True))
        shares_parity = all((a - b) % 2 == 0 for a, b in zip(x, y, strict=True))
        if x < y and shares_parity and coefficient >= needed and left.get(y, 0) >= needed:
            return x, y
    return None


def _as_square(x: tuple[int, ...], y: tuple[int, ...], variables: tuple[str, ...]) -> tuple[Term, Term]:
    """The common factor g and the base a - b for which x = g*a**2 and y = g*b**2."""
    common = tuple(map(min, x, y))
    a, b = (tuple((p - g) // 2 for p, g in zip(exponents, common, strict=True)) for exponents in (x, y))
    return _power(common, variables), Operation("-", _power(a, variables), _power(b, variables))


def _power(exponents: tuple[int, ...], variables: tuple[str, ...]) -> Term:
    powers = tuple((name, exponent) for name, exponent in zip(variables, exponents, strict=True) if exponent)
    return of_monomials({powers: 1})


def _doubled(certificate: Certificate, squares: tuple[tuple[Term, Term], ...]) -> Certificate:
    cofactors = {label: Operation("*", 2, cofactor) for label, cofactor in certificate.cofactors.items()}
    return Certificate(cofactors, Operation("*", 2, certificate.multiplier), squares)
