"""Designs, the hypotheses as predicates, parameters; and every refusal with both of its numbers."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_spec.design import HYPOTHESES, SIZES, AttentionDesign, DesignError, Parameters, ScoreRule

GENERAL = AttentionDesign(d_model=7, d_memory=11, h=6, kv_heads=3, d_k=5, d_v=2, bias=1)


def test_sizes_left_out_are_those_of_the_paper() -> None:
    design = AttentionDesign(d_model=512, h=8)
    assert design.sizes() == {
        "d_model": 512,
        "d_memory": 512,
        "h": 8,
        "d_k": 64,
        "d_v": 64,
        "kv_heads": 8,
        "bias": 0,
    }
    assert (design.causal, design.causal_alignment, design.dtype) == (False, "top-left", "float64")
    assert (design.scale, design.softcap, design.window) == (None, None, None)


def test_d_v_left_out_follows_a_given_d_k() -> None:
    assert AttentionDesign(d_model=8, h=3, d_k=5).d_v == 5


def test_the_sizes_of_a_call_come_in_the_order_of_sizes() -> None:
    assert tuple(GENERAL.sizes(n=3, m=4)) == SIZES
    assert GENERAL.group == 2


def test_a_design_can_be_replaced_and_compared() -> None:
    other = dataclasses.replace(GENERAL, causal=True, window=2)
    assert other.score_rule == ScoreRule(causal=True, window=2)
    assert dataclasses.replace(other, causal=False, window=None) == GENERAL
    assert len({GENERAL, other}) == 2


def test_integers_of_numpy_are_sizes() -> None:
    assert type(AttentionDesign(d_model=8, h=np.int64(2)).h) is int  # type: ignore[arg-type]


size = st.integers(1, 3)


@given(size, size, size, size, size, st.booleans(), size, size)
def test_hypotheses_are_what_they_say(
    d_model: int, h: int, d_k: int, d_v: int, d_memory: int, bias: bool, n: int, m: int
) -> None:
    for kv_heads in (k for k in range(1, h + 1) if h % k == 0):
        design = AttentionDesign(
            d_model=d_model, d_memory=d_memory, h=h, kv_heads=kv_heads, d_k=d_k, d_v=d_v, bias=bias
        )
        sizes = design.sizes(n, m)
        for name, equation in HYPOTHESES.items():
            assert design.satisfies(name, n, m) == eval(equation, {}, dict(sizes))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"d_model": 8, "h": 3}, "h=3 does not divide d_model=8 (8 = 3*2 + 2): give d_k"),
        ({"d_model": 8, "h": 8, "kv_heads": 3}, "kv_heads=3 does not divide h=8 (8 = 3*2 + 2)"),
        ({"d_model": 2, "h": 4}, "h=4 does not divide d_model=2"),
        ({"d_model": 8, "h": 4, "kv_heads": 8}, "kv_heads=8 does not divide h=4"),
        ({"d_model": 8, "h": 0}, "h is 0, but a size is at least 1"),
        ({"d_model": 8, "h": 2, "d_v": -1}, "d_v is -1, but a size is at least 1"),
        ({"d_model": 8, "h": 2.0}, "h is 2.0, but a size is an integer"),
        ({"d_model": 8, "h": True}, "h is True, but a size is an integer"),
        ({"d_model": 8, "h": 2, "bias": 2}, "bias is 2, but must be 0 or 1"),
        ({"d_model": 8, "h": 2, "dtype": "int64"}, "dtype is int64, but must be floating"),
        ({"d_model": 8, "h": 2, "window": 3}, "window=3 without causal"),
        ({"d_model": 8, "h": 2, "causal": True, "window": 0}, "window is 0"),
        ({"d_model": 8, "h": 2, "softcap": -1.0}, "softcap is -1.0, but must be above 0"),
        ({"d_model": 8, "h": 2, "scale": float("inf")}, "scale is inf, but must be finite"),
        ({"d_model": 8, "h": 2, "causal_alignment": "left"}, "causal_alignment is 'left', not 'top-left' or"),
    ],
    ids=str,
)
def test_refusals_of_designs(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(DesignError) as refusal:
        AttentionDesign(**arguments)
    assert words in str(refusal.value)


def test_a_hypothesis_about_a_call_needs_the_call() -> None:
    with pytest.raises(DesignError, match=r"H5 \(m == n\) is about a call: give n and m \(n=3, m=None\)"):
        GENERAL.satisfies("H5", n=3)
    with pytest.raises(DesignError, match="'H7' is not one of H1, H2, H3, H4, H5, H6"):
        GENERAL.satisfies("H7")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("bias", [0, 1])
def test_drawn_parameters_know_their_design(dtype: str, bias: int) -> None:
    design = dataclasses.replace(GENERAL, dtype=dtype, bias=bias)
    parameters = Parameters.draw(design, np.random.default_rng(0))
    assert parameters.design() == design
    assert parameters.count() == 6 * 7 * 5 + 3 * 11 * 5 + 3 * 11 * 2 + 12 * 7 + bias * (30 + 15 + 6 + 7)


def test_options_are_added_to_the_design_of_parameters() -> None:
    parameters = Parameters.draw(GENERAL, np.random.default_rng(0))
    options: dict[str, Any] = {"causal": True, "causal_alignment": "bottom-right", "window": 3, "scale": 2.0}
    assert parameters.design(**options) == dataclasses.replace(GENERAL, **options)


def changed(name: str, array: Any) -> Parameters:
    return dataclasses.replace(Parameters.draw(GENERAL, np.random.default_rng(0)), **{name: array})


@pytest.mark.parametrize(
    ("name", "array", "words"),
    [
        (
            "w_k",
            np.ones((3, 11, 4)),
            "w_k has shape (3, 11, 4), expected (kv_heads, d_memory, d_k) = (3, 11, 5)",
        ),
        ("w_o", np.ones((7, 12)), "w_o has shape (7, 12), expected (h*d_v, d_model) = (12, 7)"),
        ("b_o", np.ones(12), "b_o has shape (12,), expected (d_model) = (7,)"),
        ("b_k", None, "b_k is missing, but the design has bias=1"),
        ("w_v", np.ones((11, 6)), "w_v has shape (11, 6), not (kv_heads, d_memory, d_v)"),
        ("w_o", np.ones((12, 7), np.float32), "w_o has dtype float32, but the design has float64"),
    ],
)
def test_refusals_of_parameters(name: str, array: Any, words: str) -> None:
    with pytest.raises(DesignError) as refusal:
        changed(name, array).design()
    assert words in str(refusal.value)


def test_parameters_of_another_design_are_refused() -> None:
    parameters = Parameters.draw(GENERAL, np.random.default_rng(0))
    with pytest.raises(DesignError, match=r"b_q is given, with shape \(6, 5\), but the design has bias=0"):
        parameters.check(dataclasses.replace(GENERAL, bias=0))
    with pytest.raises(DesignError, match="w_q is a list, expected an ndarray"):
        changed("w_q", [[1.0]])
