"""Second witnesses are called: on claims with their verdicts, and on the theorems about values."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from .coqc import MISSING as COQC_MISSING
from .coqc import coqc_path
from .outcome import Judged, Kind, Outcome
from .rocq import RocqTheorem, rocq_file
from .rocq_run import rocq_outcomes, theorem_or_reason
from .smt import script
from .smt_run import MISSING as SMT_MISSING
from .smt_run import SOLVERS, installed, smt_outcomes, stated
from .statement import Statement
from .value_files import value_files
from .value_run import value_outcomes

ROCQ_SECONDS = 120.0  # for all claims together, and for one file about values
FEW = 10
SMT_SECONDS = {"few": 10.0, "many": 1.0}  # for one claim and one solver; what z3 answers at all, it answers in less


@dataclass(frozen=True)
class Witnessed:
    """What the witnesses said: of each claim by the name of the witness, and of each file about values.

    `missing` has the witnesses that were asked for and are not installed, `seconds` the time each kind took.
    """

    claims: tuple[Mapping[str, Outcome], ...]
    values: Mapping[str, Outcome] = field(default_factory=dict)
    missing: Mapping[Kind, Outcome] = field(default_factory=dict)
    seconds: Mapping[Kind, float] = field(default_factory=dict)

    @property
    def speaks_against(self) -> bool:
        """Whether a witness contradicts a verdict or refuses a proof."""
        return any(said.speaks_against for claim in (*self.claims, self.values) for said in claim.values())

    @property
    def fails(self) -> bool:
        """Whether a witness speaks against something, or could not be asked at all."""
        return self.speaks_against or bool(self.missing)


def witness(judged: Sequence[Judged], kind: Kind) -> tuple[Mapping[str, Outcome], ...]:
    """For each claim what the witnesses of a kind say of it, by name: `rocq`, or `z3` and `cvc5`."""
    if kind == "rocq":
        return tuple({"rocq": outcome} for outcome in rocq_outcomes(judged, ROCQ_SECONDS))
    return smt_outcomes(judged, smt_seconds(len(judged)))


def smt_seconds(claims: int) -> float:
    """The time limit for one claim, less where there are many."""
    return SMT_SECONDS["few" if claims <= FEW else "many"]


def missing(kind: Kind) -> Outcome | None:
    """What to install where no witness of a kind is installed; None where one is."""
    if kind == "rocq":
        return COQC_MISSING if coqc_path() is None else None
    return None if any(map(installed, SOLVERS)) else SMT_MISSING


def call(judged: Sequence[Judged], kinds: Sequence[Kind], *, values: bool) -> Witnessed:
    """Every witness of these kinds on every claim, and with `values` Rocq on the theorems about values."""
    claims: list[dict[str, Outcome]] = [{} for _ in judged]
    seconds: dict[Kind, float] = {}
    about_values: dict[str, Outcome] = {}
    for kind in dict.fromkeys(kinds):
        began = time.monotonic()
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(witness, judged, kind)
            if values and kind == "rocq":
                about_values = value_outcomes(value_files(), ROCQ_SECONDS)
            for claim, answers in zip(claims, asked.result(), strict=True):
                claim.update(answers)
        seconds[kind] = time.monotonic() - began
    absent = {kind: said for kind in kinds if (said := missing(kind))}
    return Witnessed(tuple(claims), about_values, absent, seconds)


def write_statements(judged: Sequence[Judged], kinds: Sequence[Kind], folder: Path) -> tuple[Path, ...]:
    """The files written to a folder: ``claims.v`` with what Rocq is asked, and a ``.smt2`` file for each claim."""
    folder.mkdir(parents=True, exist_ok=True)
    texts: dict[str, str] = {}
    if "rocq" in kinds:
        theorems = [told for one in judged if isinstance(told := theorem_or_reason(one), RocqTheorem)]
        texts["claims.v"] = rocq_file(theorems)[0] if theorems else ""
    if "smt" in kinds:
        statements = ((one.identifier, stated(one)) for one in judged)
        texts |= {f"{name}.smt2": script(told) for name, told in statements if isinstance(told, Statement)}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return tuple(folder / name for name in texts)
