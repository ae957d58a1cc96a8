"""`equinox.nn.MultiheadAttention` as a layer under test.

It takes one sequence, so the batch is `jax.vmap`'s. Its weights are `(out, in)`, all heads after one another; the
four biases are switched on together. Causality is left to the mask.
"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import equinox
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
from mha_spec.design import AttentionDesign, Parameters


@declares(
    requires={"H3"},
    options=(),
    slow_shapes=True,
    causal_alignment="top-left",
    empty_row="uniform",
    hidden_values_may_leak=True,
    allows_empty=("batch",),
)
def factory(design: AttentionDesign, parameters: Parameters) -> CompiledLayer:
    """The layer in float64, float32 or float16, with any widths; it has no grouped heads."""
    refuse_options(design, "scale", "softcap", "window")
    refuse_unless(design, "H3", "it has no grouped heads")
    return CompiledLayer(RUN, design, parameters, held(design))


@cache
def made(design: AttentionDesign) -> Any:
    """A layer of the library, with shapes in place of the parameters that it would draw."""
    biases = {f"use_{place}_bias": bool(design.bias) for place in ("query", "key", "value", "output")}
    new = partial(
        equinox.nn.MultiheadAttention,
        num_heads=design.h,
        query_size=design.d_model,
        key_size=design.d_memory,
        value_size=design.d_memory,
        output_size=design.d_model,
        qk_size=design.d_k,
        vo_size=design.d_v,
        dtype=jnp.dtype(design.dtype),
        inference=True,
        **biases,
    )
    return equinox.filter_eval_shape(lambda: new(key=jax.random.key(0)))


@cache
def held(design: AttentionDesign) -> int:
    """How many entries the parameters of a layer have that the library makes itself."""
    return sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(equinox.filter(made(design), is_shape)))


def with_parameters(design: AttentionDesign, p: JaxArrays) -> Any:
    """The layer with these parameters in place of its own."""
    layer = made(design)
    weights = [p[f"w_{letter}"].transpose(0, 2, 1).reshape(-1, p[f"w_{letter}"].shape[1]) for letter in "qkv"]
    layer = equinox.tree_at(lambda t: [linear.weight for linear in linears(t)], layer, [*weights, p["w_o"].T])
    if not design.bias:
        return layer
    biases = [p[f"b_{letter}"].reshape(-1) for letter in "qkvo"]
    return equinox.tree_at(lambda t: [linear.bias for linear in linears(t)], layer, biases)


def is_shape(leaf: object) -> bool:
    """Whether a leaf of a layer stands for an array."""
    return isinstance(leaf, jax.ShapeDtypeStruct)


def linears(layer: Any) -> tuple[Any, ...]:
    """The four projections."""
    return layer.query_proj, layer.key_proj, layer.value_proj, layer.output_proj


def run(design: AttentionDesign, arrays: JaxArrays, mask: JaxArray | None) -> JaxArray:
    """The output of the layer, entry by entry of the batch."""
    layer, keys = with_parameters(design, arrays), read_from(arrays)
    allowed = together(design, arrays, mask)
    masks = () if allowed is None else (allowed[:, 0],)
    return jax.vmap(layer)(arrays["x"], keys, keys, *masks)


RUN = CompiledProgram(run)
