"""The verdict on each of many claims: proved with which hypotheses, refuted, or not decided."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mha_spec.claims import prover
from mha_spec.claims.language import ClaimError
from mha_spec.claims.prover import certify, prove
from mha_spec.claims.quantities import quantity_terms
from mha_spec.claims.question import ask
from mha_spec.claims.terms import IndependentOfH, Operation, Relation, goal_terms, names
from sampling.brute_force import ALL, ORDER

ONLY: Mapping[str, tuple[str, ...]] = {name: tuple(other for other in ALL if other != name) for name in ALL}

# A claim, the hypotheses that are dropped, and those that its proof uses.
PROVED = [
    ("parameters == 4*d_model**2", (), "H1 H2 H3 H4 H6"),
    ("projection_weights == 4*d_model**2", (), "H1 H2 H3 H6"),
    ("projection_weights == 4*d_model**2", ("H4", "H5"), "H1 H2 H3 H6"),
    ("parameters independent of h", (), "H1 H2 H3"),
    ("parameters independent of h", ("H4", "H5", "H6"), "H1 H2 H3"),
    ("projection_weights independent of h", (), "H1 H2 H3"),
    ("score_multiplications == n*m*d_model", (), "H1"),
    ("score_multiplications == n**2*d_model", (), "H1 H5"),
    ("score_multiplications independent of h", (), "H1"),
    ("score_multiplications independent of h", ONLY["H1"], "H1"),
    ("mixing_multiplications == n*m*d_model", (), "H1 H2"),
    ("mixing_multiplications independent of h", (), "H1 H2"),
    ("projection_multiplications == 4*n*d_model**2", (), "H1 H2 H3 H5 H6"),
    ("multiplications == 4*n*d_model**2 + 2*n**2*d_model", (), "H1 H2 H3 H5 H6"),
    ("multiplications independent of h", (), "H1 H2 H3"),
    ("kv_cache_entries == 2*m*d_model", (), "H1 H2 H3"),
    ("kv_cache_entries independent of h", (), "H1 H2 H3"),
    ("attention_matrices == h", ALL, ""),
    ("score_entries == h*n*m", ALL, ""),
    ("exponentials == h*n*m", ALL, ""),
    ("softmax_divisions == exponentials", ALL, ""),
    ("comparisons == h*n*(m - 1)", ALL, ""),
    ("n*m independent of h", (), ""),
    ("d_model independent of h", (), ""),
    ("d_k independent of h", ("H1",), ""),
    ("kv_heads independent of h", ("H3",), ""),
    ("h*d_k independent of h", (), "H1"),
    ("n >= 1", ALL, ""),
    ("bias <= 1", ALL, ""),
    ("bias >= 0", ALL, ""),
    ("bias**2 == bias", ALL, ""),
    ("h >= kv_heads", ALL, ""),
    ("comparisons < exponentials", ALL, ""),
    ("score_entries < score_multiplications + 1", ALL, ""),
    ("parameters >= projection_weights", ALL, ""),
    ("4*d_model**2 > parameters - 1", (), "H1 H2 H4 H6"),
    ("n + 1 != n", ALL, ""),
    ("parameters != 0", ALL, ""),
    ("h*d_k + 1 != d_model", (), "H1"),
    ("n == 1 iff m == 1", (), "H5"),
    ("n == m iff n**2 == m**2", ("H5",), ""),
    ("n <= m iff n**2 <= m**2", ("H5",), ""),
    ("n < m iff n + 1 <= m", ("H5",), ""),
    ("d_model // h == d_k", (), "H1"),
    ("d_model % h == 0", (), "H1"),
    ("h % kv_heads == 0", ALL, ""),
    ("n*m >= 6 where n >= 2, m >= 3", ALL, ""),
    ("h == 1 where kv_heads == 1", (), "H3"),
    ("d_k == d_model where h == 1", (), "H1"),
    ("d_model == 12 where h == 3, d_k == 4", (), "H1"),
    ("parameters == 4*h**2 where d_k == 1", (), "H1 H2 H3 H4 H6"),
    ("parameters == 4*d_model**2 where n == 7, h > 2, m < 9, n != 3", (), "H1 H2 H3 H4 H6"),
    ("n == 3 where n**2 == 9", (), ""),
    ("parameters == 4*d_model**2 where h*d_k == d_model, d_v == d_k, kv_heads == h, bias == 0", ONLY["H6"], "H6"),
]
REFUTED = [
    *((f"{name} independent of h", ()) for name in ("exponentials", "softmax_divisions", "comparisons")),
    *((f"{name} independent of h", ()) for name in ("score_entries", "attention_matrices", "h", "d_k")),
    *(("parameters == 4*d_model**2", (name,)) for name in ("H1", "H2", "H3", "H4", "H6")),
    *(("parameters independent of h", (name,)) for name in ("H1", "H2", "H3")),
    ("parameters == 4*d_model**2", ALL),
    ("score_multiplications independent of h", ("H1",)),
    ("score_multiplications == n**2*d_model", ("H5",)),
    ("mixing_multiplications independent of h", ("H2",)),
    ("kv_cache_entries independent of h", ("H3",)),
    ("n > 1", ()),
    ("n != m", ()),
    ("n != m", ("H5",)),
    ("n == 1 iff m == 1", ("H5",)),
    ("parameters == 4*d_model**2 iff n == m", ("H5",)),
    ("n*m >= 7 where n >= 2, m >= 3", ALL),
    ("score_entries independent of h where n == 1", ()),
    ("parameters <= 4*d_model**2", ("H3", "H1")),
    ("d_model // h == d_k", ("H1",)),
    ("d_model % h == 0", ("H1",)),
]
UNDECIDED = [
    ("n**2 != 2", ()),  # what refutes it is that 2 is no square
    ("n**2 != 2*m**2", ("H5",)),
    ("2*n != 2*m + 1", ("H5",)),
    ("n % 2 <= 1", ()),
    ("n**2 == 2*m**2 iff n == 0", ("H5",)),
]


@pytest.mark.parametrize(("claim", "drop", "used"), PROVED, ids=str)
def test_is_proved_with_exactly_these_hypotheses(claim: str, drop: tuple[str, ...], used: str) -> None:
    verdict = prove(claim, drop=drop, designs=3)
    assert verdict.outcome == "PROVED"
    assert verdict.hypotheses_used == tuple(used.split())
    assert verdict.proof
    assert verdict.counterexample == ()
    assert verdict.confirmed is not None
    assert (verdict.confirmed.designs, verdict.confirmed.agreed) == (3, 3)


@pytest.mark.parametrize(("claim", "drop"), REFUTED, ids=str)
def test_is_refuted(claim: str, drop: tuple[str, ...]) -> None:
    verdict = prove(claim, drop=drop, designs=1)
    assert verdict.outcome == "REFUTED"
    assert len(verdict.counterexample) == (2 if "independent" in claim else 1)
    assert all(list(design) == list(ORDER) for design in verdict.counterexample)
    assert (verdict.proof, verdict.hypotheses_used) == ((), ())


@pytest.mark.parametrize(("claim", "drop"), UNDECIDED, ids=str)
def test_is_not_decided_and_no_pass(claim: str, drop: tuple[str, ...]) -> None:
    verdict = prove(claim, drop=drop, designs=0)
    assert verdict.outcome == "UNKNOWN"
    assert (verdict.proof, verdict.hypotheses_used, verdict.counterexample) == ((), (), ())
    assert verdict.certificate() == {}
    assert "no certificate found, and no counterexample among" in verdict.reason
    assert verdict.as_json()["verdict"] == "UNKNOWN"
    assert verdict.as_json()["certificate"] is None


@pytest.mark.parametrize(("claim", "drop", "used"), PROVED[:11:2], ids=str)
def test_the_hypotheses_that_are_used_cannot_be_fewer(claim: str, drop: tuple[str, ...], used: str) -> None:
    for name in used.split():
        fewer = tuple(other for other in used.split() if other != name)
        assert certify(ask(claim, drop), fewer) == ()


def test_a_quantity_is_bound_before_independence_is_expanded() -> None:
    """Expanded first, ``q independent of h`` would be ``q == q`` and prove anything."""
    for name, term in quantity_terms().items():
        goal = ask(f"{name} independent of h").goal
        assert goal == IndependentOfH(term)
        assert not names(term) & set(quantity_terms())
    for name in ("score_entries", "exponentials", "attention_matrices"):
        assert prove(f"{name} independent of h", designs=0).outcome == "REFUTED"
        assert prove(f"{name} == {name}", designs=0).outcome == "PROVED"


def test_the_layer_knows_h_as_its_groups_and_the_claim_as_h() -> None:
    assert names(quantity_terms()["attention_matrices"]) == {"kv_heads", "group"}
    assert goal_terms(ask("attention_matrices == h").goal) == (Operation("*", "group", "kv_heads"), "h")


def test_what_is_held_is_listed_for_a_claim_of_independence_only() -> None:
    assert prove("n == n", designs=0).held == ()
    assert prove("parameters independent of h", designs=0).held == ("n", "m", "d_model", "d_memory", "bias")
    held = prove("n*m independent of h", hold=("d_k",), designs=0).held
    assert held == ("n", "m", "d_k", "d_v", "bias")
    assert prove("n independent of h", drop=ALL, designs=0).held == tuple(name for name in ORDER if name != "h")


@pytest.mark.parametrize("claim", ["parameters independent of h", "score_multiplications independent of h"])
def test_with_the_width_of_a_head_held_cost_grows_with_h(claim: str) -> None:
    verdict = prove(claim, hold=("d_k",), designs=1)
    assert verdict.outcome == "REFUTED"
    first, second = verdict.counterexample
    assert first["d_k"] == second["d_k"]
    assert first["d_model"] != second["d_model"]


def test_a_condition_that_only_large_designs_meet_does_not_hide_a_proof() -> None:
    """None of the smallest designs has n = 100, so the proof waits until a design that does is found."""
    verdict = prove("parameters == 4*d_model**2 where n >= 100", designs=0)
    assert (verdict.outcome, verdict.hypotheses_used) == ("PROVED", ("H1", "H2", "H3", "H4", "H6"))
    refuted = prove("parameters == 4*d_model**2 + 1 where n >= 100", designs=0)
    assert refuted.outcome == "REFUTED"
    assert refuted.counterexample[0]["n"] == 100


CONTRADICTIONS = [
    ("n == 1 where h == 0", ()),
    ("n == 1 where n == 2, n == 3", ()),
    ("n == 1 where n > 3, n < 2", ()),
    ("n == 1 where n != n", ()),
    ("n == 1 where bias == 1", ()),
    ("n == 1 where m == n + 1", ()),
    ("n == 1 where h == 2, kv_heads == 1", ()),
    ("n == 1 where d_model < h", ()),
    ("n == 1 where exponentials == 0", ALL),
    ("parameters independent of h where n == 0", ()),
    ("parameters independent of h where n == 1, n == 2", ()),
    ("n == 1 iff m == 1 where h < 1", ()),
]


@pytest.mark.parametrize(("claim", "drop"), CONTRADICTIONS, ids=str)
def test_conditions_that_no_design_meets_are_refused(claim: str, drop: tuple[str, ...]) -> None:
    """They would prove anything."""
    with pytest.raises(ClaimError, match=r"no design meets .* \(under "):
        prove(claim, drop=drop, designs=0)


def test_conditions_that_no_design_meets_prove_nothing_even_where_that_is_not_certified() -> None:
    for claim in ("n == 2 where n*n == 2", "1 == 2 where n**2 == 3*h**2", "n independent of h where h == n"):
        verdict = prove(claim, designs=0)
        assert verdict.outcome == "UNKNOWN"
        assert "meets the conditions" in verdict.reason


def test_a_contradiction_names_the_condition_and_what_it_stands_against() -> None:
    with pytest.raises(ClaimError, match="no design meets bias == 1") as raised:
        prove("n == 1 where m < 3, bias == 1", designs=0)
    assert "under H1 H2 H3 H4 H5 H6 and m < 3" in str(raised.value)


@pytest.mark.parametrize(
    ("claim", "settings", "said"),
    [
        ("n == 1", {"drop": ("H7",)}, "no hypothesis is called that; there are H1, H2, H3, H4, H5, H6: 'H7'"),
        ("n == 1", {"drop": ("h1",)}, "no hypothesis is called that"),
        ("n independent of h", {"hold": ("width",)}, "no size is called that"),
        ("n independent of h", {"hold": ("parameters",)}, "no size is called that"),
        ("n == 1", {"hold": ("d_k",)}, "holding sizes is for claims of independence"),
        ("n independent of h", {"hold": ("h",)}, "h cannot be held"),
        ("n independent of h", {"hold": ("d_k", "d_model")}, "d_model cannot be held"),
        ("n independent of h", {"hold": ("kv_heads",)}, "kv_heads cannot be held"),
        ("n independent of h where h == 2", {}, "a condition fixes h"),
        ("n independent of h where 2 == h", {}, "a condition fixes h"),
        ("group == 1", {}, "unknown name 'group'"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(
    claim: str, settings: Mapping[str, tuple[str, ...]], said: str
) -> None:
    with pytest.raises(ClaimError) as raised:
        prove(claim, designs=0, **settings)
    assert said in str(raised.value)


def test_a_free_size_of_a_theorem_can_be_named_if_it_is_declared() -> None:
    assert prove("c*n >= c", extra=("c",), designs=0).outcome == "PROVED"
    refuted = prove("c*n == c", extra=("c",), designs=1)
    assert refuted.counterexample[0]["n"] == 2
    assert refuted.counterexample[0]["c"] == 1
    with pytest.raises(ClaimError, match="unknown name 'c'"):
        prove("c*n >= c", designs=0)


def test_an_iff_is_proved_in_both_directions_each_from_the_other_side() -> None:
    verdict = prove("n == m iff n**2 == m**2", drop=("H5",), designs=0)
    assert [part.label for part in verdict.proof] == ["left gives right", "right gives left"]
    assert verdict.proof[0].relation == Relation("==", Operation("**", "n", 2), Operation("**", "m", 2))
    assert verdict.proof[1].relation == Relation("==", "n", "m")
    assert prove("n == m iff n*m == m**2 + 1", drop=("H5",), designs=0).outcome == "REFUTED"


def test_nothing_is_proved_that_the_checker_does_not_accept(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a checker that refuses everything, there is no proof: the search alone cannot pass a claim."""
    monkeypatch.setattr("mha_spec.claims.search.accepts", lambda *_: False)
    assert prover.prove("score_multiplications == n**2*d_model", designs=0).outcome == "UNKNOWN"
    assert prover.prove("n == n", designs=0).outcome == "UNKNOWN"
    assert prover.prove("n == m", drop=("H5",), designs=0).outcome == "REFUTED"
