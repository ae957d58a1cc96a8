"""One call for each implementation, as its documentation says: a mask is handed on as it is, in its own way.

Each takes queries `(n, d)`, keys and values `(m, d)`, a boolean mask `(n, m)` or None, and whether it is causal.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Call: TypeAlias = Callable[[Array, Array, Array, Array | None, bool], Any]


class NoSuchArgument(Exception):  # noqa: N818 -- it is an answer
    """There is no argument for causality; the text says what is given in its place."""


def default(function: Callable[..., object], argument: str) -> bool:
    """The default of an argument that is a truth value."""
    return bool(inspect.signature(function).parameters[argument].default)


def torch_function(q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Any:
    """`torch.nn.functional.scaled_dot_product_attention`."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    Q, K, V = (torch.from_numpy(array)[None, None] for array in (q, k, v))
    allowed = None if mask is None else torch.from_numpy(mask)
    return scaled_dot_product_attention(Q, K, V, attn_mask=allowed, is_causal=causal)[0, 0].numpy()


def torch_layer(q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Any:
    """`torch.nn.MultiheadAttention` with its default `need_weights=True`."""
    import torch

    if causal and mask is None:
        raise NoSuchArgument("is_causal is refused without a mask")
    width = q.shape[-1]
    layer = torch.nn.MultiheadAttention(width, 1, bias=False, batch_first=True, dtype=torch.float64).eval()
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(width, dtype=torch.float64).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(width, dtype=torch.float64))
        Q, K, V = (torch.from_numpy(array)[None] for array in (q, k, v))
        hidden = None if mask is None else torch.from_numpy(mask)
        return layer(Q, K, V, attn_mask=hidden, is_causal=causal)[0][0].numpy()


def torch_bias() -> bool:
    """Whether `torch.nn.MultiheadAttention` has biases by default."""
    import torch

    return default(torch.nn.MultiheadAttention, "bias")


def in_jax(call: Callable[..., Any]) -> Call:
    """A call with 64-bit arrays switched on."""

    def called(*arguments: Any) -> Any:
        import jax

        with jax.enable_x64(True):
            return np.asarray(call(*arguments))

    return called


