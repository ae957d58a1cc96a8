"""A failing case is made simpler: what is left of it beside the simplest case is what the mistake needs."""

from __future__ import annotations

from time import sleep

import pytest

from mha_spec.conformance import verify
from mha_spec.conformance.cases.shrinking import Made, rank, shrink, smaller_integers
from mutants.registry import mutants

# A law, a wrong layer that it kills, and what the simplest failing case has that the simplest case has not.
PINNED = [
    ("two_keys_pin_the_scale", "ScaleTwiceOverTheWidth", {}, "batch 2, 1 query, a memory of 2 keys, no mask"),
    ("grouped_heads_equal_repeated_heads", "GroupsTiled", {"h": 4}, "batch 2, 2 queries, self-attention, no mask"),
    ("it_equals_the_definition", "ValueBiasDropped", {"bias": 1}, "batch 2, 2 queries, self-attention, no mask"),
    (
        "it_equals_the_definition",
        "MemoryIgnoredWhenOfTheShapeOfX",
        {},
        "batch 2, 2 queries, a memory of 2 keys, no mask",
    ),
    (
        "it_equals_the_definition",
        "CausalityAlignedAtTheOtherCorner",
        {"causal": True, "causal_alignment": "top-left", "d_memory": 4},
        "batch 2, 2 queries, a memory of 3 keys, no mask",
    ),
    (
        "it_equals_the_definition_on_long_sequences",
        "KeysBeyondSixtyFourDropped",
        {},
        "batch 1, 65 queries, self-attention, no mask",
    ),
    (
        "it_equals_the_definition",
        "MaskDroppedForOneQuery",
        {"d_memory": 4},
        "batch 2, 1 query, a memory of 3 keys, a mask that hides 1 of 6 pairs",
    ),
]
SIMPLEST = {
    "d_model": 5,
    "d_memory": 5,
    "h": 2,
    "kv_heads": 2,
    "d_k": 2,
    "d_v": 3,
    "bias": 0,
    "causal": False,
    "dtype": "float64",
}

FACTORIES = {mutant.name: mutant for mutant in mutants()}


def test_choices_become_smaller_while_they_fail() -> None:
    def still_fails(choices: Made) -> Made | None:
        return choices if sum(choices) >= 7 else None

    simplest = shrink((0, 9, 3, 0, 12, 40), still_fails, 1.0)
    assert sorted(simplest) == [0, 0, 0, 0, 0, 7]


def test_one_choice_is_better_than_two() -> None:
    assert rank((0, 5)) < rank((1, 1))
    assert rank((0, 5)) < rank((0, 5, 0))
    assert list(smaller_integers(0)) == []
    assert set(smaller_integers(12)) == {1, 2, 3, 4, 5, 6, 7, 8, 11}


def test_the_time_is_kept() -> None:
    tried = 0

    def still_fails(choices: Made) -> Made | None:
        nonlocal tried
        tried += 1
        sleep(0.01)
        return choices

    shrink(tuple(range(1, 60)), still_fails, 0.05)
    assert 0 < tried < 20  # without a limit there are hundreds of them to try


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("law", "name", "design", "call"), PINNED, ids=[name for _, name, _, _ in PINNED])
def test_the_simplest_failing_case_has_what_the_mistake_needs(
    law: str, name: str, design: dict[str, object], call: str, seed: int
) -> None:
    (outcome,) = verify(FACTORIES[name].factory(), laws=[law], isolated=False, seed=seed).outcomes
    assert outcome.example is not None
    expected = SIMPLEST | ({"d_memory": 4} if law == "two_keys_pin_the_scale" else {}) | design
    assert outcome.example.design == expected
    assert outcome.example.call == f"{call}, seed 0"
