"""The checker accepts what is true and nothing else, whoever found the certificate."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_spec.claims.certificate import Certificate, accepts, at_least_zero, never_negative, polynomial, remainder
from mha_spec.claims.equations import equations_for
from mha_spec.claims.printing import relation_text, text
from mha_spec.claims.terms import Operation, Relation, Term, evaluate, relation_holds

from .drawn_terms import points, polynomials


def test_a_multiplier_of_zero_proves_nothing() -> None:
    """``0*(left - right)`` is zero whatever is claimed."""
    for multiplier in (0, "bias", "slack1", Operation("-", "n", 1), Operation("-", 0, 1), Operation("-", 0, "n")):
        assert not accepts(Relation("==", 1, 2), {}, Certificate({}, multiplier))
        assert not accepts(Relation("==", 1, 1), {}, Certificate({}, multiplier))
    assert accepts(Relation("==", 1, 1), {}, Certificate({}, "n"))


def test_a_certificate_does_not_prove_another_goal() -> None:
    equations = equations_for(("H1", "H2"))
    found = Certificate({"H2": 1})
    assert accepts(Relation("==", "d_v", "d_k"), equations, found)
    assert not accepts(Relation("==", "d_k", "d_v"), equations, found)
    assert not accepts(Relation("==", "d_v", "d_model"), equations, found)
    assert not accepts(Relation("==", "d_v", Operation("+", "d_k", 1)), equations, found)


def test_a_label_that_is_no_equation_is_never_taken_on_trust() -> None:
    with pytest.raises(KeyError):
        accepts(Relation("==", "d_v", "d_k"), equations_for(("H1",)), Certificate({"H2": 1}))


@pytest.mark.parametrize(
    ("low", "high", "accepted"),
    [
        (1, "n", True),
        (2, "n", False),
        ("n", Operation("*", "n", "m"), True),
        (Operation("*", "n", "m"), "n", False),
        (0, "bias", True),
        (1, "bias", False),
        (0, "slack1", True),
        (1, "slack1", False),
        (0, "no_bias", True),
        (1, "no_bias", False),
        (1, "h'", True),
        (1, "bias'", False),
        (1, "slack1'", False),
        (0, Operation("**", Operation("-", "n", 1), 2), True),
        (0, Operation("**", Operation("-", "n", "m"), 2), False),  # true, but beyond this test
        (Operation("-", 0, 5), Operation("-", 0, 5), True),
    ],
    ids=str,
)
def test_an_inequality_needs_no_negative_coefficient_in_sizes_less_one(low: Term, high: Term, accepted: bool) -> None:
    assert accepts(Relation("<=", low, high), {}, Certificate()) is accepted


def test_an_inequality_may_use_equations_with_cofactors_of_any_sign() -> None:
    slack = {"where 1": ("n", Operation("+", 5, "slack1"))}  # n >= 5
    assert accepts(Relation("<=", 4, "n"), slack, Certificate({"where 1": 1}))
    assert not accepts(Relation("<=", 6, "n"), slack, Certificate({"where 1": 1}))
    assert not accepts(Relation("<=", "n", 4), slack, Certificate({"where 1": Operation("-", 0, 1)}))


@pytest.mark.parametrize("sign", ["!=", "<", ">", ">="])
def test_only_equal_and_at_most_have_certificates(sign: str) -> None:
    relation = Relation(sign, 2, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"not for {sign}"):
        accepts(relation, {}, Certificate())


@pytest.mark.parametrize("sign", ["//", "%"])
def test_a_division_has_no_normal_form(sign: str) -> None:
    division = Operation(sign, "n", "m")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has no polynomial normal form"):
        polynomial(division, ("m", "n"))


@pytest.mark.parametrize("exponent", ["m", -1, Operation("-", 0, 1), Operation("+", "m", 2)], ids=str)
def test_an_exponent_that_is_no_literal_is_refused_and_not_read_as_zero(exponent: Term) -> None:
    """Read as 0 it would make ``n**m == 1`` an identity."""
    goal = Relation("==", Operation("**", "n", exponent), 1)
    with pytest.raises(ValueError, match="an exponent must be a literal"):
        accepts(goal, {}, Certificate())


SIZES = ("n", "m", "h'", "bias", "slack1")
some_polynomials = polynomials(SIZES)


@given(some_polynomials, points(SIZES[:3]), st.integers(-9, 9), st.integers(-9, 9))
def test_the_normal_form_has_the_value_of_the_term(term: Term, sizes: dict[str, int], bias: int, slack: int) -> None:
    here = {**sizes, "bias": bias, "slack1": slack}
    total = 0
    for exponents, coefficient in polynomial(term, SIZES).items():
        assert coefficient != 0
        for name, exponent in zip(SIZES, exponents, strict=True):
            coefficient *= here[name] ** exponent
        total += coefficient
    assert total == evaluate(term, here)


@given(some_polynomials, some_polynomials)
def test_two_terms_have_one_normal_form_exactly_if_they_are_equal_as_polynomials(a: Term, b: Term) -> None:
    same = polynomial(a, SIZES) == polynomial(b, SIZES)
    assert same == (polynomial(Operation("-", a, b), SIZES) == {})
    assert polynomial(Operation("+", a, b), SIZES) == polynomial(Operation("+", b, a), SIZES)
    assert polynomial(Operation("*", a, b), SIZES) == polynomial(Operation("*", b, a), SIZES)


sizes_of_each_kind = st.fixed_dictionaries(
    {name: st.integers(0 if at_least_zero(name) else 1, 5) for name in SIZES},
)


@settings(max_examples=300)
@given(some_polynomials, st.lists(sizes_of_each_kind, min_size=5, max_size=5))
def test_a_term_that_is_called_never_negative_is_negative_nowhere(term: Term, where: list[dict[str, int]]) -> None:
    smallest = {name: int(not at_least_zero(name)) for name in SIZES}
    if never_negative(term):
        for sizes in (smallest, *where):
            assert evaluate(term, sizes) >= 0


@settings(max_examples=200)
@given(some_polynomials, some_polynomials, st.lists(sizes_of_each_kind, min_size=5, max_size=5))
def test_what_is_accepted_as_at_most_is_at_most(low: Term, high: Term, where: list[dict[str, int]]) -> None:
    goal = Relation("<=", low, Operation("+", low, Operation("*", high, high)))
    for relation in (goal, Relation("<=", low, high)):
        if accepts(relation, {}, Certificate()):
            assert all(relation_holds(relation, sizes) for sizes in where), relation_text(relation)


def test_sizes_are_at_least_one_and_biases_and_slacks_at_least_zero() -> None:
    assert all(at_least_zero(name) for name in ("bias", "bias'", "no_bias", "slack1", "slack12'"))
    assert not any(at_least_zero(name) for name in ("n", "m", "h'", "d_model", "kv_heads'", "group", "c"))


def test_what_is_left_of_a_goal_is_the_goal_less_the_cofactors() -> None:
    equations = {"H2": ("d_v", "d_k")}
    rest = remainder("n", "m", equations, Certificate({"H2": "h"}, 3))
    assert text(rest) == "3*(n - m) - h*(d_v - d_k)"


def test_the_checker_checks_without_sympy() -> None:
    program = """
import sys
from mha_spec.claims.certificate import Certificate, accepts
from mha_spec.claims.terms import Operation, Relation
goal = Relation("==", Operation("*", "h", "d_k"), "d_model")
equations = {"H1": (Operation("*", "h", "d_k"), "d_model")}
assert accepts(goal, equations, Certificate({"H1": 1}))
assert not accepts(goal, equations, Certificate({"H1": 2}))
assert not {"sympy", "hypothesis", "pytest"} & set(sys.modules)
print("checked")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("checked\n", "")
