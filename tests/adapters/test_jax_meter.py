"""The meter of JAX programs: every library's layer costs what the ledger says, and nothing unknown counts as free."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest

from mha_spec.counting.quantities import traced_quantities
from mha_spec.design import AttentionDesign

pytest.importorskip("jax", reason="jax is not installed")

LIBRARIES = {
    "flax": ("flax.linen", "flax.nnx"),
    "equinox": ("equinox.multihead_attention",),
    "haiku": ("haiku.multi_head_attention",),
    "keras": ("keras.multi_head_attention", "keras.group_query_attention"),
}
MODULES = [(needs, module) for needs, modules in LIBRARIES.items() for module in modules]
DESIGN = AttentionDesign(d_model=5, d_memory=4, h=3, d_k=2, bias=1)


@pytest.mark.parametrize(("needs", "module"), MODULES, ids=[module for _, module in MODULES])
@pytest.mark.parametrize(("n", "m"), [(6, None), (4, 7)])
def test_a_layer_costs_what_the_ledger_says(needs: str, module: str, n: int, m: int | None) -> None:
    if find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    from mha_spec.adapters.jax.meter import meter_program

    design = DESIGN if m is not None else AttentionDesign(d_model=5, h=3, d_k=2, bias=1)
    run = import_module(f"mha_spec.adapters.{module}").run
    metered = meter_program(run, design, n, m, batch=2)
    sizes = design.sizes(n, n if m is None else m) | {"group": design.group}
    assert metered.complete
    assert metered.multiplications == 2 * traced_quantities()["multiplications"].at(sizes)
    assert metered.elementwise == 0


def test_a_primitive_without_a_price_is_reported() -> None:
    import jax.numpy as jnp
    from jax import ShapeDtypeStruct, lax

    from mha_spec.adapters.jax.meter import meter

    metered = meter(lambda x: lax.cumsum(jnp.sin(x @ x)), ShapeDtypeStruct((3, 3), "float32"))
    assert (metered.multiplications, metered.complete) == (27, False)
    assert set(metered.without_price) == {"sin", "cumsum"}
