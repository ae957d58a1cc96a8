"""The rules of the house: what lies where, how long a file is, and that everything public says what it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "mha_spec", "proofs", "tests", "docs"}
SAYS_NOTHING = {"util", "utils", "helper", "helpers", "misc", "common", "manager", "managers"}
MOST_LINES_OF_A_FILE, MOST_LINES_OF_A_FUNCTION = 300, 50

Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def sources(*folders: str) -> list[Path]:
    """The Python files of the project in these folders."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py") if "_build" not in path.parts)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def public(body: list[ast.stmt], within: str = "") -> Iterator[tuple[str, Documented]]:
    """The public functions, classes and methods of a module, by their dotted names."""
    for node in body:
        if isinstance(node, Documented) and not node.name.startswith("_"):
            yield f"{within}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{within}{node.name}.")


def imported(path: Path) -> set[str]:
    """The modules that a file names in its imports."""
    found: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level + (node.module or ""))
    return found


def test_the_visible_top_level_is_what_was_agreed() -> None:
    ignored = {line.strip().strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()}
    visible = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert visible - ignored - {"__pycache__"} == TOP_LEVEL


def test_file_names_say_what_is_in_them() -> None:
    everything = [path for folder in ("mha_spec", "proofs", "tests", "docs") for path in (ROOT / folder).rglob("*")]
    assert [name_of(path) for path in everything if path.stem in SAYS_NOTHING] == []


def test_no_file_is_long() -> None:
    lengths = {
        name_of(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in sources("mha_spec", "proofs", "tests", "docs")
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES_OF_A_FILE} == {}


def test_no_function_is_long() -> None:
    long = {
        f"{name_of(path)}:{node.lineno} {node.name}": lines
        for path in sources("mha_spec", "proofs")
        for node in ast.walk(parsed(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > MOST_LINES_OF_A_FUNCTION
    }
    assert long == {}


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        name_of(path)
        for path in sources("mha_spec", "proofs", "tests", "docs")
        if path.stat().st_size and not ast.get_docstring(parsed(path))
    ]
    assert silent == []


def test_everything_public_says_what_it_is() -> None:
    silent = [
        f"{name_of(path)}: {name}"
        for path in sources("mha_spec")
        for name, node in public(parsed(path).body)
        if not ast.get_docstring(node) and not is_overload(node)
    ]
    assert silent == []


def is_overload(node: ast.AST) -> bool:
    """A typed form of a function whose docstring stands at its body."""
    decorators = getattr(node, "decorator_list", [])
    return any(isinstance(one, ast.Name) and one.id == "overload" for one in decorators)


def test_nothing_imports_a_proof_and_proofs_do_not_import_each_other() -> None:
    """Proofs are found by path; a proof that leaned on another could not be read alone."""
    importing = {
        name_of(path): found
        for path in sources("mha_spec", "proofs", "tests", "docs")
        if (found := {name for name in imported(path) if re.match(r"\.*(_?proofs)\b", name) or "._proofs" in name})
    }
    assert importing == {}
    assert [name_of(path) for path in sources("proofs") if any(name.startswith(".") for name in imported(path))] == []


def test_the_readme_leads_to_every_file_and_names_only_what_exists() -> None:
    """Each file stands in the README, or in a folder that stands there."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- `((?:mha_spec|proofs)/[\w/.]+)`", readme, re.MULTILINE)
    named = re.findall(r"`((?:mha_spec|proofs)/[\w/]+(?:\.py|/))`", readme)
    assert [name for name in {*listed, *named} if not (ROOT / name).exists()] == []
    folders = tuple(name for name in listed if name.endswith("/"))
    files = {name_of(path) for path in sources("mha_spec", "proofs") if path.name != "__init__.py"}
    assert sorted(name for name in files - set(listed) if not name.startswith(folders)) == []
