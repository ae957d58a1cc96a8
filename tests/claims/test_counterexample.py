"""A counterexample is the smallest there is: found here once more by plain loops over all sizes."""

from __future__ import annotations

import pytest

from mha_spec.claims.counterexample import MAX_DESIGNS, goal_holds, search
from mha_spec.claims.equations import varying_sizes
from mha_spec.claims.prover import prove
from mha_spec.claims.question import ask
from mha_spec.claims.terms import IndependentOfH, Relation
from mha_spec.sampling.designs import DesignSpace
from sampling.brute_force import ALL, designs_up_to, meets, rank

from .reading_by_python import is_true, smallest_counterexample, smallest_pair

SINGLE = [
    ("parameters == 4*d_model**2", ("H1",)),
    ("parameters == 4*d_model**2", ("H2",)),
    ("parameters == 4*d_model**2", ("H3",)),
    ("parameters == 4*d_model**2", ("H4",)),
    ("parameters == 4*d_model**2", ("H6",)),
    ("parameters == 4*d_model**2", ALL),
    ("score_multiplications == n**2*d_model", ("H5",)),
    ("score_multiplications == n**2*d_model", ("H1", "H5")),
    ("exponentials == n*m", ()),
    ("exponentials == score_multiplications", ()),
    ("kv_cache_entries == 2*m*d_model", ("H3",)),
    ("multiplications < 16*d_model*n*n", ()),
    ("d_model // h == d_k", ("H1",)),
    ("d_model % h == 0", ("H1",)),
    ("n == 1 iff m == 1", ("H5",)),
    ("n < 3", ()),
    ("n*m != 4", ("H5",)),
    ("h + n <= 4", ()),
    ("bias == 0", ("H4",)),
    ("n < m where h >= 2, d_k >= 2", ALL),
    ("kv_heads == h where h == 4", ("H3",)),
    ("d_model != 6", ("H2",)),
]
PAIRS = [
    ("score_entries independent of h", (), ()),
    ("exponentials independent of h", (), ()),
    ("comparisons independent of h", (), ()),
    ("comparisons independent of h", ("H5",), ()),
    ("attention_matrices independent of h", ("H1", "H3"), ()),
    ("parameters independent of h", ("H1",), ()),
    ("parameters independent of h", ("H2",), ()),
    ("parameters independent of h", ("H3",), ()),
    ("parameters independent of h", ("H1", "H2", "H3"), ()),
    ("parameters independent of h", (), ("d_k",)),
    ("kv_cache_entries independent of h", ("H3",), ()),
    ("mixing_multiplications independent of h", ("H2",), ()),
    ("d_k independent of h", (), ()),
    ("(h - 1)*(h - 2) independent of h", (), ()),
    ("(h - 1)*(h - 2)*(h - 3) independent of h", ("H1",), ()),
    ("(n - 1)*h independent of h", (), ()),
    ("(d_model - 2)*h independent of h", (), ()),
    ("h % 2 independent of h", (), ("d_k",)),
    ("h independent of h where h >= 2", ("H1",), ()),
    ("h independent of h where n >= 2", (), ()),
]
ONE_DESIGN = 8  # the least sum of sizes of any design


def left(drop: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in ALL if name not in drop)


@pytest.mark.parametrize(("claim", "drop"), SINGLE, ids=str)
def test_a_counterexample_is_the_smallest_design_at_which_the_claim_fails(claim: str, drop: tuple[str, ...]) -> None:
    verdict = prove(claim, drop=drop, designs=1)
    assert verdict.outcome == "REFUTED"
    expected = smallest_counterexample(claim, left(drop), 22 if len(left(drop)) > 4 else 15)
    assert expected is not None
    assert verdict.counterexample == (expected,)
    assert verdict.bound == sum(expected.values())
    assert verdict.confirmed is not None
    assert (verdict.confirmed.designs, verdict.confirmed.agreed) == (1, 1)


