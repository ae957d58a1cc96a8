"""Lessons of value theorems as Markdown."""

from __future__ import annotations

from .markdown import TICK, code, escaped, prose, table
from .sources import title
from .value_lesson import ChainLesson, ValueLesson, ValueLessonStep


def markdown_value_lesson(lesson: ValueLesson) -> str:
    """The lesson as a page of Markdown; mathematics stands between ``$$``, tables are those of GitHub."""
    theorem = lesson.theorem
    blocks = [
        f"# {title(theorem.name)}",
        prose(theorem.sentence),
        *map(prose, lesson.origin.paragraphs),
        "## Results",
        table(("result", "", ""), ((escaped(one.states), code(one.result.text), one.reach) for one in lesson.chains)),
        "## Hypotheses",
        "\n".join(f"- {prose(sentence)}" for sentence in lesson.hypotheses),
    ]
    if lesson.definitions:
        blocks += ["## Definitions", *(f"$$\n{definition.latex}\n$$" for definition in lesson.definitions)]
    for chain in lesson.chains:
        blocks += [f"## Derivation: {escaped(chain.states)}", *_derivation(chain)]
    blocks += [
        f"{TICK} The step was decided by normal form, for all sizes, unless it names sizes.",
        "## Compared with the running layer",
        _comparisons(lesson),
        "## Source",
        f"{escaped(theorem.source)}.",
    ]
    if lesson.witness:
        blocks.append(f"A second proof, in Rocq, is in {code(lesson.witness)}.")
    return "\n\n".join([*blocks, f"Cite as: {escaped(lesson.origin.cite)}."]) + "\n"


def _derivation(chain: ChainLesson) -> tuple[str, ...]:
    lines = ["  & " + chain.steps[0].formula.latex]
    lines += [f"  {_sign(step)} {{}} & {step.formula.latex}" for step in chain.steps[1:]]
    aligned = "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"
    return f"$$\n{aligned}\n$$", "\n".join(map(_step, chain.steps))


def _sign(step: ValueLessonStep) -> str:
    return "=" if step.sign == "==" else r"\leq"


def _step(step: ValueLessonStep) -> str:
    sign = f"{step.sign} " if step.reach else ""
    told = "zero" if step.sign == "==" else "not negative"
    gap = f", where {code(step.gap.text)} is {told} by the hypotheses" if step.gap else ""
    tick = f" {TICK}" if step.reach else ""
    at = f" **[{step.reach}]**" if step.reach.startswith("at ") else ""
    return f"{step.number}. {code(sign + step.formula.text)}: {prose(step.because)}{gap}{at}{tick}"


def _comparisons(lesson: ValueLesson) -> str:
    rows = (
        (escaped(one.says), f"{one.calls} of {one.calls}", f"{one.deviation:.1e}", f"{one.tolerance:.0e}")
        for one in lesson.comparisons
    )
    return table(("says", "agree", "largest deviation", "allowed"), rows)
