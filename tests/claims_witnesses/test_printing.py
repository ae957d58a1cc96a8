"""The same tree in three languages: what is printed for Rocq and for SMT solvers has the value of the term."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.drawn_terms import NAMES, points, terms
from mha_spec.claims.certificate import Certificate, equations_used
from mha_spec.claims.terms import OPERATORS, Iff, Operation, Relation, Term, evaluate
from mha_spec.claims.verdict import ProvedPart
from mha_spec.claims.witnesses.rocq import theorem_for
from mha_spec.claims.witnesses.rocq_terms import rocq, rocq_goal
from mha_spec.claims.witnesses.smt import script, smt_term
from mha_spec.claims.witnesses.smt_run import stated
from mha_spec.claims.witnesses.statement import Statement

from .judging import forged, judged


def read_rocq(text: str, sizes: dict[str, int]) -> int:
    """The value of what was printed for Rocq, whose operators bind as Python's do."""
    for ours, theirs in (("^", "**"), (" / ", " // "), (" mod ", " % ")):
        text = text.replace(ours, theirs)
    value = eval(text, {"__builtins__": {}}, dict(sizes))
    assert isinstance(value, int)
    return value


def read_smt(text: str, sizes: dict[str, int]) -> int:
    """The value of an SMT-LIB term."""
    tokens = re.findall(r"\(|\)|[^\s()]+", text)

    def term() -> int:
        token = tokens.pop(0)
        if token != "(":
            return int(token) if token.isdigit() else sizes[token.strip("|")]
        sign, arguments = tokens.pop(0), []
        while tokens[0] != ")":
            arguments.append(term())
        tokens.pop(0)
        if sign == "-" and len(arguments) == 1:
            return -arguments[0]
        operator = OPERATORS["//" if sign == "div" else "%" if sign == "mod" else "-" if sign == "-" else sign_of(sign)]
        value = arguments[0]
        for argument in arguments[1:]:
            value = operator(value, argument)
        return value

    return term()


def sign_of(sign: str) -> str:
    assert sign in ("+", "*")
    return sign


def negated(term: Term) -> Term:
    """The same term with some of its numbers below 0, as certificates have them."""
    if isinstance(term, int):
        return -term if term % 3 == 1 else term
    if isinstance(term, str) or term.operator == "**":
        return term
    return Operation(term.operator, negated(term.left), negated(term.right))


@given(terms(), points(NAMES), st.booleans())
def test_what_is_printed_has_the_value_of_the_term(term: Term, sizes: dict[str, int], signs: bool) -> None:
    term = negated(term) if signs else term
    try:
        value = evaluate(term, sizes)
    except ZeroDivisionError:
        return
    assert read_rocq(rocq(term), sizes) == value
    assert read_smt(smt_term(term), sizes) == value


@pytest.mark.parametrize(
    ("term", "in_rocq", "in_smt"),
    [
        (Operation("-", "n", Operation("-", "m", "h")), "n - (m - h)", "(- n (- m h))"),
        (Operation("**", Operation("-", 0, "n"), 2), "(- n) ^ 2", "(* (- 0 n) (- 0 n))"),
        (Operation("*", -3, "h'"), "(-3) * h'", "(* (- 3) |h'|)"),
        (Operation("**", "n", 0), "n ^ 0", "1"),
        (Operation("%", Operation("*", "n", "m"), "n"), "n * m mod n", "(mod (* n m) n)"),
        (Operation("//", "n", Operation("*", "m", "h")), "n / (m * h)", "(div n (* m h))"),
    ],
)
def test_parentheses_and_signs(term: Term, in_rocq: str, in_smt: str) -> None:
    assert (rocq(term), smt_term(term)) == (in_rocq, in_smt)


def test_an_equivalence_in_rocq() -> None:
    goal = Iff(Relation("==", "n", 1), Relation("<=", "m", 2))
    assert rocq_goal(goal) == "(n = 1) <-> (m <= 2)"


def test_a_claim_as_a_script_for_smt_solvers() -> None:
    told = stated(judged("bottom_right_empty_rows <= n iff n >= 1", ("H5",)))
    assert isinstance(told, Statement)
    assert script(told).splitlines() == [
        "; bottom_right_empty_rows <= n iff n >= 1",
        "; unsat: no sizes meet the assertions, so the claim holds for all sizes.",
        "(set-logic QF_NIA)",
        "(declare-const n Int)",
        "(declare-const m Int)",
        "(declare-const bottom_right_empty_rows Int)",
        "(assert (<= 1 n))",
        "(assert (<= 1 m))",
        "(assert (<= 0 bottom_right_empty_rows))",
        "(assert (=> (<= n m) (= bottom_right_empty_rows 0)))",
        "(assert (=> (<= m n) (= bottom_right_empty_rows (- n m))))",
        "(assert (not (= (<= bottom_right_empty_rows n) (>= n 1))))",
        "(check-sat)",
    ]


def _with_equations_used(part: ProvedPart) -> ProvedPart:
    return replace(part, equations=equations_used(part.equations, part.certificate))


def test_a_claim_as_a_theorem_for_rocq() -> None:
    one = forged("d_k <= d_model", Certificate({"H1": -1}), "claim_1", ("H1",))
    one = replace(one, verdict=replace(one.verdict, proof=(_with_equations_used(one.verdict.proof[0]),)))
    assert theorem_for(one).text == (
        """(* d_k <= d_model *)
Theorem claim_1 :
  forall (d_model h d_k kv_heads group : Z)
    (least_d_model : 1 <= d_model)
    (least_h : 1 <= h)
    (least_d_k : 1 <= d_k)
    (least_kv_heads : 1 <= kv_heads)
    (least_group : 1 <= group)
    (heads : kv_heads * group = h)
    (H1 : h * d_k = d_model),
  d_k <= d_model.
Proof.
  intros.
  assert (certified : d_k <= d_model).
  {
    assert (fact_1 : 0 <= d_k - 1) by lia.
    assert (fact_2 : 0 <= h - 1) by lia.
    apply (certified_at_most 1 d_k d_model 0 (h - 1 + (d_k - 1) * (h - 1))).
    - not_negative.
    - ring.
    - not_negative.
    - transitivity ((-1) * (h * d_k - d_model) + (h - 1 + (d_k - 1) * (h - 1))).
      + ring.
      + exact (adds_nothing _ _ _ _ _ H1 (eq_refl)).
  }
  first [exact certified | lia].
Qed."""
    )
