"""``mha-spec prove``: decide claims, or with none the whole catalogue, and print what each verdict rests on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

from rich.console import Console

from mha_spec.claims.catalogue import theorems
from mha_spec.claims.equations import ALL_HYPOTHESES
from mha_spec.claims.prover import prove
from mha_spec.claims.question import ask
from mha_spec.claims.theorem import certified_steps, counterexamples, refuted_expectations, verdicts
from mha_spec.claims.verdict import Verdict

from .verdict_text import CatalogueRow, print_catalogue, print_verdict
from .witness_text import print_witnesses
from .witnesses import NO_WITNESSES, Asked, Wanted, call_witnesses, judged_claims

Item = TypeVar("Item")


def run(
    claims: Sequence[str],
    *,
    drop: Sequence[str] = (),
    hold: Sequence[str] = (),
    free: bool = False,
    designs: int = 12,
    output: Literal["text", "json"] = "text",
    wanted: Wanted = NO_WITNESSES,
) -> int:
    """Print the verdicts and return the exit status: 0 if every claim is proved, every counted run agrees
    and no second witness that is wanted is missing or speaks against one, else 1.

    Raises ClaimError for a claim that cannot be read; every claim is read before any is worked on.
    """
    dropped = ALL_HYPOTHESES if free else tuple(drop)
    if not claims and not dropped and not hold and output == "text":
        return _run_catalogue(designs, wanted)
    asked = [
        Asked(claim, dropped, tuple(hold), identifier=f"claim_{number}") for number, claim in enumerate(claims, 1)
    ] or _catalogue_claims(dropped, hold)
    for one in asked:
        ask(one.claim, one.drop, one.hold, one.extra)
    found = [
        prove(one.claim, drop=one.drop, hold=one.hold, designs=designs, extra=one.extra)
        for one in _told(asked, lambda one: one.claim)
    ]
    if output == "json":
        return _print_json(asked, found, wanted, values=not claims)
    console = Console(highlight=False, markup=False)
    for verdict in found:
        print_verdict(console, verdict, dropped)
    fails = wanted.kinds and _call_and_print(console, asked, found, wanted, catalogue=not claims)
    return int(bool(fails) or not all(verdict.stands for verdict in found))


def _print_json(asked: Sequence[Asked], found: Sequence[Verdict], wanted: Wanted, *, values: bool) -> int:
    """The verdicts as one object, with what second witnesses say if any are wanted; return the exit status."""
    claims = [verdict.as_json() for verdict in found]
    printed: dict[str, object] = {"schema": 1, "claims": claims}
    fails = False
    if wanted.kinds:
        witnessed = call_witnesses(judged_claims(asked, found), wanted, values=values)
        for claim, said in zip(claims, witnessed.claims, strict=True):
            claim["witnesses"] = {name: str(outcome) for name, outcome in said.items()}
        if witnessed.values:
            printed["values"] = {file: {"rocq": str(outcome)} for file, outcome in witnessed.values.items()}
        fails = witnessed.fails
    print(json.dumps(printed, indent=2))
    return int(fails or not all(verdict.stands for verdict in found))


def _call_and_print(
    console: Console, asked: Sequence[Asked], found: Sequence[Verdict], wanted: Wanted, *, catalogue: bool
) -> bool:
    """Call the second witnesses, print what they say, and return whether that makes the run fail."""
    judged = judged_claims(asked, found)
    witnessed = call_witnesses(judged, wanted, values=catalogue)
    print_witnesses(console, judged, witnessed, each=not catalogue)
    return witnessed.fails


def _catalogue_claims(dropped: Sequence[str], hold: Sequence[str]) -> list[Asked]:
    """Every claim of the catalogue under fewer hypotheses; sizes are held where a claim compares two designs."""
    return [
        Asked(
            claim,
            tuple(dict.fromkeys((*theorem.drop, *dropped))),
            tuple(hold) if claim.endswith("independent of h") else (),
            theorem.extra,
            f"{theorem.name}_claim_{number}",
        )
        for theorem in theorems()
        for number, claim in enumerate(theorem.claims, 1)
    ]


def _run_catalogue(designs: int, wanted: Wanted) -> int:
    """Every theorem: its claims, its steps, and the counterexample without each hypothesis it needs."""
    rows: list[CatalogueRow] = []
    for theorem in _told(theorems(), lambda theorem: theorem.name):
        steps = len(certified_steps(theorem))
        found, without = tuple(verdicts(theorem, designs)), tuple(counterexamples(theorem))
        false = len(tuple(refuted_expectations(theorem)))
        rows.append(CatalogueRow(theorem, steps, found, without, false))
    console = Console(highlight=False, markup=False)
    print_catalogue(console, rows)
    proved = [verdict for row in rows for verdict in row.verdicts]
    fails = wanted.kinds and _call_and_print(console, _catalogue_claims((), ()), proved, wanted, catalogue=True)
    return int(bool(fails) or not all(verdict.stands for verdict in proved))


def _told(items: Sequence[Item], name: Callable[[Item], str]) -> Iterator[Item]:
    """The items, each named on the terminal while it is worked on; silent where nobody looks."""
    console = Console(stderr=True)
    if not console.is_terminal or len(items) == 1:
        yield from items
        return
    with console.status("") as status:
        for number, item in enumerate(items, 1):
            status.update(f"{number} of {len(items)}: {name(item)}")
            yield item
