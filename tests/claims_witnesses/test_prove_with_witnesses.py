"""``mha-spec prove --witness``: what it prints, what it returns, and what it says aloud when a tool is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from rich.console import Console

from mha_spec.claims.witnesses import calling, rocq_run, smt_run, value_run
from mha_spec.claims.witnesses.calling import Witnessed, call, witness, write_statements
from mha_spec.claims.witnesses.outcome import Outcome
from mha_spec.cli import prove
from mha_spec.cli.witness_text import print_witnesses
from mha_spec.cli.witnesses import KINDS, Wanted

from .judging import UNDECIDED, catalogue, forged, judged, needs_coqc, needs_cvc5, needs_z3


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (calling, rocq_run, value_run):
        monkeypatch.setattr(module, "coqc_path", lambda: None)
    for module in (calling, smt_run):
        monkeypatch.setattr(module, "installed", lambda solver: False)


@needs_coqc
@needs_z3
@needs_cvc5
def test_a_proved_and_a_refuted_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove.run(["h*d_k == d_model"], designs=1, wanted=Wanted(KINDS)) == 0
    shown = capsys.readouterr().out
    assert "Second witnesses\n  h*d_k == d_model\n    rocq  accepted\n    z3    accepted\n    cvc5  accepted\n" in shown
    assert prove.run(["h == d_k"], designs=1, wanted=Wanted(("rocq",))) == 1
    assert "    rocq  accepted (that it fails)\n" in capsys.readouterr().out


@needs_coqc
def test_json_has_the_witnesses_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove.run(["h*d_k == d_model"], designs=1, output="json", wanted=Wanted(("rocq",))) == 0
    assert json.loads(capsys.readouterr().out)["claims"][0]["witnesses"] == {"rocq": "accepted"}
    assert prove.run(["h*d_k == d_model"], designs=1, output="json") == 0
    assert "witnesses" not in json.loads(capsys.readouterr().out)["claims"][0]


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize("output", ["text", "json"])
def test_a_witness_that_is_not_installed_fails_and_says_what_to_install(
    output: Literal["text", "json"], capsys: pytest.CaptureFixture[str]
) -> None:
    status = prove.run(["h*d_k == d_model"], designs=1, output=output, wanted=Wanted(KINDS))
    shown = capsys.readouterr().out
    assert status == 1
    assert "not installed: coqc (Debian package coq)" in shown
    assert "not installed: pip install 'mha-spec[smt]'" in shown


@needs_z3
def test_one_solver_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (calling, smt_run):
        monkeypatch.setattr(module, "installed", lambda solver: solver == "z3")
    said = call([judged("n >= 1")], ("smt",), values=False)
    assert {name: outcome.status for name, outcome in said.claims[0].items()} == {
        "z3": "accepted",
        "cvc5": "not installed",
    }
    assert not said.fails


@needs_coqc
@needs_z3
def test_a_contradiction_makes_the_run_fail_and_is_loud(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prove, "judged_claims", lambda asked, verdicts: (forged("n == m + 1"),))
    assert prove.run(["h*d_k == d_model"], designs=1, wanted=Wanted(KINDS)) == 1
    shown = capsys.readouterr().out
    assert "REJECTED: it fails at n=" in shown
    assert "A WITNESS CONTRADICTS A VERDICT" in shown


@needs_z3
def test_an_undecided_claim_stays_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove.run([UNDECIDED], designs=1, wanted=Wanted(("smt",))) == 1
    assert "z3    nothing to check: " in capsys.readouterr().out


def test_witnesses_by_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "rocq_outcomes", lambda judged, seconds: (Outcome("accepted"),))
    monkeypatch.setattr(calling, "smt_outcomes", lambda judged, seconds: ({"z3": Outcome("unknown", f"{seconds}")},))
    assert witness([judged("n >= 1")], "rocq") == ({"rocq": Outcome("accepted")},)
    assert witness([judged("n >= 1")], "smt") == ({"z3": Outcome("unknown", "10.0")},)


@pytest.mark.usefixtures("nothing_installed")
def test_what_witnesses_are_asked_can_be_kept(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "down"
    written = write_statements([*catalogue()[:2], judged(UNDECIDED, identifier="open")], KINDS, folder)
    first, second = (one.identifier for one in catalogue()[:2])
    assert [path.name for path in written] == ["claims.v", f"{first}.smt2", f"{second}.smt2", "open.smt2"]
    text = (folder / "claims.v").read_text(encoding="utf-8")
    assert f"Theorem {first} :" in text
    assert "Theorem open :" not in text


@pytest.mark.usefixtures("nothing_installed")
def test_the_catalogue_in_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    print_witnesses(Console(), catalogue(), call(catalogue(), KINDS, values=True), each=False)
    shown = capsys.readouterr().out
    claims = len(catalogue())
    assert f"  rocq  {claims} claims: {claims} not installed: coqc (Debian package coq)\n" in shown
    assert "files of theorems about values" in shown
    assert "rocq was asked for and nothing could be checked with it" in shown
    assert "accepted by at least one" not in shown


def test_what_is_not_accepted_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    claims = [judged("n >= 1"), judged("h >= 1"), judged("m >= 1")]
    said = ({"z3": Outcome("accepted")}, {"z3": Outcome("unknown", "(1 s)")}, {"z3": Outcome("REJECTED", "why")})
    print_witnesses(Console(), claims, Witnessed(said, {"softmax": Outcome("REJECTED", "how")}), each=False)
    shown = capsys.readouterr().out
    assert "  z3    3 claims: 1 accepted, 1 unknown (1 s), 1 REJECTED\n" in shown
    assert "    m >= 1: z3 REJECTED: why\n" in shown
    assert "    accepted by none of them: h >= 1\n" in shown
    assert "    softmax.v: rocq REJECTED: how\n" in shown
    assert "A WITNESS CONTRADICTS A VERDICT" in shown
