"""The files about values: compiled in order, and refused with an open proof, an axiom, or more than the reals."""

from __future__ import annotations

from pathlib import Path

import pytest

from mha_spec.claims.witnesses import value_run
from mha_spec.claims.witnesses.coqc import MISSING
from mha_spec.claims.witnesses.outcome import Outcome
from mha_spec.claims.witnesses.value_files import assuming_word, value_files, without_comments
from mha_spec.claims.witnesses.value_run import value_outcomes

from .judging import needs_coqc

SECONDS = 300.0
BASE = """From Coq Require Import Reals Lra.
Open Scope R_scope.
(* Nothing here is Admitted. *)
Lemma same : forall x : R, x + 0 = x.
Proof. intros. lra. Qed.
"""
NEEDING = """From Coq Require Import Reals.
From MhaSpec Require Import Base.
Open Scope R_scope.
Theorem twice : forall x : R, x + 0 + 0 = x.
Proof. intros. rewrite same. apply same. Qed.
Print Assumptions twice.
"""


def outcomes(folder: Path, **texts: str) -> dict[str, Outcome]:
    for name, text in texts.items():
        (folder / f"{name}.v").write_text(text, encoding="utf-8")
    return value_outcomes(value_files(folder), SECONDS)


@needs_coqc
def test_every_file_of_the_package_is_accepted() -> None:
    files = value_files()
    assert len(files) > 20
    assert value_outcomes(files, SECONDS) == {file.name: Outcome("accepted") for file in files}


@needs_coqc
def test_files_are_compiled_after_those_they_need(tmp_path: Path) -> None:
    assert outcomes(tmp_path, Base=BASE, a_theorem=NEEDING) == {
        "Base": Outcome("accepted"),
        "a_theorem": Outcome("accepted"),
    }


@needs_coqc
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Theorem t : 1 = 2.\nAdmitted.", "its text says Admitted"),
        ("Axiom a : 1 = 2.\nTheorem t : 1 = 2.\nProof. exact a. Qed.", "its text says Axiom"),
        ("Parameter a : 1 = 2.\nTheorem t : 1 = 2.\nProof. exact a. Qed.", "its text says Parameter"),
        ("Theorem t : 1 = 2.\nProof. admit.\nAdmitted.", "its text says admit"),
        ("Variable a : 1 = 2.\nTheorem t : 1 = 2.\nProof. exact a. Qed.", "its text says Variable"),
        (
            "From Coq Require Import ClassicalEpsilon.\nTheorem t : forall P : Prop, {P} + {~ P}.\n"
            "Proof. exact excluded_middle_informative. Qed.",
            "it rests on constructive_indefinite_description",
        ),
        ("Theorem t : 1 = 2.\nProof. reflexivity. Qed.", "line 2: "),
        ("From MhaSpec Require Import Absent.", "it needs Absent.v, which is not there"),
        ("From MhaSpec Require Import itself.", "the files need each other in a circle"),
    ],
)
def test_a_file_that_does_not_prove_what_it_says_is_refused(tmp_path: Path, text: str, why: str) -> None:
    said = outcomes(tmp_path, Base=BASE, itself=text)
    assert said["itself"].status == "REJECTED"
    assert said["itself"].note.startswith(why)
    assert said["Base"] == Outcome("accepted")


@needs_coqc
def test_what_needs_a_refused_file_is_refused_too(tmp_path: Path) -> None:
    said = outcomes(tmp_path, Base=BASE.replace("Proof. intros. lra. Qed.", "Admitted."), a_theorem=NEEDING)
    assert {name: outcome.status for name, outcome in said.items()} == {"Base": "REJECTED", "a_theorem": "REJECTED"}
    assert str(said["a_theorem"]) == "REJECTED: it needs Base.v, which is not accepted"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("(* Admitted (* Axiom *) Parameter *) Lemma l : True. Proof. exact I. Qed.", ""),
        ('Definition s := "Admitted".', ""),
        ("Section S.\nVariable x : nat.\nHypothesis h : x = 1.\nEnd S.", ""),
        ("Section S.\nEnd S.\nVariable x : nat.", "Variable"),
        ("Section S.\nAxiom x : nat.\nEnd S.", "Axiom"),
        ("(* *) Admitted.", "Admitted"),
        ('(* "*)" *) Axiom a : False.', "Axiom"),
        ("Unset  Guard Checking.", "Unset Guard Checking"),
        ("#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n.", "bypass_check"),
        ("Context {x : nat}.", "Context"),
    ],
)
def test_words_that_assume_something_are_found_outside_of_comments(text: str, word: str) -> None:
    assert assuming_word(text) == word


def test_comments_nest() -> None:
    assert without_comments('a (* b (* c *) "*)" d *) e') == "a  e"


def test_what_a_file_needs_and_proves_is_read(tmp_path: Path) -> None:
    (tmp_path / "one.v").write_text(
        "(* From MhaSpec Require Import No. *)\nFrom MhaSpec Require Import A\n  B.\nLemma l : True.\n"
        "Proof. exact I. Qed.\n  Theorem t' : True.\nProof. exact I. Qed.\nPrint Assumptions t'.\n",
        encoding="utf-8",
    )
    (file,) = value_files(tmp_path)
    assert (file.name, file.needs, file.theorems) == ("one", ("A", "B"), ("l", "t'"))
    assert "Print" not in file.without_questions()
    assert file.without_questions().count("\n") == file.text.count("\n")


def test_without_coqc_no_file_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_run, "coqc_path", lambda: None)
    assert set(value_outcomes(value_files(), SECONDS).values()) == {MISSING}
