"""torch's counter on the meta device counts what the ledger says, and an operator without a price is reported."""

from __future__ import annotations

import numpy as np
import pytest

from mha_spec.counting.quantities import traced_quantities
from mha_spec.design import AttentionDesign, Parameters

torch = pytest.importorskip("torch", reason="torch is not installed")

from mha_spec.adapters.torch import functional_forward, multihead_attention  # noqa: E402 -- after the skip
from mha_spec.adapters.torch.layer import TorchLayer  # noqa: E402
from mha_spec.adapters.torch.meter import meter, meter_layer  # noqa: E402

LAYERS = (multihead_attention.factory, multihead_attention.with_weights, functional_forward.factory)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__)
@pytest.mark.parametrize("h", [1, 2, 3, 6])
@pytest.mark.parametrize("d_memory", [None, 5], ids=["self-attention", "cross-attention"])
def test_it_counts_the_multiplications_of_the_ledger(layer: type[TorchLayer], h: int, d_memory: int | None) -> None:
    design = AttentionDesign(d_model=12, d_memory=d_memory, h=h, bias=1, causal=True)
    n, m, batch = 4, 7, 3
    keys = n if d_memory is None else m
    sizes = design.sizes(n=n, m=keys) | {"group": design.group}
    due = batch * traced_quantities()["multiplications"].at({k: v for k, v in sizes.items() if k != "h"})
    metered = meter_layer(layer, design, n, None if d_memory is None else m, batch)
    assert metered.multiplications == due
    assert sum(metered.by_operator.values()) == due
    assert metered.complete
    assert metered.elementwise == 0


def test_the_fused_operator_is_reported() -> None:
    """For inference on the CPU the whole layer is one operator, which nobody has a price for."""
    design = AttentionDesign(d_model=4, h=2, bias=1)
    layer = multihead_attention.factory(design, Parameters.draw(design, np.random.default_rng(0)))
    metered = meter(lambda: layer(np.zeros((1, 3, 4))))
    assert metered.multiplications == 0
    assert metered.without_price == {"aten._native_multi_head_attention": 1}
    assert not metered.complete


def test_attention_by_scaled_dot_product_on_the_cpu_is_reported() -> None:
    q = torch.zeros(1, 2, 3, 4)
    metered = meter(lambda: torch.nn.functional.scaled_dot_product_attention(q, q, q))
    assert metered.multiplications == 0
    assert list(metered.without_price) == ["aten._scaled_dot_product_flash_attention_for_cpu"]


def test_a_product_written_elementwise_is_not_free() -> None:
    """Scores as a sum over a product by broadcasting: no matrix product, yet as many multiplications."""
    q, k = torch.zeros(3, 4, device="meta"), torch.zeros(5, 4, device="meta")
    metered = meter(lambda: (q[:, None] * k * 0.5).sum(-1))
    assert metered.multiplications == 0
    assert metered.elementwise == 3 * 5 * 4
    assert metered.complete


def test_an_operator_without_a_price_is_reported() -> None:
    """A matrix times a vector, which torch's counter takes for nothing."""
    metered = meter(lambda: torch.mv(torch.zeros(3, 4), torch.zeros(4)))
    assert metered.multiplications == 12 or not metered.complete
    assert meter(lambda: torch.cumsum(torch.zeros(3), 0)).without_price == {"aten.cumsum": 1}
