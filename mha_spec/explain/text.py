"""Lessons as text for a terminal, at most 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mha_spec.claims.printing import text
from mha_spec.claims.theorem import Theorem
from mha_spec.claims.verdict import Verdict
from mha_spec.design import HYPOTHESES

from .lesson import Lesson, LessonStep, Point, Refutation
from .numbers import DEFAULT, GIVEN

WIDTH = 80
_INDENT = 2


def print_lesson(console: Console, lesson: Lesson) -> None:
    """Print the lesson, with colours if the console has them."""
    dash, tick = _signs(console)
    _print(console, Text.assemble((lesson.theorem.name, "bold"), f" {dash} {lesson.theorem.sentence}"))
    for paragraph in filter(None, lesson.remark.split("\n\n")):
        _print(console, "", Text(paragraph))
    _section(console, "Claims", *map(_claim, lesson.claims))
    _section(console, "Hypotheses", _hypotheses(lesson))
    checked = f"{tick}  accepted: a certificate for all sizes, checked in integers"
    _section(console, "Steps", *(_step(step, tick) for step in lesson.steps), Text(checked, style="dim"))
    _section(console, "With numbers", _sizes(lesson), *map(_numbers, lesson.steps))
    for hypothesis, refutations in lesson.needs_by_hypothesis.items():
        heading = f"Without {hypothesis}, {HYPOTHESES[hypothesis]}"
        _section(console, heading, *(line for one in refutations for line in _refutation(one)))
    if lesson.expectations:
        expected = (line for one in lesson.expectations for line in _refutation(one))
        _section(console, "Often expected, and false", *expected)
    _section(console, "Counted runs", _runs(lesson))
    _section(console, "Source", Text(lesson.theorem.source))
    _section(console, "Cite", Text(lesson.cite))


def print_index(console: Console, theorems: Sequence[Theorem]) -> None:
    """Print the name and the sentence of each theorem."""
    for theorem in theorems:
        _print(console, Text(theorem.name, style="bold"), Padding(Text(theorem.sentence), (0, 0, 0, _INDENT)))
    _print(console, "", f"{len(theorems)} theorems, in the order in which they are best read.")
    _print(console, "mha-spec explain NAME shows one with its proof, in numbers, and what it needs.")


def _section(console: Console, heading: str, *lines: RenderableType) -> None:
    _print(console, "", Text(heading, style="bold"))
    _print(console, *(Padding(line, (0, 0, 0, _INDENT), expand=False) for line in lines))


def _claim(verdict: Verdict) -> RenderableType:
    told = [f"uses {' '.join(verdict.hypotheses_used) or 'no hypothesis'}"]
    if verdict.held:
        told.append(f"held while h varies: {' '.join(verdict.held)}")
    confirmed = verdict.confirmed
    if confirmed and confirmed.designs:
        told.append(f"counted runs: {confirmed.agreed} of {confirmed.designs} agree")
    row = Table.grid(padding=(0, 2))
    row.add_row(Text(verdict.outcome, style="green"), Group(Text(verdict.claim.text), Text("; ".join(told))))
    return row


def _hypotheses(lesson: Lesson) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for name, standing in lesson.standing.items():
        style = "" if standing == "used" else "dim"
        table.add_row(Text(name, style="cyan"), Text(HYPOTHESES[name]), Text(standing, style))
    return table


def _step(step: LessonStep, tick: str) -> RenderableType:
    sign = "" if step.certificate is None else f"{step.sign} "
    reason = Text(step.because)
    if step.using:
        reason.append("  ").append(f"[{' '.join(step.using)}]", style="cyan")
    if step.certificate is not None:
        reason.append("  ").append(tick, style="green")
    return _numbered(step, Group(Text(f"{sign}{text(step.term)}"), Padding(reason, (0, 0, 0, _INDENT))))


def _numbered(step: LessonStep, what: RenderableType) -> RenderableType:
    row = Table.grid(padding=(0, 2))
    row.add_column(justify="right", width=2)
    row.add_row(str(step.number), what)
    return row


def _sizes(lesson: Lesson) -> RenderableType:
    """The sizes by where they come from."""
    sizes, origin = lesson.substitution.sizes, lesson.substitution.origin
    table = Table.grid(padding=(0, 2))
    follow = sorted({source for source in origin.values() if source not in (GIVEN, DEFAULT)})
    for kind, sources in ((GIVEN, [GIVEN]), (DEFAULT, [DEFAULT]), ("follows", follow)):
        row = Text("  ".join(f"{name}={value}" for name, value in sizes.items() if origin[name] in sources))
        if kind == "follows":
            row.append(f"  [{' '.join(follow)}]", style="cyan")
        if any(source in sources for source in origin.values()):
            table.add_row(Text(kind, style="dim"), row)
    return table


def _numbers(step: LessonStep) -> RenderableType:
    sign = "" if step.sign == "==" else f"{step.sign} "
    return _numbered(step, Text(f"{sign}{text(step.numbers)} = {step.value:,}"))


def _refutation(refutation: Refutation) -> Iterator[RenderableType]:
    yield Text.assemble((refutation.verdict.outcome, "red"), f"  {refutation.verdict.claim.text}")
    for number, point in enumerate(refutation.points):
        label = "smallest counterexample" if number == 0 else "against"
        yield Padding(_point(label, point), (0, 0, 0, _INDENT))


def _point(label: str, point: Point) -> RenderableType:
    sizes = " ".join(f"{name}={size}" for name, size in point.design.items())
    values = ", ".join(f"{text(term)} is {value:,}" for term, value in point.values)
    return Group(Text(f"{label}:", style="dim"), Text(sizes), Text(values))


def _runs(lesson: Lesson) -> RenderableType:
    runs = lesson.runs
    agreed = Text(f"{runs.agreed} agree", style="green" if runs.agreed == runs.designs else "red")
    made = f"{runs.designs} runs of the layer at drawn designs, every operation counted: "
    return Text.assemble(made, agreed)


def _signs(console: Console) -> tuple[str, str]:
    """A dash and a tick in the console's encoding."""
    try:
        "—✓".encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return "--", "ok"
    return "—", "✓"


def _print(console: Console, *lines: RenderableType) -> None:
    """Print without the blanks that rich fills lines with, and with a mark for what the encoding cannot say."""
    with console.capture() as captured:
        for line in lines:
            console.print(line, width=min(console.width, WIDTH), highlight=False, markup=False)
    written = "".join(line.rstrip() + "\n" for line in captured.get().splitlines())
    console.file.write(written.encode(console.encoding, "replace").decode(console.encoding))
