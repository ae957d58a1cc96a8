"""Sentences are cut into words and formulas, and nothing of them is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explain.lessons import NAMES, taught
from mha_spec.explain.prose import Formula, joined, parts


@pytest.mark.parametrize(
    ("sentence", "formulas"),
    [
        ("The projections hold 4*d_model**2 weights.", {"4*d_model**2": r"4 \, d_{\text{model}}^{2}"}),
        ("exactly when n is at least 2*d_model.", {"n": "n", "2*d_model": r"2 \, d_{\text{model}}"}),
        ("The scores Q K^T take", {"Q K^T": "Q K^T"}),
        ("W_Q, and W_O", {"W_Q": "W_Q", "W_O": "W_O"}),
        ("keeps n*(n + 1)/2 pairs", {"n*(n + 1)/2": r"\frac{n \, \left(n + 1\right)}{2}"}),
        ("(with d_k = d_model/2)", {"d_k = d_model/2": r"d_{k} = \frac{d_{\text{model}}}{2}"}),
        ("pairs where n <= m, else", {"n <= m": r"n \leq m"}),
        ("costs h - 1 times as much", {"h - 1": "h - 1"}),
        ("(h - 1)*n, not more", {"(h - 1)*n": r"\left(h - 1\right) \, n"}),
        ("between them (H1), so a bias of a share", {}),
        ("each key/value head and query-key pair", {}),
        ("an unknown_name stays, and so does x*y", {}),
        ("but ``x*y`` is code, and ``n*m`` a formula", {"x*y": "", "n*m": r"n \, m"}),
    ],
)
def test_formulas_are_found(sentence: str, formulas: dict[str, str]) -> None:
    assert {part.text: part.latex for part in parts(sentence) if isinstance(part, Formula)} == formulas


def test_sizes_of_a_theorem_of_its_own_are_known() -> None:
    assert parts("3*share", ()) == ("3*share",)
    assert parts("3*share", ("share",)) == (Formula("3*share", r"3 \, \mathit{share}"),)


def unchanged(sentence: str, extra: tuple[str, ...] = ()) -> str:
    return joined(sentence, extra, lambda word: word, lambda formula: formula.text)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_theorem_is_lost(name: str) -> None:
    shown = taught(name)
    for sentence in (shown.theorem.sentence, shown.origin.remark, *(step.because for step in shown.theorem.steps)):
        assert unchanged(sentence, shown.theorem.extra) == sentence


@given(st.text(alphabet="nmh dk_v()*/+-<=>^QKT123,.", max_size=40))
def test_nothing_is_lost(sentence: str) -> None:
    assert unchanged(sentence) == sentence
