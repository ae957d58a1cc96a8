"""What is loaded by importing the package, by the checker of certificates and by ``mha-spec --help``.

A layer contract cannot see this: a package's ``__init__`` may load what no file of it imports by name. So
each case runs in a new interpreter and looks at ``sys.modules``.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mha_spec

HEAVY = {
    "sympy",
    "hypothesis",
    "pytest",
    "torch",
    "jax",
    "flax",
    "keras",
    "tensorflow",
    "onnx",
    "transformers",
    "z3",
    "cvc5",
}
HELP = "import mha_spec.cli\ntry:\n    mha_spec.cli.main({arguments!r})\nexcept SystemExit:\n    pass"


def loaded_by(statement: str) -> set[str]:
    """The top-level modules that a new interpreter has after ``statement``."""
    program = (
        f"{statement}\nimport sys\nprint('\\nLOADED', *{{name.partition('.')[0] for name in sys.modules}})"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(run.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import mha_spec", HEAVY | {"numpy", "typer"}),
        ("import mha_spec.claims.certificate", HEAVY),
        ("import mha_spec.signatures", HEAVY),
        ("from mha_spec import multi_head_attention", HEAVY),
        ("from mha_spec import trace, count_scalars", HEAVY),
        (HELP.format(arguments=["--help"]), HEAVY | {"numpy", "rich"}),
        (HELP.format(arguments=["prove", "--help"]), HEAVY | {"numpy", "rich"}),
        (HELP.format(arguments=["--version"]), HEAVY | {"numpy", "rich"}),
    ],
)
def test_light(statement: str, forbidden: set[str]) -> None:
    assert loaded_by(statement) & forbidden == set()


def test_every_public_name_loads() -> None:
    for name in mha_spec.__all__:
        assert getattr(mha_spec, name) is getattr(mha_spec, name)
    assert set(mha_spec.__all__) <= set(dir(mha_spec))


def test_a_name_is_loaded_from_where_its_type_is_read() -> None:
    """The table that is used at run time and the imports that a type checker sees say the same."""
    tree = ast.parse(Path(mha_spec.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("mha_spec.")
        for alias in node.names
    }
    assert seen == mha_spec._HOME
    assert sorted([*seen, "__version__"]) == sorted(mha_spec.__all__)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'multi_headed_attention'"):
        getattr(mha_spec, "multi_headed_attention")  # noqa: B009 -- mypy knows that it does not exist
