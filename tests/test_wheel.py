"""What an installed mha-spec is: one top-level name, typed, with its proofs, at work anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="needs the checkout")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built from the checkout with nothing fetched."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that installing the wheel would fill; a wheel in pure Python is only unpacked."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def outside(installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder that is not the checkout, with the unpacked wheel first on its path."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=installed.parent,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_one_top_level_name(installed: Path) -> None:
    names = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert names == {"mha_spec"}


def test_every_file_of_the_package_and_every_proof_is_in_it(installed: Path) -> None:
    shipped = {path.relative_to(installed) for path in installed.glob("mha_spec/**/*.py")}
    package = {path.relative_to(ROOT) for path in ROOT.glob("mha_spec/**/*.py")}
    proofs = {Path("mha_spec/_proofs") / path.relative_to(ROOT / "proofs") for path in ROOT.glob("proofs/**/*.py")}
    assert shipped == package | proofs
    assert proofs


def test_it_is_typed_and_licensed(installed: Path) -> None:
    assert (installed / "mha_spec" / "py.typed").exists()
    (licence,) = installed.glob("*.dist-info/licenses/LICENSE")
    assert "Apache License" in licence.read_text(encoding="utf-8")


def test_the_console_script_is_main(installed: Path) -> None:
    (entry_points,) = installed.glob("*.dist-info/entry_points.txt")
    assert "mha-spec = mha_spec.cli:main" in entry_points.read_text(encoding="utf-8")


def test_no_framework_is_required(installed: Path) -> None:
    (metadata,) = installed.glob("*.dist-info/METADATA")
    required = Parser().parsestr(metadata.read_text(encoding="utf-8")).get_all("Requires-Dist") or []
    always = {line.split(">")[0] for line in required if "extra ==" not in line}
    assert always == {"numpy", "sympy", "hypothesis", "typer", "rich"}


def test_prove_works_outside_the_checkout(installed: Path) -> None:
    where = outside(installed, "-c", "import mha_spec; print(mha_spec.__file__)")
    assert Path(where.stdout.strip()).is_relative_to(installed)
    run = outside(installed, "-m", "mha_spec", "prove", "--designs", "1")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "PROVED" in run.stdout


def test_the_proofs_of_the_wheel_are_the_proofs_of_the_checkout(installed: Path) -> None:
    program = "import mha_spec; print(*[theorem.name for theorem in mha_spec.theorems()])"
    there = outside(installed, "-c", program)
    here = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert there.stdout == here.stdout
    assert there.stdout.split()
