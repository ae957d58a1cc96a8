"""The theorems that can be explained, by name and in reading order."""

from __future__ import annotations

import difflib
from typing import TypeAlias

from mha_spec.claims.catalogue import theorems, value_theorems
from mha_spec.claims.theorem import Theorem
from mha_spec.claims.values.theorem import ValueTheorem

from .errors import ExplainError

Entry: TypeAlias = Theorem | ValueTheorem


def entries() -> tuple[Entry, ...]:
    """Every theorem, those about costs first, each kind in the order in which it is best read."""
    return (*theorems(), *value_theorems())


def own_sizes(entry: Entry) -> tuple[str, ...]:
    """The sizes that a theorem has beside those of a layer."""
    return entry.extra if isinstance(entry, Theorem) else ()


def find(name: str) -> Entry:
    """The theorem of a name; ExplainError, with the nearest name, if there is none."""
    known: dict[str, Entry] = {theorem.name: theorem for theorem in theorems()}
    written = name.strip().lower().replace("-", "_").replace(" ", "_")  # a name typed as words is understood
    if written in known:  # before the others are loaded
        return known[written]
    known |= {theorem.name: theorem for theorem in value_theorems()}
    if written in known:
        return known[written]
    near = difflib.get_close_matches(written, known, 1, cutoff=0.5)
    advice = f"did you mean {near[0]}?" if near else "'mha-spec explain' lists them"
    raise ExplainError(f"no theorem is called {name!r}; {advice}")
