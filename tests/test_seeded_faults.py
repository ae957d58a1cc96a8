"""mypy and the package's own attention.py: a fault in a shape is refused, one that keeps every shape is not.

The second half keeps the list of what types cannot see honest.
"""

from __future__ import annotations

import pytest

from mypy_runs import PACKAGE, Error, copy_core, errors
from seeded_faults import BEYOND_TYPES, BY_TYPE, Fault

ATTENTION = (PACKAGE / "attention.py").read_text(encoding="utf-8")


def module_name(kind: str, number: int) -> str:
    return f"fault_{kind}_{number:02}.py"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Error]]:
    """The errors of each faulty copy, from one run of mypy over all of them and the original."""
    folder = tmp_path_factory.mktemp("seeded")
    package = copy_core(folder)
    files = [package / "attention.py"]
    for kind, faults in (("type", BY_TYPE), ("value", BEYOND_TYPES)):
        for number, fault in enumerate(faults):
            files.append(package / module_name(kind, number))
            files[-1].write_text(ATTENTION.replace(fault.old, fault.new), encoding="utf-8")
    found: dict[str, list[Error]] = {file.name: [] for file in files}
    for error in errors(folder, files):
        found[error.file].append(error)
    return found


@pytest.mark.parametrize("fault", [*BY_TYPE, *BEYOND_TYPES], ids=lambda fault: fault.sentence)
def test_a_fault_changes_one_place(fault: Fault) -> None:
    assert ATTENTION.count(fault.old) == 1
    assert fault.new != fault.old
    compile(ATTENTION.replace(fault.old, fault.new), "attention.py", "exec")


def test_the_original_has_no_error(reports: dict[str, list[Error]]) -> None:
    assert reports["attention.py"] == []


@pytest.mark.parametrize("number", range(len(BY_TYPE)), ids=[fault.sentence for fault in BY_TYPE])
def test_mypy_refuses_a_fault_in_a_shape(number: int, reports: dict[str, list[Error]]) -> None:
    assert reports[module_name("type", number)] != []


@pytest.mark.parametrize("number", range(len(BEYOND_TYPES)), ids=[fault.sentence for fault in BEYOND_TYPES])
def test_mypy_does_not_see_a_fault_that_keeps_every_shape(
    number: int, reports: dict[str, list[Error]]
) -> None:
    assert reports[module_name("value", number)] == []


def test_sentences_are_distinct() -> None:
    sentences = [fault.sentence for fault in (*BY_TYPE, *BEYOND_TYPES)]
    assert len(set(sentences)) == len(sentences)
