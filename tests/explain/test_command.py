"""``mha-spec explain`` as it is typed: what it prints where, and that bad input is told in one message."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from explain.lessons import ALL_NAMES
from mha_spec.cli.explain import Form, run
from mha_spec.explain.entries import find

COLOURED = re.compile("\033\\[[0-9;]*3[0-7]m")


def explain(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    return subprocess.run(
        [sys.executable, "-m", "mha_spec", "explain", *arguments],
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        env={**inherited, "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )


def test_a_theorem_is_explained_at_the_sizes_that_are_set() -> None:
    told = explain("parameters", "--set", "d_model=1024,h=16", "--set", "n=3", "--designs", "1")
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("parameters — The projections hold 4*d_model**2 weights")
    assert "given    n=3  d_model=1024  h=16" in told.stdout
    assert "4*1024**2 = 4,194,304" in told.stdout
    assert "\033" not in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 80


def test_colour_only_where_it_is_wanted() -> None:
    wanted = {"TERM": "xterm-256color", "FORCE_COLOR": "1"}
    assert COLOURED.search(explain("score_multiplications", "--designs", "1", **wanted).stdout)
    assert not COLOURED.search(explain("score_multiplications", "--designs", "1", NO_COLOR="1", **wanted).stdout)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_output_that_cannot_have_every_character(form: str) -> None:
    told = explain("score_multiplications", "--format", form, "--designs", "1", PYTHONIOENCODING="ascii")
    assert (told.returncode, told.stderr) == (0, "")
    assert ("[H5]  ok" if form == "text" else "**[H5]** ✓") in told.stdout


def test_without_a_name_the_theorems_are_listed() -> None:
    listed = explain()
    assert (listed.returncode, listed.stderr) == (0, "")
    assert max(map(len, listed.stdout.splitlines())) <= 80
    assert "\033" not in listed.stdout
    assert [line for line in listed.stdout.splitlines() if line in ALL_NAMES] == list(ALL_NAMES)


def test_the_list_and_a_lesson_are_printed_whole_in_each_form(capsys: pytest.CaptureFixture[str]) -> None:
    def printed(name: str | None, form: Form) -> str:
        assert run(name, output=form, designs=1) == 0
        return capsys.readouterr().out

    assert printed(None, "markdown").startswith("# Theorems\n")
    assert r"\begin{enumerate}" in printed(None, "latex")
    assert [row["name"] for row in json.loads(printed(None, "json"))["theorems"]] == list(ALL_NAMES)
    assert printed("score_multiplications", "markdown").startswith("# Score multiplications\n")
    assert r"\subsection*{Score multiplications}" in printed("score_multiplications", "latex")
    assert json.loads(printed("score_multiplications", "json"))["theorem"]["name"] == "score_multiplications"


def test_a_name_typed_as_words_is_understood() -> None:
    assert find("Score-Multiplications") is find("score_multiplications") is find(" score multiplications")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["paramters"], "no theorem is called 'paramters'; did you mean parameters?"),
        (["nothing like it"], "'mha-spec explain' lists them"),
        ([""], "no theorem is called ''"),
        (["parameters", "--set", "h=3,d_model=512"], "3 does not divide 512"),
        (["parameters", "--set", "share=3"], "no size is called 'share'"),
        (["parameters", "--set"], "--set"),
        (["parameters", "--format", "xml"], "--format"),
        (["parameters", "--designs", "0"], "--designs"),
        (["--set", "h=2"], "give its name"),
        (["softmax_jacobian", "--set", "h=2"], "softmax_jacobian is about values"),
        (["softmax_jacobean"], "did you mean softmax_jacobian?"),
        (["parameters", "scores"], "scores"),
    ],
)
def test_bad_input_is_told_in_one_message(arguments: list[str], told: str) -> None:
    refused = explain(*arguments)
    assert refused.returncode == 2, refused.stderr
    assert told in refused.stderr
    assert "Traceback" not in refused.stderr
    assert refused.stdout == ""


def test_a_size_of_a_theorem_of_its_own_can_be_set() -> None:
    told = explain("excess_stays_below_a_share", "--set", "share=5,h=2", "--designs", "1")
    assert "given    h=2  share=5" in told.stdout
    assert "3*5*(2 - 1)*10**2 = 1,500" in told.stdout
