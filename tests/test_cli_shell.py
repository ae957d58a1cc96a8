"""The shell around the verbs: exit statuses, messages, and no traceback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mha_spec.cli import guard

COMMAND = [sys.executable, "-m", "mha_spec"]


def mha_spec(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a new interpreter."""
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
        check=False,
    )


def raising(error: BaseException) -> Callable[[], int]:
    """An action that fails."""

    def action() -> int:
        raise error

    return action


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["prove", "--help"], ["--version"]])
def test_help_and_version_succeed_and_fit_in_80_columns(arguments: list[str]) -> None:
    run = mha_spec(*arguments, COLUMNS="200")
    assert (run.returncode, run.stderr) == (0, "")
    assert max(len(line) for line in run.stdout.splitlines()) <= 80


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["porve"], "porve"),
        (["prove", "--frob"], "--frob"),
        (["prove", "--format", "xml"], "--format"),
        (["prove", "--designs", "0"], "--designs"),
        (["prove", "--designs", "many"], "--designs"),
        (["prove", "--drop"], "--drop"),
        (["prove", "h == "], "h == "),
        (["prove", "multiplicatons independent of h"], "multiplications"),
        (["prove", "h/2 == 1"], "/"),
        (["prove", ""], "claim"),
        (["prove", "--drop", "H9", "h == h"], "H9"),
        (["prove", "--hold", "d_q", "h == h"], "d_q"),
    ],
)
def test_bad_input_is_told_in_one_message(arguments: list[str], told: str) -> None:
    run = mha_spec(*arguments)
    assert run.returncode == 2, run.stderr
    assert told in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


def test_without_arguments_the_help_is_shown() -> None:
    run = mha_spec()
    assert run.returncode == 2
    assert "prove" in run.stdout + run.stderr


def test_the_status_of_the_action_is_the_exit_status() -> None:
    assert [guard.guarded(lambda: 0), guard.guarded(lambda: 1)] == [0, 1]


def test_a_missing_file_is_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    missing = tmp_path / "config.json"
    assert guard.guarded(lambda: len(missing.read_text())) == 2
    assert capsys.readouterr().err == f"mha-spec: {missing}: No such file or directory\n"


def test_a_fault_is_told_with_its_type_its_last_line_and_how_to_report_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MHA_SPEC_DEBUG", raising=False)
    assert guard.guarded(raising(ZeroDivisionError("first line\nlast line"))) == 3
    told = capsys.readouterr().err
    assert told.startswith("mha-spec: internal error: ZeroDivisionError: last line\n")
    assert "report" in told
    assert "Traceback" not in told


def test_a_fault_shows_its_traceback_when_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MHA_SPEC_DEBUG", "1")
    assert guard.guarded(raising(ZeroDivisionError())) == 3
    assert "Traceback" in capsys.readouterr().err


def test_an_interruption_has_its_own_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert guard.guarded(raising(KeyboardInterrupt())) == 130
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("arguments", [["--help"], ["prove", "h == h"]])
def test_a_reader_that_leaves_early_is_no_error(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        run = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writing)
    assert run.stderr == ""
    assert run.returncode != 0


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What the command writes to a terminal of 80 columns."""
    import pty  # not on Windows

    terminal, end = pty.openpty()
    setting = {"TERM": "xterm-256color", "COLUMNS": "80", **environment}
    inherited = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    process = subprocess.Popen([*COMMAND, *arguments], stdin=end, stdout=end, stderr=end, env=inherited | setting)
    os.close(end)
    written = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        written += part
    os.close(terminal)
    process.wait()
    return written.decode()


COLOURED = re.compile("\033\\[[0-9;]*3[0-7]m")


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
def test_colour_only_on_a_terminal_that_wants_it() -> None:
    assert "\033" not in mha_spec("prove", "h == h", "--designs", "1").stdout
    assert COLOURED.search(on_a_terminal("prove", "h == h", "--designs", "1"))
    assert not COLOURED.search(on_a_terminal("prove", "h == h", "--designs", "1", NO_COLOR="1"))


@pytest.mark.parametrize("arguments", [["prove"], ["prove", "multiplications independent of h"]])
def test_verdicts_fit_in_80_columns(arguments: list[str]) -> None:
    run = mha_spec(*arguments, "--designs", "1")
    assert run.returncode == 0, run.stderr
    assert max(len(line) for line in run.stdout.splitlines()) <= 80
