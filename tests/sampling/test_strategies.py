"""Hypothesis draws designs that meet what is asked of them, and shrinks them to the smallest."""

from __future__ import annotations

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from mha_spec.sampling.designs import Sizes
from mha_spec.sampling.strategies import designs, pairs_of_designs

from .brute_force import ALL, ORDER, every_subset, meets

SHARED = ("n", "m", "d_model", "d_memory", "bias")
VARYING = ("h", "d_k", "d_v", "kv_heads", "group")
quiet = settings(database=None, derandomize=True, deadline=None)


@given(st.data(), st.sampled_from(every_subset()))
def test_a_drawn_design_meets_its_hypotheses(data: st.DataObject, hypotheses: tuple[str, ...]) -> None:
    sizes = data.draw(designs(hypotheses, largest=3))
    assert meets(sizes, hypotheses)
    assert sizes["h"] == sizes["kv_heads"] * sizes["group"]
    assert all(sizes[name] >= 1 for name in ORDER[:-1])


@given(pairs_of_designs(("H1", "H2", "H3"), VARYING))
def test_a_drawn_pair_differs_in_h_and_shares_what_is_held(pair: tuple[Sizes, Sizes]) -> None:
    first, second = pair
    assert first["h"] != second["h"]
    assert all(first[name] == second[name] for name in SHARED)
    assert meets(first, ("H1", "H2", "H3"))
    assert meets(second, ("H1", "H2", "H3"))


def test_a_design_shrinks_to_ones() -> None:
    smallest = find(designs(ALL), lambda sizes: True, settings=quiet)
    assert {name: smallest[name] for name in ORDER} == {**dict.fromkeys(ORDER, 1), "bias": 0}


def test_a_pair_does_not_shrink_to_equal_head_counts() -> None:
    first, second = find(pairs_of_designs(ALL, VARYING), lambda pair: True, settings=quiet)
    assert (first["h"], second["h"]) == (1, 2)


@pytest.mark.parametrize("hypothesis", ALL)
def test_a_hypothesis_that_is_not_asked_for_can_be_broken(hypothesis: str) -> None:
    others = tuple(name for name in ALL if name != hypothesis)
    broken = find(designs(others), lambda sizes: not meets(sizes, (hypothesis,)), settings=quiet)
    assert meets(broken, others)
