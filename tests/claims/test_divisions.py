"""Integer division: a divisor is certainly at least 1, and a quotient is used only where it is exact."""

from __future__ import annotations

import pytest

from mha_spec.claims.divisions import divisions_in, without_divisions
from mha_spec.claims.equations import equations_for
from mha_spec.claims.language import ClaimError, parse_claim
from mha_spec.claims.printing import text
from mha_spec.claims.prover import prove
from mha_spec.claims.terms import Operation, Relation, evaluate, relation_holds
from sampling.brute_force import designs_up_to

NAMES = ("n", "m", "h", "d_k", "d_model", "kv_heads", "bias")


def relation(claim: str) -> Relation:
    goal = parse_claim(claim, NAMES).goal
    assert isinstance(goal, Relation)
    return goal


def test_divisions_are_found_innermost_first() -> None:
    assert [text(d) for d in divisions_in(relation("(n//m)%(h//d_k) + n%2 == 1").left)] == [
        "n//m",
        "h//d_k",
        "n//m%(h//d_k)",
        "n%2",
    ]


@pytest.mark.parametrize(
    "claim",
    [
        "n // bias == 1",
        "n // (n - 1) == 1",
        "n % (n - m) == 0",
        "n // 0 == 1",
        "n // (-1) == 1",
        "n // (n - m + 1) == 1",
        "n // (m // 2) == 1",
        "n == n where n // bias == 1",
        "n == n where n % (h - kv_heads) == 0",
        "n % (m - 1) == 0 iff n == 1",
        "n // bias independent of h",
    ],
)
def test_a_divisor_that_may_be_zero_is_refused(claim: str) -> None:
    with pytest.raises(ClaimError, match=r"the divisor in .* is not certain to be at least 1"):
        prove(claim, drop=("H3", "H5"), designs=0)


@pytest.mark.parametrize(
    "claim",
    [
        "(n - 1)*m // (n - 1) == m where n >= 2",
        "n % (h - kv_heads) == n % (h - kv_heads) where h > kv_heads",
        "n // (n*m) <= n // (n*m)",
        "(bias + 1)*n // (bias + 1) == n",
    ],
)
def test_a_divisor_that_is_at_least_one_by_a_condition_or_by_itself_is_let_through(claim: str) -> None:
    assert prove(claim, drop=("H3", "H4", "H5"), designs=0).outcome != "REFUTED"


def test_a_divisor_is_refused_where_only_another_division_speaks_for_it() -> None:
    with pytest.raises(ClaimError, match=r"the divisor in n//\(n - 1\)"):
        prove("n == n where n // (n - 1) >= 1, n % 2 == 0", designs=0)


def test_a_condition_that_makes_a_divisor_positive_is_asked_first_wherever_it_stands() -> None:
    """At n = 1 the first condition divides by 0, and the second says that n is not 1."""
    verdict = prove("n == 2 where n // (n - 1) >= 1, n >= 2", designs=2)
    assert verdict.outcome == "REFUTED"
    assert verdict.counterexample[0]["n"] == 3
    assert prove("n >= 2 where n // (n - 1) >= 1, n >= 2", designs=2).outcome == "PROVED"


@pytest.mark.parametrize("claim", ["(m - n + 1)*n // (m - n + 1) == n", "n % (m - n + 1) == 0"])
def test_a_hypothesis_that_keeps_a_divisor_from_zero_counts_as_used(claim: str) -> None:
    """The quotient is exact without H5, but without H5 the divisor can be 0."""
    verdict = prove(claim, designs=2)
    assert (verdict.outcome, verdict.hypotheses_used) == ("PROVED", ("H5",))


@pytest.mark.parametrize(
    ("claim", "used"),
    [
        ("d_model // h == d_k", ("H1",)),
        ("d_model % h == 0", ("H1",)),
        ("d_model // d_k == h", ("H1",)),
        ("d_model // h * h == d_model", ("H1",)),
        ("h % kv_heads == 0", ()),
        ("n*m // m == n", ()),
        ("(n**2 - m**2) // (n + m) == n - m", ()),
        ("score_multiplications // n // n == d_model", ("H1", "H5")),
        ("score_entries // (n*m) == h", ()),
        ("6*n % 3 == 0", ()),
        ("d_model // h independent of h", None),
    ],
)
def test_an_exact_division_is_carried_out(claim: str, used: tuple[str, ...] | None) -> None:
    verdict = prove(claim, designs=2)
    if used is None:
        assert verdict.outcome == "REFUTED"
    else:
        assert (verdict.outcome, verdict.hypotheses_used) == ("PROVED", used)


@pytest.mark.parametrize("claim", ["n // 2 <= n", "n % 2 <= 1", "n // 2 * 2 <= n"])
def test_a_division_that_is_not_exact_is_not_decided(claim: str) -> None:
    """These are true; what decides is a certificate, and there is none."""
    assert prove(claim, designs=0).outcome == "UNKNOWN"


@pytest.mark.parametrize("claim", ["d_model // h == d_k", "d_model % h == 0", "h // 2 * 2 == h", "n // 2 == n % 3"])
def test_a_false_claim_about_a_division_has_a_counterexample(claim: str) -> None:
    verdict = prove(claim, drop=("H1",), designs=1)
    assert verdict.outcome == "REFUTED"
    assert not relation_holds(relation(claim), verdict.counterexample[0])


def test_a_division_is_carried_out_only_with_a_certificate_that_says_so() -> None:
    equations = equations_for(("H1", "H3"))
    plain, parts = without_divisions(relation("d_model // h + d_model % h == d_k"), equations)
    assert plain == Relation("==", Operation("+", "d_k", 0), "d_k")
    assert [part.label for part in parts] == ["d_model//h is d_k exactly", "d_model%h is 0 exactly"]
    for design in designs_up_to(12, ("H1", "H3")):
        for part in parts:
            assert evaluate(part.relation.left, design) == evaluate(part.relation.right, design)


def test_a_division_that_is_not_exact_is_left_alone() -> None:
    assert without_divisions(relation("n // 2 == m"), equations_for(())) == (None, ())
    assert without_divisions(relation("d_model // h == d_k"), equations_for(("H2", "H3"))) == (None, ())


def test_a_condition_that_divides_assumes_nothing() -> None:
    """It could say much, but no polynomial identity can use it; the claim is then decided without it."""
    assert prove("n**2 >= n where d_model % h == 0", drop=("H1",), designs=2).outcome == "PROVED"
    assert prove("h*(d_model // h) == d_model where d_model % h == 0", drop=("H1",), designs=0).outcome == "UNKNOWN"
