"""The README and the docs are run: their Python blocks, their commands, and what they show of the output."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = FENCED.findall(README) + FENCED.findall(DOCS)
SETUP = [
    line for _, block in BLOCKS for line in block.splitlines() if "venv" in line or "pip install" in line
]


class Shown(NamedTuple):
    """A command of the README and what the README shows of its output, which may be nothing."""

    command: str
    output: str


def commands() -> list[Shown]:
    """Every ``mha-spec`` command; a console block shows output, after a line that starts with ``$``."""
    found = []
    for language, block in BLOCKS:
        if language == "console":
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append(Shown(command, output))
        elif language in {"sh", "bash", "shell"}:
            found += [Shown(line, "") for line in block.splitlines() if line.strip()]
    return [shown for shown in dict.fromkeys(found) if shown.command.startswith("mha-spec ")]


def shown_output(block: str) -> str:
    """The comments that follow a ``print`` in a Python block: what the README says it prints."""
    return "".join(line.removeprefix("# ") + "\n" for line in block.splitlines() if line.startswith("# "))


def python_blocks() -> list[str]:
    return [block for language, block in BLOCKS if language == "python"]


def test_there_is_something_to_run() -> None:
    assert python_blocks()
    assert commands()


def test_each_way_to_start_is_one_line_that_makes_its_own_environment() -> None:
    start, test = SETUP[:2]
    for command in (start, test):
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert "mha-spec prove" in start
    assert test.endswith("-m pytest")


def test_the_pipeline_runs_the_test_command_of_the_readme() -> None:
    """.ci/run takes the command from the README by this pattern."""
    pattern = r"^python3 -m venv .* -m pytest$"
    assert pattern in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(pattern, README, re.MULTILINE)[0] == SETUP[1]


@pytest.mark.parametrize("block", python_blocks(), ids=lambda block: block.strip().splitlines()[-1][:40])
def test_a_python_block_prints_what_is_shown(block: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert printed.getvalue() == shown_output(block)


@pytest.mark.parametrize("shown", commands(), ids=lambda shown: shown.command)
def test_a_command_prints_what_is_shown(shown: Shown, tmp_path: Path) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")  # where the layers are that the README points at
    run = subprocess.run(
        [sys.executable, "-m", "mha_spec", *shlex.split(shown.command, comments=True)[1:]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in {0, 1}, run.stderr
    assert run.stderr == ""
    if shown.output.strip():
        assert without_times(run.stdout).strip() == without_times(shown.output).strip()


def without_times(output: str) -> str:
    """Wall times are the one thing that differs between two runs."""
    return re.sub(r"\d+(\.\d+)? ?m?s\b", "TIME", output)
