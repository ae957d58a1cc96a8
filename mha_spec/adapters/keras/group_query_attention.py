"""`keras.layers.GroupQueryAttention` on the JAX backend as a layer under test, with grouped heads.

Its keys and values are repeated for the heads of a group. Like Keras's other layer it has two ways: as it is, with the
softmax in float32, and `with_scores`, in the dtype of the layer.
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
from mha_spec.design import AttentionDesign, Parameters

from .backend import called, keras, require_jax, variables

require_jax()

declared = partial(
    declares,
    requires={"H2"},
    options=("window",),
    slow_shapes=True,
    causal_alignment="top-left",
    hidden_values_may_leak=True,
    allows_empty=("batch", "n", "m"),
)


@declared(empty_row="uniform", computes_in="float32", known_failures=(COMPILED_IN_FLOAT16,))
def factory(design: AttentionDesign, parameters: Parameters) -> CompiledLayerWithWeights:
    """The layer called as it is, in float64, float32 or float16; values are as wide as keys."""
    refuse(design)
    return CompiledLayerWithWeights(RUN, SHOWN, design, parameters, held(design))


@declared(empty_row="zero")
def with_scores(design: AttentionDesign, parameters: Parameters) -> CompiledLayerWithWeights:
    """The layer called with `return_attention_scores=True`."""
    refuse(design)
    return CompiledLayerWithWeights(RUN_WITH_SCORES, SHOWN, design, parameters, held(design))


def refuse(design: AttentionDesign) -> None:
    """Raise `Unsupported` for what the layer does not do."""
    refuse_options(design, "scale", "softcap")
    refuse_unless(design, "H2", "values are as wide as keys")


@cache
def built(design: AttentionDesign) -> Any:
    """A layer of the library with variables of its own, which are zero."""
    with jax.enable_x64(True):
        layer = keras.layers.GroupQueryAttention(
            head_dim=design.d_k,
            num_query_heads=design.h,
            num_key_value_heads=design.kv_heads,
            use_bias=bool(design.bias),
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
