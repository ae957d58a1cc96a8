"""Terms and relations over the integers `Z` of Rocq, in the order they were written."""

from __future__ import annotations

from mha_spec.claims.terms import Iff, Relation, Term

_SIGNS = {"+": "+", "-": "-", "*": "*", "**": "^", "//": "/", "%": "mod"}
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "//": 2, "%": 2, "**": 4}  # as in Python; a sign binds between the last two
_RELATIONS = {"==": "=", "!=": "<>", "<=": "<=", "<": "<", ">=": ">=", ">": ">"}


def rocq(term: Term, surrounding: int = 0) -> str:
    """The term, in parentheses if what surrounds it binds tighter."""
    if isinstance(term, str):
        return term
    if isinstance(term, int):
        return str(term) if term >= 0 else f"({term})"
    if term.operator == "-" and term.left == 0:
        return f"(- {rocq(term.right, 4)})"
    precedence = _PRECEDENCE[term.operator]
    left = rocq(term.left, precedence + (term.operator == "**"))
    written = f"{left} {_SIGNS[term.operator]} {rocq(term.right, precedence + 1)}"
    return f"({written})" if precedence < surrounding else written


def rocq_relation(relation: Relation) -> str:
    """The relation as a proposition."""
    return f"{rocq(relation.left)} {_RELATIONS[relation.sign]} {rocq(relation.right)}"


def rocq_goal(goal: Relation | Iff) -> str:
    """The goal as a proposition."""
    if isinstance(goal, Iff):
        return f"({rocq_relation(goal.left)}) <-> ({rocq_relation(goal.right)})"
    return rocq_relation(goal)
