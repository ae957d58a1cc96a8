"""Printed text reads back to the same tree, and LaTeX has the parentheses that it needs and no others."""

from __future__ import annotations

import pytest
from hypothesis import given

from mha_spec.claims.language import parse_claim
from mha_spec.claims.printing import claim_latex, claim_text, goal_text, latex, text
from mha_spec.claims.quantities import KNOWN_NAMES
from mha_spec.claims.terms import Claim, Goal, Operation, Relation, Term

from .drawn_terms import claims, goals, terms


def read(term: str) -> Term:
    goal = parse_claim(f"{term} == 0", (*KNOWN_NAMES, "group")).goal
    assert isinstance(goal, Relation)
    return goal.left


@given(terms())
def test_the_text_of_a_term_reads_back_to_the_same_tree(term: Term) -> None:
    assert read(text(term)) == term


@given(goals())
def test_the_text_of_a_goal_reads_back_to_the_same_goal(goal: Goal) -> None:
    assert parse_claim(goal_text(goal), KNOWN_NAMES).goal == goal


@given(claims())
def test_the_text_of_a_claim_reads_back_to_the_same_claim(claim: Claim) -> None:
    again = parse_claim(claim_text(claim), KNOWN_NAMES)
    assert (again.goal, again.where) == (claim.goal, claim.where)


@pytest.mark.parametrize(
    "term",
    [
        "n + m - h",
        "n - (m - h)",
        "n*(m*h)",
        "n*m*h",
        "n*(m + h)**2",
        "(n*m)**2",
        "(n**2)**3",
        "-n**2",
        "(-n)**2",
        "-n*m",
        "-(n*m)",
        "n - -m",
        "n*(-m)",
        "-(-n)",
        "-3",
        "n // m*h".replace(" ", ""),
        "n//(m*h)",
        "n%m%h",
        "n - (m + h)",
        "2*h*d_k*(d_model + d_memory)",
    ],
)
def test_text_with_the_fewest_parentheses_is_printed_as_it_was_written(term: str) -> None:
    assert text(read(term)) == term


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("((n))", "n"),
        ("(n + m) + h", "n + m + h"),
        ("(n*m)*h", "n*m*h"),
        ("((n*m) + (h))", "n*m + h"),
        ("n*(m**2)", "n*m**2"),
        ("-(n**2)", "-n**2"),
        ("n+m", "n + m"),
        ("n * m", "n*m"),
    ],
)
def test_parentheses_and_spaces_that_say_nothing_are_not_printed(written: str, printed: str) -> None:
    assert text(read(written)) == printed


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        ("4*d_model**2", r"4 \, d_{\text{model}}^{2}"),
        ("h*n*m*d_k", r"h \, n \, m \, d_{k}"),
        ("2*h*d_k*(d_model + d_memory)", r"2 \, h \, d_{k} \, \left(d_{\text{model}} + d_{\text{memory}}\right)"),
        ("n - (m - h)", r"n - \left(m - h\right)"),
        ("n - m - h", "n - m - h"),
        ("(n + m)**2", r"\left(n + m\right)^{2}"),
        ("(n**2)**3", r"\left(n^{2}\right)^{3}"),
        ("-n**2", "-n^{2}"),
        ("(-n)**2", r"\left(-n\right)^{2}"),
        ("-(n + m)", r"-\left(n + m\right)"),
        ("n*(-m)", r"n \, \left(-m\right)"),
        ("d_model//h", r"\left\lfloor \frac{d_{\text{model}}}{h} \right\rfloor"),
        ("(n + m)//(h + 1)", r"\left\lfloor \frac{n + m}{h + 1} \right\rfloor"),
        ("d_model%h", r"d_{\text{model}} \bmod h"),
        ("n*2", r"n \cdot 2"),
        ("2*3*n", r"2 \cdot 3 \, n"),
        ("kv_heads*group", r"\mathit{kv\_heads} \, \mathit{group}"),
        ("score_multiplications", r"\mathit{score\_multiplications}"),
        ("1000000", "1{,}000{,}000"),
        ("44040", "44{,}040"),
        ("999", "999"),
        ("n**2", "n^{2}"),
    ],
)
def test_latex_of_typical_terms(term: str, shown: str) -> None:
    assert latex(read(term)) == shown


def test_latex_of_the_second_design_is_primed_and_of_slacks_is_s() -> None:
    assert latex("d_k'") == "d_{k}'"
    assert latex("h'") == "h'"
    assert latex("kv_heads'") == r"\mathit{kv\_heads}'"
    assert latex("slack2") == "s_{2}"
    assert latex(Operation("*", "h'", "d_k'")) == r"h' \, d_{k}'"


def test_latex_of_claims_says_what_they_claim() -> None:
    def shown(claim: str) -> str:
        return claim_latex(parse_claim(claim, KNOWN_NAMES))

    assert shown("n <= m") == r"n \leq m"
    assert shown("n != m") == r"n \neq m"
    assert shown("n == m where h >= 2, m < 3") == r"n = m \quad \text{where } h \geq 2,\; m < 3"
    assert shown("n == m iff h == 1") == r"n = m \iff h = 1"
    assert shown("parameters independent of h") == r"\mathit{parameters} \ \text{is independent of}\ h"


@given(terms())
def test_latex_is_balanced(term: Term) -> None:
    shown = latex(term)
    assert shown.count("{") == shown.count("}")
    assert shown.count(r"\left(") == shown.count(r"\right)")
