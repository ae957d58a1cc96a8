"""SymPy searches for certificates.  Nothing here is trusted: `certificate.accepts` decides what counts.

Three roads, cheapest first: division by the equations in a few variable orders; a multiplier, when the goal's
difference divides that of an equation; and a Groebner basis that keeps track of its cofactors.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from .certificate import Certificate, Equations, accepts
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


def _cofactors(labels: list[str], quotients: list[sp.Expr], scale: int = 1) -> dict[str, Term]:
    found = {label: sp.expand(scale * quotient) for label, quotient in zip(labels, quotients, strict=True)}
    return {label: from_sympy(cofactor) for label, cofactor in found.items() if cofactor != 0}


def _divided(target: sp.Expr, equations: Equations, used: frozenset[str]) -> Iterator[dict[str, Term]]:
    """Cofactors from dividing by the equations, in each order and then once more in the next."""
    if target == 0:
        yield {}  # an identity; SymPy's division wants something to divide
        return
    divided = {label: difference(*sides) for label, sides in equations.items()}
    labels = [label for label, divisor in divided.items() if divisor != 0]
    divisors = [divided[label] for label in labels]
    rest, collected = target, [sp.Integer(0)] * len(labels)
    for order in _orders(used):
        quotients, remainder = sp.reduced(target, divisors, *order, order="lex")
        yield _cofactors(labels, quotients)
        further, rest = sp.reduced(rest, divisors, *order, order="lex")
        collected = [a + b for a, b in zip(collected, further, strict=True)]
        if rest != remainder:
            yield _cofactors(labels, collected)


def _by_basis(target: sp.Expr, equations: Equations) -> Iterator[tuple[dict[str, Term], int]]:
    """Cofactors over the rationals from a Groebner basis, cleared of denominators; complete for equations."""
    labels = list(equations)
    polynomials = tuple(difference(*equations[label]) for label in labels)
    symbols = sorted(set().union(target.free_symbols, *(p.free_symbols for p in polynomials)), key=str)
    if not polynomials or len(symbols) > _MAX_BASIS_VARIABLES:
        return
    ring = sp.QQ.old_poly_ring(*symbols)
    try:
        found = ring.ideal(*polynomials).in_terms_of_generators(target)
    except ValueError:
        return  # the target is not in the ideal
    quotients = [ring.to_sympy(quotient) for quotient in found]
    denominator = sp.ilcm(1, *(sp.Poly(q, *symbols).clear_denoms()[0] for q in quotients))
    yield _cofactors(labels, quotients, int(denominator)), int(denominator)


def _multipliers(target: sp.Expr, equations: Equations, used: frozenset[str]) -> Iterator[Term]:
    """Terms m for which m*target may follow: an equation's difference divided by the target, and the sizes."""
    if target == 0 or target.is_Integer:
        return
    for left, right in equations.values():
        # an assumed inequality ends in a slack; without it, what was assumed to be at least 0 is left
        unslacked = difference(left, right).xreplace({s: 0 for s in map(symbol, used) if s.name.startswith("slack")})
        for candidate in remainders(unslacked, equations):
            quotient, rest = sp.div(candidate, target, *sorted(candidate.free_symbols | target.free_symbols, key=str))
            if rest == 0 and quotient.is_Integer is not True and quotient != 0:
                for signed in (quotient, -quotient):
                    yield from _as_terms(signed)
    for name in ("h", "kv_heads", "d_k", "d_model", "n"):
        if name in used:
            yield name


def remainders(expression: sp.Expr, equations: Equations) -> Iterator[sp.Expr]:
    """An expression as it is, and what division by the equations leaves of it in several variable orders."""
    yield expression
    used = frozenset(str(s) for s in expression.free_symbols) | _names_of(equations)
    divisors = [divisor for sides in equations.values() if (divisor := difference(*sides)) != 0]
    definition = [difference(*equations[label]) for label in ("h",) if label in equations]
    for order in _orders(used):
        for available in (divisors, definition):
            if available and expression != 0:
                yield sp.reduced(expression, available, *order, order="lex")[1]


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
    used = _names_of(equations, left, right)
    for cofactors in _divided(target, equations, used):
        yield Certificate(cofactors)
    for multiplier in _multipliers(target, equations, used):
        scaled = sp.expand(to_sympy(multiplier) * target)
        for cofactors in _divided(scaled, equations, used):
            yield Certificate(cofactors, multiplier)
        if goal.sign == "==":
            for cofactors, denominator in _by_basis(scaled, equations):
                yield Certificate(cofactors, _times(denominator, multiplier))
    if goal.sign == "==":
        for cofactors, denominator in _by_basis(target, equations):
            yield Certificate(cofactors, denominator)


def find_certificate(goal: Relation, equations: Equations) -> Certificate | None:
    """A certificate that the checker accepts for an ``==`` or ``<=``, or None where the search ends."""
    if (operators(goal.left) | operators(goal.right)) & {"//", "%"}:
        return None
    # That bias is at most 1 never helps an equality, and as a divisor it would hide `bias` behind `no_bias`.
    without = {label: sides for label, sides in equations.items() if not label.startswith("bias <=")}
    for available in (without,) if goal.sign == "==" else (without, equations):
        for certificate in _candidates(goal, available):
            if accepts(goal, equations, certificate):
                return certificate
    return None
