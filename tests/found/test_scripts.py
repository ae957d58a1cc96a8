"""Each script beside this file shows one finding in a released version: it runs, and the documentation names it.

A script fails when a release no longer does what it shows.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SCRIPTS = sorted(path for path in HERE.glob("*.py") if not path.name.startswith(("test_", "__")))
FOUND = HERE.parents[1] / "docs" / "found.md"
MEASURED = {"torch": "2.13.0", "transformers": "5.24.0"}


def version(package: str) -> str:
    from importlib.metadata import version as installed

    return installed(package).split("+")[0]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_shows_what_was_found(script: Path) -> None:
    package = script.stem.split("_")[0]
    needed = {"torch", package}
    for name in sorted(needed) if package == "transformers" else [package]:
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
        if name in MEASURED and version(name) != MEASURED[name]:
            pytest.skip(f"found in {name} {MEASURED[name]}, and {version(name)} is installed")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", script],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"HF_HUB_OFFLINE": "1"},
        check=False,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_documentation_names_it(script: Path) -> None:
    assert f"tests/found/{script.name}" in FOUND.read_text(encoding="utf-8")
