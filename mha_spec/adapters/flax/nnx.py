"""`flax.nnx.MultiHeadAttention` as a layer under test, with grouped heads.

Its kernels are `(d_model, h, d_k)`, and `(h, d_v, d_model)` for the output. Without dropout it calls
`jax.nn.dot_product_attention`, whose softmax is in float32 whatever the arrays are; it goes another way, in the
dtype of the layer, while it sows its attention weights.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from mha_spec.adapters.jax.compiled import (
    CompiledProgram,
    JaxArray,
    JaxArrays,
    declares,
    read_from,
    refuse_options,
    refuse_unless,
)
from mha_spec.adapters.jax.half_precision import COMPILED_IN_FLOAT16
from mha_spec.design import AttentionDesign, Parameters

from .decoding import DecodingLayer, decoding

PLACES = {"query": "q", "key": "k", "value": "v"}


@declares(
    requires={"H2"},
    options=(),
    slow_shapes=True,
    causal_alignment="top-left",
    empty_row="uniform",
    computes_in="float32",
    hidden_values_may_leak=True,
    allows_empty=("batch", "n", "m"),
    known_failures=(COMPILED_IN_FLOAT16,),
)
def factory(design: AttentionDesign, parameters: Parameters) -> DecodingLayer:
    """The layer in float64, float32 or float16, with grouped heads; values are as wide as keys."""
    refuse_options(design, "scale", "softcap", "window")
    refuse_unless(design, "H2", "values are as wide as keys")
    return NnxLayer(RUN, SHOWN, design, parameters, held(design))


def made(design: AttentionDesign) -> Any:
    """A new layer of the library, with the parameters that it draws itself."""
    return nnx.MultiHeadAttention(
        num_heads=design.h,
        in_features=design.d_model,
        qkv_features=design.h * design.d_k,
        out_features=design.d_model,
        num_kv_heads=design.kv_heads,
        in_kv_features=design.d_memory,
        dtype=jnp.dtype(design.dtype),
        param_dtype=jnp.dtype(design.dtype),
        use_bias=bool(design.bias),
        deterministic=True,
        decode=False,
        rngs=nnx.Rngs(0),
    )


@cache
def parts(design: AttentionDesign) -> tuple[Any, Any]:
    """A layer of the library in its two parts, with shapes in place of the parameters that it would draw."""
    graph, state = nnx.split(nnx.eval_shape(lambda: made(design)))
    return graph, state


@cache
def held(design: AttentionDesign) -> int:
    """How many entries the parameters of a layer have that the library makes itself."""
    layer = nnx.merge(*parts(design), copy=True)
    return sum(int(leaf.size) for leaf in jax.tree.leaves(nnx.state(layer, nnx.Param)))


def with_parameters(design: AttentionDesign, p: JaxArrays) -> Any:
    """The layer with these parameters in place of its own."""
    layer = nnx.merge(*parts(design), copy=True)
    for place, letter in PLACES.items():
        projection = getattr(layer, place)
        projection.kernel.set_value(p[f"w_{letter}"].transpose(1, 0, 2))
        if design.bias:
            projection.bias.set_value(p[f"b_{letter}"])
    layer.out.kernel.set_value(p["w_o"].reshape(design.h, design.d_v, design.d_model))
    if design.bias:
        layer.out.bias.set_value(p["b_o"])
    return layer


def run(design: AttentionDesign, arrays: JaxArrays, mask: JaxArray | None) -> JaxArray:
    """The output of the layer; causality is the layer's own."""
    layer = with_parameters(design, arrays)
    return layer(arrays["x"], read_from(arrays), mask=over_heads(design, mask), is_causal=design.causal)


def shown(design: AttentionDesign, arrays: JaxArrays, mask: JaxArray | None) -> JaxArray:
    """The attention weights that the layer sows."""
    layer, masked = with_parameters(design, arrays), over_heads(design, mask)
    layer(arrays["x"], read_from(arrays), mask=masked, is_causal=design.causal, sow_weights=True)
    return layer.attention_weights.get_value()[0]


def over_heads(design: AttentionDesign, mask: JaxArray | None) -> JaxArray | None:
    """The mask `(batch, h, n, m)`."""
    if mask is None:
        return None
    return jnp.broadcast_to(mask[:, None], (mask.shape[0], design.h, *mask.shape[1:]))


class NnxLayer(DecodingLayer):
    """The layer, which also decodes."""

    decoded = decoding(with_parameters)


RUN = CompiledProgram(run)
SHOWN = CompiledProgram(shown)
