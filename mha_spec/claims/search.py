"""SymPy searches for certificates.  Nothing here is trusted: `certificate.accepts` decides what counts.

Three roads, cheapest first: division by the equations in a few variable orders; a multiplier, when the goal's
difference divides that of an equation; and a Groebner basis that keeps track of its cofactors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import sympy as sp

from .certificate import Certificate, Equations, accepts
from .squares import with_squares
from .terms import Operation, Operator, Relation, Term, fold, names, of_monomials, operators

# Variables that a hypothesis can express by others come first: lexicographic division then eliminates them.
_ELIMINATION_ORDERS = (
    "d_v group kv_heads d_memory m bias no_bias h d_k d_model n",
    "d_v d_memory m bias no_bias d_model h kv_heads group d_k n",
    "d_model d_v d_memory n m h kv_heads no_bias bias group d_k",
)
_MAX_BASIS_VARIABLES = 14


def symbol(name: str) -> sp.Symbol:
    """The SymPy symbol of a name; plain, since an assumption would only invite rewriting."""
    return sp.Symbol(name)


def to_sympy(term: Term) -> sp.Expr:
    """A term without ``//`` and ``%`` as a SymPy expression."""

    def operate(sign: Operator, a: sp.Expr, b: sp.Expr) -> sp.Expr:
        if sign == "+":
            return a + b
        if sign == "-":
            return a - b
        return a * b if sign == "*" else a**b

    return fold(term, sp.Integer, symbol, operate)


def from_sympy(expression: sp.Expr) -> Term:
    """A polynomial with integer coefficients as a term; ValueError for anything else."""
    monomials: dict[tuple[tuple[str, int], ...], int] = {}
    for powers, coefficient in expression.expand().as_coefficients_dict().items():
        if not coefficient.is_Integer:
            raise ValueError(f"{expression} has a coefficient that is no integer")
        factors = () if powers == 1 else sorted(powers.as_powers_dict().items(), key=lambda item: str(item[0]))
        if not all(base.is_Symbol and exponent.is_Integer and exponent > 0 for base, exponent in factors):
            raise ValueError(f"{expression} is no polynomial")
        monomials[tuple((base.name, int(exponent)) for base, exponent in factors)] = int(coefficient)
    return of_monomials(dict(sorted(monomials.items(), key=lambda item: (item[1] < 0, item[0]))))


def difference(left: Term, right: Term) -> sp.Expr:
    """``left - right``, multiplied out."""
    return sp.expand(to_sympy(left) - to_sympy(right))


def _orders(used: frozenset[str]) -> Iterator[list[sp.Symbol]]:
    for order in _ELIMINATION_ORDERS:
        known = [name for stem in order.split() for name in (stem, stem + "'") if name in used]
        others = sorted(used - set(known), key=lambda name: (name.startswith("slack"), name))
        free, slacks = ([n for n in others if n.startswith("slack") is kind] for kind in (False, True))
        yield [symbol(name) for name in (*free, *known, *slacks)]


def _names_of(equations: Equations, *terms: Term) -> frozenset[str]:
    sides = (side for pair in equations.values() for side in pair)
    return frozenset().union(*(names(term) for term in (*terms, *sides)))


Scaled: TypeAlias = tuple[dict[str, Term], int]
"""Cofactors, multiplied by an integer that clears their denominators, and that integer."""


def _cleared(labels: list[str], quotients: list[sp.Expr]) -> Scaled:
    expanded = [sp.expand(quotient) for quotient in quotients]
    numbers = [c for quotient in expanded for c in quotient.as_coefficients_dict().values()]
    denominator = sp.ilcm(1, *(number.q for number in numbers if number.is_Rational))
    cofactors = {
        label: from_sympy(denominator * quotient) for label, quotient in zip(labels, expanded, strict=True) if quotient
    }
    return cofactors, int(denominator)


def _divisors(equations: Equations) -> dict[str, sp.Expr]:
    """The difference of each equation's sides, identities left out: SymPy drops them, and with them the order."""
    differences = {label: difference(*sides) for label, sides in equations.items()}
    return {label: divisor for label, divisor in differences.items() if divisor != 0}


def _divided(target: sp.Expr, equations: Equations, used: frozenset[str]) -> Iterator[Scaled]:
    """Cofactors from dividing by the equations, in each order and then once more in the next."""
    if target == 0:
        yield {}, 1  # an identity; SymPy's division wants something to divide
        return
    divisors = _divisors(equations)
    labels, polynomials = list(divisors), list(divisors.values())
    rest, collected = target, [sp.Integer(0)] * len(labels)
    for order in _orders(used):
        quotients, remainder = sp.reduced(target, polynomials, *order, order="lex")
        yield _cleared(labels, quotients)
        if rest == 0:
            continue  # nothing is left to divide, and SymPy would return no quotients for it
        further, rest = sp.reduced(rest, polynomials, *order, order="lex")
        collected = [a + b for a, b in zip(collected, further, strict=True)]
        if rest != remainder:
            yield _cleared(labels, collected)


