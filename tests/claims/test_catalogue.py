"""Every theorem file proves its claims, shows what fails without each hypothesis, and is what it is called."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from mha_spec.claims.catalogue import load, proofs_folder, theorem_files, theorems
from mha_spec.claims.language import parse_claim
from mha_spec.claims.prover import prove
from mha_spec.claims.quantities import KNOWN_NAMES
from mha_spec.claims.theorem import counterexamples, refuted_expectations
from sampling.brute_force import ALL

from .proved_catalogue import certified_chain, proved_claims

FILES = theorem_files()
PROOFS = sorted(proofs_folder().glob("*/*.py"))
HEADLINES = {
    "parameters": ("parameters == 4*d_model**2", "parameters independent of h"),
    "score_multiplications": ("score_multiplications == n**2*d_model", "score_multiplications independent of h"),
}


def name_that_is_set(path: Path) -> object:
    """The `name` in the call that a file's ``theorem = ...`` makes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if any(isinstance(t, ast.Name) and t.id == "theorem" for t in targets) and isinstance(value, ast.Call):
            return next(
                (k.value.value for k in value.keywords if k.arg == "name" and isinstance(k.value, ast.Constant)), None
            )
    return None


def test_the_loader_finds_the_files_and_each_theorem_once() -> None:
    assert {"parameters", "score_multiplications"} <= {path.stem for path in FILES}
    assert {path.stem for path in FILES} == {path.stem for path in (proofs_folder() / "costs").glob("*.py")}
    assert [theorem.name for theorem in theorems()] == [path.stem for path in FILES]


def test_the_reading_order_names_every_theorem_once_and_nothing_else() -> None:
    listed = (proofs_folder() / "costs" / "reading_order.txt").read_text(encoding="utf-8").split()
    assert sorted(listed) == sorted(path.stem for path in FILES)


@pytest.mark.parametrize("path", PROOFS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_of_proofs_says_what_it_shows_and_is_named_after_its_theorem(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert name_that_is_set(path) == path.stem


@pytest.mark.parametrize("name", sorted(HEADLINES))
def test_the_headline_claims_are_claims_of_the_catalogue(name: str) -> None:
    (theorem,) = (theorem for theorem in theorems() if theorem.name == name)
    assert theorem.claims[:2] == HEADLINES[name]
    assert theorem.drop == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_claim_is_proved_and_agrees_with_every_counted_run(path: Path) -> None:
    found = proved_claims(path)
    assert [verdict.claim.text for verdict in found] == list(load(path).claims)
    for verdict in found:
        assert verdict.outcome == "PROVED"
        assert verdict.confirmed is not None
        assert verdict.confirmed.agreed == verdict.confirmed.designs
        if "where" not in verdict.claim.text:  # conditions may ask for a model that is too large to be counted
            assert verdict.confirmed.designs == 4


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_step_is_certified_and_says_why(path: Path) -> None:
    theorem = load(path)
    assert len(certified_chain(path)) == len(theorem.steps) - 1 >= 1
    assert all(step.because.strip() for step in theorem.steps)
    assert theorem.sentence.endswith(".")
    assert theorem.source.strip()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_hypotheses_of_the_steps_are_those_that_the_first_claim_uses(path: Path) -> None:
    used = {name for step in load(path).steps for name in step.using}
    assert used >= set(proved_claims(path)[0].hypotheses_used)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_theorem_shows_that_each_hypothesis_of_its_first_claim_is_needed(path: Path) -> None:
    theorem = load(path)
    needed = {name for name, _ in theorem.needs}
    assert needed >= set(proved_claims(path)[0].hypotheses_used)
    assert needed <= {name for verdict in proved_claims(path) for name in verdict.hypotheses_used}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_claim_without_conditions_fails_once_a_hypothesis_that_it_uses_is_dropped(path: Path) -> None:
    theorem = load(path)
    for verdict in proved_claims(path):
        for name in verdict.hypotheses_used if "where" not in verdict.claim.text else ():
            without = prove(verdict.claim.text, drop=(*theorem.drop, name), designs=0, extra=theorem.extra)
            assert without.outcome == "REFUTED", f"{verdict.claim.text} without {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_need_is_of_a_claim_of_the_theorem_and_fails_in_a_counted_run(path: Path) -> None:
    theorem = load(path)
    for hypothesis, verdict in counterexamples(theorem):
        assert hypothesis in ALL
        assert verdict.claim.text in theorem.claims
        assert verdict.confirmed is not None
        assert (verdict.confirmed.designs, verdict.confirmed.agreed) == (1, 1)
    for verdict in refuted_expectations(theorem):
        assert verdict.confirmed is not None
        assert verdict.confirmed.agreed == 1


def test_every_claim_of_the_catalogue_is_in_the_claim_language_and_made_once() -> None:
    claims = [(claim, theorem.drop) for theorem in theorems() for claim in theorem.claims]
    assert len(set(claims)) == len(claims)
    for theorem in theorems():
        for claim in (*theorem.claims, *theorem.false):
            parse_claim(claim, (*KNOWN_NAMES, *theorem.extra))


def test_a_file_without_a_theorem_is_refused_by_name(tmp_path: Path) -> None:
    empty = tmp_path / "empty.py"
    empty.write_text('"""Nothing."""\n', encoding="utf-8")
    with pytest.raises(TypeError, match=r"empty\.py defines no Theorem under the name 'theorem'"):
        load(empty)
    wrong = tmp_path / "wrong.py"
    wrong.write_text('theorem = "parameters == 4*d_model**2"\n', encoding="utf-8")
    with pytest.raises(TypeError, match=r"wrong\.py defines no Theorem"):
        load(wrong)
    with pytest.raises(TypeError, match="is not a Python file"):
        load(tmp_path / "notes.txt")
