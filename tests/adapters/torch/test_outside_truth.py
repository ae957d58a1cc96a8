"""The package's own layer against torch's functions, on random calls in float64.

"Within 1e-12" is the largest difference of an output, relative to its largest entry where that is above 1.
"""

from __future__ import annotations

import numpy as np
import pytest

from mha_spec.adapters import load_factory
from mha_spec.design import ScoreRule
from mha_spec.layer import scaled_dot_product_attention

torch = pytest.importorskip("torch", reason="torch is not installed")

from adapters.torch.sweeps import apart, sweep  # noqa: E402 -- after the skip

CALLS, EXACT = 300, 1e-12
SDPA = "torch.nn.functional:scaled_dot_product_attention"
FORWARD = "torch.nn.functional:multi_head_attention_forward"


@pytest.mark.parametrize("masked", [False, True], ids=["without a mask", "with masks and empty rows"])
@pytest.mark.parametrize("causal", [False, True], ids=["all keys", "causal"])
def test_one_attention_equals_torchs(masked: bool, causal: bool) -> None:
    """Called directly: no adapter lies between; an empty row is zero in both."""
    rng, worst = np.random.default_rng(1), 0.0
    for _ in range(CALLS):
        n, m, d_k, d_v, batch, heads = (int(size) for size in rng.integers(1, 9, 6))
        q, k, v = (rng.standard_normal((batch, heads, *shape)) for shape in ((n, d_k), (m, d_k), (m, d_v)))
        scale = float(rng.uniform(0.1, 2.0)) if rng.integers(2) else None
        mask = rng.random((batch, heads, n, m)) < 0.6 if masked else None
        both = mask if mask is None or not causal else mask & np.tri(n, m, dtype=np.bool_)
        came = torch.nn.functional.scaled_dot_product_attention(
            *map(torch.from_numpy, (q, k, v)),
            attn_mask=None if both is None else torch.from_numpy(both),
            is_causal=causal and both is None,
            scale=scale,
        ).numpy()
        ours = scaled_dot_product_attention(q, k, v, mask, rule=ScoreRule(causal=causal, scale=scale))
        worst = max(worst, apart(ours, came))
    assert worst <= EXACT


def test_the_layer_equals_one_around_torchs_attention() -> None:
    """Grouped heads by `enable_gqa`, scales, masks, causality, memories of another length and width."""
    distances = list(sweep(load_factory(SDPA), CALLS, hypotheses=set(), scales=True))
    assert len(distances) == CALLS
    assert max(distances) <= EXACT


def test_the_layer_equals_torchs_function_of_the_whole_layer() -> None:
    """`multi_head_attention_forward`, projections included."""
    distances = list(sweep(load_factory(FORWARD), CALLS, hypotheses={"H1", "H2", "H3"}))
    assert len(distances) == CALLS
    assert max(distances) <= EXACT


def test_the_layer_equals_torchs_module() -> None:
    """`nn.MultiheadAttention` in eval mode, on its fused path and the others."""
    distances = list(sweep(load_factory("torch.nn:MultiheadAttention"), CALLS, hypotheses={"H1", "H2", "H3"}))
    assert len(distances) == CALLS
    assert max(distances) <= EXACT
