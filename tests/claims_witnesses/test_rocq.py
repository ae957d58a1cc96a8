"""Rocq accepts what is proved and refuses what is not: a false claim, a wrong cofactor, an axiom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mha_spec.claims.certificate import Certificate
from mha_spec.claims.witnesses import rocq_run
from mha_spec.claims.witnesses.coqc import MISSING, Run, assumptions, coqc_version, error_line, error_message
from mha_spec.claims.witnesses.outcome import Outcome
from mha_spec.claims.witnesses.rocq import RocqTheorem, rocq_file, theorem_for
from mha_spec.claims.witnesses.rocq_run import compiled, rocq_outcomes

from .judging import PROVED, REFUTED, all_judged, catalogue, forged, judged, needs_coqc, with_wrong_cofactors

SECONDS = 300.0  # a busy machine is no reason to fail


def statuses(outcomes: tuple[Outcome, ...]) -> list[str]:
    return [str(outcome) for outcome in outcomes]


@needs_coqc
def test_rocq_accepts_every_claim_of_every_theorem() -> None:
    said = rocq_outcomes(catalogue(), SECONDS)
    told = {one.identifier: str(each) for one, each in zip(catalogue(), said, strict=True)}
    assert {name: each for name, each in told.items() if each != "accepted"} == {}


@needs_coqc
@pytest.mark.parametrize("drop", [(), ("H5",), ("H1", "H2", "H3", "H4", "H5", "H6")])
def test_rocq_agrees_with_every_kind_of_proof_and_refutation(drop: tuple[str, ...]) -> None:
    decided = [one for one in all_judged((*PROVED, *REFUTED), drop) if one.verdict.outcome != "UNKNOWN"]
    expected = ["accepted (that it fails)" if one.verdict.outcome == "REFUTED" else "accepted" for one in decided]
    assert statuses(rocq_outcomes(decided, SECONDS)) == expected


@needs_coqc
def test_a_false_claim_is_refused_and_its_neighbours_are_not() -> None:
    claims = [
        judged("n >= 1", identifier="before"),
        forged("n == m + 1"),
        judged("h*d_k == d_model", identifier="between"),
        forged("d_model <= h", identifier="forged_again"),
        judged("bias <= 1", identifier="after"),
    ]
    said = rocq_outcomes(claims, SECONDS)
    assert [outcome.status for outcome in said] == ["accepted", "REJECTED", "accepted", "REJECTED", "accepted"]
    assert said[1].speaks_against
    assert said[1].note


@needs_coqc
@pytest.mark.parametrize(
    "certificate",
    [
        Certificate({"H1": 2}),
        Certificate({"H1": 1, "H2": 1}),
        Certificate({"H1": 1}, multiplier=0),
        Certificate({"H1": 1}, multiplier="n"),
    ],
)
def test_a_wrong_certificate_of_a_true_claim_is_refused(certificate: Certificate) -> None:
    right = forged("h*d_k == d_model", Certificate({"H1": 1}), using=("H1", "H2"))
    wrong = forged("h*d_k == d_model", certificate, using=("H1", "H2"))
    assert statuses(rocq_outcomes([right], SECONDS)) == ["accepted"]
    assert [said.status for said in rocq_outcomes([wrong], SECONDS)] == ["REJECTED"]


@needs_coqc
def test_a_wrong_cofactor_is_refused_in_an_inequality_too() -> None:
    claims = [judged("d_k <= d_model"), judged("kv_cache_entries <= 2*m*h*d_k", ("H3",), "claim_2")]
    assert [said.status for said in rocq_outcomes([with_wrong_cofactors(one) for one in claims], SECONDS)] == [
        "REJECTED",
        "REJECTED",
    ]


@needs_coqc
def test_a_hypothesis_that_the_proof_needs_cannot_be_left_out_of_the_statement() -> None:
    one = judged("h*d_k == d_model")
    without = replace(one, verdict=replace(one.verdict, hypotheses_used=()))
    assert rocq_outcomes([without], SECONDS)[0].status == "REJECTED"


@needs_coqc
def test_a_design_that_is_no_counterexample_is_refused() -> None:
    one = judged("n == m + h")
    right = one.verdict.counterexample[0]
    wrong = replace(one, verdict=replace(one.verdict, counterexample=({**right, "n": 2, "m": 1},)))
    assert statuses(rocq_outcomes([one], SECONDS)) == ["accepted (that it fails)"]
    assert rocq_outcomes([wrong], SECONDS)[0].status == "REJECTED"


@needs_coqc
def test_a_theorem_that_rests_on_an_axiom_is_refused() -> None:
    text = "Axiom anything : forall n m : Z, n = m.\nTheorem t : forall n m : Z, n = m.\nProof. exact anything. Qed."
    assert compiled([RocqTheorem("t", text)], SECONDS) == (Outcome("REJECTED", "it rests on anything"),)
    admitted = "Theorem t : forall n m : Z, n = m.\nAdmitted."
    assert compiled([RocqTheorem("t", admitted)], SECONDS) == (Outcome("REJECTED", "it rests on t"),)


@needs_coqc
def test_what_takes_too_long_is_unknown() -> None:
    slow = RocqTheorem("t", "Theorem t : True.\nProof. do 1000000000 idtac. exact I. Qed.")
    assert compiled([slow], 3) == (Outcome("unknown", "(3 s)"),)


@needs_coqc
def test_coqc_says_its_version() -> None:
    assert coqc_version()[0].isdigit()


def test_without_coqc_nothing_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rocq_run, "coqc_path", lambda: None)
    assert rocq_outcomes([judged("n >= 1")], SECONDS) == (MISSING,)
    assert str(MISSING) == "not installed: coqc (Debian package coq)"


def test_theorems_are_found_by_their_lines() -> None:
    theorems = [theorem_for(judged("n >= 1", identifier=name)) for name in ("first", "second", "third")]
    text, starts = rocq_file(theorems)
    assert [text.splitlines()[start] for start in starts] == [f"Theorem {theorem.name} :" for theorem in theorems]
    assert text.endswith("(first,\n   second,\n   third).\nPrint Assumptions every_theorem.\n")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("", None),
        ("Closed under the global context\n", [set()]),
        ("Axioms:\na.b : forall n,\n  n = n\nc\n  : nat\n", [{"a.b", "c"}]),
        ("Axioms:\na : nat\nClosed under the global context\n", [{"a"}, set()]),
        ("Section Variables:\nx : nat\n", [{"Section", "x"}]),
        ("f is assumed to be guarded.\n", [{"f"}]),
    ],
)
def test_what_rocq_says_of_assumptions_is_read_and_never_overlooked(
    output: str, expected: list[set[str]] | None
) -> None:
    assert assumptions(output) == expected


def test_errors_of_coqc_are_found() -> None:
    said = 'File "./claims.v", line 12, characters 3-9:\nError:\nThe term "x"\nis wrong.\n'
    assert error_line(Run(1, "", said)) == 12
    assert error_message(Run(1, "", said)) == 'The term "x" is wrong.'
    assert error_line(Run(1, "", "killed")) is None
    assert error_message(Run(1, "", "")) == "coqc gave no reason"
