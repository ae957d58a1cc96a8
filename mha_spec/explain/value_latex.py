"""Lessons of value theorems as LaTeX."""

from __future__ import annotations

from .latex import PREAMBLE, escaped, heading, items, math, prose
from .sources import title
from .value_lesson import ComparisonLesson, ValueLesson, ValueLessonStep


def latex_value_lesson(lesson: ValueLesson) -> str:
    """The lesson as a fragment of LaTeX."""
    theorem = lesson.theorem
    blocks = [
        PREAMBLE,
        rf"\subsection*{{{escaped(title(theorem.name))}}}",
        rf"\emph{{{prose(theorem.sentence)}}}",
        *map(prose, lesson.origin.paragraphs),
        heading("Results"),
        items(
            "itemize",
            (f"{escaped(one.states)}, {escaped(one.reach)}: {math(one.result.latex)}" for one in lesson.chains),
        ),
        heading("Hypotheses"),
        items("itemize", map(prose, lesson.hypotheses)),
    ]
    if lesson.definitions:
        blocks += [heading("Definitions"), items("itemize", (math(one.latex) for one in lesson.definitions))]
    for chain in lesson.chains:
        blocks += [heading(f"Derivation: {escaped(chain.states)}"), items("enumerate", map(_step, chain.steps))]
    blocks += [
        "Each step was decided by normal form, for all sizes, unless it names sizes.",
        heading("Compared with the running layer"),
        items("itemize", map(_comparison, lesson.comparisons)),
        heading("Source"),
        f"{escaped(theorem.source)}.",
    ]
    if lesson.witness:
        blocks.append(rf"A second proof, in Rocq, is in \texttt{{{escaped(lesson.witness)}}}.")
    return "\n\n".join([*blocks, f"Cite as: {escaped(lesson.origin.cite)}."]) + "\n"


def _step(step: ValueLessonStep) -> str:
    sign = "" if not step.reach else "= " if step.sign == "==" else r"\leq "
    told = "zero" if step.sign == "==" else "not negative"
    gap = rf", where {math(step.gap.latex)} is {told} by the hypotheses" if step.gap else ""
    at = f" [{escaped(step.reach)}]" if step.reach.startswith("at ") else ""
    return rf"{math(sign + step.formula.latex)} \newline {prose(step.because)}{gap}{at}"


def _comparison(one: ComparisonLesson) -> str:
    measured = f"largest deviation {one.deviation:.1e}, allowed {one.tolerance:.0e}"
    return f"{escaped(one.says)}: {one.calls} of {one.calls} comparisons at drawn calls agree, {measured}"
