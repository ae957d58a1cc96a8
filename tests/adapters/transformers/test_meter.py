"""torch's counter, on the meta device, counts for every module what the ledger says."""

from __future__ import annotations

from typing import Any

import pytest

from mha_spec.adapters import load_factory
from mha_spec.counting.quantities import traced_quantities
from mha_spec.design import AttentionDesign

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from mha_spec.adapters.torch.meter import meter_layer

GROUPED = ("llama:factory", "llama:eager", "gemma:factory", "falcon:factory", "falcon:eager", "falcon:new_decoder")
FULL = ("bert:factory", "bert:eager", "bert:cross", "gpt2:factory", "gpt2:eager", "gpt2:cross", "neox:factory")
WITHOUT_BIASES = ("t5:factory", "t5:eager")


@pytest.mark.parametrize("name", GROUPED + FULL + WITHOUT_BIASES)
@pytest.mark.parametrize("h", [1, 2, 6])
def test_it_counts_the_multiplications_of_the_ledger(name: str, h: int) -> None:
    """Rotating queries and keys, with cosines of 1 and sines of 0, is counted apart."""
    n, batch = 5, 2
    kv_heads = 2 if name in GROUPED and h == 6 else h
    design = AttentionDesign(d_model=12, h=h, kv_heads=kv_heads, bias=int(name not in WITHOUT_BIASES))
    sizes = design.sizes(n=n, m=n) | {"group": design.group}
    due = batch * traced_quantities()["multiplications"].at({k: v for k, v in sizes.items() if k != "h"})
    factory: Any = load_factory(f"mha_spec.adapters.transformers.{name}")
    metered = meter_layer(factory, design, n, batch=batch)
    assert metered.multiplications == due
    assert metered.complete, metered.without_price