@in_jax
def jax_function(q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Any:
    """`jax.nn.dot_product_attention`, tokens before heads."""
    import jax

    allowed = None if mask is None else mask[None, None]
    heads = [array[None, :, None] for array in (q, k, v)]
    return jax.nn.dot_product_attention(*heads, mask=allowed, is_causal=causal)[0, :, 0]


@in_jax
def flax_nnx(q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Any:
    """`flax.nnx.MultiHeadAttention`."""
    import jax.numpy as jnp
    from flax import nnx

    width = q.shape[-1]
    options = {"dtype": jnp.float64, "param_dtype": jnp.float64, "use_bias": False, "decode": False}
    layer = nnx.MultiHeadAttention(1, width, width, width, rngs=nnx.Rngs(0), **options)
    for place in (layer.query, layer.key, layer.value, layer.out):
        place.kernel.set_value(jnp.eye(width).reshape(place.kernel.shape))
    allowed = None if mask is None else jnp.asarray(mask)[None, None]
    return layer(*(jnp.asarray(array)[None] for array in (q, k, v)), mask=allowed, is_causal=causal)[0]


def flax_nnx_bias() -> bool:
    """Whether `flax.nnx.MultiHeadAttention` has biases by default."""
    from flax import nnx

    return default(nnx.MultiHeadAttention.__init__, "use_bias")


@in_jax
def flax_linen(q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Any:
    """`flax.linen.MultiHeadDotProductAttention`."""
    import jax.numpy as jnp
    from flax import linen

    if causal:
        raise NoSuchArgument("no argument: make_causal_mask")
    width = q.shape[-1]
    layer = linen.MultiHeadDotProductAttention(
        num_heads=1, use_bias=False, dtype=jnp.float64, param_dtype=jnp.float64, deterministic=True
    )
    held = {place: {"kernel": jnp.eye(width).reshape(width, 1, width)} for place in ("query", "key", "value")}
    held["out"] = {"kernel": jnp.eye(width).reshape(1, width, width)}
    allowed = None if mask is None else mask[None, None]
    return layer.apply({"params": held}, *(array[None] for array in (q, k, v)), mask=allowed)[0]


def flax_linen_bias() -> bool:
    """Whether `flax.linen.MultiHeadDotProductAttention` has biases by default."""
    from flax import linen

    return bool(linen.MultiHeadDotProductAttention(num_heads=1).use_bias)


@in_jax
def equinox_layer(q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Any:
    """`equinox.nn.MultiheadAttention`."""
    import equinox
    import jax
    import jax.numpy as jnp

    if causal:
        raise NoSuchArgument("no argument")
    layer = equinox.nn.MultiheadAttention(1, q.shape[-1], dtype=jnp.float64, key=jax.random.key(0))
    places = ("query_proj", "key_proj", "value_proj", "output_proj")
    identity = [jnp.eye(q.shape[-1])] * 4
    layer = equinox.tree_at(lambda tree: [getattr(tree, place).weight for place in places], layer, identity)
    return layer(*(jnp.asarray(array) for array in (q, k, v)), None if mask is None else jnp.asarray(mask))


def equinox_bias() -> bool:
    """Whether `equinox.nn.MultiheadAttention` has biases by default."""
    import equinox

    return default(equinox.nn.MultiheadAttention.__init__, "use_query_bias")


@in_jax
def haiku_layer(q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Any:
    """`haiku.MultiHeadAttention`."""
    import haiku
    import jax.numpy as jnp

    if causal:
        raise NoSuchArgument("no argument")

    def called(*arrays: Any) -> Any:
        identity = haiku.initializers.Constant(jnp.eye(q.shape[-1]))
        return haiku.MultiHeadAttention(1, q.shape[-1], w_init=identity, with_bias=False)(*arrays)

    allowed = None if mask is None else mask[None]
    arrays = [jnp.asarray(array) for array in (q, k, v)]
    program = haiku.without_apply_rng(haiku.transform(called))
    return program.apply(program.init(None, *arrays, allowed), *arrays, allowed)


def haiku_bias() -> bool:
    """Whether `haiku.MultiHeadAttention` has biases by default."""
    import haiku

    return default(haiku.MultiHeadAttention.__init__, "with_bias")


def keras_module() -> Any:
    """Keras on its JAX backend."""
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import keras

    return keras


def keras_call(grouped: bool, scores: bool, q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Any:
    """`keras.layers.MultiHeadAttention` or `keras.layers.GroupQueryAttention`, asked for its scores or not."""
    keras, width = keras_module(), q.shape[-1]
    if grouped:
        layer = keras.layers.GroupQueryAttention(width, 1, 1, use_bias=False, dtype="float64")
    else:
        layer = keras.layers.MultiHeadAttention(1, width, use_bias=False, dtype="float64")
    Q, K, V = (array[None] for array in (q, k, v))
    layer.build(Q.shape, V.shape, K.shape)
    layer.set_weights([np.eye(width).reshape(variable.shape) for variable in layer.weights])
    allowed = None if mask is None else mask[None]
    out = layer(Q, V, K, attention_mask=allowed, use_causal_mask=causal, return_attention_scores=scores)
    return out[0][0] if scores else out[0]


keras_layer: Call = in_jax(partial(keras_call, False, False))
keras_scores: Call = in_jax(partial(keras_call, False, True))
keras_grouped: Call = in_jax(partial(keras_call, True, False))


def keras_bias() -> bool:
    """Whether `keras.layers.MultiHeadAttention` has biases by default."""
    return default(keras_module().layers.MultiHeadAttention.__init__, "use_bias")


def keras_grouped_bias() -> bool:
    """Whether `keras.layers.GroupQueryAttention` has biases by default."""
    return default(keras_module().layers.GroupQueryAttention.__init__, "use_bias")


def onnx_operator(mask: Array | None, causal: bool) -> Any:
    """A model of one Attention node of opset 23, in float64."""
    from onnx import TensorProto, helper

    names = ["q", "k", "v", *([] if mask is None else ["mask"])]
    kinds = [TensorProto.DOUBLE] * 3 + [TensorProto.BOOL]
    inputs = [
        helper.make_tensor_value_info(name, kind, [f"{name}_{axis}" for axis in range(4)])
        for name, kind in zip(names, kinds, strict=False)
    ]
    result = helper.make_tensor_value_info("Y", TensorProto.DOUBLE, ["a", "b", "c", "d"])
    graph = helper.make_graph(
        [helper.make_node("Attention", names, ["Y"], is_causal=int(causal))], "g", inputs, [result]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)


def onnx_feed(q: Array, k: Array, v: Array, mask: Array | None) -> dict[str, Array]:
    """The inputs of the model, with a batch and a head."""
    given = {"q": q, "k": k, "v": v} | ({} if mask is None else {"mask": mask})
    return {name: array[None, None] for name, array in given.items()}


def onnxruntime_operator(q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Any:
    """The Attention operator by onnxruntime on the CPU."""
    import onnxruntime

    model = onnx_operator(mask, causal).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, onnx_feed(q, k, v, mask))[0][0, 0]


def onnx_reference_operator(q: Array, k: Array, v: Array, mask: Array | None, causal: bool) -> Any:
    """The Attention operator by ONNX's reference evaluator."""
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(onnx_operator(mask, causal)).run(None, onnx_feed(q, k, v, mask))[0][0, 0]
