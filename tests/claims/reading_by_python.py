"""What a claim says of given sizes, by Python's own evaluation and by formulas written down here once more.

Nothing is shared with the code under test: quantities come from the formulas of the paper, not from a trace.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from types import CodeType

from sampling.brute_force import Design, designs_up_to, rank

QUANTITY_FORMULAS: Mapping[str, str] = {
    "projection_weights": "h*d_model*d_k + kv_heads*d_memory*(d_k + d_v) + h*d_v*d_model",
    "parameters": "projection_weights + bias*(h*d_k + kv_heads*(d_k + d_v) + d_model)",
    "projection_multiplications": "n*h*d_k*d_model + m*kv_heads*(d_k + d_v)*d_memory + n*h*d_v*d_model",
    "score_multiplications": "h*n*m*d_k",
    "mixing_multiplications": "h*n*m*d_v",
    "multiplications": "projection_multiplications + score_multiplications + mixing_multiplications",
    "exponentials": "h*n*m",
    "softmax_divisions": "h*n*m",
    "comparisons": "h*n*(m - 1)",
    "attention_matrices": "h",
    "score_entries": "h*n*m",
    "kv_cache_entries": "m*kv_heads*(d_k + d_v)",
}


def facts(design: Mapping[str, int]) -> Mapping[str, int]:
    """The sizes of a design and all its quantities."""
    return _facts(tuple(design.items()))


@cache
def _facts(design: tuple[tuple[str, int], ...]) -> Mapping[str, int]:
    known = dict(design)
    for name, formula in QUANTITY_FORMULAS.items():
        known[name] = eval(_compiled(formula), {"__builtins__": {}}, known)
    return known


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> CodeType:
    return compile(expression.strip(), "<claim>", "eval")


def value(term: str, design: Mapping[str, int]) -> int:
    """What Python makes of a term at a design."""
    return int(eval(_compiled(term), {"__builtins__": {}}, facts(design)))


def meets_conditions(claim: str, design: Mapping[str, int]) -> bool:
    """Whether a design meets every condition after ``where``."""
    conditions = claim.partition(" where ")[2]
    return not conditions or all(value(condition, design) for condition in conditions.split(","))


def is_true(claim: str, design: Mapping[str, int]) -> bool:
    """Whether a claim about one design is true of it; where its conditions fail it says nothing false."""
    left, iff, right = claim.partition(" where ")[0].partition(" iff ")
    if not meets_conditions(claim, design):
        return True
    return value(left, design) == value(right, design) if iff else bool(value(left, design))


def smallest_counterexample(claim: str, hypotheses: tuple[str, ...], most: int) -> Design | None:
    """The first design, smallest first, of which the claim is false."""
    return next((d for d in designs_up_to(most, hypotheses) if not is_true(claim, d)), None)


def pairs_that_agree_on(held: Collection[str], designs: Collection[Design]) -> Iterator[tuple[Design, Design]]:
    """Every two designs that share the held sizes and differ in `h`, the smaller `h` first."""
    alike: dict[tuple[int, ...], list[Design]] = {}
    for design in designs:
        alike.setdefault(tuple(design[name] for name in held), []).append(design)
    for group in alike.values():
        yield from ((a, b) for a in group for b in group if a["h"] < b["h"])


def smallest_pair(claim: str, held: Collection[str], designs: Collection[Design]) -> tuple[Design, Design] | None:
    """Of all pairs at which a term that is claimed independent of h differs, that of least sum over both.

    Of several, the first in the order of sizes of the design with the smaller `h`, and then of the other.
    """
    term = claim.partition(" independent of h")[0]
    meeting = [design for design in designs if meets_conditions(claim, design)]
    differing = [pair for pair in pairs_that_agree_on(held, meeting) if value(term, pair[0]) != value(term, pair[1])]

    def order(pair: tuple[Design, Design]) -> tuple[int, ...]:
        first, second = map(rank, pair)
        return (first[0] + second[0], *first[1:], *second[1:])

    return min(differing, key=order, default=None)
