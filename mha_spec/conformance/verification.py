"""Verifying a layer: every law on it, each with exactly one outcome, and the report.

Verifying runs the code of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from .contract import Factory
from .declarations import Declarations
from .judging import Budget, judge, judge_case
from .laws import Law, catalogue
from .outcome import Json, Outcome
from .reproduction import read_replay
from .selection import selected
from .supervision import Request, supervised
from .target import importable_name, load_target

OnOutcome: TypeAlias = Callable[[Outcome, int, int], None]


@dataclass(frozen=True)
class Report:
    """The outcomes of all laws that were selected, in the order in which they were run."""

    target: str
    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...] = ()

    @property
    def exercised(self) -> bool:
        """Whether anything at all was exercised."""
        return any(outcome.outcome in ("PASS", "FAIL", "XFAIL", "XPASS") for outcome in self.outcomes)

    @property
    def exit_status(self) -> int:
        """1 if a law failed or is unknown, or if nothing could be exercised; else 0."""
        bad = any(outcome.outcome in ("FAIL", "UNKNOWN") for outcome in self.outcomes)
        return int(bad or not self.exercised)

    def of(self, law: str) -> Outcome:
        """The outcome of a law; KeyError if it was not selected."""
        return {outcome.law: outcome for outcome in self.outcomes}[law]

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The outcomes that are FAIL."""
        return tuple(outcome for outcome in self.outcomes if outcome.outcome == "FAIL")

    def as_json(self) -> dict[str, Json]:
        """What `--format json` prints."""
        return {"schema": 1, "target": self.target, "outcomes": [outcome.as_json() for outcome in self.outcomes]}

    def text(self) -> str:
        """Every outcome, the notes, and what came of it in one line."""
        names = ("PASS", "FAIL", "SKIP", "XFAIL", "XPASS", "UNKNOWN")
        counts = {name: sum(outcome.outcome == name for outcome in self.outcomes) for name in names}
        total = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        nothing = [] if self.exercised else ["nothing could be exercised"]
        lines = [outcome.text() for outcome in self.outcomes]
        return "\n".join([*lines, *self.notes, *nothing, f"{self.target}: {total}"])


def verify(
    target: str | Factory,
    *,
    laws: Iterable[str] | None = None,
    exclude: Iterable[str] = (),
    examples: int = 100,
    seed: int = 0,
    stop_after: int | None = None,
    fixed: bool = False,
    isolated: bool = True,
    progress: OnOutcome | None = None,
    replay: str | None = None,
    time_limit: float = 60.0,
    loader: str | None = None,
) -> Report:
    """Run the laws on a layer.

    - `target`: a factory, or the text that names one (see `mha_spec.conformance.target`).
    - `laws`, `exclude`: names of laws, or patterns such as `*mask*`.
    - `examples`: cases for each law; `seed`: another seed draws other cases; `replay`: only this one case.
    - `stop_after`: run no further law after so many failures.
    - `fixed`: the target is a ready-made layer, which declares its `fixed_design`.
    - `isolated`: run the target in a child process, where a law may take `time_limit` seconds. A factory that no
      other process could import is run in this one, which the notes of the report say.
    - `progress`: called with every outcome, its number from 1, and how many there are.
    - `loader`: names a function, as a target is named, that makes the factory from the text of the target.

    Raises `TargetError`, `DeclarationError`, `SelectionError` and `ReplayError` for what cannot be run at all.
    """
    if examples < 1:
        raise ValueError(f"examples is {examples}, but at least one case is needed")
    name = target if isinstance(target, str) else importable_name(target)
    shown = name or f"{getattr(target, '__qualname__', type(target).__qualname__)} (in this process)"
    if replay is not None:
        return Report(shown, (_replayed(target, replay, name, loader, fixed),))
    chosen, budget = selected(laws, exclude), Budget(examples=examples)
    if isolated and name is not None:
        outcomes: Iterator[Outcome] = supervised(Request(name, chosen, budget, seed, time_limit, loader, fixed))
        notes: tuple[str, ...] = ()
    else:
        outcomes = _in_this_process(_factory(target, loader), chosen, budget, seed, name, fixed)
        notes = ("run in this process, without a time limit",)
    found = _until(stop_after, outcomes, chosen, progress)
    return Report(shown, tuple(found), (*notes, *left_out(found)))


def left_out(outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """What mistakes no law has looked for because the laws that would see them were skipped."""
    skipped = {outcome.law for outcome in outcomes if outcome.outcome == "SKIP"}
    unseen = [law.only_sees for law in catalogue() if law.name in skipped and law.only_sees]
    return (f"not looked for: {'; '.join(dict.fromkeys(unseen))}",) if unseen else ()


def _factory(target: str | Factory, loader: str | None) -> Factory:
    if not isinstance(target, str):
        return target
    if loader is None:
        return load_target(target)
    load: Callable[[str], Factory] = load_target(loader)  # type: ignore[assignment]
    return load(target)


def _replayed(target: str | Factory, replay: str, name: str | None, loader: str | None, fixed: bool) -> Outcome:
    law, choices = read_replay(replay)
    factory = _factory(target, loader)
    return judge_case(law, factory, Declarations.of(factory, fixed=fixed), choices, name)


def _in_this_process(
    factory: Factory, laws: Iterable[Law], budget: Budget, seed: int, target: str | None, fixed: bool
) -> Iterator[Outcome]:
    declared = Declarations.of(factory, fixed=fixed)
    for law in laws:
        yield judge(law, factory, declared, budget=budget, seed=seed, target=target)


def _until(
    stop_after: int | None, outcomes: Iterator[Outcome], laws: tuple[Law, ...], progress: OnOutcome | None
) -> list[Outcome]:
    """The outcomes up to so many failures; every law after that is UNKNOWN, since it was not run."""
    found: list[Outcome] = []
    failures = 0
    for outcome in outcomes:
        found.append(outcome)
        if progress is not None:
            progress(outcome, len(found), len(laws))
        failures += outcome.outcome == "FAIL"
        if stop_after is not None and failures >= stop_after:
            done = {outcome.law for outcome in found}
            why = f"not run: stopped after {failures} failure{'s' if failures > 1 else ''}"
            found += [Outcome(law.name, "UNKNOWN", why) for law in laws if law.name not in done]
            break
    return found
