"""What may be assumed is true of every design it is assumed of, and of both designs of a pair."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given

from mha_spec.claims.equations import (
    ALL_HYPOTHESES,
    as_at_most,
    conditions_as_equations,
    equations_for,
    equations_for_pair,
    primed,
    second_design,
    varying_sizes,
)
from mha_spec.claims.language import ClaimError
from mha_spec.claims.terms import Operation, Relation, RelationSign, Term, evaluate, relation_holds
from sampling.brute_force import ALL, Design, designs_up_to, every_subset

from .drawn_terms import NAMES, points, polynomials, relations
from .reading_by_python import pairs_that_agree_on

SIZES = ("n", "m", "d_model", "d_memory", "h", "d_k", "d_v", "kv_heads", "bias")


def with_all_names(design: Mapping[str, int]) -> Design:
    return {**design, "group": design["h"] // design["kv_heads"], "no_bias": 1 - design["bias"]}


def both(first: Mapping[str, int], second: Mapping[str, int], varying: tuple[str, ...]) -> Design:
    """One assignment for a pair: the second design's sizes primed where they vary."""
    a, b = with_all_names(first), with_all_names(second)
    return {**a, **{name + "'": b[name] for name in varying}}


def expected_to_vary(active: tuple[str, ...], hold: tuple[str, ...]) -> set[str]:
    """Only h and what follows from it: d_k under H1 (or d_model if the width is held), and so on."""
    width_held = "d_k" in hold or ("H2" in active and "d_v" in hold)
    varying = {"h", "group"}
    if "H1" in active and width_held:
        varying |= {"d_model", "d_memory"} if "H6" in active else {"d_model"}
    if "H1" in active and not width_held:
        varying |= {"d_k", "d_v"} if "H2" in active else {"d_k"}
    return varying | ({"kv_heads"} if "H3" in active else set())


def test_the_hypotheses_are_the_six() -> None:
    assert ALL_HYPOTHESES == ALL


@pytest.mark.parametrize(
    "hold", every_subset(("n", "d_model", "d_memory", "d_k", "d_v", "kv_heads", "h")), ids=" ".join
)
def test_what_varies_with_h_is_what_follows_from_it(hold: tuple[str, ...]) -> None:
    for active in every_subset():
        expected = expected_to_vary(active, hold)
        if expected & set(hold):
            with pytest.raises(ClaimError, match="cannot be held"):
                varying_sizes(active, hold)
        else:
            assert set(varying_sizes(active, hold)) == expected


@pytest.mark.parametrize(
    ("drop", "hold", "varying"),
    [
        ((), (), "h d_k d_v kv_heads group"),
        ((), ("d_k",), "d_model d_memory h kv_heads group"),
        ((), ("d_v",), "d_model d_memory h kv_heads group"),
        (("H1",), (), "h kv_heads group"),
        (("H2",), (), "h d_k kv_heads group"),
        (("H2",), ("d_v",), "h d_k kv_heads group"),
        (("H3",), (), "h d_k d_v group"),
        (("H6",), ("d_k",), "d_model h kv_heads group"),
        (ALL, (), "h group"),
    ],
)
def test_what_varies_is_listed_in_the_order_of_the_sizes(
    drop: tuple[str, ...], hold: tuple[str, ...], varying: str
) -> None:
    active = tuple(name for name in ALL if name not in drop)
    assert varying_sizes(active, hold) == tuple(varying.split())


@pytest.mark.parametrize("hold", [(), ("d_k",)], ids=["nothing held", "d_k held"])
@pytest.mark.parametrize("active", every_subset(("H1", "H2", "H3", "H6")), ids=lambda names: " ".join(names) or "none")
def test_there_are_two_designs_that_differ_in_h_and_agree_on_what_is_held(
    active: tuple[str, ...], hold: tuple[str, ...]
) -> None:
    """Otherwise independence would be said of nothing; and each size that may vary does in some pair."""
    varying = varying_sizes(active, hold)
    held = [name for name in SIZES if name not in varying]
    differing = {
        name
        for first, second in pairs_that_agree_on(held, designs_up_to(13, (*active, "H4")))
        for name in SIZES
        if first[name] != second[name]
    }
    assert differing == set(varying) - {"group"}


def test_a_held_size_that_follows_from_h_is_named_with_the_hypotheses() -> None:
    with pytest.raises(ClaimError, match=r"kv_heads cannot be held: under H1 H3 it follows from h"):
        varying_sizes(("H1", "H3"), ("kv_heads",), "n independent of h")


@pytest.mark.parametrize("active", every_subset(), ids=lambda names: " ".join(names) or "none")
def test_equations_are_true_of_every_design_that_meets_the_hypotheses(active: tuple[str, ...]) -> None:
    for design in designs_up_to(11, active):
        sizes = with_all_names(design)
        assert [
            label
            for label, (left, right) in equations_for(active).items()
            if evaluate(left, sizes) != evaluate(right, sizes)
        ] == []


