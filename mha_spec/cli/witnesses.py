"""The second witnesses of ``mha-spec prove --witness``: which claims they are asked about, and under which names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mha_spec.claims.question import ask
from mha_spec.claims.verdict import Verdict
from mha_spec.claims.witnesses.calling import Witnessed, call, write_statements
from mha_spec.claims.witnesses.outcome import KINDS, Judged, Kind

__all__ = ["KINDS", "NO_WITNESSES", "Asked", "Wanted", "call_witnesses", "judged_claims"]


class Asked(NamedTuple):
    """A claim and the setting it is asked in; `identifier` is its name in files for other provers."""

    claim: str
    drop: tuple[str, ...]
    hold: tuple[str, ...]
    extra: tuple[str, ...] = ()
    identifier: str = "claim"


class Wanted(NamedTuple):
    """The witnesses that are wanted, and a folder for what they are asked, if that is to be kept."""

    kinds: tuple[Kind, ...] = ()
    folder: Path | None = None


NO_WITNESSES = Wanted()


def judged_claims(asked: Sequence[Asked], verdicts: Sequence[Verdict]) -> tuple[Judged, ...]:
    """Each claim with its verdict, as witnesses take it."""
    return tuple(
        Judged(one.identifier, ask(one.claim, one.drop, one.hold, one.extra), verdict)
        for one, verdict in zip(asked, verdicts, strict=True)
    )


def call_witnesses(judged: Sequence[Judged], wanted: Wanted, *, values: bool) -> Witnessed:
    """What the wanted witnesses say, after their files are written if a folder is given for them."""
    if wanted.folder is not None:
        write_statements(judged, wanted.kinds, wanted.folder)
    return call(judged, wanted.kinds, values=values)
