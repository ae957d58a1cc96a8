"""What makes a claim proved: a certificate, accepted by integer arithmetic alone.  No SymPy is imported here.

A certificate for ``left == right`` under equations ``l_i == r_i`` is a multiplier and one cofactor an equation:

    multiplier*(left - right)  -  sum of cofactor_i*(l_i - r_i)   is the zero polynomial.

For ``left <= right`` the polynomial ``multiplier*(right - left) - sum of ...`` need not be zero: less a sum of
squares with factors that are never negative, it must have no negative coefficient once every size is written as
one plus something (sizes are at least 1; `bias` and the slacks of assumed inequalities are at least 0).  The
multiplier must be at least 1 by the same test.  Whoever found the cofactors need not be trusted: a wrong one
fails here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from .terms import Operation, Operator, Relation, Term, fold, names

Polynomial: TypeAlias = dict[tuple[int, ...], int]
Equations: TypeAlias = Mapping[str, tuple[Term, Term]]

_MAY_BE_ZERO = ("bias", "no_bias", "bottom_right_empty_rows")


@dataclass(frozen=True)
class Certificate:
    """A multiplier, at least 1 for all sizes, a cofactor for each equation that is used, and squares.

    A square is a factor that is never negative, and the term that is squared; only inequalities have any.
    """

    cofactors: Mapping[str, Term] = field(default_factory=dict)
    multiplier: Term = 1
    squares: tuple[tuple[Term, Term], ...] = ()


def at_least_zero(name: str) -> bool:
    """Whether a name may be 0: slacks and what is counted in `_MAY_BE_ZERO`; every other is at least 1."""
    return name.rstrip("'") in _MAY_BE_ZERO or name.startswith("slack")


def polynomial(term: Term, variables: tuple[str, ...]) -> Polynomial:
    """The normal form of a term without ``//`` and ``%``: its non-zero coefficient for each tuple of exponents."""
    one = (0,) * len(variables)

    def multiply(a: Polynomial, b: Polynomial) -> Polynomial:
        product: Polynomial = {}
        for m, x in a.items():
            for n, y in b.items():
                exponents = tuple(i + j for i, j in zip(m, n, strict=True))
                product[exponents] = product.get(exponents, 0) + x * y
        return product

    def operate(sign: Operator, a: Polynomial, b: Polynomial) -> Polynomial:
        if sign == "*":
            return multiply(a, b)
        if sign == "**":
            exponent = b.get(one, 0)
            if exponent < 0 or not b.keys() <= {one}:
                raise ValueError("an exponent must be a literal that is at least 0")
            result: Polynomial = {one: 1}
            for _ in range(exponent):
                result = multiply(result, a)
            return result
        if sign not in ("+", "-"):
            raise ValueError(f"'{sign}' has no polynomial normal form")
        return {m: a.get(m, 0) + (b.get(m, 0) if sign == "+" else -b.get(m, 0)) for m in {**a, **b}}

    def variable(name: str) -> Polynomial:
        return {tuple(int(name == other) for other in variables): 1}

    normal = fold(term, lambda number: {one: number}, variable, operate)
    return {exponents: coefficient for exponents, coefficient in normal.items() if coefficient}


def never_negative(term: Term) -> bool:
    """A sufficient test that a term is at least 0 for all sizes: no negative coefficient in sizes minus one."""
    variables = tuple(sorted(names(term)))
    shifted: dict[str, Term] = {name: name if at_least_zero(name) else Operation("+", 1, name) for name in variables}
    moved = fold(term, lambda number: number, shifted.__getitem__, Operation)
    return all(coefficient >= 0 for coefficient in polynomial(moved, variables).values())


def remainder(left: Term, right: Term, equations: Equations, certificate: Certificate) -> Term:
    """``multiplier*(left - right)`` less every cofactor times its equation, and less the squares."""
    rest: Term = Operation("*", certificate.multiplier, Operation("-", left, right))
    for label, cofactor in certificate.cofactors.items():
        equation = Operation("-", *equations[label])
        rest = Operation("-", rest, Operation("*", cofactor, equation))
    for factor, base in certificate.squares:
        rest = Operation("-", rest, Operation("*", factor, Operation("**", base, 2)))
    return rest


def accepts(goal: Relation, equations: Equations, certificate: Certificate) -> bool:
    """Whether the certificate proves the goal, an ``==`` or a ``<=``, for all sizes that meet the equations."""
    if not never_negative(Operation("-", certificate.multiplier, 1)):
        return False
    if not all(never_negative(factor) for factor, _ in certificate.squares):
        return False
    if goal.sign == "==":
        if certificate.squares:
            return False
        rest = remainder(goal.left, goal.right, equations, certificate)
        return polynomial(rest, tuple(sorted(names(rest)))) == {}
    if goal.sign == "<=":
        return never_negative(remainder(goal.right, goal.left, equations, certificate))
    raise ValueError(f"a certificate is for == or <=, not for {goal.sign}")


def equations_used(equations: Equations, certificate: Certificate) -> Equations:
    """The equations that have a cofactor in the certificate."""
    return {label: equations[label] for label in certificate.cofactors}
