"""The page of conventions says what is measured here, for everything that is installed here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_ext"))

import convention_probes
import conventions_page

NOTED = {row["implementation"]: row for row in conventions_page.noted()}


def test_the_page_is_made_from_the_notes() -> None:
    assert conventions_page.PAGE.read_text(encoding="utf-8") == conventions_page.page()


def test_every_implementation_is_noted() -> None:
    assert list(NOTED) == [probe.name for probe in convention_probes.PROBES]


@pytest.mark.parametrize("probe", convention_probes.PROBES, ids=lambda probe: probe.name)
def test_a_row_is_measured_again(probe: convention_probes.Probe) -> None:
    version, row = probe.version(), NOTED[probe.name]
    if version is None:
        pytest.skip(f"{' or '.join(probe.needs)} is not installed")
    if version != row["version"]:
        pytest.skip(f"the row is about {row['version']}, and {version} is installed")
    assert {name: row[name] for name in convention_probes.COLUMNS} == convention_probes.measured(probe)
