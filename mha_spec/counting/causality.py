"""How many query-key pairs causality leaves: read off the triangle that the traced layer makes.

The count is a polynomial only once it is known whether there are more queries or more keys, so the layer is
traced in two cases that cover all sizes, ``n <= m`` and ``m <= n``.  Counts are doubled: ``n*(n + 1)/2`` has no
integer coefficients.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from mha_spec.counting.quantities import trace_layer
from mha_spec.counting.sizes import Size
from mha_spec.design import ScoreRule
from mha_spec.shapes import Alignment

LengthCase: TypeAlias = Literal["n <= m", "m <= n"]
LENGTH_CASES: tuple[LengthCase, ...] = ("n <= m", "m <= n")


class CausalCounts(NamedTuple):
    """Of one head: twice the kept pairs, and the queries that see no key; valid in one case of the lengths."""

    twice_kept_pairs: Size
    empty_rows: Size


@cache
def traced_causality(alignment: Alignment, case: LengthCase) -> CausalCounts:
    """The counts of a causal layer over `n` and `m`, derived from its code for all sizes of a case.

    The case is traced with ``m = n + surplus - 1`` (or the other way round): `surplus` is at least 1, so the
    two cases meet in ``n == m``.
    """
    fewer, more = ("n", "m") if case == "n <= m" else ("m", "n")
    sizes = {fewer: Size.of(fewer), more: Size.of(f"{fewer} + surplus") - 1}
    rule = ScoreRule(causal=True, causal_alignment=alignment)
    (triangle,) = trace_layer("batched", rule=rule, lengths=(sizes["n"], sizes["m"])).triangles
    surplus = Size.of(more) - Size.of(fewer) + 1
    twice, empty = twice_the_ones(*triangle), rows_without_ones(*triangle)
    return CausalCounts(twice.substitute({"surplus": surplus}), empty.substitute({"surplus": surplus}))


def rows_without_ones(n: Size, m: Size, k: Size) -> Size:
    """The rows of ``np.tri(n, m, k)`` that have no one: those before row ``-k``."""
    return _smaller(n, _positive_part(-k))


def twice_the_ones(n: Size, m: Size, k: Size) -> Size:
    """Twice the ones of ``np.tri(n, m, k)``, row `i` of which has ``min(i + k + 1, m)`` but at least none.

    Rows without ones go first; then each row has one more than the last, until rows are full.  Raises
    UndecidedBranch where it is not the same for all sizes which of these there are.
    """
    rows = n - rows_without_ones(n, m, k)
    before_first = _positive_part(k)  # the first of these rows has one more than that
    growing = _smaller(rows, _positive_part(m - before_first))
    return growing * (growing + 1) + 2 * before_first * growing + 2 * (rows - growing) * m


def _smaller(a: Size, b: Size) -> Size:
    if a.is_at_least(b):
        return b
    return a if b.is_at_least(a) or a <= b else b


def _positive_part(size: Size) -> Size:
    zero = Size()
    return zero if zero.is_at_least(size) else size if size.is_at_least(zero) or size >= zero else zero
