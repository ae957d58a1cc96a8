"""The lesson of a value theorem: its derivations decided again, and compared with the running layer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mha_spec.claims.catalogue import proofs_folder
from mha_spec.claims.values.steps import FOR_ALL_SIZES, check
from mha_spec.claims.values.theorem import Chain, ValueTheorem, confirm

from .formula_text import as_latex, plain
from .sources import Origin, origin


@dataclass(frozen=True)
class Written:
    """A formula or a relation as text and as LaTeX mathematics."""

    text: str
    latex: str


@dataclass(frozen=True)
class ValueLessonStep:
    """One step of a derivation: a formula and how it relates to the one before, why, and how far that was decided.

    `reach` is "for all sizes" or names the sizes, and is empty for the first step; `gap` is what the formula and
    the one before differ by, where the hypotheses are needed to see that it is zero or not negative.
    """

    number: int
    sign: str
    formula: Written
    because: str
    reach: str
    gap: Written | None


@dataclass(frozen=True)
class ChainLesson:
    """One result of a theorem with its derivation."""

    states: str
    result: Written
    steps: tuple[ValueLessonStep, ...]

    @property
    def reach(self) -> str:
        """How far the whole derivation was decided: for all sizes, or where its weakest steps were."""
        reaches = dict.fromkeys(step.reach for step in self.steps[1:])
        return "; ".join(reach for reach in reaches if reach != FOR_ALL_SIZES) or FOR_ALL_SIZES


@dataclass(frozen=True)
class ComparisonLesson:
    """On how many drawn calls the running layer did what a theorem says, and by how much it was off at most."""

    says: str
    calls: int
    deviation: float
    tolerance: float


@dataclass(frozen=True)
class ValueLesson:
    """One value theorem with what a reader may want to know of it; `witness` is its second proof, or empty."""

    theorem: ValueTheorem
    origin: Origin
    hypotheses: tuple[str, ...]
    definitions: tuple[Written, ...]
    chains: tuple[ChainLesson, ...]
    comparisons: tuple[ComparisonLesson, ...]
    witness: str


def value_lesson(theorem: ValueTheorem, calls: int = 12) -> ValueLesson:
    """The lesson of a value theorem, compared with the layer on a number of drawn calls.

    Raises TheoremError if a step is refused or a comparison does not agree.
    """
    reaches = {(id(verdict.chain), verdict.number): verdict.reach for verdict in check(theorem)}
    proofs = proofs_folder()
    return ValueLesson(
        theorem,
        origin(theorem.name, "values"),
        tuple(hypothesis.sentence for hypothesis in theorem.hypotheses),
        tuple(_relation(entry, "==", formula) for entry, formula in theorem.definitions.items()),
        tuple(_chain(chain, reaches) for chain in theorem.chains),
        tuple(_comparisons(theorem, calls)),
        f"proofs/{theorem.rocq}" if theorem.rocq_witness(proofs) else "",
    )


def _relation(left: object, sign: str, right: object) -> Written:
    latex_sign = {"==": "=", "<=": r"\leq"}[sign]
    return Written(f"{plain(left)} {sign} {plain(right)}", f"{as_latex(left)} {latex_sign} {as_latex(right)}")


def _chain(chain: Chain, reaches: dict[tuple[int, int], str]) -> ChainLesson:
    steps = tuple(
        ValueLessonStep(
            number,
            step.sign,
            Written(plain(step.to), as_latex(step.to)),
            step.because,
            reaches.get((id(chain), number), ""),
            None if step.gap == 0 else Written(plain(step.gap), as_latex(step.gap)),
        )
        for number, step in enumerate(chain.steps, 1)
    )
    return ChainLesson(chain.states, _relation(chain.left, chain.sign, chain.right), steps)


def _comparisons(theorem: ValueTheorem, calls: int) -> Iterable[ComparisonLesson]:
    """What was compared over all calls, by what it says; every one agreed, or `confirm` has raised."""
    found: dict[str, ComparisonLesson] = {}
    for seed in range(calls):
        for one in confirm(theorem, np.random.default_rng(seed)):
            before = found.get(one.says, ComparisonLesson(one.says, 0, 0.0, 0.0))
            deviation, tolerance = max(before.deviation, one.deviation()), max(before.tolerance, one.tolerance)
            found[one.says] = ComparisonLesson(one.says, before.calls + 1, deviation, tolerance)
    return found.values()
