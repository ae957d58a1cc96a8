"""`keras.layers.MultiHeadAttention` on the JAX backend as a layer under test.

Its kernels are `(d_model, h, d_k)`, and `(h, d_v, d_model)` for the output. Called as it is, it goes through
`jax.nn.dot_product_attention`, whose softmax is in float32. Asked for its scores as well it goes another way, in the
dtype of the layer, and gives no weight to hidden keys even where a row is empty: `with_scores` is that layer.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import jax

from mha_spec.adapters.jax.compiled import (
    CompiledLayerWithWeights,
    CompiledProgram,
    JaxArray,
    JaxArrays,
    declares,
    read_from,
    refuse_options,
    refuse_unless,
)
from mha_spec.adapters.jax.half_precision import COMPILED_IN_FLOAT16
from mha_spec.conformance.contract import Call
from mha_spec.design import AttentionDesign, Parameters

from .backend import called, keras, require_jax, variables

require_jax()

declared = partial(
    declares,
    options=("window",),
    slow_shapes=True,
    causal_alignment="top-left",
    hidden_values_may_leak=True,
    allows_empty=("batch", "n", "m"),
)


def widths_differ(design: AttentionDesign, call: Call) -> bool:
    """Whether the values are not as wide as the keys."""
    return design.d_v != design.d_k


VALUE_WIDTH = (
    "*",
    widths_differ,
    "values of another width than the keys are handed to jax.nn.dot_product_attention, which refuses them; what Keras "
    "then does itself reshapes the heads to the width of the keys and fails as well",
)


@declared(
    requires={"H2", "H3"},
    empty_row="uniform",
    computes_in="float32",
    known_failures=(COMPILED_IN_FLOAT16,),
)
def factory(design: AttentionDesign, parameters: Parameters) -> CompiledLayerWithWeights:
    """The layer called as it is, in float64, float32 or float16, with values as wide as keys."""
    refuse_unless(design, "H2", "values of another width than the keys are any_value_width's")
    return any_value_width(design, parameters)


@declared(
    requires={"H3"},
    empty_row="uniform",
    computes_in="float32",
    known_failures=(VALUE_WIDTH, COMPILED_IN_FLOAT16),
)
def any_value_width(design: AttentionDesign, parameters: Parameters) -> CompiledLayerWithWeights:
    """The same, with values of any width, of which it can do one: that of the keys."""
    refuse(design)
    return CompiledLayerWithWeights(RUN, SHOWN, design, parameters, held(design))


@declared(requires={"H3"}, empty_row="zero")
def with_scores(design: AttentionDesign, parameters: Parameters) -> CompiledLayerWithWeights:
    """The layer called with `return_attention_scores=True`."""
    refuse(design)
    return CompiledLayerWithWeights(RUN_WITH_SCORES, SHOWN, design, parameters, held(design))


def refuse(design: AttentionDesign) -> None:
    """Raise `Unsupported` for what the layer does not do."""
    refuse_options(design, "scale", "softcap")
    refuse_unless(design, "H3", "it has no grouped heads")


@cache
def built(design: AttentionDesign) -> Any:
    """A layer of the library with variables of its own, which are zero."""
    with jax.enable_x64(True):
        layer = keras.layers.MultiHeadAttention(
            num_heads=design.h,
            key_dim=design.d_k,
            value_dim=design.d_v,
            use_bias=bool(design.bias),
            output_shape=design.d_model,
            sliding_window=design.window,
            kernel_initializer="zeros",
            dtype=design.dtype,
        )
        layer.build((1, 2, design.d_model), (1, 2, design.d_memory))
        return layer


def held(design: AttentionDesign) -> int:
    """How many entries the variables of the layer have."""
    return int(built(design).count_params())


def run(design: AttentionDesign, arrays: JaxArrays, mask: JaxArray | None, part: int | None = None) -> JaxArray:
    """The output of the layer, or with `part` that of the call that also gives the scores: 0 the output, 1 them."""
    layer = built(design)
    options = {"attention_mask": mask, "use_causal_mask": design.causal, "return_attention_scores": part is not None}
    out = called(layer, variables(layer, design, arrays), arrays["x"], read_from(arrays), **options)
    return out if part is None else out[part]


RUN = CompiledProgram(run)
RUN_WITH_SCORES = CompiledProgram(partial(run, part=0))
SHOWN = CompiledProgram(partial(run, part=1))
