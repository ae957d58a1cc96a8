"""Streamed attention is attention, at every division into blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_spec.layer import scaled_dot_product_attention
from mha_spec.streaming import streamed_attention

sizes = st.integers(1, 5)


@given(n=sizes, blocks=sizes, block=sizes, d_k=sizes, d_v=sizes, seed=st.integers(0, 2**32 - 1))
def test_it_equals_attention_over_all_keys_at_once(
    n: int, blocks: int, block: int, d_k: int, d_v: int, seed: int
) -> None:
    normal = np.random.default_rng(seed).standard_normal
    Q, K, V = normal((n, d_k)), normal((blocks, block, d_k)), normal((blocks, block, d_v))
    whole = scaled_dot_product_attention(Q, K.reshape(-1, d_k), V.reshape(-1, d_v))
    np.testing.assert_allclose(streamed_attention(Q, K, V), whole, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("largest", [-800.0, 0.0, 800.0])
def test_scores_of_any_size_stay_finite(largest: float) -> None:
    Q, V = np.ones((2, 1)), np.arange(12.0).reshape(3, 2, 2)
    K = np.linspace(largest - 5, largest, 6).reshape(3, 2, 1)
    assert np.isfinite(streamed_attention(Q, K, V)).all()
