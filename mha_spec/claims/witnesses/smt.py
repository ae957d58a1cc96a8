"""A statement in SMT-LIB 2: premises and the goal's negation are asserted, so `unsat` says that it always holds."""

from __future__ import annotations

from mha_spec.claims.terms import Iff, Operator, Relation, Term, fold

from .statement import Premise, Statement

_SIGNS = {"+": "+", "-": "-", "*": "*", "//": "div", "%": "mod"}
_RELATIONS = {"==": "=", "!=": "distinct", "<=": "<=", "<": "<", ">=": ">=", ">": ">"}


def script(statement: Statement) -> str:
    """The statement as an SMT-LIB 2 script that ends in ``(check-sat)``."""
    lines = [
        f"; {statement.text}",
        "; unsat: no sizes meet the assertions, so the claim holds for all sizes.",
        "(set-logic QF_NIA)",
        *(f"(declare-const {_name(name)} Int)" for name in statement.variables),
        *(f"(assert {_premise(premise)})" for premise in statement.premises),
        f"(assert (not {_goal(statement.goal)}))",
        "(check-sat)",
    ]
    return "\n".join(lines) + "\n"


def _name(name: str) -> str:
    return f"|{name}|" if name.endswith("'") else name


def _number(number: int) -> str:
    return str(number) if number >= 0 else f"(- {-number})"


def _operation(sign: Operator, left: str, right: str) -> str:
    if sign == "**":
        exponent = int(right)
        if exponent < 2:
            return left if exponent else "1"
        return f"(* {' '.join([left] * exponent)})"
    # `div` and `mod` are Python's `//` and `%` for a divisor of at least 1, which every claim's divisors are.
    return f"({_SIGNS[sign]} {left} {right})"


def smt_term(term: Term) -> str:
    """The term as an SMT-LIB expression."""
    return fold(term, _number, _name, _operation)


def _relation(relation: Relation) -> str:
    return f"({_RELATIONS[relation.sign]} {smt_term(relation.left)} {smt_term(relation.right)})"


def _premise(premise: Premise) -> str:
    said = _relation(premise.relation)
    return said if premise.given is None else f"(=> {_relation(premise.given)} {said})"


def _goal(goal: Relation | Iff) -> str:
    if isinstance(goal, Iff):
        return f"(= {_relation(goal.left)} {_relation(goal.right)})"
    return _relation(goal)
