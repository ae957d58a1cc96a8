"""The errors of a symbolic run: each names the user's line, what could not be done and the fix."""

from __future__ import annotations

from mha_spec.counting.places import current_place


class TraceError(TypeError):
    """The program left what can be run on symbolic sizes; the message names the line and the fix."""

    def __init__(self, what: str, fix: str = "") -> None:
        place = current_place()
        self.what, self.fix, self.place = what, fix, place
        lines = [f"{what} (in {place.function}, {place.file}:{place.line})"]
        if place.text:
            lines.append(f"  line: {place.text}")
        if fix:
            lines.append(f"  fix:  {fix}")
        super().__init__("\n".join(lines))


class UndecidedBranch(TraceError):  # noqa: N818, a branch that could not be taken
    """A comparison of sizes that is true for some sizes and false for others."""


class MissingOperationError(TraceError, AttributeError):
    """A method or attribute of arrays that a symbolic array does not have; `hasattr` sees it as absent."""
