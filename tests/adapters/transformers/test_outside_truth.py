"""The package's own layer against attention modules of transformers, on random calls in float64.

The difference is relative to the largest entry of an output where that is above 1. Run "eager", Llama, Gemma and
GPT-NeoX compute their softmax in float32; all else is float64.
"""

from __future__ import annotations

import pytest

from mha_spec.adapters import load_factory

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from adapters.torch.sweeps import sweep

CALLS, EXACT, SINGLE = 200, 1e-12, 1e-6
FULL, GROUPED = {"H1", "H2", "H3", "H6"}, {"H2", "H6"}
ONE_LAYOUT = {"H1", "H2", "H6"}

WITHIN = {
    "bert:factory": (FULL, EXACT),
    "bert:eager": (FULL, EXACT),
    "gpt2:factory": (FULL, EXACT),
    "gpt2:eager": (FULL, EXACT),
    "llama:factory": (GROUPED, EXACT),
    "llama:eager": (GROUPED, SINGLE),
    "gemma:factory": (GROUPED, EXACT),
    "gemma:eager": (GROUPED, SINGLE),
    "falcon:factory": (ONE_LAYOUT, EXACT),
    "falcon:eager": (ONE_LAYOUT, EXACT),
    "falcon:new_decoder": (ONE_LAYOUT, EXACT),
    "neox:factory": (FULL, EXACT),
    "neox:eager": (FULL, SINGLE),
}
WITH_MEMORY = {"bert:cross": FULL, "gpt2:cross": FULL, "t5:factory": {"H2", "H3", "H4", "H6"}}


@pytest.mark.parametrize("name", WITHIN)
def test_the_layer_equals_the_module(name: str) -> None:
    hypotheses, within = WITHIN[name]
    factory = load_factory(f"mha_spec.adapters.transformers.{name}")
    distances = list(sweep(factory, CALLS, hypotheses=hypotheses, memories=False))
    assert len(distances) == CALLS
    assert max(distances) <= within


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_the_layer_equals_the_module_with_a_memory(name: str) -> None:
    factory = load_factory(f"mha_spec.adapters.transformers.{name}")
    causal_too = name.startswith("t5")
    distances = list(sweep(factory, CALLS, hypotheses=WITH_MEMORY[name], causal=None if causal_too else False))
    assert len(distances) == CALLS
    assert max(distances) <= EXACT
