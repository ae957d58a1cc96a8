"""What mypy must refuse: each program has a `right` function and a `wrong` one with a marked line.

A mark reads `# E[code]: text`, where the text is a part of mypy's message.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

from mypy_runs import CONFIGURATION, PACKAGE, copy_core, errors

PROGRAMS = sorted((Path(__file__).parent / "typed_programs").glob("*.py"))
MARK = re.compile(r"# E\[([\w-]+)\]: (.+)$")


def marks() -> dict[tuple[str, int], tuple[str, str]]:
    return {
        (path.name, number): (mark[1], mark[2])
        for path in PROGRAMS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (mark := MARK.search(line))
    }


def test_each_program_has_one_right_function_and_one_marked_wrong_one() -> None:
    assert len(PROGRAMS) >= 16
    marked = dict(marks().keys())
    for path in PROGRAMS:
        functions = {
            node.name: node
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef)
        }
        assert list(functions) == ["right", "wrong"], path.name
        assert functions["wrong"].lineno < marked[path.name] <= (functions["wrong"].end_lineno or 0), (
            path.name
        )
    assert len(marks()) == len(PROGRAMS)


def test_mypy_refuses_exactly_the_marked_lines(tmp_path: Path) -> None:
    copy_core(tmp_path)
    found = errors(tmp_path, PROGRAMS)
    expected = marks()
    assert {(error.file, error.line) for error in found} == set(expected)
    for place, (code, text) in expected.items():
        reports = [(error.code, error.message) for error in found if (error.file, error.line) == place]
        assert any(code == reported and text in message for reported, message in reports), (place, reports)


def test_attention_is_checked_as_strictly_in_the_project_as_here() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert project["strict"]
    assert {"module": "mha_spec.attention", "disallow_any_expr": True} in project["overrides"]
    assert "plugins" not in project
    assert "disallow_any_expr" in CONFIGURATION
