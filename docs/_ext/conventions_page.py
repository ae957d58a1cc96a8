"""The page of conventions: measured again by running this file, `python docs/_ext/conventions_page.py`.

What is installed is asked and noted in `conventions.csv` with its version; every other row stays as it was noted, and
the page is written from the notes. The tests ask again what is installed there, and compare the page with the notes.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final, TypeAlias

from convention_probes import COLUMNS, PROBES, measured

Row: TypeAlias = dict[str, str]

NOTES: Final = Path(__file__).parent / "conventions.csv"
READ_NOTES: Final = Path(__file__).parent / "conventions_noted.csv"
PAGE: Final = Path(__file__).parents[1] / "conventions.md"
HEADER: Final = ("implementation", "version", *COLUMNS)
READ_HEADER: Final = ("implementation", "version", "boolean mask", "empty row", "causal, n != m", "scale", "bias")

ABOVE: Final = """# Conventions

How implementations treat masks, empty rows, causality, scale and precision. Every cell of this table was measured: one
head, three queries, five keys, float64, on a CPU, with the mask handed on as it is. The tests measure what is installed
there again.

- *boolean mask*: what True means in it.
- *empty row*: what a query gets that may attend to nothing. A layer adds its output bias to it.
- *causal, n != m*: whether query $i$ sees the keys up to $i$ (top-left) or up to $i + m - n$ (bottom-right).
- *float64 in*: in what precision a call with float64 computes. Where it is float32, results are off by about $10^{-7}$.

"""
BETWEEN: Final = """
The layouts of the parameters are those that the adapters in `mha_spec/adapters/` set, whose layers pass the laws.

## Noted and not measured again

These rows were noted from runs of the versions named, and are not measured by the tests.

"""


def noted(path: Path = NOTES) -> list[Row]:
    """The rows of a file of notes."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page() -> str:
    """The page, from the notes."""
    return ABOVE + table(HEADER, noted()) + BETWEEN + table(READ_HEADER, noted(READ_NOTES))


def table(header: tuple[str, ...], rows: list[Row]) -> str:
    """Rows as a table in Markdown."""
    lines = [header, ("---",) * len(header), *(tuple(row[name] for name in header) for row in rows)]
    return "".join(f"| {' | '.join(escaped(cell) for cell in line)} |\n" for line in lines)


def escaped(cell: str) -> str:
    """Words with Markdown's signs escaped."""
    return "".join(f"\\{sign}" if sign in "*_|<$" else sign for sign in cell)


def renewed() -> list[Row]:
    """The notes, with what is installed measured again."""
    before = {row["implementation"]: row for row in noted()} if NOTES.exists() else {}
    rows = []
    for probe in PROBES:
        version = probe.version()
        if version is not None:
            rows.append({"implementation": probe.name, "version": version, **measured(probe)})
        elif probe.name in before:
            rows.append(before[probe.name])
    return rows


def main() -> None:
    """Measure, note, and write the page."""
    text = io.StringIO()
    writer = csv.DictWriter(text, HEADER, lineterminator="\n")
    writer.writeheader()
    writer.writerows(renewed())
    NOTES.write_text(text.getvalue(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
