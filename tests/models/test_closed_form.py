"""The quantities at many designs at once: equal to the traced terms and to Python integers, and never overflowing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_spec.claims.quantities import traced_counts
from mha_spec.design import DesignError
from mha_spec.models.closed_form import SIZES, at_designs, at_sizes
from mha_spec.models.quantity_formulas import FORMULAS
from mha_spec.models.regenerate_quantity_formulas import traced_formulas

sizes = st.fixed_dictionaries({name: st.integers(1, 10**9) for name in SIZES[:-1]} | {"bias": st.integers(0, 1)})


def test_the_formulas_are_the_traced_ones() -> None:
    assert dict(FORMULAS) == traced_formulas()


@given(sizes)
def test_one_design_is_what_its_trace_says(design: dict[str, int]) -> None:
    expected = traced_counts({**design, "h": design["kv_heads"] * design["group"]})
    assert {name: at_sizes(name, design) for name in FORMULAS} == {name: expected[name] for name in FORMULAS}


@given(st.lists(sizes, min_size=1, max_size=20))
def test_many_designs_are_each_what_python_integers_say(designs: list[dict[str, int]]) -> None:
    columns = {name: [design[name] for design in designs] for name in SIZES}
    found = at_designs(columns, tuple(FORMULAS))
    for name, values in found.items():
        assert [int(value) for value in values] == [at_sizes(name, design) for design in designs]


def test_results_that_leave_64_bits_are_exact() -> None:
    design = {"n": 10**9, "m": 10**9, "d_model": 10**6, "d_memory": 10**6, "kv_heads": 1000, "group": 1}
    design |= {"d_k": 1000, "d_v": 1000, "bias": 1}
    found = at_designs({name: [size] for name, size in design.items()})
    assert found["parameters"].dtype == np.int64
    assert found["multiplications"].dtype == object
    assert found["multiplications"][0] == 4 * 10**9 * 10**12 + 2 * 10**18 * 10**6


def test_columns_that_make_no_designs_are_refused() -> None:
    good = {name: [1, 1] for name in SIZES}
    with pytest.raises(DesignError, match="no column d_k"):
        at_designs({name: column for name, column in good.items() if name != "d_k"})
    with pytest.raises(DesignError, match="different lengths"):
        at_designs({**good, "n": [1]})
    with pytest.raises(DesignError, match="design 1: kv_heads=3 does not divide h=4"):
        at_designs(
            {**{name: column for name, column in good.items() if name != "group"}, "h": [6, 4], "kv_heads": [3, 3]}
        )
    with pytest.raises(DesignError, match="dtype float64"):
        at_designs({**good, "n": np.array([1.5, 2.0])})
