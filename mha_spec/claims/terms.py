"""The tree a claim is made of: integer terms, and the goals that relate them.

A term is kept exactly as it was written.  Nothing here expands, sorts or cancels, so what is printed is
what was claimed; equality of values is the business of `certificate`, equality of trees that of ``==``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from mha_spec.counting.sizes import Size

Operator: TypeAlias = Literal["+", "-", "*", "**", "//", "%"]
RelationSign: TypeAlias = Literal["==", "!=", "<=", "<", ">=", ">"]

OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "**": operator.pow,
    "//": operator.floordiv,
    "%": operator.mod,
}
RELATIONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
}


@dataclass(frozen=True, slots=True)
class Operation:
    """Two terms joined by an operator; the right side of ``**`` is a literal integer."""

    operator: Operator
    left: Term
    right: Term


Term: TypeAlias = "int | str | Operation"


@dataclass(frozen=True, slots=True)
class Relation:
    """``left sign right``, for all sizes."""

    sign: RelationSign
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class IndependentOfH:
    """The term has one value for any two head counts, what is held being held."""

    term: Term


@dataclass(frozen=True, slots=True)
class Iff:
    """Both goals hold, or neither does."""

    left: Relation
    right: Relation


Goal: TypeAlias = "Relation | IndependentOfH | Iff"


@dataclass(frozen=True, slots=True)
class Claim:
    """A goal, the conditions it is claimed under, and the text it was read from."""

    text: str
    goal: Goal
    where: tuple[Relation, ...] = ()


Value = TypeVar("Value")


def fold(
    term: Term,
    number: Callable[[int], Value],
    name: Callable[[str], Value],
    operation: Callable[[Operator, Value, Value], Value],
) -> Value:
    """The value of a term, built from its leaves upwards."""
    if isinstance(term, int):
        return number(term)
    if isinstance(term, str):
        return name(term)
    left = fold(term.left, number, name, operation)
    return operation(term.operator, left, fold(term.right, number, name, operation))


def names(term: Term) -> frozenset[str]:
    """The names that occur in a term."""
    return fold(term, lambda _: frozenset(), lambda name: frozenset({name}), lambda _, a, b: a | b)


def operators(term: Term) -> frozenset[str]:
    """The operators that occur in a term."""
    empty: frozenset[str] = frozenset()
    return fold(term, lambda _: empty, lambda _: empty, lambda sign, a, b: a | b | {sign})


def substitute(term: Term, replacement: Mapping[str, Term]) -> Term:
    """The same tree with names replaced by terms."""
    if isinstance(term, int):
        return term
    if isinstance(term, str):
        return replacement.get(term, term)
    return Operation(
        term.operator, substitute(term.left, replacement), substitute(term.right, replacement)
    )


def substitute_in_relation(relation: Relation, replacement: Mapping[str, Term]) -> Relation:
    """The same relation with names replaced by terms on both sides."""
    left, right = (substitute(side, replacement) for side in (relation.left, relation.right))
    return Relation(relation.sign, left, right)


def evaluate(term: Term, sizes: Mapping[str, int]) -> int:
    """The integer a term is at given sizes; a name that is not given raises KeyError."""
    if isinstance(term, str):
        return sizes[term]
    if isinstance(term, int):
        return term
    return OPERATORS[term.operator](evaluate(term.left, sizes), evaluate(term.right, sizes))


def relation_holds(relation: Relation, sizes: Mapping[str, int]) -> bool:
    """Whether the relation is true at given sizes."""
    return RELATIONS[relation.sign](evaluate(relation.left, sizes), evaluate(relation.right, sizes))


def undivided_first(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """The relations with those last that divide: where the others are false, a divisor may be 0."""
    return tuple(sorted(relations, key=divides))


def divides(relation: Relation) -> bool:
    """Whether a ``//`` or ``%`` occurs in the relation."""
    return bool((operators(relation.left) | operators(relation.right)) & {"//", "%"})


def goal_relations(goal: Goal) -> tuple[Relation, ...]:
    """The relations a goal consists of; none for `IndependentOfH`, which compares two designs."""
    if isinstance(goal, Iff):
        return (goal.left, goal.right)
    return (goal,) if isinstance(goal, Relation) else ()


def goal_terms(goal: Goal) -> tuple[Term, ...]:
    """Every term a goal mentions, left to right."""
    if isinstance(goal, IndependentOfH):
        return (goal.term,)
    return tuple(side for relation in goal_relations(goal) for side in (relation.left, relation.right))


def substitute_in_goal(goal: Goal, replacement: Mapping[str, Term]) -> Goal:
    """The same goal with names replaced by terms."""
    if isinstance(goal, IndependentOfH):
        return IndependentOfH(substitute(goal.term, replacement))
    if isinstance(goal, Iff):
        left, right = (substitute_in_relation(side, replacement) for side in (goal.left, goal.right))
        return Iff(left, right)
    return substitute_in_relation(goal, replacement)


def total(terms: tuple[Term, ...]) -> Term:
    """The sum of terms in the order given; 0 for none."""
    result: Term = 0
    for term in terms:
        result = term if result == 0 else Operation("+", result, term)
    return result


def _monomial(powers: tuple[tuple[str, int], ...], coefficient: int) -> Term:
    """The product, its coefficient first; a sign belongs to the first factor, as in ``-2*n`` and ``-n*m``."""
    factors: list[Term] = [] if abs(coefficient) == 1 and powers else [abs(coefficient)]
    factors += [name if exponent == 1 else Operation("**", name, exponent) for name, exponent in powers]
    term, *others = factors
    if coefficient < 0:
        term = Operation("-", 0, term)
    for factor in others:
        term = Operation("*", term, factor)
    return term


def of_monomials(monomials: Mapping[tuple[tuple[str, int], ...], int]) -> Term:
    """A polynomial, given by the coefficient of each product of powers, as a sum in the order given."""
    result: Term | None = None
    for powers, coefficient in monomials.items():
        if result is None:
            result = _monomial(powers, coefficient)
        else:
            result = Operation("+" if coefficient > 0 else "-", result, _monomial(powers, abs(coefficient)))
    return 0 if result is None else result


def of_size(size: Size) -> Term:
    """The term of a traced size: its monomials in the order the trace met them."""
    return of_monomials(size.monomials)