def _by_basis(target: sp.Expr, equations: Equations) -> Iterator[Scaled]:
    """Cofactors from a Groebner basis that keeps track of them; complete for equations."""
    divisors = _divisors(equations)
    symbols = sorted(set().union(target.free_symbols, *(p.free_symbols for p in divisors.values())), key=str)
    if not divisors or len(symbols) > _MAX_BASIS_VARIABLES:
        return
    ring = sp.QQ.old_poly_ring(*symbols)
    try:
        found = ring.ideal(*divisors.values()).in_terms_of_generators(target)
    except ValueError:
        return  # the target is not in the ideal
    yield _cleared(list(divisors), [ring.to_sympy(quotient) for quotient in found])


def _multipliers(
    target: sp.Expr, equations: Equations, used: frozenset[str]
) -> Iterator[tuple[Term, dict[str, int]]]:
    """Terms m for which m*target may follow, each with the cofactors that suggested it.

    An equation whose difference the target divides suggests the quotient, itself taken once.
    """
    if target == 0 or target.is_Integer:
        return
    given = {label: sides for label, sides in equations.items() if not label.startswith(("where", "assumed"))}
    no_slack = {symbol(name): 0 for name in used if name.startswith("slack")}
    for label, (left, right) in equations.items():
        # an assumed inequality ends in a slack; without it, what was assumed to be at least 0 is left
        for candidate in remainders(difference(left, right).xreplace(no_slack), given):
            symbols = sorted(candidate.free_symbols | target.free_symbols, key=str)
            quotient, rest = sp.div(candidate, target, *symbols)
            if rest == 0 and not quotient.is_Integer:
                for sign in (1, -1):
                    yield from ((multiplier, {label: sign}) for multiplier in _as_terms(sign * quotient))


def remainders(expression: sp.Expr, equations: Equations) -> Iterator[sp.Expr]:
    """An expression as it is, and what division by the equations leaves of it in several variable orders."""
    yield expression
    used = frozenset(str(s) for s in expression.free_symbols) | _names_of(equations)
    divisors = _divisors(equations)
    for order in _orders(used):
        for available in (divisors, {label: divisors[label] for label in ("h",) if label in divisors}):
            if available and expression != 0:
                yield sp.reduced(expression, list(available.values()), *order, order="lex")[1]


def _as_terms(expression: sp.Expr) -> Iterator[Term]:
    try:
        yield from_sympy(sp.expand(expression))
    except ValueError:
        return


def _times(number: int, term: Term) -> Term:
    return term if number == 1 else Operation("*", number, term)


def _candidates(goal: Relation, equations: Equations) -> Iterator[Certificate]:
    left, right = (goal.left, goal.right) if goal.sign == "==" else (goal.right, goal.left)
    target = difference(left, right)
    used, no_cofactors = _names_of(equations, left, right), dict[str, int]()
    for cofactors, denominator in _divided(target, equations, used):
        yield Certificate(cofactors, denominator)
    sizes = ((name, no_cofactors) for name in ("h", "kv_heads", "d_k", "d_model", "n") if name in used)
    for multiplier, once in (*_multipliers(target, equations, used), *(sizes if goal.sign == "==" else ())):
        rest = sp.expand(to_sympy(multiplier) * target - sum(k * difference(*equations[x]) for x, k in once.items()))
        for cofactors, denominator in _divided(rest, equations, used):
            yield Certificate(_joined(cofactors, denominator, once), _times(denominator, multiplier))
        if goal.sign == "==":
            for cofactors, denominator in _by_basis(rest, equations):
                yield Certificate(_joined(cofactors, denominator, once), _times(denominator, multiplier))
    if goal.sign == "==":
        for cofactors, denominator in _by_basis(target, equations):
            yield Certificate(cofactors, denominator)


def _joined(cofactors: dict[str, Term], denominator: int, once: dict[str, int]) -> dict[str, Term]:
    """Cofactors with those that were taken out before the division."""
    taken: dict[str, Term] = {label: denominator * number for label, number in once.items()}
    return taken | {
        label: Operation("+", cofactor, taken[label]) if label in taken else cofactor
        for label, cofactor in cofactors.items()
    }


def find_certificate(goal: Relation, equations: Equations) -> Certificate | None:
    """A certificate that the checker accepts for an ``==`` or ``<=``, or None where the search ends."""
    if (operators(goal.left) | operators(goal.right)) & {"//", "%"}:
        return None
    for available in _selections(goal, equations):
        for certificate in _candidates(goal, available):
            if accepts(goal, equations, certificate):
                return certificate
            squared = with_squares(goal, equations, certificate) if goal.sign == "<=" else None
            if squared is not None and accepts(goal, equations, squared):
                return squared
    return None


def _selections(goal: Relation, equations: Equations) -> Iterator[Equations]:
    """Selections of equations to divide by: all, and for an inequality each of its conditions alone.

    That bias is at most 1 never helps an equality, and as a divisor it would hide `bias` behind `no_bias`; two
    conditions on one size hide each other.
    """
    without = {label: sides for label, sides in equations.items() if not label.startswith("bias <=")}
    yield without
    if goal.sign == "==":
        return
    if any(name.rstrip("'") == "bias" for name in names(goal.left) | names(goal.right)):
        yield equations
    conditions = [label for label in without if label.startswith(("where", "assumed"))]
    for kept in conditions if len(conditions) > 1 else ():
        yield {label: sides for label, sides in without.items() if label == kept or label not in conditions}
