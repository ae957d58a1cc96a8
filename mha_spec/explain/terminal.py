"""The parts that lessons are printed from on a terminal, at most 80 columns wide."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

WIDTH = 80
INDENT = 2


def section(console: Console, heading: str, *lines: RenderableType) -> None:
    """Print a heading with lines below it, after an empty line."""
    print_lines(console, "", Text(heading, style="bold"))
    print_lines(console, *(Padding(line, (0, 0, 0, INDENT), expand=False) for line in lines))


def numbered(number: int, what: RenderableType) -> RenderableType:
    """What belongs to a step, beside its number."""
    row = Table.grid(padding=(0, 2))
    row.add_column(justify="right", width=2)
    row.add_row(str(number), what)
    return row


def reason(because: str, note: str, tick: str, style: str = "cyan") -> RenderableType:
    """Why a step may be taken, with a note and the tick of a step that was accepted."""
    line = Text(because)
    if note:
        line.append("  ").append(note, style=style)
    if tick:
        line.append("  ").append(tick, style="green")
    return Padding(line, (0, 0, 0, INDENT))


def opening(console: Console, name: str, sentence: str, remark: str) -> None:
    """Print what a theorem says, and the prose of its file."""
    print_lines(console, Text.assemble((name, "bold"), f" {signs(console)[0]} {sentence}"))
    for paragraph in filter(None, remark.split("\n\n")):
        print_lines(console, "", Text(paragraph))


def closing(console: Console, source: str, cite: str) -> None:
    """Print where a theorem is from and how to cite it."""
    section(console, "Source", Text(source))
    section(console, "Cite", Text(cite))


def signs(console: Console) -> tuple[str, str]:
    """A dash and a tick in the console's encoding."""
    try:
        "—✓".encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return "--", "ok"
    return "—", "✓"


def print_lines(console: Console, *lines: RenderableType) -> None:
    """Print without the blanks that rich fills lines with, and with a mark for what the encoding cannot say."""
    with console.capture() as captured:
        for line in lines:
            console.print(line, width=min(console.width, WIDTH), highlight=False, markup=False)
    written = "".join(line.rstrip() + "\n" for line in captured.get().splitlines())
    console.file.write(written.encode(console.encoding, "replace").decode(console.encoding))
