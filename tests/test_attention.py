"""Properties of the attention functions that hold at every drawn size, with every annotation checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_spec import attention
from mha_spec.design import ScoreRule
from mha_spec.sampling.inputs import arguments
from mha_spec.signatures import checking

RULES = st.builds(
    ScoreRule,
    causal=st.just(True),
    causal_alignment=st.sampled_from(["top-left", "bottom-right"]),
    window=st.none() | st.integers(1, 3),
    scale=st.none() | st.just(0.5),
    softcap=st.none() | st.just(1.5),
) | st.just(ScoreRule())


@given(arguments(attention.softmax))
def test_rows_of_weights_sum_to_one_or_to_zero(drawn: dict[str, Any]) -> None:
    mask = drawn["mask"]
    with checking(attention):
        weights: Any = attention.softmax(**drawn)
    alive = np.ones(weights.shape[:-1], bool) if mask is None else mask.any(-1)
    np.testing.assert_allclose(weights.sum(-1), alive.astype(float))
    if mask is not None:
        assert (weights[~mask] == 0).all()


@given(arguments(attention.softmax), st.sampled_from([-1e4, 1e4]))
def test_the_softmax_ignores_a_constant(drawn: dict[str, Any], constant: float) -> None:
    moved: Any = attention.softmax(drawn["S"] + constant, drawn["mask"])
    np.testing.assert_allclose(moved, np.asarray(attention.softmax(**drawn)), rtol=1e-9, atol=1e-12)


@given(arguments(attention.split_heads))
def test_merging_undoes_splitting(drawn: dict[str, Any]) -> None:
    heads: Any = attention.split_heads(**drawn)
    for i in range(drawn["h"]):
        width = drawn["X"].shape[-1] // drawn["h"]
        assert (heads[..., i, :, :] == drawn["X"][..., i * width : (i + 1) * width]).all()
    merged: Any = attention.merge_heads(heads)
    assert (merged == drawn["X"]).all()


@given(arguments(attention.multi_head_batched, given={"rule": RULES}))
def test_both_forms_agree_with_every_annotation_checked(drawn: dict[str, Any]) -> None:
    with checking(attention):
        batched: Any = attention.multi_head_batched(**drawn)
        per_head: Any = attention.multi_head_per_head(**drawn)
        weights: Any = attention.multi_head_weights(**drawn)
    np.testing.assert_allclose(batched, per_head, rtol=1e-9, atol=1e-12)
    assert (weights >= 0).all()


@given(arguments(attention.attention, given={"rule": RULES}))
def test_attention_mixes_with_its_weights(drawn: dict[str, Any]) -> None:
    output: Any = attention.attention(**drawn)
    weights: Any = attention.attention_weights(drawn["Q"], drawn["K"], drawn["mask"], drawn["rule"])
    np.testing.assert_allclose(output, weights @ drawn["V"])


@given(arguments(attention.cap_scores, given={"softcap": st.just(0.5)}))
def test_capped_scores_stay_below_the_cap(drawn: dict[str, Any]) -> None:
    capped: Any = attention.cap_scores(**drawn)
    assert (np.abs(capped) <= 0.5).all()
    np.testing.assert_allclose(np.arctanh(capped / 0.5) * 0.5, drawn["S"], rtol=1e-6)


@pytest.mark.parametrize("form", [attention.multi_head_batched, attention.multi_head_per_head])
def test_key_and_value_heads_are_projected_once_a_group(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The per-head form projects kv_heads keys, kv_heads values, h queries and the output."""
    projected = []
    project: Any = attention.project

    def watched(x: Any, w: Any, b: Any) -> Any:
        projected.append(w.shape[-1])
        return project(x, w, b)

    monkeypatch.setattr(attention, "project", watched)
    weights: Any = attention.Weights(
        *(np.ones(shape) for shape in ((6, 7, 5), (3, 11, 5), (3, 11, 2), (12, 7)))  # type: ignore[arg-type]
    )
    form(np.ones((4, 7)), np.ones((3, 11)), weights, 3, 2)
    loop = form is attention.multi_head_per_head
    assert sorted(projected) == sorted([5] * 9 + [2] * 3 + [7] if loop else [30, 15, 6, 7])
