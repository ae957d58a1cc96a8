"""`flax.linen.MultiHeadDotProductAttention` as a layer under test.

Its kernels are `(d_model, h, d_k)`, and `(h, d_v, d_model)` for the output; the attention weights are those that it
sows. Causality is left to the mask, as Flax's `make_causal_mask` does.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
from flax import linen

from mha_spec.adapters.jax.compiled import (
    CompiledLayerWithWeights,
    CompiledProgram,
    JaxArray,
    JaxArrays,
    declares,
    read_from,
    refuse_options,
    refuse_unless,
    together,
)
from mha_spec.design import AttentionDesign, Parameters

PLACES = {"query": "q", "key": "k", "value": "v"}


@declares(
    requires={"H2", "H3"},
    options=(),
    slow_shapes=True,
    causal_alignment="top-left",
    empty_row="uniform",
    hidden_values_may_leak=True,
    allows_empty=("batch", "n", "m"),
)
def factory(design: AttentionDesign, parameters: Parameters) -> CompiledLayerWithWeights:
    """The layer in float64, float32 or float16; it has no grouped heads, and values are as wide as keys."""
    refuse_options(design, "scale", "softcap", "window")
    refuse_unless(design, "H2", "values are as wide as keys")
    refuse_unless(design, "H3", "it has no grouped heads")
    return CompiledLayerWithWeights(RUN, SHOWN, design, parameters, held(design))


def module(design: AttentionDesign) -> Any:
    """The layer of the library, which holds no parameters itself."""
    return linen.MultiHeadDotProductAttention(
        num_heads=design.h,
        qkv_features=design.h * design.d_k,
        out_features=design.d_model,
        use_bias=bool(design.bias),
        dtype=jnp.dtype(design.dtype),
        param_dtype=jnp.dtype(design.dtype),
        deterministic=True,
    )


def variables(design: AttentionDesign, p: JaxArrays) -> dict[str, Any]:
    """The parameters in the layout of the library."""
    held = {
        place: {"kernel": p[f"w_{letter}"].transpose(1, 0, 2)} | ({"bias": p[f"b_{letter}"]} if design.bias else {})
        for place, letter in PLACES.items()
    }
    out = {"kernel": p["w_o"].reshape(design.h, design.d_v, design.d_model)}
    return {"params": {**held, "out": out | ({"bias": p["b_o"]} if design.bias else {})}}


@cache
def held(design: AttentionDesign) -> int:
    """How many entries the parameters of a layer have that the library makes itself."""

    def made() -> Any:
        x, memory = jnp.zeros((1, 1, design.d_model)), jnp.zeros((1, 1, design.d_memory))
        return module(design).init(jax.random.key(0), x, memory)["params"]

    return sum(int(leaf.size) for leaf in jax.tree.leaves(jax.eval_shape(made)))


def run(design: AttentionDesign, arrays: JaxArrays, mask: JaxArray | None) -> JaxArray:
    """The output of the layer."""
    allowed = together(design, arrays, mask)
    return module(design).apply(variables(design, arrays), arrays["x"], read_from(arrays), mask=allowed)


def shown(design: AttentionDesign, arrays: JaxArrays, mask: JaxArray | None) -> JaxArray:
    """The attention weights that the layer sows."""
    _, sown = module(design).apply(
        variables(design, arrays),
        arrays["x"],
        read_from(arrays),
        mask=together(design, arrays, mask),
        sow_weights=True,
        mutable=["intermediates"],
    )
    return sown["intermediates"]["attention_weights"][0]


RUN = CompiledProgram(run)
SHOWN = CompiledProgram(shown)
