"""Squares take the negative products out of an inequality, and a wrong square is refused."""

from __future__ import annotations

import pytest

from mha_spec.claims.certificate import Certificate, accepts
from mha_spec.claims.language import parse_claim
from mha_spec.claims.prover import prove
from mha_spec.claims.terms import Operation, Relation

DIFFERENCE = Operation("-", "n", "m")


def relation(claim: str) -> Relation:
    goal = parse_claim(claim, ("n", "m", "h")).goal
    assert isinstance(goal, Relation)
    return goal


@pytest.mark.parametrize(
    "claim",
    [
        "(n - m)**2 >= 0",
        "n**2 + m**2 >= 2*n*m",
        "4*n*m <= (n + m)**2",
        "n*d_k**2 + n*m**2 >= 2*n*m*d_k",
        "n**2 + m**2 + h**2 >= n*m + m*h + n*h",
        "n**4 + m**4 >= 2*n**2*m**2",
    ],
)
def test_a_sum_of_squares_is_never_negative(claim: str) -> None:
    verdict = prove(claim, drop=("H5",), designs=0)
    assert verdict.outcome == "PROVED"
    assert verdict.proof[0].certificate.squares


@pytest.mark.parametrize("claim", ["n**2 + m**2 > 2*n*m", "n**2 + m**2 >= 3*n*m", "(n - m)**2 <= 0"])
def test_what_squares_do_not_give_is_refuted(claim: str) -> None:
    assert prove(claim, drop=("H5",), designs=0).outcome == "REFUTED"


def test_two_bounds_make_an_equality() -> None:
    verdict = prove("n == m where n <= m, m <= n", drop=("H5",), designs=0)
    assert [part.label for part in verdict.proof] == ["at most", "at least"]


def test_the_checker_refuses_a_square_with_a_negative_factor_or_of_another_term() -> None:
    goal = relation("2*n*m <= n**2 + m**2")
    assert accepts(goal, {}, Certificate(squares=((1, DIFFERENCE),)))
    assert not accepts(goal, {}, Certificate())
    assert not accepts(goal, {}, Certificate(squares=((Operation("-", 0, 1), DIFFERENCE),)))
    assert not accepts(goal, {}, Certificate(squares=((1, Operation("-", "n", "h")),)))
    assert not accepts(goal, {}, Certificate(squares=((2, DIFFERENCE),)))


def test_a_square_proves_no_equality() -> None:
    assert not accepts(relation("(n - m)**2 == 0"), {}, Certificate(squares=((1, DIFFERENCE),)))
