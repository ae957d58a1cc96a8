"""What became of a law: exactly one of six outcomes, with its reason and, where it failed, an example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

OutcomeName: TypeAlias = Literal["PASS", "FAIL", "SKIP", "XFAIL", "XPASS", "UNKNOWN"]
Json: TypeAlias = Any  # what `json` reads and writes; it has no better type


@dataclass(frozen=True)
class Example:
    """A case for which a law does not hold: what came out, what should have, and how to see it again.

    `design` holds the fields of the `AttentionDesign` by name, `call` says the sizes of the call in words, `snippet`
    is a program that reproduces the failure.
    """

    what: str
    came_out: str
    should_be: str
    design: Mapping[str, object]
    call: str
    snippet: str

    def text(self) -> str:
        """The failure in lines: what was looked at, both values, the design, the call and the snippet."""
        design = ", ".join(f"{name}={value!r}" for name, value in self.design.items())
        lines = [
            f"what:            {self.what}",
            f"came out:        {self.came_out}",
            f"should have been: {self.should_be}",
            f"design:          AttentionDesign({design})",
            f"call:            {self.call}",
            "reproduce:",
            *(f"    {line}" for line in self.snippet.splitlines()),
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Outcome:
    """What became of one law.

    `exercised` of `tried` cases said something; `seconds` is what it took, `first_failure` after how many cases and
    seconds it first failed; `replay` is what `verify(..., replay=...)` takes; `widest` is the largest deviation that
    still passed, in sigma of rounding.
    """

    law: str
    outcome: OutcomeName
    reason: str = ""
    exercised: int = 0
    tried: int = 0
    example: Example | None = None
    replay: str | None = None
    seconds: float = 0.0
    first_failure: tuple[int, float] | None = None
    widest: float = 0.0
    not_exercised: Mapping[str, int] = field(default_factory=dict)

    def text(self) -> str:
        """The outcome in one line, and the example below it."""
        counts = f" (exercised {self.exercised} of {self.tried})" if self.tried else ""
        line = f"{self.outcome:7} {self.law.replace('_', ' ')}{counts}"
        if self.example is not None:
            indented = "\n".join(f"        {text}" for text in self.example.text().splitlines())
            return f"{line}\n{indented}"
        return f"{line}: {self.reason}" if self.reason and self.outcome != "PASS" else line

    def as_json(self) -> dict[str, Json]:
        """What `--format json` prints of it."""
        example = None if self.example is None else asdict(self.example)
        return {
            "law": self.law,
            "outcome": self.outcome,
            "reason": self.reason,
            "example": example,
            "replay": self.replay,
        }

    def as_message(self) -> dict[str, Json]:
        """All of it, as JSON, for another process."""
        return asdict(self)

    @staticmethod
    def from_message(message: Mapping[str, Json]) -> Outcome:
        """The outcome that another process sent."""
        fields = dict(message)
        fields["example"] = None if fields["example"] is None else Example(**fields["example"])
        first = fields["first_failure"]
        fields["first_failure"] = None if first is None else (int(first[0]), float(first[1]))
        return Outcome(**fields)
