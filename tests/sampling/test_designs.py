"""Designs are built in the right order, all of them, and none that breaks a hypothesis."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice, takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_spec.design import HYPOTHESES, SIZES, AttentionDesign
from mha_spec.sampling.designs import DesignSpace, Sizes, divisors, draw_pair

from .brute_force import ALL, ORDER, designs_up_to, every_subset, meets, rank

Pick = Callable[[int, int], int]
PINS: list[dict[str, int]] = [
    {"h": 4},
    {"d_model": 6},
    {"d_model": 6, "d_k": 3},
    {"h": 2, "d_model": 4},
    {"d_k": 2, "n": 3},
    {"kv_heads": 2},
    {"kv_heads": 2, "h": 4},
    {"d_memory": 2},
    {"d_v": 3},
    {"bias": 1},
    {"m": 2},
    {"n": 1, "m": 2},
    {"h": 3, "d_k": 2, "d_model": 5},
    {"kv_heads": 3, "h": 4},
]


def without_group(sizes: Sizes) -> Sizes:
    return {name: sizes[name] for name in ORDER}


def up_to(space: DesignSpace, most: int) -> list[Sizes]:
    """The designs of a space whose sizes sum to at most `most`, as the space gives them."""
    smallest = takewhile(lambda sizes: sum(sizes[name] for name in ORDER) <= most, space.smallest_first())
    return [without_group(sizes) for sizes in smallest]


def is_a_layer(sizes: Sizes) -> bool:
    return (
        all(sizes[name] >= 1 for name in ORDER[:-1])
        and sizes["bias"] in (0, 1)
        and sizes["h"] == sizes["kv_heads"] * sizes["group"]
    )


def as_attention_design(sizes: Sizes) -> AttentionDesign:
    return AttentionDesign(
        d_model=sizes["d_model"],
        d_memory=sizes["d_memory"],
        h=sizes["h"],
        kv_heads=sizes["kv_heads"],
        d_k=sizes["d_k"],
        d_v=sizes["d_v"],
        bias=sizes["bias"],
    )


def test_the_brute_force_order_is_the_order_of_the_sizes() -> None:
    assert ORDER == SIZES
    assert set(ALL) == set(HYPOTHESES)


@pytest.mark.parametrize("hypotheses", every_subset(), ids=lambda names: " ".join(names) or "none")
def test_smallest_first_is_every_design_in_order_under(hypotheses: tuple[str, ...]) -> None:
    most = 16 if "H1" in hypotheses else 13
    expected = list(designs_up_to(most, hypotheses))
    assert len(expected) > 3
    assert up_to(DesignSpace(hypotheses), most) == expected


@pytest.mark.parametrize("pinned", PINS, ids=str)
@pytest.mark.parametrize("hypotheses", [(), ("H1",), ("H1", "H3"), ("H3", "H5"), ALL], ids=" ".join)
def test_smallest_first_with_pinned_sizes_is_every_design_that_has_them(
    hypotheses: tuple[str, ...], pinned: dict[str, int]
) -> None:
    most = 15
    expected = [d for d in designs_up_to(most, hypotheses) if d.items() >= pinned.items()]
    assert up_to(DesignSpace(hypotheses, pinned=pinned), most) == expected


def test_a_space_in_which_every_size_is_pinned_or_limited_ends() -> None:
    pinned = {"n": 2, "d_model": 6, "h": 3}
    found = list(DesignSpace(ALL, pinned=pinned).smallest_first())
    assert [without_group(sizes) for sizes in found] == [
        {
            "n": 2,
            "m": 2,
            "d_model": 6,
            "d_memory": 6,
            "h": 3,
            "d_k": 2,
            "d_v": 2,
            "kv_heads": 3,
            "bias": 0,
        }
    ]


def test_a_finite_space_has_every_divisor_of_what_is_pinned() -> None:
    found = list(DesignSpace(ALL, pinned={"n": 1, "d_model": 12}).smallest_first())
    assert {(sizes["h"], sizes["d_k"]) for sizes in found} == {
        (1, 12), (2, 6), (3, 4), (4, 3), (6, 2), (12, 1)
    }  # fmt: skip
    assert [rank(sizes) for sizes in found] == sorted(rank(sizes) for sizes in found)


@pytest.mark.parametrize(
    ("hypotheses", "pinned"),
    [
        (("H5",), {"n": 1, "m": 2}),
        (("H4",), {"bias": 1}),
        (("H1",), {"h": 3, "d_model": 4}),
        ((), {"h": 0}),
        ((), {"h": 4, "kv_heads": 3}),
        ((), {"bias": 2}),
        ((), {"n": -1}),
        (("H1",), {"d_model": 0}),
    ],
)
def test_a_space_without_designs_ends_and_nothing_is_drawn_from_it(
    hypotheses: tuple[str, ...], pinned: dict[str, int]
) -> None:
    space = DesignSpace(hypotheses, pinned=pinned)
    assert list(space.smallest_first()) == []
    with pytest.raises(ValueError, match="no design has"):
        space.draw(random.Random(0).randint)


def test_an_endless_space_goes_on_and_never_repeats_itself() -> None:
    found = list(islice(DesignSpace(ALL).smallest_first(), 3000))
    ranks = [rank(sizes) for sizes in found]
    assert ranks == sorted(set(ranks))
    assert len(ranks) == 3000


def test_an_extra_size_is_free_and_counts_in_the_sum() -> None:
    space = DesignSpace(ALL, extra=("c",))
    found = list(islice(space.smallest_first(), 200))
    assert [space.total(sizes) for sizes in found] == sorted(
        sum(sizes[name] for name in (*ORDER, "c")) for sizes in found
    )
    assert {sizes["c"] for sizes in found} >= {1, 2, 3, 4}
    pinned = DesignSpace(ALL, pinned={"c": 5}, extra=("c",))
    assert {sizes["c"] for sizes in islice(pinned.smallest_first(), 50)} == {5}


@pytest.mark.parametrize("hypotheses", every_subset(), ids=lambda names: " ".join(names) or "none")
def test_draws_meet_the_hypotheses_and_are_designs_of_a_layer(hypotheses: tuple[str, ...]) -> None:
    space = DesignSpace(hypotheses)
    pick = random.Random(len(hypotheses)).randint
    drawn = [space.draw(pick) for _ in range(40)]
    for sizes in drawn:
        assert is_a_layer(sizes)
        assert meets(sizes, hypotheses)
        assert max(sizes[name] for name in space.free) <= 4
        assert as_attention_design(sizes).sizes(sizes["n"], sizes["m"]) == without_group(sizes)
    broken = {name for sizes in drawn for name in ALL if not meets(sizes, (name,))}
    assert broken == set(ALL) - set(hypotheses)  # what is not asked for is not met by accident either


@pytest.mark.parametrize("pinned", PINS, ids=str)
@pytest.mark.parametrize("hypotheses", [(), ("H1",), ("H1", "H3"), ALL], ids=" ".join)
def test_a_draw_has_the_pinned_sizes_or_is_refused(hypotheses: tuple[str, ...], pinned: dict[str, int]) -> None:
    space = DesignSpace(hypotheses, pinned=pinned)
    pick = random.Random(1).randint
    for _ in range(20):
        try:
            sizes = space.draw(pick)
        except ValueError:
            continue
        assert is_a_layer(sizes)
        assert meets(sizes, hypotheses)
        assert sizes.items() >= pinned.items()


@pytest.mark.parametrize(
    "pinned",
    [{"h": 4}, {"d_model": 6}, {"h": 2, "d_model": 4}, {"d_k": 2}, {"d_memory": 2}, {"d_model": 6, "d_k": 3}],
    ids=str,
)
def test_a_draw_with_sizes_that_some_design_has_never_fails(pinned: dict[str, int]) -> None:
    for hypotheses in every_subset():
        space = DesignSpace(hypotheses, pinned=pinned)
        pick = random.Random(2).randint
        assert all(space.draw(pick).items() >= pinned.items() for _ in range(10))


VARYING: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    (ALL, ("h", "d_k", "d_v", "kv_heads", "group")),
    (ALL, ("d_model", "d_memory", "h", "kv_heads", "group")),
    (("H1",), ("h", "d_k", "group")),
    (("H1", "H2"), ("h", "d_k", "d_v", "group")),
    (("H3",), ("h", "kv_heads", "group")),
    ((), ("h", "group")),
    (("H1", "H6"), ("d_model", "d_memory", "h", "group")),
]


@pytest.mark.parametrize(("hypotheses", "varying"), VARYING, ids=str)
@given(generator=st.randoms(use_true_random=False))
def test_two_drawn_designs_differ_in_h_and_agree_in_what_is_held(
    hypotheses: tuple[str, ...], varying: tuple[str, ...], generator: random.Random
) -> None:
    first, second = draw_pair(hypotheses, varying, generator.randint)
    assert first["h"] != second["h"]
    for sizes in (first, second):
        assert is_a_layer(sizes)
        assert meets(sizes, hypotheses)
    assert {name for name in first if first[name] != second[name]} <= set(varying)


def test_drawn_pairs_reach_every_order_of_head_counts_and_designs_with_and_without_bias() -> None:
    pick = random.Random(0).randint
    drawn = [draw_pair(("H1", "H2", "H3"), ("h", "d_k", "d_v", "kv_heads", "group"), pick) for _ in range(200)]
    heads = {(first["h"], second["h"]) for first, second in drawn}
    assert heads == {(a, b) for a in range(1, 5) for b in range(1, 5) if a != b}
    assert {first["bias"] for first, _ in drawn} == {0, 1}
    assert any(first["d_memory"] != first["d_model"] for first, _ in drawn)


@given(st.integers(-5, 2000))
def test_divisors_are_the_numbers_that_divide(number: int) -> None:
    assert divisors(number) == [d for d in range(1, number + 1) if number % d == 0]
