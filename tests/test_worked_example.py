"""Three tokens through two heads, small enough to follow by hand, in both forms of the layer."""

from __future__ import annotations

import numpy as np
import pytest

from mha_spec import layer
from mha_spec.design import Parameters

TOKENS = np.array([[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 1, 1, 1]])

WEIGHTS = [
    [[0.6111, 0.2431, 0.1458], [0.1945, 0.3723, 0.4332], [0.4362, 0.3321, 0.2317]],
    [[0.3020, 0.3639, 0.3342], [0.2751, 0.5487, 0.1762], [0.2432, 0.5844, 0.1723]],
]

OUTPUT = [
    [0.5163, 0.6253, 0.2151, 1.2935],
    [0.8424, 0.5407, 0.3644, 1.4098],
    [0.6986, 0.5105, 0.3054, 1.2417],
]


def drawn_parameters() -> Parameters:
    """W_Q, W_K, W_V of the first head, then of the second, then W_O."""
    rng = np.random.default_rng(42)
    heads = [[rng.normal(0, 1, (4, 2)) for _ in "QKV"] for _ in range(2)]
    w_q, w_k, w_v = (np.stack(matrices) for matrices in zip(*heads, strict=True))
    return Parameters(w_q, w_k, w_v, w_o=rng.normal(0, 0.5, (4, 4)))


def test_the_weights_of_both_heads() -> None:
    weights = layer.multi_head_weights(TOKENS, drawn_parameters())
    np.testing.assert_array_equal(np.round(weights, 4), WEIGHTS)


@pytest.mark.parametrize("form", ["batched", "per-head"])
def test_the_output(form: layer.Form) -> None:
    output = layer.multi_head_attention(TOKENS, drawn_parameters(), form=form)
    np.testing.assert_array_equal(np.round(output, 4), OUTPUT)
