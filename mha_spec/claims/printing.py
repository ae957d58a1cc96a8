"""Terms, goals and claims as text and as LaTeX, in the order they were written.

Text printed here reads back to the same tree, so a printed step can be pasted into ``mha-spec prove``.
"""

from __future__ import annotations

import re

from .terms import Claim, Goal, Iff, IndependentOfH, Operation, Relation, Term

_PRECEDENCE = {"+": 1.0, "-": 1.0, "*": 2.0, "//": 2.0, "%": 2.0, "**": 4.0}
_NEGATION = 2.5  # as in Python: tighter than a product, looser than a power
_RELATION_LATEX = {"==": "=", "!=": r"\neq", "<=": r"\leq", "<": "<", ">=": r"\geq", ">": ">"}


def _is_negation(term: Operation) -> bool:
    return term.operator == "-" and term.left == 0


def text(term: Term, surrounding: float = 0) -> str:
    """The term as the claim language reads it, with as few parentheses as it needs."""
    if not isinstance(term, Operation):
        return str(term)
    if _is_negation(term):
        written, precedence = "-" + text(term.right, 3), _NEGATION
    else:
        precedence = _PRECEDENCE[term.operator]
        sign = f" {term.operator} " if precedence == 1 else term.operator
        left = text(term.left, precedence + (term.operator == "**"))
        written = left + sign + text(term.right, precedence + 1)
    return f"({written})" if precedence < surrounding else written


def _latex_name(name: str) -> str:
    stem = name.rstrip("'")
    primes = name[len(stem) :]
    if stem.startswith("slack"):
        return r"s_{" + stem.removeprefix("slack") + "}" + primes
    head, _, below = stem.partition("_")
    if len(stem) == 1:
        return stem + primes
    if len(head) == 1 and below:
        inner = below if len(below) == 1 else r"\text{" + below + "}"
        return f"{head}_{{{inner}}}{primes}"
    return r"\mathit{" + stem.replace("_", r"\_") + "}" + primes


def latex(term: Term, surrounding: float = 0) -> str:
    """The term in LaTeX mathematics, factors in the order written."""
    if isinstance(term, int):
        return re.sub(r"(?<=\d)(?=(\d{3})+$)", "{,}", str(term))
    if isinstance(term, str):
        return _latex_name(term)
    precedence = _NEGATION if _is_negation(term) else _PRECEDENCE[term.operator]
    written = _latex_operation(term, precedence)
    return rf"\left({written}\right)" if precedence < surrounding else written


def _latex_operation(term: Operation, precedence: float) -> str:
    if _is_negation(term):
        return "-" + latex(term.right, 3)
    if term.operator == "**":
        return f"{latex(term.left, precedence + 1)}^{{{latex(term.right)}}}"
    if term.operator == "//":
        return rf"\left\lfloor \frac{{{latex(term.left)}}}{{{latex(term.right)}}} \right\rfloor"
    sign = {"*": r" \, ", "%": r" \bmod "}.get(term.operator, f" {term.operator} ")
    if term.operator == "*" and isinstance(term.right, int):
        sign = r" \cdot "
    return latex(term.left, precedence) + sign + latex(term.right, precedence + 1)


def relation_text(relation: Relation) -> str:
    """The relation as the claim language reads it."""
    return f"{text(relation.left)} {relation.sign} {text(relation.right)}"


def relation_latex(relation: Relation) -> str:
    """The relation in LaTeX mathematics."""
    return f"{latex(relation.left)} {_RELATION_LATEX[relation.sign]} {latex(relation.right)}"


def goal_text(goal: Goal) -> str:
    """The goal as the claim language reads it."""
    if isinstance(goal, IndependentOfH):
        return f"{text(goal.term)} independent of h"
    if isinstance(goal, Iff):
        return f"{relation_text(goal.left)} iff {relation_text(goal.right)}"
    return relation_text(goal)


def goal_latex(goal: Goal) -> str:
    """The goal in LaTeX mathematics."""
    if isinstance(goal, IndependentOfH):
        return rf"{latex(goal.term)} \ \text{{is independent of}}\ h"
    if isinstance(goal, Iff):
        return rf"{relation_latex(goal.left)} \iff {relation_latex(goal.right)}"
    return relation_latex(goal)


def claim_text(claim: Claim) -> str:
    """The claim as the claim language reads it."""
    where = ", ".join(map(relation_text, claim.where))
    return goal_text(claim.goal) + (f" where {where}" if where else "")


def claim_latex(claim: Claim) -> str:
    """The claim in LaTeX mathematics."""
    where = r",\; ".join(map(relation_latex, claim.where))
    return goal_latex(claim.goal) + (rf" \quad \text{{where }} {where}" if where else "")
