"""The theorems that can be explained, by name and in reading order."""

from __future__ import annotations

import difflib

from mha_spec.claims.catalogue import theorems
from mha_spec.claims.theorem import Theorem

from .errors import ExplainError


def entries() -> tuple[Theorem, ...]:
    """Every theorem, in the order in which they are best read."""
    return theorems()


def find(name: str) -> Theorem:
    """The theorem of a name; ExplainError, with the nearest name, if there is none."""
    known = {theorem.name: theorem for theorem in entries()}
    written = name.strip().lower().replace("-", "_").replace(" ", "_")  # a name typed as words is understood
    if written in known:
        return known[written]
    near = difflib.get_close_matches(written, known, 1, cutoff=0.5)
    advice = f"did you mean {near[0]}?" if near else "'mha-spec explain' lists them"
    raise ExplainError(f"no theorem is called {name!r}; {advice}")
