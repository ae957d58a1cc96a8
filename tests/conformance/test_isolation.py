"""The child process: what a target prints, hangs on or dies of gives an outcome, and a wrong target one message."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mha_spec.conformance import DeclarationError, TargetError, load_target, verify
from mha_spec.conformance.laws import catalogue
from mha_spec.conformance.target import importable_name

TARGETS = Path(__file__).parent / "targets"
LAYERS = f"{TARGETS / 'layers.py'}"
SOME = ("it_runs_on_every_design_it_accepts", "it_equals_the_definition", "its_arguments_stay_unchanged")


def test_a_correct_layer_passes_in_a_child() -> None:
    report = verify(f"{LAYERS}:own", laws=SOME, examples=20)
    assert [outcome.outcome for outcome in report.outcomes] == ["PASS"] * 3
    assert report.target == f"{LAYERS}:own"
    assert report.notes == ()


def test_a_child_and_this_process_find_the_same() -> None:
    child, here = (
        verify(f"{LAYERS}:own", laws=["*scale*"], isolated=isolated, examples=20) for isolated in (True, False)
    )
    assert [o.as_json() for o in child.outcomes] == [o.as_json() for o in here.outcomes]
    assert any(outcome.example is not None for outcome in child.outcomes), "float16 scores overflow"


def test_a_snippet_reproduces_the_failure(tmp_path: Path) -> None:
    import subprocess
    import sys

    law = "half_precision_scores_do_not_overflow_before_the_scale"
    (outcome,) = verify(f"{LAYERS}:own", laws=[law], examples=5).outcomes
    assert outcome.example is not None
    (tmp_path / "again.py").write_text(outcome.example.snippet, encoding="utf-8")
    root = str(Path(__file__).parents[2])
    run = subprocess.run(
        [sys.executable, str(tmp_path / "again.py")], capture_output=True, text=True, env={"PYTHONPATH": root}
    )
    assert run.returncode == 1
    assert f"LawBroken: {outcome.example.what}" in run.stderr


def test_what_a_target_prints_is_no_report() -> None:
    report = verify(f"{LAYERS}:Prints", laws=SOME, examples=10)
    assert [outcome.outcome for outcome in report.outcomes] == ["PASS"] * 3


def test_a_hang_is_unknown_and_after_two_the_rest_is() -> None:
    report = verify(f"{LAYERS}:Hangs", examples=20, time_limit=1.5)
    assert [outcome.law for outcome in report.outcomes] == [law.name for law in catalogue()]
    hung = [outcome for outcome in report.outcomes if outcome.reason.startswith("time ran out")]
    assert len(hung) == 2
    assert all(outcome.outcome == "UNKNOWN" and outcome.replay for outcome in hung)
    assert report.outcomes[-1].reason == "not run: 2 laws before it hung or crashed"
    assert report.exit_status == 1


def test_a_crash_is_unknown_with_its_last_words() -> None:
    report = verify(f"{LAYERS}:Crashes", laws=SOME, examples=5)
    assert [outcome.outcome for outcome in report.outcomes] == ["UNKNOWN"] * 3
    assert report.outcomes[0].reason == "the process of the target ended with status 9: the last words"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Raises", "the layer: came out KeyError: 'head_dim', should have been no error"),
        ("Exits", "SystemExit: good bye"),
        ("ReturnsAList", "the output: came out a list, should have been an ndarray of shape"),
        ("ReturnsAnotherShape", "the output: came out shape (2, 2, 5, 1), should have been shape (2, 2, 5)"),
        ("ReturnsAnotherDtype", "the output: came out dtype int64, should have been dtype float64"),
        ("no_layer", "the factory: came out int, which is not callable, should have been a layer"),
    ],
)
def test_a_layer_that_breaks_fails_the_law_about_that(name: str, reason: str) -> None:
    runs, definition, _ = verify(f"{LAYERS}:{name}", laws=SOME, examples=5).outcomes
    assert runs.outcome == "FAIL"
    assert reason in runs.reason
    assert definition.outcome == "UNKNOWN"
    assert definition.reason.startswith("every call broke: ")


def test_a_layer_that_does_nothing_is_skipped() -> None:
    report = verify(f"{LAYERS}:DoesNothing", laws=SOME, examples=5)
    assert [outcome.reason for outcome in report.outcomes] == ["not today"] * 3
    assert report.exit_status == 1


@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("no_colon", "names no factory: write package.module:name or path/to/file.py:name"),
        ("no.such.module:factory", "does not import: ModuleNotFoundError: No module named 'no'"),
        ("no/such/file.py:factory", "there is no file no/such/file.py"),
        (
            f"{TARGETS / 'does_not_import.py'}:factory",
            r"does not import, at .*does_not_import.py:3: RuntimeError: no such",
        ),
        (f"{LAYERS}:owns", "there is no 'owns' in .*; did you mean 'own'"),
        (f"{LAYERS}:number", "is a int, which is not callable"),
    ],
)
def test_a_target_that_cannot_be_used_is_refused_in_one_message(target: str, message: str, isolated: bool) -> None:
    with pytest.raises(TargetError, match=message):
        verify(target, isolated=isolated)


@pytest.mark.parametrize("isolated", [True, False])
def test_a_wrong_declaration_is_refused(isolated: bool) -> None:
    with pytest.raises(DeclarationError, match="empty_row = 'zeros'"):
        verify(f"{LAYERS}:wrongly_declared", isolated=isolated)


def test_a_loader_makes_the_factory() -> None:
    report = verify("anything at all", loader=f"{LAYERS}:by_loader", laws=SOME, examples=5)
    assert [outcome.outcome for outcome in report.outcomes] == ["PASS"] * 3


def test_a_function_of_a_module_is_run_in_a_child_by_its_name() -> None:
    assert importable_name(load_target("mha_spec.conformance:verify")) == "mha_spec.conformance.verification:verify"
    assert importable_name(lambda design, parameters: None) is None


def test_nothing_is_left_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    verify(f"{LAYERS}:own", laws=SOME, examples=20)
    verify(f"{LAYERS}:own", laws=SOME, examples=20, isolated=False)
    # Hypothesis keeps other caches for the process of the tests itself, in the folder it finds itself in
    assert [path for path in tmp_path.iterdir() if path.name != ".hypothesis"] == []
    assert not (tmp_path / ".hypothesis" / "examples").exists()


def test_a_command_leaves_nothing_in_the_folder(tmp_path: Path) -> None:
    program = f"from mha_spec.conformance import verify\nverify({str(LAYERS) + ':own'!r}, laws={SOME!r}, examples=20)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path, env=environment)
    assert list(tmp_path.iterdir()) == []
