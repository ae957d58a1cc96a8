"""Quantities of causal designs, which have one polynomial where ``n <= m`` and another where ``m <= n``.

Such a quantity stays a name in a claim; in each case an equation, traced from the layer's code, says what it is.
A claim about it is certified in both cases, or in one where the other cannot occur.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from mha_spec.counting.causality import LENGTH_CASES, CausalCounts, LengthCase, traced_causality
from mha_spec.shapes import Alignment

from .certificate import Equations
from .terms import Operation, Relation, Term, evaluate, of_size

CAUSAL_QUANTITIES: Mapping[str, str] = {
    "kept_pairs": "query-key pairs that causality leaves, per head, aligned top-left",
    "bottom_right_kept_pairs": "query-key pairs that causality leaves, per head, aligned bottom-right",
    "bottom_right_empty_rows": "queries that see no key, per head, aligned bottom-right",
}
"""Quantities of a causal layer only, each with its meaning."""


@dataclass(frozen=True)
class Case:
    """A condition on the lengths, and what the causal quantities are where it holds, as equations."""

    condition: Relation
    equations: Equations


@cache
def length_cases() -> tuple[Case, ...]:
    """The two cases, which together cover all sizes."""
    return tuple(_case(case) for case in LENGTH_CASES)


def _case(case: LengthCase) -> Case:
    fewer, more = ("n", "m") if case == "n <= m" else ("m", "n")
    top_left, bottom_right = (_as_terms(alignment, case) for alignment in ("top-left", "bottom-right"))
    equations: dict[str, tuple[Term, Term]] = {
        case: (more, Operation("+", fewer, "slack0")),
        "kept_pairs": (Operation("*", 2, "kept_pairs"), top_left[0]),
        "bottom_right_kept_pairs": (Operation("*", 2, "bottom_right_kept_pairs"), bottom_right[0]),
        "bottom_right_empty_rows": ("bottom_right_empty_rows", bottom_right[1]),
    }
    return Case(Relation("<=", fewer, more), equations)


def _as_terms(alignment: Alignment, case: LengthCase) -> tuple[Term, Term]:
    counts: CausalCounts = traced_causality(alignment, case)
    return of_size(counts.twice_kept_pairs), of_size(counts.empty_rows)


def causal_values(names: Collection[str], sizes: Mapping[str, int]) -> dict[str, int]:
    """The causal quantities among some names, at given sizes, from the trace."""
    if not names:
        return {}
    case = length_cases()[0 if sizes["n"] <= sizes["m"] else 1]
    return {
        name: evaluate(case.equations[name][1], sizes) // (1 if name == "bottom_right_empty_rows" else 2)
        for name in names
    }
