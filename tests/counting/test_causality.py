"""The pairs that causality leaves: derived from the traced triangle, counted in runs, summed by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mha_spec.counting.causality import LENGTH_CASES, rows_without_ones, traced_causality, twice_the_ones
from mha_spec.counting.counted_run import counted_causality
from mha_spec.counting.errors import UndecidedBranch
from mha_spec.counting.quantities import Form
from mha_spec.counting.sizes import Size
from mha_spec.shapes import Alignment

LENGTHS = list(itertools.product(range(1, 6), repeat=2))


def by_hand(n: int, m: int, alignment: Alignment) -> tuple[int, int]:
    offset = 0 if alignment == "top-left" else m - n
    kept = [sum(j <= i + offset for j in range(m)) for i in range(n)]
    return sum(kept), kept.count(0)


@pytest.mark.parametrize("alignment", ["top-left", "bottom-right"])
@pytest.mark.parametrize(("n", "m"), LENGTHS)
def test_the_traced_counts_are_the_sums(n: int, m: int, alignment: Alignment) -> None:
    kept, empty = by_hand(n, m, alignment)
    for case in LENGTH_CASES:
        if (n <= m) if case == "n <= m" else (m <= n):
            traced = traced_causality(alignment, case)
            sizes = {"n": n, "m": m}
            assert (traced.twice_kept_pairs.at(sizes), traced.empty_rows.at(sizes)) == (2 * kept, empty)


@pytest.mark.parametrize("form", ["batched", "per-head"])
@pytest.mark.parametrize("alignment", ["top-left", "bottom-right"])
@pytest.mark.parametrize(("n", "m"), LENGTHS[::3])
def test_the_counted_run_sees_the_same(n: int, m: int, alignment: Alignment, form: Form) -> None:
    sizes = {"n": n, "m": m, "d_model": 2, "d_memory": 3, "h": 2, "d_k": 1, "d_v": 2, "kv_heads": 1, "bias": 1}
    assert counted_causality(sizes, alignment, form=form) == by_hand(n, m, alignment)


@pytest.mark.parametrize("k", range(-6, 7))
@pytest.mark.parametrize(("n", "m"), LENGTHS[::2])
def test_the_ones_of_a_triangle_are_those_of_numpy(n: int, m: int, k: int) -> None:
    triangle = np.tri(n, m, k)
    sizes = Size.of(n), Size.of(m), Size.of(k)
    assert twice_the_ones(*sizes).constant == 2 * triangle.sum()
    assert rows_without_ones(*sizes).constant == (triangle.sum(axis=1) == 0).sum()


def test_lengths_that_are_not_compared_are_an_undecided_branch() -> None:
    with pytest.raises(UndecidedBranch):
        twice_the_ones(Size.of("n"), Size.of("m"), Size())
