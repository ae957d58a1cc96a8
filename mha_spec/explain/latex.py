"""Lessons as LaTeX: a fragment for any document that loads amsmath."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mha_spec.claims.equations import HYPOTHESIS_EQUATIONS
from mha_spec.claims.printing import claim_latex, latex, relation_latex
from mha_spec.claims.terms import Relation
from mha_spec.claims.theorem import Theorem

from .lesson import Lesson, LessonStep, Point, Refutation
from .numbers import DEFAULT, GIVEN
from .prose import joined

_SIGNS = {"==": "=", "<=": r"\leq", "<": "<", ">=": r"\geq", ">": ">", "!=": r"\neq"}
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: "\\" + character for character in "_{}#%&$"},
}
_PREAMBLE = (
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
        _PREAMBLE,
        rf"\subsection*{{{escaped(lesson.title)}}}",
        rf"\emph{{{_prose(theorem.sentence, theorem)}}}",
        *(_prose(paragraph, theorem) for paragraph in filter(None, lesson.remark.split("\n\n"))),
        _heading("Claims"),
        _list("itemize", (_claim(lesson, number) for number in range(len(lesson.claims)))),
        _heading("Hypotheses"),
        _list("itemize", (f"{name}: {_hypothesis(name)}, {how}" for name, how in lesson.standing.items())),
        _heading("Derivation"),
        "Each step was accepted with a certificate for all sizes, checked in integers.",
        _list("enumerate", (_step(step, theorem) for step in lesson.steps)),
        _heading("With numbers"),
        _sizes(lesson),
        _list("enumerate", map(_numbers, lesson.steps)),
        *_needs(lesson),
        _heading("Source"),
        f"{escaped(theorem.source)}.",
        f"Cite as: {escaped(lesson.cite)}.",
    ]
    return "\n\n".join(blocks) + "\n"


def latex_index(theorems: Sequence[Theorem]) -> str:
    """The names and sentences of theorems as a list."""
    rows = (rf"\texttt{{{escaped(theorem.name)}}}: {_prose(theorem.sentence, theorem)}" for theorem in theorems)
    return f"{_PREAMBLE}\n\n{_list('enumerate', rows)}\n"


def derivation(lesson: Lesson) -> str:
    """The chain of terms as one aligned formula, without its reasons, for use in display mathematics."""
    first, *others = (latex(step.term) for step in lesson.steps)
    signs = [_SIGNS[step.sign] for step in lesson.steps[1:]]
    lines = [f"  & {first}", *(f"  {sign} {{}} & {term}" for sign, term in zip(signs, others, strict=True))]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def escaped(words: str) -> str:
    """Words in which LaTeX finds nothing to do."""
    return "".join(_SPECIAL.get(character, character) for character in words)


def _prose(sentence: str, theorem: Theorem) -> str:
    return joined(sentence, theorem.extra, escaped, lambda formula: _math(formula.latex))


def _math(formula: str) -> str:
    return rf"\({formula}\)"


def _heading(words: str) -> str:
    return rf"\paragraph{{{words}}}"


def _list(kind: str, items: Iterable[str]) -> str:
    return "\n".join([rf"\begin{{{kind}}}", *(rf"  \item {item}" for item in items), rf"\end{{{kind}}}"])


def _hypothesis(name: str) -> str:
    return _math(relation_latex(Relation("==", *HYPOTHESIS_EQUATIONS[name])))


def _claim(lesson: Lesson, number: int) -> str:
    verdict = lesson.claims[number]
    told = [f"{verdict.outcome}, uses {' '.join(verdict.hypotheses_used) or 'no hypothesis'}"]
    if verdict.held:
        told.append(f"held while \\(h\\) varies: {', '.join(_math(latex(name)) for name in verdict.held)}")
    runs = verdict.confirmed
    if runs and runs.designs:
        told.append(f"counted runs: {runs.agreed} of {runs.designs} agree")
    return f"{_math(claim_latex(verdict.claim))}: {'; '.join(told)}"


def _step(step: LessonStep, theorem: Theorem) -> str:
    sign = "" if step.certificate is None else f"{_SIGNS[step.sign]} "
    using = f" [{' '.join(step.using)}]" if step.using else ""
    return rf"{_math(sign + latex(step.term))} \newline {_prose(step.because, theorem)}{using}"


def _sizes(lesson: Lesson) -> str:
    origin = lesson.substitution.origin
    told = {GIVEN: "given", DEFAULT: "by default"}
    sizes = (
        f"{_math(f'{latex(name)} = {latex(value)}')} ({told.get(origin[name], origin[name])})"
        for name, value in lesson.substitution.sizes.items()
    )
    return f"{', '.join(sizes)}."


def _numbers(step: LessonStep) -> str:
    sign = "" if step.sign == "==" else f"{_SIGNS[step.sign]} "
    return _math(f"{sign}{latex(step.numbers)} = {latex(step.value)}")


def _needs(lesson: Lesson) -> list[str]:
    blocks = []
    for name, refutations in lesson.needs_by_hypothesis.items():
        blocks += [_heading(f"Without {name}, {_hypothesis(name)}"), _list("itemize", map(_refutation, refutations))]
    if lesson.expectations:
        blocks += [_heading("Often expected, and false"), _list("itemize", map(_refutation, lesson.expectations))]
    return blocks


def _refutation(refutation: Refutation) -> str:
    verdict = refutation.verdict
    points = "; against ".join(map(_point, refutation.points))
    return f"{_math(claim_latex(verdict.claim))}: {verdict.outcome}, smallest counterexample {points}"


def _point(point: Point) -> str:
    sizes = ", ".join(_math(f"{latex(name)} = {latex(size)}") for name, size in point.design.items())
    values = " and ".join(f"{_math(latex(term))} is {_math(latex(value))}" for term, value in point.values)
    return f"{sizes}, where {values}"