def test_each_hypothesis_gives_one_equation_and_two_more_always_hold() -> None:
    assert list(equations_for(())) == ["h", "bias", "bias <= 1"]
    assert list(equations_for(ALL)) == ["h", "bias", "bias <= 1", *ALL]
    broken = next(d for d in designs_up_to(11) if d["h"] * d["d_k"] != d["d_model"])
    left, right = equations_for(("H1",))["H1"]
    assert evaluate(left, broken) != evaluate(right, broken)


def test_exactly_the_equations_that_mention_a_varying_size_are_doubled() -> None:
    pair = equations_for_pair(ALL, varying_sizes(ALL))
    assert {label for label in pair if label.endswith("'")} == {"h'", "H1'", "H2'", "H3'"}
    assert pair["H1'"] == (Operation("*", "h'", "d_k'"), "d_model")
    assert pair["h'"] == (Operation("*", "kv_heads'", "group'"), "h'")
    held = equations_for_pair(ALL, varying_sizes(ALL, ("d_k",)))
    assert {label for label in held if label.endswith("'")} == {"h'", "H1'", "H3'", "H6'"}
    assert held["H1'"] == (Operation("*", "h'", "d_k"), "d_model'")


@pytest.mark.parametrize("active", every_subset(("H1", "H2", "H3", "H6")), ids=lambda names: " ".join(names) or "none")
def test_equations_for_a_pair_are_true_of_every_pair(active: tuple[str, ...]) -> None:
    for hold in ((), ("d_k",)):
        varying = varying_sizes(active, hold)
        held = [name for name in SIZES if name not in varying]
        equations = equations_for_pair(active, varying)
        for first, second in pairs_that_agree_on(held, designs_up_to(11, (*active, "H4"))):
            sizes = both(first, second, varying)
            assert all(evaluate(left, sizes) == evaluate(right, sizes) for left, right in equations.values())


def test_priming_renames_the_varying_sizes_only() -> None:
    assert primed(("h", "d_k")) == {"h": "h'", "d_k": "d_k'"}
    relation = Relation("==", Operation("*", "h", "d_k"), "d_model")
    assert second_design(relation, ("h",)) == Relation("==", Operation("*", "h'", "d_k"), "d_model")


@given(relations(polynomials()), points(NAMES))
def test_a_relation_as_at_most_says_the_same_over_the_integers(relation: Relation, at: dict[str, int]) -> None:
    assert relation_holds(as_at_most(relation), at) == relation_holds(relation, at)
    assert as_at_most(relation).sign in ("==", "!=", "<=")


@given(relations(polynomials()), points(NAMES))
def test_a_condition_is_true_exactly_where_its_equation_has_a_slack_of_at_least_zero(
    relation: Relation, at: dict[str, int]
) -> None:
    equations = conditions_as_equations([relation])
    if relation.sign == "!=":
        assert equations == {}
        return
    left, right = equations["where 1"]
    slack = evaluate(left, at) - evaluate(right, {**at, "slack1": 0})
    assert relation_holds(relation, at) == (slack == 0 if relation.sign == "==" else slack >= 0)
    if relation.sign != "==":
        assert evaluate(left, at) == evaluate(right, {**at, "slack1": slack})


@pytest.mark.parametrize(
    ("sign", "equation"),
    [
        ("==", ("n", "m")),
        ("<=", ("m", Operation("+", "n", "slack1"))),
        ("<", ("m", Operation("+", Operation("+", "n", 1), "slack1"))),
        (">=", ("n", Operation("+", "m", "slack1"))),
        (">", ("n", Operation("+", Operation("+", "m", 1), "slack1"))),
    ],
)
def test_conditions_as_they_are_written_down(sign: RelationSign, equation: tuple[Term, Term]) -> None:
    assert conditions_as_equations([Relation(sign, "n", "m")]) == {"where 1": equation}


def test_conditions_are_numbered_as_they_stand_and_what_no_identity_can_use_is_left_out() -> None:
    conditions = [
        Relation("!=", "n", "m"),
        Relation("==", "n", 3),
        Relation("==", Operation("%", "n", "m"), 0),
        Relation(">=", "m", 2),
    ]
    assert conditions_as_equations(conditions) == {
        "where 2": ("n", 3),
        "where 4": ("m", Operation("+", 2, "slack4")),
    }


def test_a_condition_on_a_varying_size_is_doubled_with_a_slack_of_its_own() -> None:
    where = [Relation(">=", "n", 2), Relation("<=", "h", 4)]
    pair = equations_for_pair(("H1",), varying_sizes(("H1",)), where)
    assert pair["where 1"] == ("n", Operation("+", 2, "slack1"))
    assert "where 1'" not in pair
    assert pair["where 2"] == (4, Operation("+", "h", "slack2"))
    assert pair["where 2'"] == (4, Operation("+", "h'", "slack2'"))
