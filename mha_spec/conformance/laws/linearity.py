"""In what the layer is linear: `W_O`, the values, and the sum over heads."""

from __future__ import annotations

import numpy as np

from ..cases.wanted import Wanted
from ..trial import Trial
from .law import law

THEOREM = "concatenated_heads_equal_a_sum_of_blocks"


@law("relation", THEOREM, Wanted(), "parameters", only_sees="something after the output projection")
def it_is_linear_in_the_output_projection(t: Trial) -> None:
    """`W_O` and `b_o` times -2 give the output times -2."""
    p = t.inputs.given
    scaled = t.inputs.but_parameters(w_o=-2 * p.w_o, b_o=None if p.b_o is None else -2 * p.b_o)
    t.agree("the output with W_O and b_o times -2", t.run(scaled), -2 * t.run(), t.sigma(scaled), 2 * t.sigma())


@law("relation", THEOREM, Wanted(least_h=2, bias=0), "parameters", only_sees="heads that mix")
def it_is_the_sum_of_its_heads(t: Trial) -> None:
    """The outputs with all but one block of rows of `W_O` zero add up to the output."""
    design, p = t.inputs.design, t.inputs.given
    total, sigmas = np.zeros(t.inputs.x.shape), [t.sigma()]
    for head in range(design.h):
        rows = slice(head * design.d_v, (head + 1) * design.d_v)
        w_o = np.zeros_like(p.w_o)
        w_o[rows] = p.w_o[rows]
        alone = t.inputs.but_parameters(w_o=w_o)
        total += t.run(alone)
        sigmas.append(t.sigma(alone))
    t.agree("the sum of the outputs of the heads", total, t.run(), *sigmas)


@law("relation", THEOREM, Wanted(), "parameters", only_sees="something between values and output")
def it_is_linear_in_the_values(t: Trial) -> None:
    """`W_V` and `b_v` times -2 give the output without `b_o` times -2."""
    p = t.inputs.given
    scaled = t.inputs.but_parameters(w_v=-2 * p.w_v, b_v=None if p.b_v is None else -2 * p.b_v)
    b_o = 0 if p.b_o is None else p.b_o.astype(np.float64)
    expected = -2 * (t.run() - b_o) + b_o
    t.agree("the output with W_V and b_v times -2", t.run(scaled), expected, t.sigma(scaled), 2 * t.sigma())


@law(
    "relation",
    THEOREM,
    Wanted(least_h=2, least_kv_heads=2, dtypes=("float64", "float16", "float32")),
    "parameters",
    only_sees="a head that leaks into another",
)
def a_head_without_output_rows_has_no_influence(t: Trial) -> None:
    """Values of a head times 64 change nothing while its blocks of `W_O` are zero: a leak of 1 % would show."""
    design, p = t.inputs.design, t.inputs.given
    kv = int(t.rng.integers(design.kv_heads))
    blocks = p.w_o.reshape(design.kv_heads, design.group, design.d_v, design.d_model).copy()
    blocks[kv] = 0
    w_v = p.w_v.copy()
    w_v[kv] *= 64
    without = t.inputs.but_parameters(w_o=blocks.reshape(p.w_o.shape))
    t.same(f"the output with the values of head {kv} times 64", without, without.but_parameters(w_v=w_v))
