"""Judging one law on one factory in this process: drawing its cases, counting what comes of them, simplifying."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal, TypeAlias

import numpy as np

from .cases.case import Case
from .cases.shrinking import Made, shrink
from .cases.streams import replayed, visit_cases
from .contract import Factory, Unsupported
from .declarations import Declarations, KnownFailure
from .failure import CannotJudge, Finding, LawBroken, LayerBroke
from .laws import Law
from .outcome import Outcome
from .reproduction import example, replay_text
from .trial import Trial

Heard: TypeAlias = Callable[[Made], None]
Came: TypeAlias = Literal["passed", "failed", "not exercised", "broke", "cannot judge"]


@dataclass(frozen=True)
class Budget:
    """How long one law may take: cases, seconds for drawing new ones, and seconds for simplifying a failure."""

    examples: int = 100
    seconds: float = 10.0
    shrink_seconds: float = 3.0


@dataclass(frozen=True)
class Verdict:
    """What came of one case; `known` is the known failure that one of its calls met."""

    came: Came
    reason: str = ""
    finding: Finding | None = None
    known: KnownFailure | None = None
    widest: float = 0.0


@dataclass
class Tally:
    """What came of the cases of a law so far."""

    started: float = field(default_factory=monotonic)
    tried: int = 0
    exercised: int = 0
    known_passed: int = 0
    known_failed: int = 0
    known: KnownFailure | None = None
    not_exercised: Counter[str] = field(default_factory=Counter)
    broke: Counter[str] = field(default_factory=Counter)
    cannot_judge: str = ""
    failed: Case | None = None
    finding: Finding | None = None
    first_failure: tuple[int, float] | None = None
    widest: float = 0.0

    @property
    def seconds(self) -> float:
        """Since the first case."""
        return monotonic() - self.started

    def count(self, case: Case, verdict: Verdict) -> None:
        """Add one case."""
        self.tried += 1
        self.widest = max(self.widest, verdict.widest)
        if verdict.came == "not exercised":
            self.not_exercised[verdict.reason] += 1
        elif verdict.known is not None:
            self.known = verdict.known
            self.known_passed += verdict.came == "passed"
            self.known_failed += verdict.came != "passed"
        elif verdict.came == "broke":
            self.broke[verdict.reason] += 1
        elif verdict.came == "cannot judge":
            self.cannot_judge = self.cannot_judge or verdict.reason
        else:
            self.exercised += 1
            if verdict.came == "failed" and self.failed is None:
                self.failed, self.finding = case, verdict.finding
                self.first_failure = (self.tried, self.seconds)


def judge(
    law: Law,
    factory: Factory,
    declared: Declarations,
    *,
    budget: Budget,
    seed: int,
    target: str | None = None,
    heard: Heard = lambda choices: None,
) -> Outcome:
    """The outcome of a law; `heard` is told the choices of every case before it is run."""
    if (why := law.ruled_out_by(declared)) is not None:
        return Outcome(law.name, "SKIP", why)
    tally = Tally()

    def visit(case: Case) -> bool:
        heard(case.choices)
        tally.count(case, examined(law, factory, declared, case))
        return tally.failed is not None or tally.seconds > budget.seconds

    with quiet():
        try:
            visit_cases(law.wanted, declared, f"{seed} {law.name}", budget.examples, visit)
        except Unsupported as unsupported:
            tally.not_exercised[str(unsupported)] += 1
        if tally.failed is not None:
            _simplify(law, factory, declared, tally, budget.shrink_seconds, heard)
    return concluded(law, tally, target)


def judge_case(law: Law, factory: Factory, declared: Declarations, choices: Made, target: str | None = None) -> Outcome:
    """The outcome of a law on one case."""
    tally = Tally()
    with quiet():
        try:
            case = replayed(choices, law.wanted, declared)
            tally.count(case, examined(law, factory, declared, case))
        except Unsupported as unsupported:
            tally.not_exercised[str(unsupported)] += 1
    return concluded(law, tally, target)


def examined(law: Law, factory: Factory, declared: Declarations, case: Case) -> Verdict:
    """What comes of one case."""
    trial: Trial | None = None
    try:
        trial = Trial(law.name, factory, declared, case)
        law.check(trial)
        return Verdict("passed", known=trial.known, widest=trial.widest.largest)
    except Unsupported as unsupported:
        return Verdict("not exercised", str(unsupported) or "Unsupported, without a reason")
    except LawBroken as broken:
        return Verdict("failed", finding=broken.finding, known=known_to(trial))
    except LayerBroke as broke:
        return Verdict("broke", broke.short, finding=broke.finding, known=known_to(trial))
    except CannotJudge as cannot:
        return Verdict("cannot judge", str(cannot), known=known_to(trial))
    except Exception as error:  # a mistake of the suite, or a result that no law expects: never a pass
        replay = replay_text(law.name, case.choices)
        said = f"the law could not be checked ({type(error).__name__}: {error}); replay {replay}"
        return Verdict("cannot judge", said, known=known_to(trial))


def known_to(trial: Trial | None) -> KnownFailure | None:
    """The known failure that a call of this trial met."""
    return None if trial is None else trial.known


def _simplify(law: Law, factory: Factory, declared: Declarations, tally: Tally, seconds: float, heard: Heard) -> None:
    """Replace the failing case of the tally by the simplest one found."""
    assert tally.failed is not None

    def still_fails(choices: Made) -> Made | None:
        case = replayed(choices, law.wanted, declared)
        heard(case.choices)
        verdict = examined(law, factory, declared, case)
        if verdict.came != "failed" or verdict.known is not None:
            return None
        simplest[case.choices] = (case, verdict.finding)
        return case.choices

    simplest = {tally.failed.choices: (tally.failed, tally.finding)}
    best = shrink(tally.failed.choices, still_fails, seconds)
    tally.failed, tally.finding = simplest[best]


def concluded(law: Law, tally: Tally, target: str | None) -> Outcome:
    """The one outcome that follows from the counts."""
    counts = f"exercised {tally.exercised} of {tally.tried}"

    def outcome(name: Literal["PASS", "FAIL", "SKIP", "XFAIL", "XPASS", "UNKNOWN"], reason: str) -> Outcome:
        return Outcome(
            law.name,
            name,
            reason,
            tally.exercised,
            tally.tried,
            seconds=tally.seconds,
            first_failure=tally.first_failure,
            widest=tally.widest,
            not_exercised=dict(tally.not_exercised + tally.broke),
            replay=None if tally.failed is None else replay_text(law.name, tally.failed.choices),
            example=None
            if tally.failed is None or tally.finding is None
            else example(target, law.name, tally.failed, tally.finding),
        )

    if tally.failed is not None and tally.finding is not None:
        return outcome("FAIL", tally.finding.text())
    if tally.cannot_judge:
        return outcome("UNKNOWN", tally.cannot_judge)
    if tally.known is not None:
        known = f"{tally.known.reason} ({tally.known_failed} of {tally.known_failed + tally.known_passed} such cases)"
        return outcome("XFAIL", known) if tally.known_failed else outcome("XPASS", tally.known.reason)
    if tally.exercised:
        return outcome("PASS", counts)
    if tally.broke:
        return outcome("UNKNOWN", f"every call broke: {tally.broke.most_common(1)[0][0]}")
    reasons = [reason for reason, _ in tally.not_exercised.most_common(3)]
    return outcome("SKIP", "; ".join(reasons) or "no case was drawn")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without warnings, and with what the target prints thrown away."""
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield
