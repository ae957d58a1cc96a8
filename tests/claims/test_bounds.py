"""The bounds are upper estimates, taken in one walk, and what breaks one is never expanded."""

from __future__ import annotations

import pytest
from hypothesis import given

from mha_spec.claims import bounds, certificate, search
from mha_spec.claims.bounds import (
    MAX_BITS,
    MAX_DEGREE,
    MAX_EXPONENT,
    MAX_PRODUCTS,
    excess,
    extent,
)
from mha_spec.claims.certificate import polynomial
from mha_spec.claims.language import ClaimError, parse_claim
from mha_spec.claims.quantities import KNOWN_NAMES, quantity_terms
from mha_spec.claims.question import ask
from mha_spec.claims.terms import Operation, Operator, Term, names, substitute

from .drawn_terms import polynomials


def power_tower(base: Term, exponents: tuple[int, ...]) -> Term:
    for exponent in exponents:
        base = Operation("**", base, exponent)
    return base


@given(polynomials())
def test_the_estimates_are_at_least_what_multiplying_out_gives(term: Term) -> None:
    size = extent(term)
    normal = polynomial(term, tuple(sorted(names(term))))
    assert len(normal) <= size.products
    assert max((sum(exponents) for exponents in normal), default=0) <= size.degree
    assert max((abs(c).bit_length() for c in normal.values()), default=0) <= size.bits + size.products.bit_length()


@pytest.mark.parametrize(
    ("term", "named"),
    [
        (power_tower("n", (8, 8)), "degree 64"),
        (power_tower(10, (8, 8, 8, 8)), "bits"),
        (power_tower(Operation("+", Operation("+", "n", "m"), Operation("+", "h", "d_k")), (8,)), "products"),
        (power_tower("n", (8, 8, 0)), "degree"),
        (power_tower(10, (8, 8, 8, 8, 0)), "bits"),
        (Operation("*", 0, power_tower("n", (8, 8))), "degree"),
        (Operation("//", power_tower("n", (8, 8)), "m"), "degree"),
        (Operation("%", 1, power_tower(9, (8, 8, 8, 8))), "bits"),
    ],
    ids=str,
)
def test_a_term_above_a_bound_is_named_with_the_bound(term: Term, named: str) -> None:
    assert named in excess(term)
    assert "above the bound of" in excess(term)


@pytest.mark.parametrize(
    "term",
    [
        power_tower("n", (8, 2)),
        power_tower(Operation("+", "n", "m"), (8,)),
        Operation("*", "n", 10**9),
        power_tower(9, (8,)),
    ],
    ids=str,
)
def test_a_term_within_the_bounds_is_let_through(term: Term) -> None:
    assert excess(term) == ""


def test_each_bound_is_the_largest_size_that_is_let_through() -> None:
    assert MAX_DEGREE == 2 * MAX_EXPONENT
    n16 = power_tower("n", (8, 2))
    assert excess(n16) == ""
    assert "degree 17" in excess(Operation("*", n16, "n"))
    assert MAX_PRODUCTS < 4**8
    assert MAX_PRODUCTS > 3**8
    assert excess(power_tower(2, (8, 8))) == ""  # 64 bits are far below
    assert extent(power_tower(10**9, (8, 8, 2))).bits > MAX_BITS


def test_a_deep_tower_is_measured_without_large_numbers() -> None:
    """The products of a base are cut at the bound before they are raised to a power."""
    tower = power_tower(Operation("+", Operation("+", "n", "m"), "h"), (8,) * 20)
    assert extent(tower).products <= (MAX_PRODUCTS + 1) ** MAX_EXPONENT


HUGE = [
    "(n+m+h)**8**1 == 1",
    "((n+m+h)**8)**8 == 1",
    "((n + m + h + d_k)**8)**0 == 1",
    "((((n+m+h)**8)**8)**8)**8 == 1",
    "(" * 8 + "999999999" + ")**8" * 8 + " == 1",
    "(n+m+h+d_k)**8 == 1",
    "(n+m)**8*(h+d_k)**8*(n+h)**8 == 1",
    "n == 1 where ((n+m+h)**8)**8 == 1",
    "((n+m+h)**8)**8 independent of h",
    "n == 1 iff ((n+m+h)**8)**8 == 1",
    "n % ((n+m+h)**8)**8 == 1",
]
HUGE_WITH_QUANTITIES = [
    "parameters**8 == 1",
    "multiplications**4 == 1",
    "parameters*parameters*parameters*parameters*parameters == 1",
    "n == 1 where parameters**8 == 1",
    "parameters**8 independent of h",
]


@pytest.fixture
def nothing_may_be_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    quantity_terms()  # traced before the door is shut

    def opened(*_: object, **__: object) -> None:
        raise AssertionError("a term was multiplied out before its bounds were looked at")

    for module, name in [
        (certificate, "polynomial"),
        (certificate, "never_negative"),
        (search, "to_sympy"),
        (search, "difference"),
        (search, "accepts"),
    ]:
        monkeypatch.setattr(module, name, opened)


@pytest.mark.usefixtures("nothing_may_be_expanded")
@pytest.mark.parametrize("claim", HUGE)
def test_a_claim_above_a_bound_is_refused_before_anything_is_expanded(claim: str) -> None:
    with pytest.raises(ClaimError, match=r"above the bound of|an exponent must be a literal"):
        parse_claim(claim, KNOWN_NAMES)


@pytest.mark.usefixtures("nothing_may_be_expanded")
@pytest.mark.parametrize("claim", HUGE_WITH_QUANTITIES)
def test_a_claim_that_is_large_once_its_quantities_are_written_out_is_refused_too(claim: str) -> None:
    parse_claim(claim, KNOWN_NAMES)  # as written it is small
    with pytest.raises(ClaimError, match=r"with its quantities written out the claim reaches .* above the bound of"):
        ask(claim)


def test_the_estimate_grows_when_quantities_are_written_out() -> None:
    bound = substitute(power_tower("parameters", (3,)), quantity_terms())
    assert extent(bound).products > extent(power_tower("parameters", (3,))).products
    assert bounds.excess(bound) == ""


@pytest.mark.parametrize("sign", ["//", "%"])
def test_a_division_is_as_large_as_the_larger_side(sign: Operator) -> None:
    assert extent(Operation(sign, power_tower("n", (5,)), "m")).degree == 5
