"""The scale of the scores, pinned by a closed form, and scores so large that a careless softmax overflows."""

from __future__ import annotations

import math

import numpy as np

from ..cases.case import Inputs
from ..cases.wanted import ALL_DTYPES, Wanted
from ..contract import Array, Unsupported
from ..definition import scale_of
from ..failure import LawBroken
from ..trial import Trial
from .law import law

LARGEST_SCORE = {"float64": 1e4, "float32": 1e4, "float16": 3e4}


@law(
    "value",
    "softmax_rows_sum_to_one",
    Wanted(causal=False, masked=False, memory=True, n=(1, 2), m=(2,), bias=0, options=("scale",)),
    "parameters",
    only_sees="a wrong scale",
)
def two_keys_pin_the_scale(t: Trial) -> None:
    """Two keys whose scores before scaling differ by `ln 3 / scale` get the weights 0.75 and 0.25, in every head."""
    design, p = t.inputs.design, t.inputs.given
    memory = t.inputs.read_from
    x = np.zeros_like(t.inputs.x)
    x[..., 0] = 1
    # one direction for the whole batch: every entry reads the same two keys
    memory = np.broadcast_to(memory[:1], memory.shape).copy()
    w_q = np.zeros_like(p.w_q)
    for head in range(design.h):
        gap = (memory[0, 0] - memory[0, 1]) @ p.w_k[head // design.group]
        w_q[head, 0] = gap * (math.log(3) / scale_of(design)) / (gap @ gap)
    inputs = t.inputs.but_parameters(w_q=w_q).but(x=x, memory=memory)
    values = [memory[0] @ p.w_v[head // design.group] for head in range(design.h)]
    heads = np.concatenate([0.75 * v[0] + 0.25 * v[1] for v in values])
    expected = np.broadcast_to(heads @ p.w_o, x.shape)
    t.agree("the output with weights 3 to 1", t.run(inputs), expected, 3 * t.sigma(inputs))


@law(
    "relation",
    "softmax_ignores_a_shift",
    Wanted(dtypes=ALL_DTYPES),
    "parameters",
    only_sees="exponentials that overflow",
)
def large_scores_stay_finite(t: Trial) -> None:
    """Query weights so large that scores reach 10000 (30000 before the scale in float16) give finite outputs."""
    inputs = with_largest_score(t.inputs, LARGEST_SCORE[t.precision()])
    out = t.run(inputs)
    if not np.isfinite(out).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(out))[0])
        raise LawBroken(f"the output at {at}, with scores up to {LARGEST_SCORE[t.precision()]:g}", out[at], "finite")


def with_largest_score(inputs: Inputs, largest: float) -> Inputs:
    """The inputs with queries so much longer that the largest score before or after the scale has this size."""
    design, p = inputs.design, inputs.given

    def heads(rows: Array, w: Array, b: Array | None) -> Array:
        projected: Array = rows.astype(np.float64)[:, None] @ w.astype(np.float64)
        return projected if b is None else projected + b.astype(np.float64)[None, :, None]

    queries = heads(inputs.x, p.w_q, p.b_q)
    keys = np.repeat(heads(inputs.read_from, p.w_k, p.b_k), design.group, 1)
    raw = np.abs(queries @ keys.swapaxes(-1, -2)).max()
    # the parts of a score, and of a query, must not overflow by themselves either
    parts = (np.abs(queries) @ np.abs(keys).swapaxes(-1, -2)).max()
    terms = np.abs(heads(np.abs(inputs.x), np.abs(p.w_q), None if p.b_q is None else np.abs(p.b_q))).max()
    entries = max(np.abs(array).max() for array in (p.w_q, p.b_q) if array is not None)
    reached = max(float(raw), float(parts), float(terms), float(entries)) * max(1.0, scale_of(design))

    def longer(array: Array) -> Array:
        return (array.astype(np.float64) * (largest / reached)).astype(array.dtype)  # the factor may overflow float16

    return inputs.but_parameters(w_q=longer(p.w_q), b_q=None if p.b_q is None else longer(p.b_q))


@law(
    "value",
    None,
    Wanted(causal=False, masked=False, memory=True, n=(1, 2), m=(2,), bias=0, dtypes=("float16",)),
    "parameters",
    only_sees="scores that overflow before they are scaled",
)
def half_precision_scores_do_not_overflow_before_the_scale(t: Trial) -> None:
    """In float16, two scores of +-90000 before the scale and in range after it give the value of the first key."""
    design, p = t.inputs.design, t.inputs.given
    if design.d_k == 1:
        raise Unsupported("with d_k = 1 the scale is 1")
    half = np.float16(math.sqrt(90000 / design.d_k))
    w_q, w_k = np.zeros_like(p.w_q), np.zeros_like(p.w_k)
    w_q[:, 0], w_k[:, 0] = half, half
    x, memory = np.zeros_like(t.inputs.x), t.inputs.read_from.copy()
    x[..., 0], memory[:, 0, 0], memory[:, 1, 0] = 1, 1, -1
    inputs = t.inputs.but_parameters(w_q=w_q, w_k=w_k).but(x=x, memory=memory)
    t.agree("the output", t.run(inputs), t.defined(inputs).output, t.sigma(inputs))
