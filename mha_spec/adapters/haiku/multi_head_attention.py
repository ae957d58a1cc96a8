"""`haiku.MultiHeadAttention` as a layer under test.

Its weights are `(in, h*d_k)`, all heads side by side. Causality is left to the mask.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import haiku
import jax
import jax.numpy as jnp

from mha_spec.adapters.jax.compiled import (
    CompiledLayer,
    CompiledProgram,
    JaxArray,
    JaxArrays,
    declares,
    read_from,
    refuse_options,
    refuse_unless,
    together,
)
from mha_spec.conformance.contract import Call
from mha_spec.design import AttentionDesign, Parameters

PLACES = {"query": "q", "key": "k", "value": "v"}


def in_float16(design: AttentionDesign, call: Call) -> bool:
    """Whether a case is one of float16."""
    return design.dtype == "float16"


SCORES_BEFORE_SCALE = (
    "half_precision_scores_do_not_overflow_before_the_scale",
    in_float16,
    "haiku.MultiHeadAttention divides by the square root of key_size after the product, so that scores whose scaled "
    "value is well inside float16 overflow before",
)


def empty_row(design: AttentionDesign, call: Call) -> str:
    """Hidden scores are -1e30: the mean over all keys, but minus infinity and so NaN in float16."""
    return "nan" if design.dtype == "float16" else "uniform"


@declares(
    requires={"H3"},
    options=(),
    slow_shapes=True,
    causal_alignment="top-left",
    empty_row=empty_row,
    hidden_values_may_leak=True,
    allows_empty=("m",),
    known_failures=(SCORES_BEFORE_SCALE,),
)
def factory(design: AttentionDesign, parameters: Parameters) -> CompiledLayer:
    """The layer in float64, float32 or float16, with any widths; it has no grouped heads."""
    refuse_options(design, "scale", "softcap", "window")
    refuse_unless(design, "H3", "it has no grouped heads")
    return CompiledLayer(RUN, design, parameters, held(design))


@cache
def transformed(design: AttentionDesign) -> Any:
    """The layer of the library as a pair of pure functions, `init` and `apply`."""

    def called(x: JaxArray, keys: JaxArray, mask: JaxArray | None) -> JaxArray:
        layer = haiku.MultiHeadAttention(
            num_heads=design.h,
            key_size=design.d_k,
            value_size=design.d_v,
            model_size=design.d_model,
            with_bias=bool(design.bias),
            w_init=haiku.initializers.Constant(0.0),
            name="layer",
        )
        return layer(x, keys, keys, mask)

    return haiku.without_apply_rng(haiku.transform(called))


def variables(design: AttentionDesign, p: JaxArrays) -> dict[str, dict[str, JaxArray]]:
    """The parameters in the layout of the library."""
    held = {
        f"layer/{place}": {"w": p[f"w_{letter}"].transpose(1, 0, 2).reshape(p[f"w_{letter}"].shape[1], -1)}
        | ({"b": p[f"b_{letter}"].reshape(-1)} if design.bias else {})
        for place, letter in PLACES.items()
    }
    return {**held, "layer/linear": {"w": p["w_o"]} | ({"b": p["b_o"]} if design.bias else {})}


@cache
def held(design: AttentionDesign) -> int:
    """How many entries the parameters of a layer have that the library makes itself."""

    def made() -> Any:
        x, memory = jnp.zeros((1, 1, design.d_model)), jnp.zeros((1, 1, design.d_memory))
        return transformed(design).init(jax.random.key(0), x, memory, None)

    return sum(int(leaf.size) for leaf in jax.tree.leaves(jax.eval_shape(made)))


def run(design: AttentionDesign, arrays: JaxArrays, mask: JaxArray | None) -> JaxArray:
    """The output of the layer."""
    allowed = together(design, arrays, mask)
    return transformed(design).apply(variables(design, arrays), arrays["x"], read_from(arrays), allowed)


RUN = CompiledProgram(run)
