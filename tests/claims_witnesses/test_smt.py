"""SMT solvers agree with every verdict they can decide; what they contradict is loud, and a silence is no agreement."""

from __future__ import annotations

from pathlib import Path

import pytest

from mha_spec.claims.witnesses import smt_run
from mha_spec.claims.witnesses.outcome import Judged, Outcome
from mha_spec.claims.witnesses.smt import script
from mha_spec.claims.witnesses.smt_run import MISSING, Answer, ask_solver, compared, smt_outcomes, stated
from mha_spec.claims.witnesses.statement import Statement

from .judging import PROVED, REFUTED, UNDECIDED, all_judged, catalogue, forged, judged, needs_cvc5, needs_z3

SECONDS = 20.0


def scripts(claims: tuple[Judged, ...]) -> list[str]:
    statements = [stated(one) for one in claims]
    return [script(statement) for statement in statements if isinstance(statement, Statement)]


@needs_z3
def test_z3_finds_no_counterexample_to_any_claim_of_any_theorem() -> None:
    said = [answer.said for answer in ask_solver("z3", scripts(catalogue()), SECONDS)]
    assert dict(zip([one.identifier for one in catalogue()], said, strict=True)) == {
        one.identifier: "unsat" for one in catalogue()
    }


@needs_cvc5
def test_cvc5_contradicts_no_theorem_and_decides_most() -> None:
    some = catalogue()[::3]
    said = [answer.said for answer in ask_solver("cvc5", scripts(some), 1)]
    assert set(said) <= {"unsat", "unknown"}
    assert said.count("unsat") > len(some) / 2


@needs_z3
@needs_cvc5
def test_no_solver_contradicts_a_verdict_and_one_of_them_agrees() -> None:
    claims = all_judged((*PROVED, *REFUTED))
    for one, said in zip(claims, smt_outcomes(claims, 1), strict=True):
        assert {outcome.status for outcome in said.values()} <= {"accepted", "unknown"}, one.verdict.claim.text
        assert "accepted" in {outcome.status for outcome in said.values()}, one.verdict.claim.text


@pytest.mark.parametrize("solver", [pytest.param("z3", marks=needs_z3), pytest.param("cvc5", marks=needs_cvc5)])
def test_a_false_claim_that_is_called_proved_is_contradicted(solver: str) -> None:
    said = smt_outcomes([forged("n == m + 1")], SECONDS)[0][solver]
    assert said.speaks_against
    assert said.note.startswith("it fails at n=")
    assert str(said).startswith("REJECTED: it fails at")


@pytest.mark.parametrize(
    ("verdict", "said", "status"),
    [
        ("PROVED", "unsat", "accepted"),
        ("PROVED", "sat", "REJECTED"),
        ("REFUTED", "sat", "accepted"),
        ("REFUTED", "unsat", "REJECTED"),
        ("UNKNOWN", "sat", "nothing to check"),
        ("UNKNOWN", "unsat", "nothing to check"),
    ],
)
def test_what_an_answer_means_beside_a_verdict(verdict: str, said: str, status: str) -> None:
    assert compared(verdict, said, "n=1").status == status


@needs_z3
def test_an_undecided_claim_is_never_accepted() -> None:
    assert smt_outcomes([judged(UNDECIDED)], SECONDS)[0]["z3"].status == "nothing to check"


def test_an_unknown_is_reported_as_unknown_with_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smt_run, "installed", lambda solver: True)
    monkeypatch.setattr(smt_run, "ask_solver", lambda solver, scripts, seconds: [Answer("unknown", {})])
    said = smt_outcomes([judged("n >= 1")], 7)[0]
    assert said == {"z3": Outcome("unknown", "(7 s)"), "cvc5": Outcome("unknown", "(7 s)")}
    assert not said["z3"].speaks_against


def test_a_model_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smt_run, "installed", lambda solver: True)
    monkeypatch.setattr(smt_run, "ask_solver", lambda solver, scripts, seconds: [Answer("sat", {"n": 3})])
    said = smt_outcomes([judged("n >= 1")], 7)[0]["z3"]
    assert str(said) == "REJECTED: the solver answers sat, with values at which it does not fail: n=3"


def test_without_solvers_nothing_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smt_run, "installed", lambda solver: False)
    assert smt_outcomes([judged("n >= 1")], 1) == ({"z3": MISSING, "cvc5": MISSING},)
    assert str(MISSING) == "not installed: pip install 'mha-spec[smt]'"


PROGRAM = """
import json, sys, time
for script in json.load(sys.stdin):
    if "hang" in script:
        time.sleep(1000)
    if "die" in script:
        sys.exit(1)
    print(json.dumps(["unsat", {}]), flush=True)
"""


def test_a_solver_that_hangs_or_dies_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smt_run, "_PATIENCE", 1.0)
    program = tmp_path / "fake_solver.py"
    program.write_text(PROGRAM, encoding="utf-8")
    said = ask_solver("fake", ["one", "hang", "two", "die", "die", "three"], 1.0, program)
    stopped = "the solver hung or stopped"
    assert [answer.said for answer in said] == ["unsat", stopped, "unsat", stopped, stopped, "unsat"]