@pytest.mark.parametrize(("claim", "drop", "hold"), PAIRS, ids=str)
def test_a_counterexample_of_two_designs_is_the_smallest_pair(
    claim: str, drop: tuple[str, ...], hold: tuple[str, ...]
) -> None:
    verdict = prove(claim, drop=drop, hold=hold, designs=1)
    assert verdict.outcome == "REFUTED"
    grid = 26 if len(left(drop)) > 4 else 14
    expected = smallest_pair(claim, verdict.held, designs_up_to(grid, left(drop)))
    assert expected is not None
    assert sum(rank(design)[0] for design in expected) - ONE_DESIGN <= grid  # no smaller pair lies beyond the loops
    assert verdict.counterexample == expected
    assert verdict.counterexample[0]["h"] < verdict.counterexample[1]["h"]
    assert verdict.confirmed is not None
    assert (verdict.confirmed.designs, verdict.confirmed.agreed) == (1, 1)


def test_of_equal_sums_the_first_in_the_order_of_sizes_is_taken() -> None:
    """At a sum of 9, m = 2 comes before n = 2 in no order that begins with n."""
    verdict = prove("n == m", drop=("H5",), designs=0)
    assert [verdict.counterexample[0][name] for name in ("n", "m")] == [1, 2]
    pair = prove("(n - 1)*(m - 1)*h + (n - 2)*(m - 1)*h independent of h", drop=("H5",), designs=0).counterexample
    assert [(design["n"], design["m"]) for design in pair] == [(1, 2), (1, 2)]


def test_a_pair_with_a_large_second_design_can_be_smaller_than_one_found_early() -> None:
    """At n = 1 the smallest pair is h = 1 and 9, of sum 24; at n = 5, found first, it is h = 1 and 2, of sum 25."""
    factors = "*".join(f"(h - {root})" for root in range(1, 9))
    claim = f"{factors} + (n - 1)*(n - 2)*(n - 3)*(n - 4)*h independent of h"
    conditions = "d_model == 1, d_memory == 1, kv_heads == 1, bias == 0"
    question = ask(f"{claim} where {conditions}", ALL)
    early = search(question.goal, question.where, question.space(question.active), question.varying, 400)
    assert [(design["n"], design["h"]) for design in early.counterexample] == [(5, 1), (5, 2)]
    verdict = prove(f"{claim} where {conditions}", drop=ALL, designs=0)
    assert [(design["n"], design["h"]) for design in verdict.counterexample] == [(1, 1), (1, 9)]


def test_a_search_says_how_far_it_went() -> None:
    true = Relation("<=", 1, "n")
    found = search(true, (), DesignSpace(ALL), most=100)
    assert (found.counterexample, found.examined, found.met) == ((), 100, 100)
    assert found.bound == rank(designs_up_to(36, ALL)[99])[0]
    assert search(true, (Relation(">", 0, "n"),), DesignSpace(ALL), most=50).met == 0


def test_a_search_without_a_hit_ends_after_the_agreed_number_of_designs() -> None:
    verdict = prove("n**2 != 2", designs=0)
    assert (verdict.outcome, verdict.examined) == ("UNKNOWN", MAX_DESIGNS)
    assert MAX_DESIGNS == 20_000
    assert "20,000 designs" in verdict.reason
    assert f"{verdict.bound:,}" in verdict.reason


def test_a_finite_space_is_searched_to_its_end() -> None:
    conditions = "n == 1, h == 1, d_k == 2"
    verdict = prove(f"n**2 != 2*d_k where {conditions}", designs=0)
    assert verdict.outcome != "REFUTED"
    assert verdict.examined <= 1


@pytest.mark.parametrize("drop", [(), ("H1",), ("H3", "H6"), ALL], ids=str)
def test_a_counterexample_meets_the_hypotheses_and_the_conditions(drop: tuple[str, ...]) -> None:
    claim = "n + h < 5 where h >= 2, n >= 2"
    (design,) = prove(claim, drop=drop, designs=0).counterexample
    assert meets(dict(design), left(drop))
    assert design["h"] >= 2
    assert design["n"] >= 2
    assert not is_true(claim, design)


def test_a_pair_shares_what_is_held() -> None:
    for hold in ((), ("d_k",)):
        verdict = prove("parameters + score_entries independent of h", hold=hold, designs=0)
        first, second = verdict.counterexample
        assert {name for name in first if first[name] != second[name]} <= set(varying_sizes(ALL, hold))
        assert all(first[name] == second[name] for name in verdict.held)
        assert first["h"] != second["h"]


def test_independence_is_not_a_question_about_one_design() -> None:
    with pytest.raises(TypeError, match="two designs"):
        goal_holds(IndependentOfH("n"), {"n": 1})
