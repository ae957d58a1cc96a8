"""``mha-spec verify``: outcomes, exit statuses, and what becomes of targets that misbehave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mha_spec.cli.verify import _with_loader
from mha_spec.conformance.outcome import Example, Outcome

LAYERS = Path(__file__).with_name("layers.py")
FEW = ("--examples", "8", "--laws", "two_keys_pin_the_scale", "--laws", "masking_a_key_equals_deleting_it")


def verify(target: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mha_spec", "verify", target, *options],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "80"},
        check=False,
    )


def test_a_right_layer_passes() -> None:
    run = verify(f"{LAYERS}:right", *FEW)
    assert (run.returncode, run.stderr) == (0, "")
    assert "PASS    two keys pin the scale" in run.stdout
    assert run.stdout.splitlines()[-1].endswith("2 PASS")


def test_a_wrong_layer_fails_with_a_case_that_replays() -> None:
    run = verify(f"{LAYERS}:unscaled", *FEW, "--format", "json")
    assert run.returncode == 1
    told = json.loads(run.stdout)
    assert (told["schema"], told["target"]) == (1, f"{LAYERS}:unscaled")
    (failed,) = [outcome for outcome in told["outcomes"] if outcome["outcome"] == "FAIL"]
    assert failed["law"] == "two_keys_pin_the_scale"
    assert {"came_out", "should_be", "design", "snippet"} <= failed["example"].keys()
    again = verify(f"{LAYERS}:unscaled", "--replay", failed["replay"])
    assert again.returncode == 1
    assert "FAIL    two keys pin the scale" in again.stdout
    assert verify(f"{LAYERS}:right", "--replay", failed["replay"]).returncode == 0


def test_the_printed_snippet_reproduces_the_failure(tmp_path: Path) -> None:
    told = json.loads(verify(f"{LAYERS}:unscaled", *FEW, "--format", "json").stdout)
    snippet = next(o["example"]["snippet"] for o in told["outcomes"] if o["outcome"] == "FAIL")
    file = tmp_path / "reproduce.py"
    file.write_text(snippet, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(LAYERS.parents[2])}
    run = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=environment, check=False)
    assert run.returncode != 0
    assert "should have been" in run.stdout + run.stderr


def test_the_snippet_of_a_known_class_finds_it_by_the_adapters() -> None:
    target = "torch.nn:MultiheadAttention"
    snippet = f'from mha_spec.conformance import reproduce\n\nreproduce("{target}", "a_law:0.1")'
    outcome = Outcome("a_law", "FAIL", example=Example("what", "this", "that", {}, "call", snippet))
    for named, loaded in ((target, True), ("other.py:factory", False)):
        example = _with_loader(outcome, named).example
        assert example is not None
        assert (f'reproduce(load_factory("{target}"), "a_law:0.1")' in example.snippet) is loaded
        assert ("from mha_spec.adapters import load_factory" in example.snippet) is loaded


def test_known_failures_are_expected_and_an_unexpected_pass_fails_only_if_strict() -> None:
    run = verify(f"{LAYERS}:explained", *FEW)
    assert run.returncode == 0
    assert "XFAIL   two keys pin the scale" in run.stdout
    assert "the scale was left out on purpose" in run.stdout
    assert "XPASS   masking a key equals deleting it" in run.stdout
    assert verify(f"{LAYERS}:explained", *FEW, "--strict").returncode == 1


@pytest.mark.parametrize("target", ["raises", "wrong_shape", "refuses"])
def test_a_layer_that_does_not_work_has_outcomes_with_reasons(target: str) -> None:
    run = verify(f"{LAYERS}:{target}", "--examples", "5")
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    assert "PASS" not in run.stdout.replace("XPASS", "")


def test_nothing_exercised_is_said() -> None:
    run = verify(f"{LAYERS}:refuses", *FEW)
    assert run.returncode == 1
    assert "nothing could be exercised" in run.stdout
    assert "it does nothing yet" in run.stdout


def test_what_a_target_prints_stays_out_of_the_report() -> None:
    run = verify(f"{LAYERS}:chatty", *FEW, "--format", "json")
    assert run.returncode == 0
    assert json.loads(run.stdout)["schema"] == 1


def test_a_layer_that_hangs_is_unknown() -> None:
    run = verify(f"{LAYERS}:hangs", *FEW, "--time-limit", "1")
    assert run.returncode == 1
    assert run.stdout.count("UNKNOWN") >= 2


@pytest.mark.parametrize(
    ("target", "options", "told"),
    [
        ("no_such_module:factory", (), "no_such_module"),
        (f"{LAYERS}:rihgt", (), "did you mean 'right'"),
        (f"{LAYERS}:not_callable", (), "not callable"),
        ("nowhere.py:factory", (), "nowhere.py"),
        ("factory", (), "package.module:name"),
        (f"{LAYERS}:right", ("--laws", "two_keys_pin_teh_scale"), "two_keys_pin_the_scale"),
        (f"{LAYERS}:right", ("--exclude", "*"), "no law is left"),
        (f"{LAYERS}:right", ("--replay", "no_law:1"), "no_law"),
        (f"{LAYERS}:right", ("--replay", "two_keys_pin_the_scale:x"), "integers"),
        (f"{LAYERS}:right", ("--examples", "0"), "--examples"),
    ],
)
def test_bad_input_is_told_in_one_message(target: str, options: tuple[str, ...], told: str) -> None:
    run = verify(target, *options)
    assert run.returncode == 2
    assert told in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""
