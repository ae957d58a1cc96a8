"""Rocq is asked about claims: one file for all of them, compiled again without a theorem that it refuses."""

from __future__ import annotations

import tempfile
import time
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

from .coqc import MISSING, Run, assumptions, compile_file, coqc_path, error_line, error_message, named
from .outcome import Judged, Outcome, accepted
from .rocq import RocqTheorem, rocq_file, theorem_for
from .statement import StatementError


def rocq_outcomes(judged: Sequence[Judged], seconds: float) -> tuple[Outcome, ...]:
    """For each claim whether Rocq accepts its theorem, `seconds` being the limit for all of them together."""
    told = [theorem_or_reason(one) for one in judged]
    found = iter(compiled([each for each in told if isinstance(each, RocqTheorem)], seconds))
    outcomes = [each if isinstance(each, Outcome) else next(found) for each in told]
    return tuple(
        accepted(one.verdict.outcome) if outcome.status == "accepted" else outcome
        for one, outcome in zip(judged, outcomes, strict=True)
    )


def theorem_or_reason(judged: Judged) -> RocqTheorem | Outcome:
    """The theorem for a claim, or why Rocq has none to check."""
    if judged.verdict.outcome == "UNKNOWN":
        return Outcome("nothing to check", "an undecided claim has no certificate")
    try:
        return theorem_for(judged)
    except StatementError as problem:
        return Outcome("unknown", f"({problem})")


def compiled(theorems: Sequence[RocqTheorem], seconds: float) -> tuple[Outcome, ...]:
    """For each theorem whether Rocq accepts it, and rests it on nothing."""
    if coqc_path() is None:
        return (MISSING,) * len(theorems)
    refused: dict[RocqTheorem, Outcome] = {}
    rest: Sequence[RocqTheorem] = theorems
    said = Outcome("accepted")
    end = time.monotonic() + seconds
    while rest:
        text, starts = rocq_file(rest)
        run = _compiled(text, end - time.monotonic())
        at = bisect_right(starts, error_line(run) or 0) - 1
        if run.status is None:
            said = Outcome("unknown", f"({seconds:g} s)")
        elif run.status == 0:
            said = _assuming_nothing(run)
        elif at < 0 or rest[at] in refused:
            said = Outcome("REJECTED", error_message(run))
        else:
            refused[rest[at]] = Outcome("REJECTED", error_message(run))
            rest = [theorem for theorem in rest if theorem not in refused]
            continue
        break
    return tuple(refused.get(theorem, said) for theorem in theorems)


def _compiled(text: str, seconds: float) -> Run:
    if seconds <= 0:
        return Run(None, "", "")
    with tempfile.TemporaryDirectory(prefix="mha-spec-") as folder:
        file = Path(folder, "claims.v")
        file.write_text(text, encoding="utf-8")
        return compile_file(file, seconds)


def _assuming_nothing(run: Run) -> Outcome:
    assumed = assumptions(run.output)
    if assumed == [frozenset()]:
        return Outcome("accepted")
    return Outcome("REJECTED", f"it rests on {named(frozenset().union(*(assumed or ()))) or 'what Rocq does not say'}")
