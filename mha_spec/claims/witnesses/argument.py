"""The certificates of a proved claim, put back in the places of its goal: by case, by direction, by division.

A verdict lists its proved parts in the order in which they were found.  A proof in another system must know what
each is for, so the parts are handed out here in that same order, and a list that does not fit is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mha_spec.claims.cases import Case, length_cases
from mha_spec.claims.certificate import Equations, equations_used
from mha_spec.claims.divisions import divisions_in
from mha_spec.claims.equations import as_at_most, primed
from mha_spec.claims.printing import text
from mha_spec.claims.question import Question
from mha_spec.claims.search import find_certificate
from mha_spec.claims.terms import Iff, IndependentOfH, Operation, Relation, Term, substitute
from mha_spec.claims.verdict import ProvedPart, Verdict

from .statement import StatementError


@dataclass(frozen=True)
class Division:
    """A division, inner ones carried out, with its result, which is exact, and its divisor, which is at least 1."""

    operation: Operation
    result: Term
    exact: ProvedPart
    positive: ProvedPart


@dataclass(frozen=True)
class Piece:
    """One relation to prove: its divisions, and the proof of what is left once they are carried out."""

    divisions: tuple[Division, ...]
    part: ProvedPart


@dataclass(frozen=True)
class Branch:
    """The pieces in one case of the lengths; `shown` proves the case where it is the only one.

    Of an `iff` each direction is a piece, and of an equality that two bounds prove each bound.
    """

    case: Case | None
    shown: ProvedPart | None
    pieces: tuple[Piece, ...]

    def parts(self) -> Iterator[ProvedPart]:
        """Everything in the branch that has a certificate."""
        if self.shown:
            yield self.shown
        for piece in self.pieces:
            yield piece.part
            for division in piece.divisions:
                yield from (division.exact, division.positive)


def argument(question: Question, verdict: Verdict) -> tuple[Branch, ...]:
    """The branches of a proved claim's proof; StatementError if its parts do not fit its goal."""
    parts = iter(verdict.proof)
    cases: tuple[Case | None, ...] = length_cases() if question.causal else (None,)
    shown: ProvedPart | None = None
    if question.causal and verdict.proof and verdict.proof[0].label.endswith(" always"):
        shown = next(parts)
        cases = tuple(case for case in length_cases() if case.condition == shown.relation)
    branches = tuple(Branch(case, shown, tuple(_pieces(question, verdict, case, parts))) for case in cases)
    if next(parts, None) is not None or not branches:
        raise StatementError("the proof has other parts than its goal")
    return branches


def _pieces(
    question: Question, verdict: Verdict, case: Case | None, parts: Iterator[ProvedPart]
) -> Iterator[Piece]:
    given = case.equations if case else {}
    for relation, assumed in _relations(question):
        equations = {**question.equations(verdict.hypotheses_used, assumed), **given}
        piece = Piece(_divisions(relation, equations, parts), _next(parts))
        yield piece
        if relation.sign == "==" and piece.part.relation.sign == "<=":  # the other bound
            yield Piece(_divisions(Relation(">=", relation.left, relation.right), equations, parts), _next(parts))


def _relations(question: Question) -> Iterator[tuple[Relation, tuple[Relation, ...]]]:
    """The relations of a goal in the order they are proved, each with what is assumed for it."""
    goal = question.goal
    if isinstance(goal, IndependentOfH):
        yield Relation("==", goal.term, substitute(goal.term, primed(question.varying))), ()
    elif isinstance(goal, Iff):
        yield goal.right, (goal.left,)
        yield goal.left, (goal.right,)
    else:
        yield goal, ()


def _divisions(relation: Relation, equations: Equations, parts: Iterator[ProvedPart]) -> tuple[Division, ...]:
    """The divisions of a relation, innermost first, each with the next part."""
    plain = as_at_most(relation)
    carried_out: dict[Operation, Term] = {}
    found: list[Division] = []
    for operation in (*divisions_in(plain.left), *divisions_in(plain.right)):
        exact = _next(parts)
        left, right = (_carry_out(side, carried_out) for side in (operation.left, operation.right))
        product = exact.relation.right
        if not isinstance(product, Operation) or (exact.relation.left, product.left) != (left, right):
            raise StatementError(f"no part of the proof is about {text(operation)}")
        result = product.right if operation.operator == "//" else 0
        positive = Relation("<=", 1, right)
        certificate = find_certificate(positive, equations)
        if certificate is None:
            raise StatementError(f"the divisor in {text(operation)} is not certain to be at least 1")
        carried_out[operation] = result
        proved = ProvedPart(positive, certificate, equations_used(equations, certificate))
        found.append(Division(Operation(operation.operator, left, right), result, exact, proved))
    return tuple(found)


def _carry_out(term: Term, carried_out: dict[Operation, Term]) -> Term:
    """A term with the divisions that were carried out replaced by their results."""
    if not isinstance(term, Operation):
        return term
    if term in carried_out:
        return carried_out[term]
    left, right = (_carry_out(side, carried_out) for side in (term.left, term.right))
    return Operation(term.operator, left, right)


def _next(parts: Iterator[ProvedPart]) -> ProvedPart:
    part = next(parts, None)
    if part is None:
        raise StatementError("the proof has fewer parts than its goal")
    return part
