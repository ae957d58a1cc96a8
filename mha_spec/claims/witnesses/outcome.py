"""What a second witness says of a claim, and what it is asked about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mha_spec.claims.question import Question
from mha_spec.claims.verdict import Verdict

Kind: TypeAlias = Literal["rocq", "smt"]
Status: TypeAlias = Literal["accepted", "REJECTED", "unknown", "nothing to check", "not installed"]

KINDS: tuple[Kind, ...] = ("rocq", "smt")


@dataclass(frozen=True)
class Outcome:
    """A status, with the reason or the time limit in `note`.

    accepted: the witness agrees with the verdict.  REJECTED: it contradicts it, or refuses the proof; never a pass.
    unknown: it came to no answer, which is no agreement.  nothing to check: the verdict has no certificate.
    """

    status: Status
    note: str = ""

    @property
    def speaks_against(self) -> bool:
        """Whether a claim must not be called proved beside this."""
        return self.status == "REJECTED"

    def __str__(self) -> str:
        separator = ": " if self.status in ("REJECTED", "not installed", "nothing to check") else " "
        return f"{self.status}{separator}{self.note}" if self.note else self.status


def accepted(verdict: str) -> Outcome:
    """Agreement with a verdict, saying what it is that is accepted where it is not the claim."""
    return Outcome("accepted", "(that it fails)" if verdict == "REFUTED" else "")


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict, and the identifier under which a witness reads it."""

    identifier: str
    question: Question
    verdict: Verdict
