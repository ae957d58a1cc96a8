"""Lessons as LaTeX: a fragment for any document that loads amsmath."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mha_spec.claims.equations import HYPOTHESIS_EQUATIONS
from mha_spec.claims.printing import claim_latex, latex, relation_latex
from mha_spec.claims.terms import Relation
from mha_spec.claims.theorem import Theorem

from .entries import Entry, own_sizes
from .lesson import Lesson, LessonStep, Point, Refutation
from .numbers import DEFAULT, GIVEN
from .prose import joined
from .sources import title

_SIGNS = {"==": "=", "<=": r"\leq", "<": "<", ">=": r"\geq", ">": ">", "!=": r"\neq"}
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: "\\" + character for character in "_{}#%&$"},
}
PREAMBLE = (
    r"% Goes into any document with \usepackage{amsmath}. To set it alone, put before it"
    "\n"
    r"%   \documentclass{article}\usepackage{amsmath}\begin{document}"
    "\n"
    r"% and after it"
    "\n"
    r"%   \end{document}"
)


def latex_lesson(lesson: Lesson) -> str:
    """The lesson as a fragment of LaTeX."""
    theorem = lesson.theorem
    blocks = [
        PREAMBLE,
        rf"\subsection*{{{escaped(title(theorem.name))}}}",
        rf"\emph{{{prose(theorem.sentence, theorem.extra)}}}",
        *(prose(paragraph, theorem.extra) for paragraph in lesson.origin.paragraphs),
        heading("Claims"),
        items("itemize", (_claim(lesson, number) for number in range(len(lesson.claims)))),
        heading("Hypotheses"),
        items("itemize", (f"{name}: {_hypothesis(name)}, {how}" for name, how in lesson.standing.items())),
        heading("Derivation"),
        "Each step was accepted with a certificate for all sizes, checked in integers.",
        items("enumerate", (_step(step, theorem) for step in lesson.steps)),
        heading("With numbers"),
        _sizes(lesson),
        items("enumerate", map(_numbers, lesson.steps)),
        *_needs(lesson),
        heading("Source"),
        f"{escaped(theorem.source)}.",
        f"Cite as: {escaped(lesson.origin.cite)}.",
    ]
    return "\n\n".join(blocks) + "\n"


def latex_index(theorems: Sequence[Entry]) -> str:
    """The names and sentences of theorems as a list."""
    rows = (
        rf"\texttt{{{escaped(theorem.name)}}}: {prose(theorem.sentence, own_sizes(theorem))}" for theorem in theorems
    )
    return f"{PREAMBLE}\n\n{items('enumerate', rows)}\n"


def derivation(lesson: Lesson) -> str:
    """The chain of terms as one aligned formula, without its reasons, for use in display mathematics."""
    first, *others = (latex(step.term) for step in lesson.steps)
    signs = [_SIGNS[step.sign] for step in lesson.steps[1:]]
    lines = [f"  & {first}", *(f"  {sign} {{}} & {term}" for sign, term in zip(signs, others, strict=True))]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def escaped(words: str) -> str:
    """Words in which LaTeX finds nothing to do."""
    return "".join(_SPECIAL.get(character, character) for character in words)


def prose(sentence: str, extra: tuple[str, ...] = ()) -> str:
    """A sentence with its formulas as mathematics and its other code in type of one width."""
    return joined(
        sentence,
        extra,
        escaped,
        lambda found: math(found.latex) if found.latex else rf"\texttt{{{escaped(found.text)}}}",
    )


def math(formula: str) -> str:
    """A formula between words."""
    return rf"\({formula}\)"


def heading(words: str) -> str:
    """The heading of a part."""
    return rf"\paragraph{{{words}}}"


def items(kind: str, contents: Iterable[str]) -> str:
    """A list of a kind, ``itemize`` or ``enumerate``."""
    return "\n".join([rf"\begin{{{kind}}}", *(rf"  \item {content}" for content in contents), rf"\end{{{kind}}}"])


def _hypothesis(name: str) -> str:
    return math(relation_latex(Relation("==", *HYPOTHESIS_EQUATIONS[name])))


def _claim(lesson: Lesson, number: int) -> str:
    verdict = lesson.claims[number]
    told = [f"{verdict.outcome}, uses {' '.join(verdict.hypotheses_used) or 'no hypothesis'}"]
    if verdict.held:
        told.append(f"held while \\(h\\) varies: {', '.join(math(latex(name)) for name in verdict.held)}")
    runs = verdict.confirmed
    if runs and runs.designs:
        told.append(f"counted runs: {runs.agreed} of {runs.designs} agree")
    return f"{math(claim_latex(verdict.claim))}: {'; '.join(told)}"


def _step(step: LessonStep, theorem: Theorem) -> str:
    sign = "" if step.certificate is None else f"{_SIGNS[step.sign]} "
    using = f" [{' '.join(step.using)}]" if step.using else ""
    return rf"{math(sign + latex(step.term))} \newline {prose(step.because, theorem.extra)}{using}"


def _sizes(lesson: Lesson) -> str:
    origin = lesson.substitution.origin
    told = {GIVEN: "given", DEFAULT: "by default"}
    sizes = (
        f"{math(f'{latex(name)} = {latex(value)}')} ({told.get(origin[name], origin[name])})"
        for name, value in lesson.substitution.sizes.items()
    )
    return f"{', '.join(sizes)}."


def _numbers(step: LessonStep) -> str:
    sign = "" if step.sign == "==" else f"{_SIGNS[step.sign]} "
    return math(f"{sign}{latex(step.numbers)} = {latex(step.value)}")


def _needs(lesson: Lesson) -> list[str]:
    blocks = []
    for name, refutations in lesson.needs_by_hypothesis.items():
        blocks += [heading(f"Without {name}, {_hypothesis(name)}"), items("itemize", map(_refutation, refutations))]
    if lesson.expectations:
        blocks += [heading("Often expected, and false"), items("itemize", map(_refutation, lesson.expectations))]
    return blocks


def _refutation(refutation: Refutation) -> str:
    verdict = refutation.verdict
    points = "; against ".join(map(_point, refutation.points))
    return f"{math(claim_latex(verdict.claim))}: {verdict.outcome}, smallest counterexample {points}"


def _point(point: Point) -> str:
    sizes = ", ".join(math(f"{latex(name)} = {latex(size)}") for name, size in point.design.items())
    values = " and ".join(f"{math(latex(term))} is {math(latex(value))}" for term, value in point.values)
    return f"{sizes}, where {values}"
