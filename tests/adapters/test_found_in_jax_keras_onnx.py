"""Every program of the document of findings prints what it says there, in the versions that it names."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "found_jax_keras_onnx.md"
ENTRY = re.compile(r"^## (.*?)$.*?^```py\n(.*?)^```\n\n^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ENTRIES = ENTRY.findall(DOCUMENT.read_text(encoding="utf-8"))


def test_every_program_is_found() -> None:
    assert len(ENTRIES) == DOCUMENT.read_text(encoding="utf-8").count("```py") == 8


@pytest.mark.parametrize(("title", "program", "printed"), ENTRIES, ids=[title for title, _, _ in ENTRIES])
def test_a_program_prints_what_is_said(title: str, program: str, printed: str) -> None:
    for name, wanted in re.findall(r"([\w-]+)==([\w.]+)", program.splitlines()[0]):
        try:
            found = version(name)
        except PackageNotFoundError:
            pytest.skip(f"{name} is not installed")
        if found != wanted:
            pytest.skip(f"it is about {name} {wanted}, and {found} is installed")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False)
    assert (run.stdout, run.returncode) == (printed, 0), run.stderr
