"""Arrays drawn from annotations agree with them, and reach the cases that matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from mha_spec import attention
from mha_spec.design import ScoreRule
from mha_spec.sampling.inputs import arguments
from mha_spec.shapes import Array, B, Dim, H, Index, J, concat
from mha_spec.signatures import checking

RULE = {"rule": st.just(ScoreRule(causal=True))}
DRAWN: list[Callable[..., Any]] = [
    attention.project,
    attention.scores,
    attention.softmax,
    attention.mix,
    attention.split_heads,
    attention.merge_heads,
    attention.multi_head_per_head,
    attention.multi_head_batched,
    attention.multi_head_weights,
]


@pytest.mark.parametrize("function", DRAWN, ids=lambda function: function.__name__)
def test_drawn_arguments_fit_their_annotations(function: Callable[..., Any]) -> None:
    @settings(max_examples=40, deadline=None)
    @given(arguments(function))
    def run(drawn: dict[str, Any]) -> None:
        with checking(attention):
            getattr(attention, function.__name__)(**drawn)

    run()


@given(arguments(attention.attention, given=RULE, dtype="float32"))
def test_parameters_without_a_shape_are_given(drawn: dict[str, Any]) -> None:
    assert drawn["rule"].causal
    assert np.asarray(attention.attention(**drawn)).dtype == np.float32


def pick(x: Array[*B, H, J], h: Dim[H], i: Index[H]) -> None: ...


@given(arguments(pick))
def test_indices_are_below_their_size(drawn: dict[str, Any]) -> None:
    assert 0 <= drawn["i"] < drawn["h"] == drawn["x"].shape[-2]


def test_an_argument_without_a_source_is_refused_at_once() -> None:
    with pytest.raises(
        TypeError, match=r"attention: rule has neither shape nor default: .*given=\{'rule': ...\}"
    ):
        arguments(attention.attention)
    with pytest.raises(TypeError, match="concat: parts is a sequence, whose length no annotation gives"):
        arguments(concat)


CASES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "grouped heads, cross-attention, biases": lambda a: (
        a["w"].b_q is not None
        and a["group"] > 1
        and a["kv_heads"] > 1
        and a["X"].shape[-2] != a["Y"].shape[-2]
    ),
    "a batch of two axes": lambda a: a["X"].ndim == 4,
    "a mask with an empty row beside a full one": lambda a: (
        a["mask"] is not None and set(a["mask"].any(-1).ravel()) == {True, False}
    ),
    "no corner": lambda a: min(a["kv_heads"], a["group"], *a["X"].shape[-2:], *a["Y"].shape[-2:]) > 1,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_cases_that_matter_are_reached(case: Callable[[dict[str, Any]], bool]) -> None:
    search = settings(max_examples=1000, database=None, phases=[Phase.generate])
    find(arguments(attention.multi_head_batched), case, settings=search)
