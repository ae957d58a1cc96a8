"""``mha-spec verify``: run the laws on an attention layer, and print what became of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from rich.console import Console
from rich.text import Text

from mha_spec.adapters.registry import FACTORIES
from mha_spec.conformance.outcome import Outcome
from mha_spec.conformance.verification import Report, verify

_STYLES = {"PASS": "green", "FAIL": "red", "XFAIL": "yellow", "XPASS": "yellow", "UNKNOWN": "yellow", "SKIP": "dim"}


@dataclass(frozen=True)
class Wanted:
    """What the user asked for beside the target."""

    laws: Sequence[str] = ()
    exclude: Sequence[str] = ()
    examples: int = 100
    seed: int = 0
    stop_after: int | None = None
    fixed: bool = False
    replay: str | None = None
    time_limit: float = 60.0


def run(target: str, wanted: Wanted, *, output: Literal["text", "json"] = "text", strict: bool = False) -> int:
    """Print the outcomes and return the exit status: 1 if a law fails, is unknown, or none could be exercised.

    With `strict` a known failure that passes counts as a failure too.  Raises TargetError, DeclarationError,
    SelectionError and ReplayError for what cannot be run at all.
    """
    with _progress() as told:
        report = verify(
            target,
            laws=wanted.laws or None,
            exclude=wanted.exclude,
            examples=wanted.examples,
            seed=wanted.seed,
            stop_after=wanted.stop_after,
            fixed=wanted.fixed,
            replay=wanted.replay,
            time_limit=wanted.time_limit,
            loader="mha_spec.adapters:load_factory",
            progress=told,
        )
    report = replace(report, outcomes=tuple(_with_loader(outcome, target) for outcome in report.outcomes))
    if output == "json":
        print(json.dumps(report.as_json(), indent=2))
    else:
        _print(report)
    unexpected = any(outcome.outcome == "XPASS" for outcome in report.outcomes)
    return int(report.exit_status != 0 or (strict and unexpected))


def _with_loader(outcome: Outcome, target: str) -> Outcome:
    """The outcome with a snippet that finds the factory of a target which only the adapters know."""
    if outcome.example is None or not (target in FACTORIES or target.endswith(".onnx")):
        return outcome
    snippet = outcome.example.snippet.replace(
        "from mha_spec.conformance import reproduce",
        "from mha_spec.adapters import load_factory\nfrom mha_spec.conformance import reproduce",
    ).replace(f'reproduce("{target}",', f'reproduce(load_factory("{target}"),')
    return replace(outcome, example=replace(outcome.example, snippet=snippet))


def _print(report: Report) -> None:
    console = Console(highlight=False, markup=False)
    for line in report.text().splitlines():
        word = line.split(" ", 1)[0]
        console.print(Text(line, style=_STYLES.get(word, "")), soft_wrap=True)


@contextmanager
def _progress() -> Iterator[Callable[[Outcome, int, int], None] | None]:
    """Tell on the terminal which law has just been run; silent where nobody looks."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with console.status("starting") as status:

        def told(outcome: Outcome, number: int, total: int) -> None:
            status.update(f"{number} of {total}: {outcome.law.replace('_', ' ')}")

        yield told
