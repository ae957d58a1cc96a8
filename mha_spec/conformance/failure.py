"""What can come of one case of a law beside a pass: a failure, a layer that broke, or a suite that cannot judge."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What a law found wrong: what was looked at, what came out and what should have."""

    what: str
    came_out: str
    should_be: str

    def text(self) -> str:
        """The finding in one line."""
        return f"{self.what}: came out {self.came_out}, should have been {self.should_be}"


class LawBroken(AssertionError):  # noqa: N818 -- as above
    """A law does not hold for a case."""

    def __init__(self, what: str, came_out: object, should_be: object) -> None:
        self.finding = Finding(what, str(came_out), str(should_be))
        super().__init__(self.finding.text())


class LayerBroke(Exception):  # noqa: N818 -- it is the layer that is wrong
    """The layer raised something else than `Unsupported`, or what it returned is no output at all.

    One law is about that; for the others, such a case is not exercised.
    """

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(finding.text())

    @property
    def short(self) -> str:
        """The first words of it, by which equal ones are counted."""
        return self.finding.text()[:120]


class CannotJudge(Exception):  # noqa: N818 -- it is a verdict
    """The suite expected something that is not finite, so that nothing can be compared with it."""
