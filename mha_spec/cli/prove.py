"""``mha-spec prove``: decide claims, or with none the whole catalogue, and print what each verdict rests on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

from rich.console import Console

from mha_spec.claims.catalogue import theorems
from mha_spec.claims.equations import ALL_HYPOTHESES
from mha_spec.claims.prover import prove
from mha_spec.claims.question import ask
from mha_spec.claims.theorem import certified_steps, counterexamples, refuted_expectations, verdicts

from .verdict_text import CatalogueRow, print_catalogue, print_verdict

Item = TypeVar("Item")


def run(
    claims: Sequence[str],
    *,
    drop: Sequence[str] = (),
    hold: Sequence[str] = (),
    free: bool = False,
    designs: int = 12,
    output: Literal["text", "json"] = "text",
) -> int:
    """Print the verdicts and return the exit status: 0 if every claim is proved
    and every counted run agrees, else 1.

    Raises ClaimError for a claim that cannot be read; every claim is read before any is worked on.
    """
    dropped = ALL_HYPOTHESES if free else tuple(drop)
    if not claims and not dropped and not hold and output == "text":
        return _run_catalogue(designs)
    asked = [Asked(claim, dropped, tuple(hold)) for claim in claims] or _catalogue_claims(dropped, hold)
    for one in asked:
        ask(one.claim, one.drop, one.hold, one.extra)
    found = [
        prove(one.claim, drop=one.drop, hold=one.hold, designs=designs, extra=one.extra)
        for one in _told(asked, lambda one: one.claim)
    ]
    if output == "json":
        print(json.dumps({"schema": 1, "claims": [verdict.as_json() for verdict in found]}, indent=2))
    else:
        console = Console(highlight=False)
        for verdict in found:
            print_verdict(console, verdict, dropped)
    return int(not all(verdict.stands for verdict in found))


class Asked(NamedTuple):
    """A claim and the setting it is asked in."""

    claim: str
    drop: tuple[str, ...]
    hold: tuple[str, ...]
    extra: tuple[str, ...] = ()


def _catalogue_claims(dropped: Sequence[str], hold: Sequence[str]) -> list[Asked]:
    """Every claim of the catalogue under fewer hypotheses; sizes are held where a claim compares two designs."""
    return [
        Asked(
            claim,
            tuple(dict.fromkeys((*theorem.drop, *dropped))),
            tuple(hold) if claim.endswith("independent of h") else (),
            theorem.extra,
        )
        for theorem in theorems()
        for claim in theorem.claims
    ]


def _run_catalogue(designs: int) -> int:
    """Every theorem: its claims, its steps, and the counterexample without each hypothesis it needs."""
    rows: list[CatalogueRow] = []
    for theorem in _told(theorems(), lambda theorem: theorem.name):
        steps = len(certified_steps(theorem))
        found, without = tuple(verdicts(theorem, designs)), tuple(counterexamples(theorem))
        false = len(tuple(refuted_expectations(theorem)))
        rows.append(CatalogueRow(theorem, steps, found, without, false))
    print_catalogue(Console(highlight=False), rows)
    return int(not all(verdict.stands for row in rows for verdict in row.verdicts))


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
