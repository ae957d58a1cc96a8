"""Runs coqc, the compiler of Rocq, on files in a temporary folder; and reads what it prints about assumptions."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from .outcome import Outcome

MISSING = Outcome("not installed", "coqc (Debian package coq)")
CLOSED = "Closed under the global context"


class Run(NamedTuple):
    """What coqc printed; `status` is 0 if it accepted the file, and None if it ran out of time."""

    status: int | None
    output: str
    errors: str


def coqc_path() -> str | None:
    """Where coqc is, or None where it is not installed."""
    return shutil.which("coqc")


def coqc_version() -> str:
    """The version of coqc, such as ``8.16.1``; empty if it is not installed or does not say."""
    path = coqc_path()
    if path is None:
        return ""
    told = subprocess.run([path, "--print-version"], capture_output=True, text=True, timeout=30, check=False).stdout
    return told.split()[0] if told.split() else ""


def compile_file(file: Path, seconds: float, library: str = "") -> Run:
    """Compile a file in its own folder, which is the library of the given name, if one is given.

    Raises FileNotFoundError where coqc is not installed.
    """
    path = coqc_path()
    if path is None:
        raise FileNotFoundError("coqc is not installed (Debian package coq)")
    command = [path, "-q", "-noglob", *(["-Q", ".", library] if library else []), file.name]
    try:
        done = subprocess.run(
            command,
            cwd=file.parent,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Run(None, "", "")
    return Run(done.returncode, done.stdout, done.stderr)


def error_line(run: Run) -> int | None:
    """The line of the file at which coqc stopped, counted from 1."""
    found = re.search(r'^File ".*", line (\d+), characters', run.errors, re.MULTILINE)
    return int(found[1]) if found else None


def error_message(run: Run) -> str:
    """The first sentence of what coqc says is wrong, on one line."""
    told = run.errors.partition("Error:")[2] or run.errors or "coqc gave no reason"
    message = " ".join(told.split())
    return message if len(message) <= 160 else message[:157] + "..."


def assumptions(output: str) -> list[frozenset[str]] | None:
    """For each ``Print Assumptions``, in order, the names of what is assumed; None if nothing was printed.

    Whatever coqc prints that is neither a name with its type nor the continuation of one counts as assumed too, so
    that a kind of assumption this reader does not know is never overlooked.
    """
    printed: list[set[str]] = []
    for line in output.splitlines():
        if line.strip() == CLOSED or line.strip() == "Axioms:":
            printed.append(set())
        elif line and not line[0].isspace():
            if not printed:
                printed.append(set())
            printed[-1].add(line.split()[0].rstrip(":"))
    return [frozenset(names) for names in printed] or None


def named(names: Sequence[str] | frozenset[str]) -> str:
    """Names in alphabetical order, without the modules they are in."""
    return ", ".join(sorted({name.rpartition(".")[2] for name in names}))
