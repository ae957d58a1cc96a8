"""Lessons of cost theorems, and the list of all theorems, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mha_spec.claims.printing import text
from mha_spec.claims.verdict import Verdict
from mha_spec.design import HYPOTHESES

from .entries import Entry
from .lesson import Lesson, LessonStep, Point, Refutation
from .numbers import DEFAULT, GIVEN
from .terminal import INDENT, closing, numbered, opening, print_lines, reason, section, signs


def print_lesson(console: Console, lesson: Lesson) -> None:
    """Print the lesson, with colours if the console has them."""
    _, tick = signs(console)
    opening(console, lesson.theorem.name, lesson.theorem.sentence, lesson.origin.remark)
    section(console, "Claims", *map(_claim, lesson.claims))
    section(console, "Hypotheses", _hypotheses(lesson))
    checked = f"{tick}  accepted: a certificate for all sizes, checked in integers"
    section(console, "Steps", *(_step(step, tick) for step in lesson.steps), Text(checked, style="dim"))
    section(console, "With numbers", _sizes(lesson), *map(_numbers, lesson.steps))
    for hypothesis, refutations in lesson.needs_by_hypothesis.items():
        heading = f"Without {hypothesis}, {HYPOTHESES[hypothesis]}"
        section(console, heading, *(line for one in refutations for line in _refutation(one)))
    if lesson.expectations:
        expected = (line for one in lesson.expectations for line in _refutation(one))
        section(console, "Often expected, and false", *expected)
    section(console, "Counted runs", _runs(lesson))
    closing(console, lesson.theorem.source, lesson.origin.cite)


def print_index(console: Console, theorems: Sequence[Entry]) -> None:
    """Print the name and the sentence of each theorem."""
    for theorem in theorems:
        print_lines(console, Text(theorem.name, style="bold"), Padding(Text(theorem.sentence), (0, 0, 0, INDENT)))
    print_lines(console, "", f"{len(theorems)} theorems, in the order in which they are best read.")
    print_lines(console, "mha-spec explain NAME shows one with its proof, in numbers, and what it needs.")


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
    using = f"[{' '.join(step.using)}]" if step.using else ""
    why = reason(step.because, using, tick if step.certificate else "")
    return numbered(step.number, Group(Text(f"{sign}{text(step.term)}"), why))


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
    return numbered(step.number, Text(f"{sign}{text(step.numbers)} = {step.value:,}"))


def _refutation(refutation: Refutation) -> Iterator[RenderableType]:
    yield Text.assemble((refutation.verdict.outcome, "red"), f"  {refutation.verdict.claim.text}")
    for number, point in enumerate(refutation.points):
        label = "smallest counterexample" if number == 0 else "against"
        yield Padding(_point(label, point), (0, 0, 0, INDENT))


def _point(label: str, point: Point) -> RenderableType:
    sizes = " ".join(f"{name}={size}" for name, size in point.design.items())
    values = ", ".join(f"{text(term)} is {value:,}" for term, value in point.values)
    return Group(Text(f"{label}:", style="dim"), Text(sizes), Text(values))


def _runs(lesson: Lesson) -> RenderableType:
    runs = lesson.runs
    agreed = Text(f"{runs.agreed} agree", style="green" if runs.agreed == runs.designs else "red")
    made = f"{runs.designs} runs of the layer at drawn designs, every operation counted: "
    return Text.assemble(made, agreed)
