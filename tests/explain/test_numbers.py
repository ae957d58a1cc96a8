"""Sizes that are set: what follows from them, what is refused, and the defaults for the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explain.lessons import taught
from mha_spec.design import HYPOTHESES, SIZES
from mha_spec.explain.errors import ExplainError
from mha_spec.explain.numbers import DEFAULT, GIVEN, read_sizes, substitution

ALL = tuple(HYPOTHESES)
PAPER = {"n": 10, "m": 10, "d_model": 512, "d_memory": 512, "h": 8, "d_k": 64, "d_v": 64, "kv_heads": 8, "bias": 0}


def test_without_settings_the_sizes_are_the_papers() -> None:
    assert substitution({}, ALL).sizes == PAPER
    assert substitution({}, ()).sizes == PAPER


def test_what_is_set_what_follows_and_what_is_left() -> None:
    found = substitution({"d_model": 1024, "h": 16}, ("H1", "H3"))
    assert found.sizes == {**PAPER, "d_model": 1024, "d_memory": 1024, "h": 16, "kv_heads": 16}
    origin = {"d_model": GIVEN, "h": GIVEN, "d_k": "H1", "kv_heads": "H3"}
    assert found.origin == {name: origin.get(name, DEFAULT) for name in SIZES}


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ({"d_k": 100}, {"h": 8, "d_model": 800}),
        ({"h": 3}, {"d_k": 64, "d_model": 192}),
        ({"d_model": 500}, {"h": 5, "d_k": 100}),
        ({"d_model": 7, "d_k": 7}, {"h": 1}),
        ({"d_v": 32}, {"d_k": 32, "d_model": 256}),
        ({"d_memory": 64, "d_v": 4}, {"d_model": 64, "h": 16}),
        ({"kv_heads": 4}, {"h": 4, "d_k": 128}),
        ({"m": 3}, {"n": 3}),
    ],
)
def test_sizes_follow_in_every_direction(sizes: dict[str, int], shown: dict[str, int]) -> None:
    found = substitution(sizes, ALL).sizes
    assert {name: found[name] for name in shown} == shown


def test_a_size_that_a_theorem_is_about_differs_from_the_papers() -> None:
    found = substitution({}, (), ("H1", "H2", "H3", "H4", "H5", "H6")).sizes
    for equation in HYPOTHESES.values():
        left, right = equation.split(" == ")
        assert eval(left, {}, dict(found)) != eval(right, {}, dict(found)), equation


def test_sizes_of_a_theorem_of_its_own_have_defaults() -> None:
    found = substitution({"d_ff": 9}, (), extra=("layers", "d_ff", "other"))
    assert {name: found.sizes[name] for name in ("layers", "d_ff", "other")} == {"layers": 6, "d_ff": 9, "other": 2}


@pytest.mark.parametrize(
    ("sizes", "hypotheses", "told"),
    [
        ({"h": 3, "d_model": 512}, "H1", r"3 does not divide 512 \(h=3, d_model=512\), .* H1, h\*d_k == d_model"),
        ({"d_k": 3, "d_model": 512}, "H1", r"3 does not divide 512 \(d_k=3, d_model=512\)"),
        ({"kv_heads": 3, "d_model": 512}, "H1", r"3 does not divide 512 \(kv_heads=3, d_model=512\)"),
        ({"d_v": 3, "d_model": 512}, "H1 H2", r"3 does not divide 512 \(d_k=3 by H2, d_model=512\)"),
        ({"h": 4, "d_k": 3, "d_model": 13}, "H1", r"h=4 times d_k=3 is 12, not d_model=13"),
        ({"d_k": 32, "d_v": 64}, "H2", r"d_v=64 and d_k=32 differ, .* H2, d_v == d_k"),
        ({"kv_heads": 2, "h": 8}, "H3", r"kv_heads=2 and h=8 differ"),
        ({"bias": 1}, "H4", r"bias=1 is not 0, .* H4"),
        ({"n": 3, "m": 5}, "H5", r"m=5 and n=3 differ"),
        ({"d_memory": 3, "d_model": 5}, "H6", r"d_memory=3 and d_model=5 differ"),
        ({"kv_heads": 3, "h": 8}, "", r"3 does not divide 8 \(kv_heads=3, h=8\)"),
    ],
)
def test_a_contradiction_names_both_numbers(sizes: dict[str, int], hypotheses: str, told: str) -> None:
    with pytest.raises(ExplainError, match=told):
        substitution(sizes, hypotheses.split())


def test_a_hypothesis_that_a_theorem_does_not_use_may_be_broken() -> None:
    assert taught("score_multiplications").standing["H6"] == "assumed, not used"
    assert substitution({"d_memory": 3}, ("H1", "H5")).sizes["d_memory"] == 3


@given(
    st.dictionaries(st.sampled_from([size for size in SIZES if size != "bias"]), st.integers(1, 24), max_size=4),
    st.sets(st.sampled_from(ALL)),
    st.sets(st.sampled_from(ALL)),
)
def test_sizes_are_completed_to_a_design_or_refused(sizes: dict[str, int], used: set[str], free: set[str]) -> None:
    try:
        found = substitution(sizes, used, free - used).sizes
    except ExplainError:
        return
    assert set(found) == set(SIZES)
    assert {name: found[name] for name in sizes} == sizes
    assert all(value >= 1 for name, value in found.items() if name != "bias")
    assert found["h"] % found["kv_heads"] == 0
    for name in used:
        assert eval(HYPOTHESES[name], {}, dict(found)), name


@given(st.sets(st.sampled_from(ALL)), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.data())
def test_what_some_design_has_is_never_refused(
    used: set[str], kv_heads: int, group: int, d_k: int, data: st.DataObject
) -> None:
    h = kv_heads if "H3" in used else kv_heads * group
    free = {name: data.draw(st.integers(1, 20), name) for name in ("n", "m", "d_model", "d_memory", "d_v")}
    design = {**free, "h": h, "kv_heads": kv_heads, "d_k": d_k, "bias": 0}
    if "H1" in used:
        design["d_model"] = h * d_k
    for hypothesis, name, other in (("H2", "d_v", "d_k"), ("H5", "m", "n"), ("H6", "d_memory", "d_model")):
        if hypothesis in used:
            design[name] = design[other]
    kept = data.draw(st.sets(st.sampled_from(SIZES)), "given")
    found = substitution({name: design[name] for name in kept}, used).sizes
    assert {name: found[name] for name in kept} == {name: design[name] for name in kept}


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("h=0", "h is at least 1, not 0"),
        ("h=-1", "h is at least 1, not -1"),
        ("bias=2", "bias is 0 or 1, not 2"),
        ("h=x", "'x' in 'h=x' is not an integer"),
        ("h=1.5", "is not an integer"),
        ("h=1_0", "is not an integer"),
        ("h=٣", "is not an integer"),
        ("h=", "is not an integer"),
        ("h", "--set takes sizes such as d_model=512,h=8, not 'h'"),
        ("", "--set takes sizes"),
        ("=3", "--set takes sizes"),
        ("h=2,", "--set takes sizes"),
        ("d_mdel=3", "no size is called 'd_mdel' in 'd_mdel=3'; did you mean d_model?"),
        ("xyz=3", "there are n, m, d_model"),
        ("h=2,h=3", "h is set to 2 and to 3"),
        ("n=1000000001", "n is at most 1,000,000,000 here, not 1000000001"),
        ("n=" + 5000 * "9", "n is at most"),
        ("n=-" + 5000 * "9", "n is at least 1"),
    ],
)
def test_what_is_no_size_is_told(setting: str, told: str) -> None:
    with pytest.raises(ExplainError) as refused:
        read_sizes([setting], SIZES)
    assert told in str(refused.value)
    assert len(str(refused.value)) < 200


def test_settings_add_up() -> None:
    assert read_sizes(["d_model=512, h=8", "n=010", "h=8"], SIZES) == {"d_model": 512, "h": 8, "n": 10}
