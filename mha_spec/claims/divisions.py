"""Integer division in a claim: a divisor is at least 1 for all sizes, and a quotient is used once it is exact."""

from __future__ import annotations

from collections.abc import Collection

import sympy as sp

from .certificate import Certificate, Equations, equations_used
from .language import ClaimError
from .printing import text
from .search import difference, find_certificate, from_sympy, remainders
from .terms import Goal, Operation, Relation, Term, goal_terms
from .verdict import ProvedPart


def divisions_in(term: Term) -> list[Operation]:
    """The ``//`` and ``%`` in a term, innermost first."""
    if not isinstance(term, Operation):
        return []
    inner = divisions_in(term.left) + divisions_in(term.right)
    return [*inner, term] if term.operator in ("//", "%") else inner


def require_positive_divisors(
    goal: Goal, where: Collection[Relation], equations: Equations, claim: str
) -> None:
    """Raise ClaimError unless every divisor in a claim is certified to be at least 1.

    What the claim's own conditions say is used too, those that divide excepted.
    """
    usable = {
        label: sides for label, sides in equations.items() if not any(divisions_in(side) for side in sides)
    }
    conditions = [side for relation in where for side in (relation.left, relation.right)]
    for term in (*goal_terms(goal), *conditions):
        for division in divisions_in(term):
            positive = Relation("<=", 1, division.right)
            if divisions_in(division.right) or find_certificate(positive, usable) is None:
                shown = f"{text(division)}"
                raise ClaimError(f"the divisor in {shown} is not certain to be at least 1", claim)


def divisors_are_positive(goal: Goal, where: Collection[Relation], equations: Equations) -> bool:
    """Whether every divisor in a claim is certified to be at least 1 by these equations."""
    try:
        require_positive_divisors(goal, where, equations, "")
    except ClaimError:
        return False
    return True


def without_divisions(
    relation: Relation, equations: Equations
) -> tuple[Relation | None, tuple[ProvedPart, ...]]:
    """The relation with every ``//`` and ``%`` carried out, and what was proved to do so.

    ``a // b`` becomes q, and ``a % b`` becomes 0, where a certificate shows ``a == b*q``; None where one of
    them is not exact for all sizes.
    """
    parts: list[ProvedPart] = []
    sides: list[Term] = []
    for side in (relation.left, relation.right):
        plain = _carried_out(side, equations, parts)
        if plain is None:
            return None, ()
        sides.append(plain)
    return Relation(relation.sign, *sides), tuple(parts)


def _carried_out(term: Term, equations: Equations, parts: list[ProvedPart]) -> Term | None:
    if not isinstance(term, Operation) or not divisions_in(term):
        return term
    left, right = (_carried_out(side, equations, parts) for side in (term.left, term.right))
    if left is None or right is None:
        return None
    if term.operator not in ("//", "%"):
        return Operation(term.operator, left, right)
    for quotient in _quotients(left, right, equations):
        exact = Relation("==", left, Operation("*", right, quotient))
        certificate: Certificate | None = find_certificate(exact, equations)
        if certificate is not None:
            result = quotient if term.operator == "//" else 0
            label = f"{text(term)} is {text(result)} exactly"
            parts.append(ProvedPart(exact, certificate, equations_used(equations, certificate), label))
            return result
    return None


def _quotients(dividend: Term, divisor: Term, equations: Equations) -> list[Term]:
    """Candidates for an exact quotient: the dividend in several reduced forms, divided as a polynomial."""
    below = difference(divisor, 0)
    found: list[Term] = []
    for form in remainders(difference(dividend, 0), equations):
        for low in (below, *remainders(below, equations)):
            symbols = sorted(form.free_symbols | low.free_symbols, key=str)
            if low == 0 or not symbols:
                continue
            quotient, rest = sp.div(form, low, *symbols)
            if rest == 0:
                try:
                    found.append(from_sympy(sp.expand(quotient)))
                except ValueError:
                    continue  # the quotient has a fraction
    return found
