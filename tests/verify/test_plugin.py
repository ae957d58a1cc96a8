"""The laws as pytest tests: ids that read as sentences, every outcome in pytest's words, nothing added to others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = """
from layers import explained, refuses, right, unscaled
from mha_spec.pytest_plugin import parametrize_with_laws

LAWS = ["two_keys_pin_the_scale", "masking_a_key_equals_deleting_it"]


@parametrize_with_laws([right, unscaled, explained, refuses], laws=LAWS, examples=8)
def test_attention(layer, law):
    law(layer)
"""


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    plugin = () if _is_installed() else ("-p", "mha_spec.pytest_plugin")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *plugin, *options, str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])])},
        cwd=folder,
        check=False,
    )


def _is_installed() -> bool:
    from importlib.metadata import entry_points

    return any(entry.value == "mha_spec.pytest_plugin" for entry in entry_points(group="pytest11"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_layers.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "under xdist"])
def test_every_outcome_is_told_in_the_words_of_pytest(folder: Path, options: tuple[str, ...]) -> None:
    run = run_pytest(folder, *options)
    assert "1 failed, 3 passed, 2 skipped, 1 xfailed, 1 xpassed" in run.stdout, run.stdout
    assert re.search(r"FAILED .*\[unscaled: two keys pin the scale\]", run.stdout)
    assert re.search(r"XFAIL .*\[explained: two keys pin the scale\] - .*left out on purpose", run.stdout)
    assert re.search(r"XPASS .*\[explained: masking a key equals deleting it\]", run.stdout)
    assert "it does nothing yet" in run.stdout
    assert "should have been:" in run.stdout
    assert "pytest_plugin.py" not in run.stdout


def test_junit_output_has_every_law(folder: Path) -> None:
    run_pytest(folder, "--junit-xml", str(folder / "out.xml"))
    written = (folder / "out.xml").read_text(encoding="utf-8")
    assert written.count("<testcase") == 8
    assert "right: two keys pin the scale" in written


def test_a_name_that_is_no_law_fails_the_collection(folder: Path) -> None:
    (folder / "test_layers.py").write_text(TESTS.replace("two_keys", "too_keys"), encoding="utf-8")
    run = run_pytest(folder)
    assert run.returncode == 2
    assert "did you mean 'two_keys_pin_the_scale'" in run.stdout


def test_a_run_that_does_not_use_it_loads_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\n"
        "def test_other():\n"
        "    loaded = [n for n in sys.modules if n.startswith('mha_spec')]\n"
        "    assert set(loaded) <= {'mha_spec', 'mha_spec.pytest_plugin'}, loaded\n"
        "    assert 'sympy' not in sys.modules and 'numpy' not in sys.modules\n",
        encoding="utf-8",
    )
    run = run_pytest(tmp_path)
    assert run.returncode == 0, run.stdout
