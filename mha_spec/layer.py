"""The attention layer for users: ndarrays in, ndarrays out, and every input checked before it is used.

Shapes, with any number of leading batch axes: `x (..., n, d_model)`, `memory (..., m, d_memory)`, a mask
`(..., n, m)` or `(n, m)` with True = may attend. A query that may attend to no key gets the attention weights
zero, so the output in its row is `b_o`, or zero without biases. The output has the dtype of the inputs.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import attention
from .design import DEFAULT_RULE, AttentionDesign, DesignError, Parameters, ScoreRule
from .shapes import Array, Dim, Float, Mask, plain, trust, trust_mask, trust_weight

Form = Literal["batched", "per-head"]
BoolArray = npt.NDArray[np.bool_]


class Batch:
    """The leading axes; attention never looks at them."""


class Queries:
    """n."""


class Keys:
    """m."""


class Model:
    """d_model."""


class Memory:
    """d_memory."""


class KeyWidth:
    """d_k."""


class ValueWidth:
    """d_v."""


class KvHead:
    """kv_heads."""


class GroupOf:
    """group."""


Inputs = Array[Batch, Queries, Model]
Memories = Array[Batch, Keys, Memory]
LayerWeights = attention.Weights[Model, Memory, KvHead, GroupOf, KeyWidth, ValueWidth]
Pairs = Mask[Batch, Queries, Keys]


def scaled_dot_product_attention(
    q: npt.NDArray[Float],
    k: npt.NDArray[Float],
    v: npt.NDArray[Float],
    mask: BoolArray | None = None,
    *,
    rule: ScoreRule = DEFAULT_RULE,
) -> npt.NDArray[Float]:
    """`softmax(Q K^T / sqrt(d_k)) V` (Vaswani et al. 2017, equation 1), of shape `(..., n, d_v)`.

    `q (..., n, d_k)`, `k (..., m, d_k)`, `v (..., m, d_v)` with the same leading axes and the same dtype.
    Raises `DesignError`, with both numbers, where shapes or dtypes do not fit or a size is 0.
    """
    require_array("q", q)
    for name, array in (("q", q), ("k", k), ("v", v)):
        require_tokens(name, array, q.dtype)
    require_same("leading axes", "k", k.shape[:-2], "q", q.shape[:-2])
    require_same("leading axes", "v", v.shape[:-2], "q", q.shape[:-2])
    require_same("width (d_k)", "k", k.shape[-1], "q", q.shape[-1])
    require_same("number of keys (m)", "v", v.shape[-2], "k", k.shape[-2])
    Q: Array[Batch, Queries, KeyWidth] = trust(q)
    K: Array[Batch, Keys, KeyWidth] = trust(k)
    V: Array[Batch, Keys, ValueWidth] = trust(v)
    pairs = checked_mask(mask, (*q.shape[:-1], k.shape[-2]))
    return plain(attention.attention(Q, K, V, pairs, rule), like=q)


def multi_head_attention(
    x: npt.NDArray[Float],
    parameters: Parameters,
    memory: npt.NDArray[Float] | None = None,
    mask: BoolArray | None = None,
    *,
    design: AttentionDesign | None = None,
    form: Form = "batched",
) -> npt.NDArray[Float]:
    """The output of the layer, of the shape of `x` (Vaswani et al. 2017, section 3.2.2).

    Without a memory this is self-attention. `design` None is `parameters.design()`: no option set. `form`
    chooses between two programs of the same function: heads as an array axis, or the paper's loop over heads.
    Raises `DesignError`, with both numbers, where shapes or dtypes do not fit or a size is 0.
    """
    design = checked_design(parameters, design)
    X, Y, pairs = checked_call(design, x, memory, mask)
    if form not in ("batched", "per-head"):
        raise DesignError(f"form is {form!r}, not 'batched' or 'per-head'")
    run = attention.multi_head_batched if form == "batched" else attention.multi_head_per_head
    kv_heads, group = Dim[KvHead](design.kv_heads), Dim[GroupOf](design.group)
    output = run(X, Y, bundle(parameters), kv_heads, group, pairs, design.score_rule)
    return plain(output, like=x)


def multi_head_weights(
    x: npt.NDArray[Float],
    parameters: Parameters,
    memory: npt.NDArray[Float] | None = None,
    mask: BoolArray | None = None,
    *,
    design: AttentionDesign | None = None,
) -> npt.NDArray[Float]:
    """The attention weights of every head, `(..., h, n, m)`; arguments and errors as `multi_head_attention`.

    Each row sums to 1, or to 0 where the query may attend to no key.
    """
    design = checked_design(parameters, design)
    X, Y, pairs = checked_call(design, x, memory, mask)
    kv_heads, group = Dim[KvHead](design.kv_heads), Dim[GroupOf](design.group)
    weights = attention.multi_head_weights(
        X, Y, bundle(parameters), kv_heads, group, pairs, design.score_rule
    )
    return plain(weights, like=x)


def checked_design(parameters: Parameters, design: AttentionDesign | None) -> AttentionDesign:
    """The design, or that of the parameters; raises `DesignError` if the parameters do not fit it."""
    if design is None:
        return parameters.design()
    parameters.check(design)
    return design


def checked_call(
    design: AttentionDesign,
    x: npt.NDArray[Float],
    memory: npt.NDArray[Float] | None,
    mask: BoolArray | None,
) -> tuple[Inputs, Memories, Pairs | None]:
    """The arrays of a call with their shape types; raises `DesignError` where they do not fit the design."""
    require_tokens("x", x, np.dtype(design.dtype))
    require_same("width", "x", x.shape[-1], "the design's d_model", design.d_model)
    if memory is None:
        if not design.satisfies("H6"):
            sizes = f"d_memory={design.d_memory} and d_model={design.d_model}"
            raise DesignError(f"self-attention needs d_memory == d_model, but {sizes}: give a memory")
        memory = x
    require_tokens("memory", memory, np.dtype(design.dtype))
    require_same("width", "memory", memory.shape[-1], "the design's d_memory", design.d_memory)
    require_same("leading axes", "memory", memory.shape[:-2], "x", x.shape[:-2])
    return trust(x), trust(memory), checked_mask(mask, (*x.shape[:-1], memory.shape[-2]))


def bundle(parameters: Parameters) -> LayerWeights:
    """The parameters with their shape types."""
    p = parameters
    return LayerWeights(
        w_q=trust_weight(p.w_q),
        w_k=trust_weight(p.w_k),
        w_v=trust_weight(p.w_v),
        w_o=trust_weight(p.w_o),
        b_q=None if p.b_q is None else trust_weight(p.b_q),
        b_k=None if p.b_k is None else trust_weight(p.b_k),
        b_v=None if p.b_v is None else trust_weight(p.b_v),
        b_o=None if p.b_o is None else trust_weight(p.b_o),
    )


def checked_mask(mask: BoolArray | None, expected: tuple[int, ...]) -> Pairs | None:
    """The mask with the shape `expected`; raises `DesignError` for another dtype or shape."""
    if mask is None:
        return None
    require_array("mask", mask)
    if mask.dtype != np.bool_:
        raise DesignError(f"mask has dtype {mask.dtype}, expected bool with True = may attend")
    if mask.shape not in (expected, expected[-2:]):
        either = f"{expected}" if len(expected) == 2 else f"{expected} or {expected[-2:]}"
        raise DesignError(f"mask has shape {mask.shape}, expected {either}: queries before keys")
    return trust_mask(np.broadcast_to(mask, expected))


def require_array(name: str, array: object) -> None:
    """Raise `DesignError` unless this is an ndarray."""
    if not isinstance(array, np.ndarray):
        raise DesignError(f"{name} is a {type(array).__name__}, expected an ndarray")


def require_tokens(name: str, array: npt.NDArray[Float], dtype: np.dtype[Any]) -> None:
    """Raise `DesignError` unless this is an array of tokens, of this floating dtype, with no size 0."""
    require_array(name, array)
    if dtype.kind != "f" or array.dtype != dtype:
        needed = dtype.name if dtype.kind == "f" else "a floating dtype"
        raise DesignError(f"{name} has dtype {array.dtype}, expected {needed}: convert it with .astype")
    if array.ndim < 2:
        raise DesignError(f"{name} has shape {array.shape}, expected at least 2 axes: (..., n, d)")
    if 0 in array.shape[-2:]:
        raise DesignError(f"{name} has shape {array.shape}, but tokens and features are at least 1 each")


def require_same(what: str, name: str, found: object, other: str, expected: object) -> None:
    """Raise `DesignError`, with both values, unless they are equal."""
    if found != expected:
        raise DesignError(f"{name} has {what} {found}, expected {expected} as in {other}")
