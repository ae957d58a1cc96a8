"""Causal quantities are what a count of visible pairs finds, in each case of the lengths and in a claim."""

from __future__ import annotations

import pytest

from mha_spec.claims.cases import CAUSAL_QUANTITIES, causal_values, length_cases
from mha_spec.claims.certificate import at_least_zero
from mha_spec.claims.language import ClaimError
from mha_spec.claims.prover import prove
from mha_spec.claims.terms import evaluate, relation_holds

LENGTHS = [(n, m) for n in range(1, 9) for m in range(1, 9)]


def counted_by_hand(n: int, m: int) -> dict[str, int]:
    """Key j is visible to query i iff j <= i (top-left), or j <= i + m - n (bottom-right)."""
    bottom_right = [[j <= i + m - n for j in range(m)] for i in range(n)]
    return {
        "kept_pairs": sum(j <= i for i in range(n) for j in range(m)),
        "bottom_right_kept_pairs": sum(map(sum, bottom_right)),
        "bottom_right_empty_rows": sum(not any(row) for row in bottom_right),
    }


@pytest.mark.parametrize(("n", "m"), LENGTHS)
def test_causal_quantities_are_those_counted_by_hand(n: int, m: int) -> None:
    expected = counted_by_hand(n, m)
    assert causal_values(list(CAUSAL_QUANTITIES), {"n": n, "m": m}) == expected
    for name, count in expected.items():
        assert count >= (0 if at_least_zero(name) else 1)


@pytest.mark.parametrize(("n", "m"), LENGTHS)
def test_the_equations_of_every_case_that_applies_are_true(n: int, m: int) -> None:
    sizes = {"n": n, "m": m, "slack0": abs(n - m), **counted_by_hand(n, m)}
    applying = [case for case in length_cases() if relation_holds(case.condition, sizes)]
    assert applying
    for case in applying:
        for left, right in case.equations.values():
            assert evaluate(left, sizes) == evaluate(right, sizes)


@pytest.mark.parametrize(
    ("claim", "drop", "used"),
    [
        ("2*kept_pairs == n*(n + 1)", (), ("H5",)),
        ("2*kept_pairs == n*(n + 1) where n <= m", ("H5",), ()),
        ("kept_pairs <= n*m", ("H5",), ()),
        ("kept_pairs >= 1", ("H5",), ()),
        ("bottom_right_kept_pairs == kept_pairs", (), ("H5",)),
        ("bottom_right_empty_rows == n - m where n >= m", ("H5",), ()),
        ("bottom_right_empty_rows == 0", (), ("H5",)),
        ("n*bottom_right_empty_rows == 0 where bottom_right_empty_rows == 0", ("H5",), ()),
        ("kept_pairs >= 3 where kept_pairs >= 3", (), ()),
        ("kept_pairs independent of h", (), ()),
    ],
)
def test_claims_about_causal_quantities_are_proved(claim: str, drop: tuple[str, ...], used: tuple[str, ...]) -> None:
    verdict = prove(claim, drop=drop, designs=4)
    assert (verdict.outcome, verdict.hypotheses_used) == ("PROVED", used)
    assert verdict.confirmed is not None
    assert (verdict.confirmed.designs, verdict.confirmed.agreed) == (4, 4)


@pytest.mark.parametrize(
    ("claim", "drop", "lengths"),
    [
        ("2*kept_pairs == n*(n + 1)", ("H5",), (2, 1)),
        ("kept_pairs == n*m", ("H5",), (1, 2)),
        ("kept_pairs == n*m", (), (2, 2)),
        ("bottom_right_kept_pairs == kept_pairs", ("H5",), (1, 2)),
        ("bottom_right_empty_rows == 0", ("H5",), (2, 1)),
        ("n == 1 where kept_pairs == 3", (), (2, 2)),
        ("h*kept_pairs independent of h", (), (1, 1)),
    ],
)
def test_false_claims_about_causal_quantities_are_refuted(
    claim: str, drop: tuple[str, ...], lengths: tuple[int, int]
) -> None:
    verdict = prove(claim, drop=drop, designs=1)
    assert verdict.outcome == "REFUTED"
    assert (verdict.counterexample[0]["n"], verdict.counterexample[0]["m"]) == lengths
    assert verdict.confirmed is not None
    assert verdict.confirmed.agreed == 1


def test_a_proof_says_which_case_each_part_is_about() -> None:
    both = prove("kept_pairs <= n*m", drop=("H5",), designs=0)
    assert [part.label for part in both.proof] == ["where n <= m", "where m <= n"]
    one = prove("2*kept_pairs == n*(n + 1)", designs=0)
    assert [part.label for part in one.proof] == ["n <= m always", "where n <= m"]


def test_a_causal_quantity_that_may_be_zero_is_no_divisor() -> None:
    assert prove("kept_pairs*n // kept_pairs == n", drop=("H5",), designs=2).outcome == "PROVED"
    with pytest.raises(ClaimError, match="the divisor in n//bottom_right_empty_rows"):
        prove("n // bottom_right_empty_rows == n", designs=0)
