"""The lesson of a value theorem: its formulas as a reader writes them, how far each step reaches, and the layer."""

from __future__ import annotations

import dataclasses

import pytest
import sympy

from explain.lessons import VALUE_NAMES, valued
from mha_spec.claims.theorem import TheoremError
from mha_spec.claims.values.formulas import K, Q, b, d, d_k, d_v, i, j, k, m, n
from mha_spec.claims.values.sums.notation import Below, Expectation, Gradient, Minor, Quotient, Remainder, total
from mha_spec.explain.formula_text import as_latex, plain
from mha_spec.explain.value_lesson import value_lesson


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (total(Q[i, d] * K[j, d], (d, d_k)), "sum[d < d_k](K[j, d]*Q[i, d])"),
        (total(Q[i, d], (i, n), (d, d_k)), "sum[i < n, d < d_k](Q[i, d])"),
        (sympy.Sum(Q[i, d], (i, k, m - 2)), "sum[k <= i < m - 1](Q[i, d])"),
        (Q[i, d] / sympy.sqrt(d_k), "Q[i, d]/sqrt(d_k)"),
        (-n + m, "m - n"),
        (sympy.exp(Q[i, d] - K[j, d]), "exp(Q[i, d] - K[j, d])"),
        (Gradient(Q[i, d], K[j, d]), "(d/dK[j, d] Q[i, d])"),
        (2 * Below(i, j), "2*[i < j]"),
        (Quotient(i, d_v), "(i // d_v)"),
        (2 * Remainder(i, d_v), "2*(i % d_v)"),
        (Expectation(Q[i, d] ** 2), "expected(Q[i, d]**2)"),
        (Minor(Q[i, d], i, d, d_k + 1), "det[i, d < d_k + 1](Q[i, d])"),
        (sympy.KroneckerDelta(i, j), "delta(i, j)"),
        (sympy.Function("pi")(i), "pi(i)"),
    ],
)
def test_formulas_as_text(formula: sympy.Expr, text: str) -> None:
    assert plain(formula) == text


def test_formulas_as_latex() -> None:
    assert as_latex(m - n) == "m - n"
    assert as_latex(Expectation(n) ** 2) == r"\left(\mathbb{E}\left[n\right]\right)^{2}"
    assert as_latex(total(Q[i, b], (i, n))) == r"\sum_{i=0}^{n - 1} {Q}_{i,b}"


@pytest.mark.parametrize("name", VALUE_NAMES)
def test_a_lesson_has_every_step_and_its_reach(name: str) -> None:
    shown = valued(name)
    assert [chain.states for chain in shown.chains] == [chain.states for chain in shown.theorem.chains]
    for chain, stated in zip(shown.chains, shown.theorem.chains, strict=True):
        assert [step.because for step in chain.steps] == [step.because for step in stated.steps]
        assert [step.reach == "" for step in chain.steps] == [True] + [False] * (len(chain.steps) - 1)
        assert chain.result.text == f"{chain.steps[0].formula.text} {stated.sign} {chain.steps[-1].formula.text}"
    assert shown.comparisons
    assert all(0 <= one.deviation <= one.tolerance for one in shown.comparisons)
    assert shown.origin.location == f"proofs/values/{name}.py"


def test_what_is_decided_at_sizes_only_is_not_said_to_hold_for_all() -> None:
    shown = valued("scores_of_a_head_have_rank_at_most_d_k")
    assert [chain.reach for chain in shown.chains] == ["for all sizes", "at sizes d_k=1; d_k=2; d_k=3"]


def test_a_derivation_that_is_refused_has_no_lesson() -> None:
    right = valued("softmax_ignores_a_shift").theorem
    chain = right.chains[0]
    wrong = dataclasses.replace(right, chains=(dataclasses.replace(chain, right=2 * chain.right),))
    with pytest.raises(TheoremError, match="softmax_ignores_a_shift"):
        value_lesson(wrong)
