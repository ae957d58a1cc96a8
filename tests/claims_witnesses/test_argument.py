"""A proof that does not fit its goal is refused before anything is printed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mha_spec.claims.witnesses.argument import argument
from mha_spec.claims.witnesses.outcome import Judged, Outcome
from mha_spec.claims.witnesses.rocq_run import rocq_outcomes, theorem_or_reason
from mha_spec.claims.witnesses.statement import StatementError

from .judging import UNDECIDED, judged


def with_proof_of(one: Judged, other: Judged) -> Judged:
    return replace(one, verdict=replace(one.verdict, proof=other.verdict.proof))


@pytest.mark.parametrize(
    ("claim", "branches", "pieces", "divisions"),
    [
        ("n >= 1", 1, [1], [0]),
        ("parameters >= 4*d_model**2 iff bias <= 1", 1, [2], [0, 0]),
        ("2*kept_pairs == n*(n + 1)", 1, [1], [0]),
        ("kept_pairs <= n*m", 2, [1, 1], [0, 0]),
        ("(h*d_k // d_k) // h == 1", 1, [1], [2]),
        ("n*h % h + d_model // d_k == h", 1, [1], [2]),
        ("n == h where n <= h, h <= n", 1, [2], [0, 0]),
    ],
)
def test_the_parts_of_a_proof_are_put_in_their_places(
    claim: str, branches: int, pieces: list[int], divisions: list[int]
) -> None:
    one = judged(claim)
    found = argument(one.question, one.verdict)
    assert len(found) == branches
    assert [len(branch.pieces) for branch in found] == pieces
    assert [len(piece.divisions) for branch in found for piece in branch.pieces] == divisions
    assert all((branch.case is None) == (not one.question.causal) for branch in found)
    assert (found[0].shown is None) == (claim != "2*kept_pairs == n*(n + 1)")


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("parameters >= 4*d_model**2 iff bias <= 1", "n >= 1"),
        ("n >= 1", "parameters >= 4*d_model**2 iff bias <= 1"),
        ("d_model // h == d_k", "(h*d_k // d_k) // h == 1"),
        ("d_model // h == d_k", "n >= 1"),
    ],
)
def test_the_proof_of_another_claim_is_refused(claim: str, other: str) -> None:
    one = with_proof_of(judged(claim), judged(other))
    with pytest.raises(StatementError):
        argument(one.question, one.verdict)
    told = theorem_or_reason(one)
    assert isinstance(told, Outcome)
    assert told.status == "unknown"


def test_a_proof_without_parts_is_refused() -> None:
    one = judged("n >= 1")
    with pytest.raises(StatementError, match="fewer parts"):
        argument(one.question, replace(one.verdict, proof=()))


def test_an_undecided_claim_gives_rocq_nothing_to_check() -> None:
    assert rocq_outcomes([judged(UNDECIDED)], 1)[0] == Outcome(
        "nothing to check", "an undecided claim has no certificate"
    )
