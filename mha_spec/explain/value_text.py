"""Lessons of value theorems as text for a terminal."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mha_spec.claims.values.steps import FOR_ALL_SIZES

from .terminal import INDENT, closing, numbered, opening, reason, section, signs
from .value_lesson import ChainLesson, ComparisonLesson, ValueLesson, ValueLessonStep


def print_value_lesson(console: Console, lesson: ValueLesson) -> None:
    """Print the lesson, with colours if the console has them."""
    tick = signs(console)[1]
    opening(console, lesson.theorem.name, lesson.theorem.sentence, lesson.origin.remark)
    section(console, "Results", *map(_result, lesson.chains))
    section(console, "Hypotheses", *map(Text, lesson.hypotheses))
    if lesson.definitions:
        section(console, "Definitions", *(Text(definition.text) for definition in lesson.definitions))
    for chain in lesson.chains:
        section(console, f"Steps: {chain.states}", *(_step(step, tick) for step in chain.steps))
    section(console, "What is accepted", Text(f"{tick}  {_accepted(lesson)}"))
    section(console, "Compared with the running layer", *map(_comparison, lesson.comparisons))
    if lesson.witness:
        section(console, "Second proof", Text(f"in Rocq: {lesson.witness}"))
    closing(console, lesson.theorem.source, lesson.origin.cite)


def _result(chain: ChainLesson) -> RenderableType:
    proved = chain.reach == FOR_ALL_SIZES
    row = Table.grid(padding=(0, 2))
    outcome = Text("PROVED", style="green") if proved else Text("HOLDS", style="yellow")
    row.add_row(outcome, Group(Text(chain.result.text), Text(f"{chain.states}; {chain.reach}")))
    return row


def _step(step: ValueLessonStep, tick: str) -> RenderableType:
    first = not step.reach
    lines: list[RenderableType] = [Text(step.formula.text if first else f"{step.sign} {step.formula.text}")]
    note = "" if first or step.reach == FOR_ALL_SIZES else f"[{step.reach}]"
    lines.append(reason(step.because, note, "" if first else tick, "yellow"))
    if step.gap:
        told = "zero" if step.sign == "==" else "not negative"
        lines.append(Padding(Text(f"by the hypotheses this is {told}: {step.gap.text}"), (0, 0, 0, INDENT)))
    return numbered(step.number, Group(*lines))


def _accepted(lesson: ValueLesson) -> str:
    everywhere = all(chain.reach == FOR_ALL_SIZES for chain in lesson.chains)
    return "decided by normal form, for all sizes" + ("" if everywhere else ", or at the sizes named")


def _comparison(one: ComparisonLesson) -> RenderableType:
    measured = f"largest deviation {one.deviation:.1e}, allowed {one.tolerance:.0e}"
    return Text(f"{one.says}: {one.calls} of {one.calls} comparisons at drawn calls agree, {measured}")
