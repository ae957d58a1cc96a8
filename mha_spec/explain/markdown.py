"""Lessons as Markdown: formulas as code that can be pasted, and the derivation once more as mathematics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mha_spec.claims.printing import text
from mha_spec.claims.theorem import Theorem
from mha_spec.design import HYPOTHESES

from .entries import Entry, own_sizes
from .latex import derivation
from .lesson import Lesson, LessonStep, Point, Refutation
from .prose import joined
from .sources import title

TICK = "✓"


def markdown_lesson(lesson: Lesson) -> str:
    """The lesson as a page of Markdown; mathematics stands between ``$$``, tables are those of GitHub."""
    theorem = lesson.theorem
    blocks = [
        f"# {title(theorem.name)}",
        prose(theorem.sentence, theorem.extra),
        *(prose(paragraph, theorem.extra) for paragraph in lesson.origin.paragraphs),
        "## Claims",
        _claims(lesson),
        "## Hypotheses",
        table(("", "says", "here"), ((f"**{x}**", code(HYPOTHESES[x]), how) for x, how in lesson.standing.items())),
        "## Derivation",
        f"$$\n{derivation(lesson)}\n$$",
        "\n".join(_step(step, theorem) for step in lesson.steps),
        f"{TICK} A certificate for all sizes was accepted by a checker that uses integers only.",
        "## With numbers",
        _sizes(lesson),
        "\n".join(_numbers(step) for step in lesson.steps),
        *_needs(lesson),
        "## Check it yourself",
        f"```console\n{_commands(lesson)}\n```",
        "## Source",
        f"{escaped(theorem.source)}.",
        f"Cite as: {escaped(lesson.origin.cite)}.",
    ]
    return "\n\n".join(blocks) + "\n"


def markdown_index(theorems: Sequence[Entry]) -> str:
    """The names and sentences of theorems as a table."""
    rows = ((code(theorem.name), prose(theorem.sentence, own_sizes(theorem))) for theorem in theorems)
    return f"# Theorems\n\n{table(('theorem', 'says'), rows)}\n"


def escaped(words: str) -> str:
    """Words in which Markdown finds nothing to do."""
    return re.sub(r"([\\`*_\[\]<>|~$#])", r"\\\1", words)


def prose(sentence: str, extra: tuple[str, ...] = ()) -> str:
    """A sentence with its formulas as code."""
    return joined(sentence, extra, escaped, lambda found: code(found.text))


def code(formula: str) -> str:
    """A formula as it is typed."""
    return f"`{formula}`"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as on GitHub."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _claims(lesson: Lesson) -> str:
    rows = []
    for verdict in lesson.claims:
        runs = verdict.confirmed
        agreed = f"{runs.agreed} of {runs.designs} agree" if runs and runs.designs else "none made"
        used, held = " ".join(verdict.hypotheses_used) or "none", code(" ".join(verdict.held)) if verdict.held else ""
        rows.append((code(verdict.claim.text), verdict.outcome, used, held, agreed))
    return table(("claim", "verdict", "uses", "held while h varies", "counted runs"), rows)


def _step(step: LessonStep, theorem: Theorem) -> str:
    sign = "" if step.certificate is None else f"{step.sign} "
    using = f" **[{' '.join(step.using)}]**" if step.using else ""
    tick = "" if step.certificate is None else f" {TICK}"
    return f"{step.number}. {code(sign + text(step.term))}: {prose(step.because, theorem.extra)}{using}{tick}"


def _sizes(lesson: Lesson) -> str:
    origin = lesson.substitution.origin
    return table(
        ("size", "value", "from"),
        ((code(name), str(value), origin[name]) for name, value in lesson.substitution.sizes.items()),
    )


def _numbers(step: LessonStep) -> str:
    sign = "" if step.sign == "==" else f"{step.sign} "
    return f"{step.number}. {code(f'{sign}{text(step.numbers)} = {step.value}')}"


def _needs(lesson: Lesson) -> list[str]:
    blocks = []
    for hypothesis, refutations in lesson.needs_by_hypothesis.items():
        blocks += [f"## Without {hypothesis}, {code(HYPOTHESES[hypothesis])}", _refutations(refutations)]
    if lesson.expectations:
        blocks += ["## Often expected, and false", _refutations(lesson.expectations)]
    return blocks


def _refutations(refutations: Sequence[Refutation]) -> str:
    rows = (
        (code(one.verdict.claim.text), one.verdict.outcome, "<br>against ".join(map(_point, one.points)))
        for one in refutations
    )
    return table(("claim", "verdict", "smallest counterexample"), rows)


def _point(point: Point) -> str:
    sizes = " ".join(f"{name}={size}" for name, size in point.design.items())
    values = ", ".join(f"{code(text(term))} is {value}" for term, value in point.values)
    return f"{code(sizes)}: {values}"


def _commands(lesson: Lesson) -> str:
    return "\n".join(f"$ {command}" for command in (f"mha-spec explain {lesson.theorem.name}", *lesson.commands))
