"""Sentences as words and formulas, so that each form of output can set a formula as it does best."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mha_spec.claims.language import ClaimError, parse_claim
from mha_spec.claims.printing import goal_latex, latex
from mha_spec.claims.quantities import KNOWN_NAMES
from mha_spec.claims.terms import Relation

_OPERAND = r"[\w(][\w()*/]*"
_CANDIDATE = re.compile(rf"(?:[A-Z] )*[A-Z]\^T|{_OPERAND}(?: (?:[-+<>=]|[<>=]=) {_OPERAND})*")
_ALWAYS_SIZES = ("n", "m", "h")  # other names alone are also words, such as bias
_OF_A_FORMULA = re.compile(r"[-*/+<>=_]")


@dataclass(frozen=True)
class Formula:
    """A formula in a sentence, as it was written and in LaTeX mathematics, which is empty for other code."""

    text: str
    latex: str


def parts(sentence: str, extra: tuple[str, ...] = ()) -> tuple[str | Formula, ...]:
    """The sentence cut into words and formulas; `extra` names sizes beside those of a layer.

    A formula is an expression over known names; ``/`` in it is exact division.  What cannot be read stays words,
    or code where it stands between double backticks.
    """
    known = (*KNOWN_NAMES, *extra)
    found: list[str | Formula] = []
    for number, piece in enumerate(sentence.split("``")):
        if number % 2:
            found.append(_read(piece, known) or Formula(piece, ""))
        else:
            found += _formulas_among(piece, known)
    return tuple(part for part in found if part)


def _formulas_among(words: str, known: tuple[str, ...]) -> list[str | Formula]:
    found: list[str | Formula] = []
    end = 0
    for match in _CANDIDATE.finditer(words):
        before, candidate, after = _balanced(match.group())
        if formula := _read(candidate, known):
            found += [words[end : match.start()] + before, formula]
            end = match.end() - len(after)
    return [*found, words[end:]]


def joined(sentence: str, extra: tuple[str, ...], word: Callable[[str], str], formula: Callable[[Formula], str]) -> str:
    """The sentence with its words and its formulas each written by a function of their own."""
    return "".join(word(part) if isinstance(part, str) else formula(part) for part in parts(sentence, extra))


def _balanced(candidate: str) -> tuple[str, str, str]:
    """A candidate without the brackets of the sentence around it, which come before and after."""
    start, end = 0, len(candidate)
    while candidate[start:end].count("(") > candidate[start:end].count(")") and candidate[start] == "(":
        start += 1
    while candidate[start:end].count(")") > candidate[start:end].count("(") and candidate[end - 1] == ")":
        end -= 1
    return candidate[:start], candidate[start:end], candidate[end:]


def _read(candidate: str, known: tuple[str, ...]) -> Formula | None:
    if re.fullmatch(r"[A-Z]_[A-Z]|(?:[A-Z] )*[A-Z]\^T", candidate):
        return Formula(candidate, candidate)
    if not _OF_A_FORMULA.search(candidate) and candidate not in _ALWAYS_SIZES:
        return None
    written = re.sub(r" = ", " == ", candidate).replace("/", "//")
    related = any(f" {sign} " in written for sign in ("==", "<=", "<", ">=", ">"))
    try:
        goal = parse_claim(written if related else f"{written} == 0", known).goal
    except ClaimError:
        return None
    assert isinstance(goal, Relation)  # no words such as iff are in a candidate
    shown = goal_latex(goal) if related else latex(goal.left)
    return Formula(candidate, shown.replace(r"\left\lfloor ", "").replace(r" \right\rfloor", ""))
