"""mypy on a copy of the typed core, away from the rest of the package, with its errors as data."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parents[1] / "mha_spec"
CORE = ("shapes.py", "score_rule.py", "design.py", "attention.py")
CONFIGURATION = """
[mypy]
strict = True
[mypy-mha_spec.*]
disallow_any_expr = True
[mypy-mha_spec.shapes,mha_spec.score_rule,mha_spec.design]
disallow_any_expr = False
"""


class Error(NamedTuple):
    """One error that mypy reports."""

    file: str
    line: int
    code: str
    message: str


def copy_core(folder: Path) -> Path:
    """A package `mha_spec` in the folder that holds the shape types and attention, and nothing else."""
    package = folder / "mha_spec"
    package.mkdir()
    for name in CORE:
        shutil.copy(PACKAGE / name, package / name)
    for name in ("__init__.py", "py.typed"):
        (package / name).touch()
    return package


def errors(folder: Path, files: Iterable[Path]) -> list[Error]:
    """What one run of mypy, without a cache, reports about these files beside the core in the folder."""
    configuration = folder / "mypy.ini"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    options = ["--config-file", str(configuration), "--cache-dir", os.devnull, "--output", "json"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *map(str, files)],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode not in (0, 1):
        raise RuntimeError(f"mypy did not run: {run.stdout}{run.stderr}")
    reports = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    return [
        Error(Path(report["file"]).name, report["line"], report["code"], report["message"])
        for report in reports
        if report["severity"] == "error"
    ]
