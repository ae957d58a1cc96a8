"""Three-valued comparison of polynomials in sizes: proved true, proved false, or undecided.

Every name is an integer that is at least 1, except `bias`, which is 0 or 1. The index of an open pass of a
loop is between 1 and the number of passes minus 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Literal, NamedTuple, TypeAlias

from mha_spec.counting import polynomials
from mha_spec.counting.errors import UndecidedBranch
from mha_spec.counting.line_fixes import fix_of_creation
from mha_spec.counting.polynomials import BINARY, Polynomial

Relation: TypeAlias = Literal["==", "<="]


class IndexRange(NamedTuple):
    """The index of an open pass, with 1 <= index <= trip - 1."""

    name: str
    trip: Polynomial


OPEN_INDICES: ContextVar[tuple[IndexRange, ...]] = ContextVar("OPEN_INDICES", default=())
"""The indices of the passes that are running, outermost first."""

MOST_POINTS = 20_000
_ONE = polynomials.constant(1)


def is_nonnegative(polynomial: Polynomial) -> bool:
    """Whether the polynomial is proved at least 0 for all sizes. False only means: not proved."""
    if all(coefficient >= 0 for coefficient in polynomial.values()):
        return True
    if all(monomial == () for monomial in polynomial):
        return False
    if BINARY in polynomials.names(polynomial):
        values = (polynomials.substitute(polynomial, {BINARY: polynomials.constant(bit)}) for bit in (0, 1))
        return all(is_nonnegative(value) for value in values)
    return any(_has_no_negative_coefficient(rewritten) for rewritten in _rewritten_indices(polynomial))


def _rewritten_indices(polynomial: Polynomial) -> Iterator[Polynomial]:
    """The polynomial with each open index counted from below, or from above as trip - (something >= 1).

    Both are the same number, so a proof for any one of the rewritten forms is a proof.
    """
    ranges = OPEN_INDICES.get()
    for from_above in itertools.product((False, True), repeat=len(ranges)):
        rewritten = polynomial
        for (name, trip), above in reversed(list(zip(ranges, from_above, strict=True))):
            if above:
                counted = polynomials.add(trip, polynomials.variable("~" + name), -1)
                rewritten = polynomials.substitute(rewritten, {name: counted})
        yield rewritten


def _has_no_negative_coefficient(polynomial: Polynomial) -> bool:
    """The test after writing each name as 1 + (something >= 0)."""
    shifted = {name: polynomials.add(polynomials.variable(name), _ONE) for name in polynomials.names(polynomial)}
    return all(coefficient >= 0 for coefficient in polynomials.substitute(polynomial, shifted).values())


def compare(left: Polynomial, relation: Relation, right: Polynomial) -> bool | None:
    """True or False if `left relation right` is proved so for all sizes, None if neither is proved."""
    difference = polynomials.add(left, right, -1)
    if relation == "==":
        if not difference:
            return True
        apart = is_nonnegative(polynomials.add(difference, _ONE, -1)) or is_nonnegative(
            polynomials.add(polynomials.add(right, left, -1), _ONE, -1)
        )
        return False if apart else None
    if is_nonnegative(polynomials.add(right, left, -1)):
        return True
    return False if is_nonnegative(polynomials.add(difference, _ONE, -1)) else None


def witnesses(left: Polynomial, relation: Relation, right: Polynomial) -> Mapping[bool, Mapping[str, int]]:
    """Small sizes at which the relation is true, and small sizes at which it is false, where found."""
    difference = polynomials.add(left, right, -1)
    found: dict[bool, Mapping[str, int]] = {}
    for point in _points(sorted(polynomials.names(difference) | _names_of_open_trips(difference))):
        value = polynomials.evaluate(difference, point)
        found.setdefault(value == 0 if relation == "==" else value <= 0, point)
        if len(found) == 2:
            break
    return found


def _names_of_open_trips(difference: Polynomial) -> set[str]:
    """The names that bound an index which occurs: a witness must give the loop enough passes."""
    wanted: set[str] = set()
    for name, trip in reversed(OPEN_INDICES.get()):
        if name in polynomials.names(difference) or name in wanted:
            wanted |= polynomials.names(trip)
    return wanted


def _points(names: list[str]) -> Iterator[Mapping[str, int]]:
    many = {1: (*range(1, 65), *(2**k for k in range(7, 24))), 2: (*range(1, 17), 32, 64, 128, 1000)}
    candidates = many.get(len(names), (1, 2, 3, 4, 8))
    choices = [(0, 1) if name == BINARY else candidates for name in names]
    grid = itertools.islice(itertools.product(*choices), MOST_POINTS)
    ranges = [pair for pair in OPEN_INDICES.get() if pair.name in names]
    for values_here in sorted(grid, key=lambda point: (sum(point), point)):
        point = dict(zip(names, values_here, strict=True))
        if all(point[name] < polynomials.evaluate(trip, point) for name, trip in ranges):
            yield point


def text_of_point(point: Mapping[str, int] | None) -> str:
    """`n=1, m=2`, or words that say that no such sizes were found."""
    if point is None:
        return "no sizes that were tried"
    return ", ".join(f"{name}={value}" for name, value in point.items()) or "all sizes"


def decide(left: Polynomial, sign: str, right: Polynomial) -> bool:
    """The truth of `left sign right`, for one of the signs `== != <= < >= >`.

    Raises UndecidedBranch, which shows sizes where it is true and sizes where it is false.
    """
    low, high = (right, left) if sign in (">=", "<") else (left, right)
    relation: Relation = "==" if sign in ("==", "!=") else "<="
    denied = sign in ("!=", ">", "<")
    answer = compare(low, relation, high)
    if answer is not None:
        return answer is not denied
    found = witnesses(low, relation, high)
    raise UndecidedBranch(
        f"{polynomials.text(left)} {sign} {polynomials.text(right)} is not the same for all sizes: "
        f"true at {text_of_point(found.get(not denied))}; false at {text_of_point(found.get(denied))}",
        fix_of_creation("make the program do the same for all sizes, or pass an integer for a size that must be known"),
    )
