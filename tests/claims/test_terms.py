"""Terms are trees: they are evaluated as Python does, and nothing in them is rearranged."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mha_spec.claims.language import parse_claim
from mha_spec.claims.printing import relation_text, text
from mha_spec.claims.terms import (
    OPERATORS,
    RELATIONS,
    Claim,
    Iff,
    IndependentOfH,
    Operation,
    Operator,
    Relation,
    RelationSign,
    Term,
    divides,
    evaluate,
    goal_relations,
    goal_terms,
    names,
    of_size,
    operators,
    relation_holds,
    substitute,
    substitute_in_goal,
    total,
    undivided_first,
)
from mha_spec.counting.sizes import Size

from .drawn_terms import NAMES, points, polynomials, relations, terms


def test_every_operator_and_sign_has_a_meaning() -> None:
    assert set(OPERATORS) == set(get_args(Operator))
    assert set(RELATIONS) == set(get_args(RelationSign))


@given(terms(), points(NAMES))
def test_a_term_is_what_python_makes_of_its_text(term: Term, at: dict[str, int]) -> None:
    try:
        expected = eval(text(term), {"__builtins__": {}}, at)
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            evaluate(term, at)
    else:
        assert evaluate(term, at) == expected


@given(relations(polynomials()), points(NAMES))
def test_a_relation_is_true_where_python_says_so(relation: Relation, at: dict[str, int]) -> None:
    assert relation_holds(relation, at) is eval(relation_text(relation), {"__builtins__": {}}, at)


def test_a_name_without_a_size_is_named() -> None:
    with pytest.raises(KeyError, match="m"):
        evaluate(Operation("*", "n", "m"), {"n": 1})


def test_order_and_grouping_are_part_of_a_tree() -> None:
    assert Operation("*", "n", "m") != Operation("*", "m", "n")
    left = Operation("+", Operation("+", "n", "m"), "h")
    assert left != Operation("+", "n", Operation("+", "m", "h"))


@given(terms())
def test_names_and_operators_are_those_of_the_tree(term: Term) -> None:
    written = text(term)
    assert names(term) == set(re.findall(r"[a-z_]+", written))
    assert operators(term) <= set(re.findall(r"\*\*|//|[-+*%]", written))


@given(polynomials(), polynomials(), points(NAMES))
def test_to_substitute_is_to_evaluate_in_two_steps(term: Term, other: Term, at: dict[str, int]) -> None:
    assert evaluate(substitute(term, {"n": other}), at) == evaluate(term, {**at, "n": evaluate(other, at)})


@given(terms())
def test_to_substitute_a_name_by_itself_changes_nothing(term: Term) -> None:
    assert substitute(term, {name: name for name in NAMES}) == term


def test_substitution_happens_once_and_at_once() -> None:
    swapped = substitute(Operation("-", "n", "m"), {"n": "m", "m": "n"})
    assert swapped == Operation("-", "m", "n")


def test_the_terms_of_a_goal_are_named_left_to_right() -> None:
    left, right = Relation("==", "n", "m"), Relation("<=", "h", 3)
    assert goal_terms(Iff(left, right)) == ("n", "m", "h", 3)
    assert goal_terms(left) == ("n", "m")
    assert goal_terms(IndependentOfH("parameters")) == ("parameters",)
    assert goal_relations(IndependentOfH("parameters")) == ()


def test_substitution_reaches_every_part_of_a_goal() -> None:
    by: dict[str, Term] = {"q": Operation("*", "h", "n")}
    q: Term = by["q"]
    assert substitute_in_goal(IndependentOfH("q"), by) == IndependentOfH(q)
    assert substitute_in_goal(Relation("<", "q", "q"), by) == Relation("<", q, q)
    both = Iff(Relation("==", "q", 1), Relation("==", 2, "q"))
    assert substitute_in_goal(both, by) == Iff(Relation("==", q, 1), Relation("==", 2, q))


def test_relations_that_divide_come_last_and_otherwise_the_order_is_kept() -> None:
    plain, other = Relation(">=", "n", 2), Relation("==", "m", 1)
    dividing = Relation("==", Operation("//", "m", Operation("-", "n", 1)), 1)
    assert undivided_first((dividing, plain, other)) == (plain, other, dividing)
    assert divides(Relation("==", 1, Operation("*", 2, Operation("%", "n", 2))))
    assert not divides(plain)


@given(st.lists(polynomials(size=3), max_size=5), points(NAMES))
def test_a_total_is_the_sum(summands: list[Term], at: dict[str, int]) -> None:
    assert evaluate(total(tuple(summands)), at) == sum(evaluate(term, at) for term in summands)


def sizes() -> st.SearchStrategy[Size]:
    factors = st.lists(st.sampled_from(("n", "m", "d_k", "bias")), max_size=3)

    def monomial(coefficient: int, names: list[str]) -> Size:
        product = Size.of(coefficient)
        for name in names:
            product = product * Size.of(name)
        return product

    monomials = st.builds(monomial, st.integers(-4, 4), factors)
    return st.lists(monomials, max_size=4).map(lambda summands: sum(summands, Size()))


@given(sizes(), points(("n", "m", "d_k", "bias")))
def test_the_term_of_a_traced_size_has_its_value(size: Size, at: dict[str, int]) -> None:
    assert evaluate(of_size(size), at) == size.at(at)


@given(sizes())
def test_the_term_of_a_traced_size_reads_back_from_its_text(size: Size) -> None:
    term = of_size(size)
    assume(not isinstance(term, int) or term >= 0)
    goal = parse_claim(f"{text(term)} == 0", NAMES).goal
    assert goal == Relation("==", term, 0)


def test_claims_that_read_alike_are_equal() -> None:
    assert parse_claim("n == 1", NAMES) == Claim("n == 1", Relation("==", "n", 1))
