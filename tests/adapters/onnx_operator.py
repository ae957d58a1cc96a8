"""The Attention operator of ONNX (opset 23 to 25), answered by the package's own attention.

Heads are a leading axis of `scaled_dot_product_attention`, and grouped heads are repeated ones. The operator adds its
mask to the scores. What is 0 or minus infinity in it is a boolean mask; other numbers become scores of extra features,
one for each query: `(q*scale, 1_i) . (k, b_1j ... b_nj) = scale*q.k + b_ij`. Under a softcap they cannot, since the
mask is added after it: then the steps of the layer are taken one by one. `Answer.way` says which of these it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mha_spec import attention
from mha_spec.design import ScoreRule
from mha_spec.layer import Batch, Keys, KeyWidth, Queries, ValueWidth, scaled_dot_product_attention
from mha_spec.shapes import Alignment, Array, Dim, plain, trust, trust_mask

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Attributes = Mapping[str, Any]

WHOLE: Final = "the function as it is"
WITH_FEATURES: Final = "the function, a mask of numbers as extra features"
STEP_BY_STEP: Final = "its steps, a mask of numbers after the softcap"


@dataclass(frozen=True)
class Operands:
    """Queries, keys and values with heads before tokens, in float64, and what is added to the scores.

    `visible` is all that may be attended to, and `mask` what the rule does not already say of it.
    """

    q: Floats
    k: Floats
    v: Floats
    added: Floats
    mask: Bools | None
    visible: Bools
    rule: ScoreRule


@dataclass(frozen=True)
class Answer:
    """The outputs `Y, present_key, present_value, qk_matmul_output`, and the way to them."""

    outputs: tuple[npt.NDArray[Any], ...]
    way: str


def answered(inputs: list[npt.NDArray[Any] | None], attributes: Attributes) -> Answer:
    """What the operator gives, in the dtype of the queries."""
    padded = [*inputs, *[None] * (7 - len(inputs))]
    Q, K, V, mask, past_key, past_value, nonpad = padded
    assert Q is not None
    assert K is not None
    assert V is not None
    flat, dtype = Q.ndim == 3, Q.dtype
    q, k, v = (np.asarray(array, np.float64) for array in (Q, K, V))
    if flat:
        q = split(q, attributes["q_num_heads"])
        k, v = (split(array, attributes["kv_num_heads"]) for array in (k, v))
    past = 0 if past_key is None else past_key.shape[2]
    if past_key is not None and past_value is not None:
        k, v = np.concatenate([past_key, k], 2), np.concatenate([past_value, v], 2)
    group = q.shape[1] // k.shape[1]
    o = operands(q, np.repeat(k, group, 1), np.repeat(v, group, 1), mask, past, nonpad, attributes)
    Y, way = output(o)
    if flat:
        Y = Y.transpose(0, 2, 1, 3).reshape(*Q.shape[:2], -1)
    shown = scores_shown(o, attributes.get("qk_matmul_output_mode", 0))
    return Answer(tuple(array.astype(dtype) for array in (Y, k, v, shown)), way)


def split(x: Floats, heads: int) -> Floats:
    """`(batch, n, heads*d)` as `(batch, heads, n, d)`."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def operands(
    q: Floats,
    k: Floats,
    v: Floats,
    mask: npt.NDArray[Any] | None,
    past: int,
    nonpad: npt.NDArray[Any] | None,
    attributes: Attributes,
) -> Operands:
    """The operands with mask, padding and causality in one place; causality is a boolean mask of its own here."""
    n, m = q.shape[2], k.shape[2]
    added = np.zeros((*q.shape[:3], m))
    if mask is not None:
        numbers = np.where(mask, 0.0, -np.inf) if mask.dtype == np.bool_ else np.asarray(mask, np.float64)
        unseen = [(0, 0)] * (mask.ndim - 1) + [(0, m - mask.shape[-1])]
        added = added + np.pad(numbers, unseen, constant_values=-np.inf)
    visible = ~np.isneginf(added)
    if nonpad is not None:
        visible &= np.arange(m) < nonpad[:, None, None, None]
    offsets = np.asarray(past if nonpad is None else nonpad - n).reshape(-1, 1, 1, 1)
    scale, softcap = attributes.get("scale"), attributes.get("softcap", 0.0) or None
    causal = causality(offsets, n, m) if attributes.get("is_causal", 0) else None
    rule = ScoreRule(scale=scale, softcap=softcap, causal=bool(causal), causal_alignment=causal or "top-left")
    mask_and_causality = visible
    if attributes.get("is_causal", 0):
        mask_and_causality = visible & (np.arange(m) <= np.arange(n)[:, None] + offsets)
    left = visible if rule.causal else mask_and_causality
    return Operands(q, k, v, np.where(visible, added, 0.0), None if left.all() else left, mask_and_causality, rule)


def causality(offsets: npt.NDArray[Any], n: int, m: int) -> Alignment | None:
    """The alignment in which query `i` sees the keys up to `i + offset`, if there is one."""
    if not offsets.any():
        return "top-left"
    return "bottom-right" if (offsets == m - n).all() else None


def output(o: Operands) -> tuple[Floats, str]:
    """The heads' outputs, and the way to them."""
    if not o.added.any():
        return scaled_dot_product_attention(o.q, o.k, o.v, o.mask, rule=o.rule), WHOLE
    if o.rule.softcap is not None:
        return step_by_step(o), STEP_BY_STEP
    n, scale = o.q.shape[2], o.rule.scale if o.rule.scale is not None else o.q.shape[-1] ** -0.5
    q = np.concatenate([o.q * scale, np.broadcast_to(np.eye(n), (*o.q.shape[:2], n, n))], axis=-1)
    k = np.concatenate([o.k, o.added.swapaxes(-1, -2)], axis=-1)
    return scaled_dot_product_attention(q, k, o.v, o.mask, rule=replace(o.rule, scale=1.0)), WITH_FEATURES


def capped_scores(o: Operands, softcap: bool = True) -> Array[Batch, Queries, Keys]:
    """The scores after the scale, and after the softcap if there is one."""
    Q: Array[Batch, Queries, KeyWidth] = trust(o.q)
    K: Array[Batch, Keys, KeyWidth] = trust(o.k)
    scaled = attention.scale_scores(attention.scores(Q, K), Dim[KeyWidth](o.q.shape[-1]), o.rule.scale)
    return scaled if o.rule.softcap is None or not softcap else attention.cap_scores(scaled, o.rule.softcap)


def step_by_step(o: Operands) -> Floats:
    """The heads' outputs by the steps of the layer, with numbers added to the scores before the softmax."""
    V: Array[Batch, Keys, ValueWidth] = trust(o.v)
    weights = attention.softmax(with_numbers(o), trust_mask(o.visible))
    return plain(attention.mix(weights, V), like=o.q)


def with_numbers(o: Operands) -> Array[Batch, Queries, Keys]:
    """The scores with the numbers of the mask added."""
    return trust(plain(capped_scores(o), like=o.q) + o.added)


def scores_shown(o: Operands, mode: int) -> Floats:
    """What `qk_matmul_output_mode` shows: scores, capped scores, scores with the mask, or weights."""
    if mode < 2:
        return plain(capped_scores(o, softcap=mode == 1), like=o.q)
    if mode == 2:
        return np.where(o.visible, plain(with_numbers(o), like=o.q), -np.inf)
    return plain(attention.softmax(with_numbers(o), trust_mask(o.visible)), like=o.q)
