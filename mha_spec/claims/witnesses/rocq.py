"""A file for Rocq, with a theorem for each claim: proved from its certificate, or refuted at its counterexample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mha_spec.claims.cases import CAUSAL_QUANTITIES, causal_values
from mha_spec.claims.terms import names
from mha_spec.claims.verdict import ProvedPart, Verdict

from .argument import argument
from .outcome import Judged
from .rocq_head import HEAD
from .rocq_proof import proof_lines
from .rocq_terms import rocq_goal, rocq_relation
from .statement import Premise, Statement, require_plain, statement_of


@dataclass(frozen=True)
class RocqTheorem:
    """A theorem with its proof, as text."""

    name: str
    text: str


def theorem_for(judged: Judged) -> RocqTheorem:
    """The theorem for a proved or a refuted claim.

    Raises StatementError if it cannot be stated, and ValueError for an undecided claim, which has no proof.
    """
    question, verdict = judged.question, judged.verdict
    if verdict.outcome == "REFUTED":
        name = require_plain(f"{judged.identifier}_fails")
        statement = statement_of(question, question.active)
        return RocqTheorem(name, "\n".join(_refutation(name, statement, verdict)))
    if verdict.outcome != "PROVED":
        raise ValueError(f"{verdict.claim.text} is {verdict.outcome}")
    branches = argument(question, verdict)
    mentioned = frozenset().union(*(_names(part) for branch in branches for part in branch.parts()))
    statement = statement_of(question, verdict.hypotheses_used, mentioned)
    name = require_plain(judged.identifier)
    proof = ["intros.", *proof_lines(branches, statement.goal)]
    lines = [_comment(statement), f"Theorem {name} :", *_stated(statement, "."), "Proof.", *_indented(proof), "Qed."]
    return RocqTheorem(name, "\n".join(lines))


def rocq_file(theorems: Sequence[RocqTheorem]) -> tuple[str, tuple[int, ...]]:
    """The text of a file with these theorems, and the line at which each begins, counted from 1.

    At its end Rocq prints what all of them together assume: once, since each time it walks through its libraries.
    """
    text, starts = f"(* Written by mha-spec from its certificates. *)\n\n{HEAD}", []
    for theorem in theorems:
        text += "\n"
        starts.append(text.count("\n") + 1)
        text += theorem.text + "\n"
    together = ",\n   ".join(theorem.name for theorem in theorems)
    text += f"\nDefinition every_theorem :=\n  ({together}).\nPrint Assumptions every_theorem.\n"
    return text, tuple(starts)


def _names(part: ProvedPart) -> frozenset[str]:
    """The variables that a proved part mentions; slacks are none, since they are written as what they stand for."""
    certificate = part.certificate
    sides = [side for pair in part.equations.values() for side in pair]
    squares = [term for square in certificate.squares for term in square]
    terms = (part.relation.left, part.relation.right, certificate.multiplier, *certificate.cofactors.values())
    named = frozenset().union(*map(names, (*terms, *sides, *squares)))
    return frozenset(name for name in named if name != "no_bias" and not name.startswith("slack"))


def _comment(statement: Statement) -> str:
    if any(mark in statement.text for mark in ("(*", "*)", '"')):
        raise ValueError(f"{statement.text!a} would end a comment")  # no claim that was parsed prints so
    return f"(* {statement.text} *)"


def _stated(statement: Statement, end: str) -> Iterator[str]:
    if not statement.variables:
        yield f"  {rocq_goal(statement.goal)}{end}"
        return
    yield f"  forall ({' '.join(statement.variables)} : Z)"
    lines = [f"    ({premise.name} : {_premise(premise)})" for premise in statement.premises]
    yield from lines[:-1]
    yield lines[-1] + ","
    yield f"  {rocq_goal(statement.goal)}{end}"


def _premise(premise: Premise) -> str:
    said = rocq_relation(premise.relation)
    return said if premise.given is None else f"{rocq_relation(premise.given)} -> {said}"


def _indented(lines: Sequence[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _refutation(name: str, statement: Statement, verdict: Verdict) -> Iterator[str]:
    """That the statement does not hold for all sizes, since it fails at the counterexample."""
    values = _values(verdict)
    numbers = [str(values[variable]) for variable in statement.variables]
    premises = ["ltac:(by_computing)"] * len(statement.premises)
    yield _comment(statement)
    yield f"Theorem {name} : ~ ("
    yield from _stated(statement, ").")
    yield "Proof."
    yield "  intro claim."
    yield f"  pose proof (claim {' '.join((*numbers, *premises))}) as there."
    yield "  by_computing."
    yield "Qed."


def _values(verdict: Verdict) -> dict[str, int]:
    """The sizes of the counterexample, those of a second design with a prime."""
    values: dict[str, int] = {}
    for design, prime in zip(verdict.counterexample, ("", "'"), strict=False):
        sizes = {**design, "group": design["h"] // design["kv_heads"]}
        facts = sizes | causal_values(CAUSAL_QUANTITIES, sizes)
        values |= {name + prime: value for name, value in facts.items()}
    return values
