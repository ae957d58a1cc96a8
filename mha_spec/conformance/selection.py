"""Choosing laws by name or by pattern, such as `*scale*`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from fnmatch import fnmatchcase

from .laws import Law, catalogue


class SelectionError(ValueError):
    """A name that is no law."""


def selected(laws: Iterable[str] | None, exclude: Iterable[str] = ()) -> tuple[Law, ...]:
    """The laws of these names or patterns (all if None), without those excluded, in the order of the catalogue.

    Raises `SelectionError` for a name that is no law and a pattern that matches none, and if no law is left.
    """
    wanted = {law.name for law in catalogue()} if laws is None else _matching(laws)
    unwanted = _matching(exclude)
    left = tuple(law for law in catalogue() if law.name in wanted and law.name not in unwanted)
    if not left:
        raise SelectionError("no law is left to run: select one, or exclude fewer")
    return left


def _matching(patterns: Iterable[str]) -> set[str]:
    names = [law.name for law in catalogue()]
    found: set[str] = set()
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        plain = pattern.strip().replace(" ", "_")
        matching = [name for name in names if fnmatchcase(name, plain)]
        if not matching:
            near = difflib.get_close_matches(plain, names, n=1, cutoff=0.4)
            raise SelectionError(f"{pattern!r} is not a law" + (f"; did you mean {near[0]!r}?" if near else ""))
        found.update(matching)
    return found
