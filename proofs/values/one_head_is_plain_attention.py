"""Multi-head attention with one head is scaled dot-product attention.

Main results: with one head the layer is attention of the projected inputs, times W_O; and where all four
matrices are the identity it is attention of the inputs themselves.

There is nothing to concatenate, so the sum over heads has one term. The hypothesis allows the division. For the
second result all widths must be those of the inputs, as the identity is square.

Why care: it ties the two definitions of the paper together. Multi-head attention is not another mechanism, but
the same one used h times side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, biases_of, design_of, drawn_mask, drawn_sizes
from mha_spec.claims.values.explicit import Valuation
from mha_spec.claims.values.formulas import (
    B_K,
    B_O,
    B_Q,
    B_V,
    W_K,
    W_O,
    W_Q,
    W_V,
    HeadWeights,
    X,
    Y,
    a,
    array,
    attention,
    b,
    c,
    d,
    d_k,
    d_memory,
    d_model,
    d_v,
    e,
    f,
    i,
    j,
    m,
    mu,
    multi_head,
    n,
)
from mha_spec.claims.values.sums.notation import total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, Keeps, ValueStep, ValueTheorem
from mha_spec.design import Parameters

delta = sympy.KroneckerDelta
one_head = ((a, sympy.Integer(1)),)
several = multi_head(HeadWeights(), one_head)
Q, K, V = array("Q_1"), array("K_1"), array("V_1")
single = attention(Q, K, V, mask=mu, mark="_1")

unit = {name: array(f"I_{name}") for name in "QKVO"}
units = HeadWeights(unit["Q"], unit["K"], unit["V"], unit["O"], biased=False)
bare = multi_head(units, one_head, read=d_model, widths=(d_model, d_model), mark="_I")
inputs = attention(X, Y, Y, mask=mu, width=d_model, mark="_X")


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """A drawn layer of one head against the theorem, and one of identities against plain attention."""
    sizes = drawn_sizes(rng, n, m, d_model, d_memory, d_k, d_v)
    w = Parameters.draw(design_of(sizes, h=1, bias=1), rng)
    x, y = (rng.standard_normal((sizes[rows], sizes[width])) for rows, width in (("n", "d_model"), ("m", "d_memory")))
    mask = drawn_mask(rng, sizes["n"], sizes["m"])
    arrays = {X: x, Y: y, mu: mask, W_Q: w.w_q, W_K: w.w_k, W_V: w.w_v, W_O: w.w_o[None]}
    values = Valuation.of_arrays({**arrays, **biases_of(w)}, sizes=sizes, definitions=theorem.definitions)
    expected = values.table(theorem.chains[0].right, (i, n), (c, d_model))
    found = [layer.multi_head_attention(x, w, y, mask, form=form) for form in ("batched", "per-head")]
    eye = np.eye(sizes["d_model"])[None]
    memory = rng.standard_normal((sizes["m"], sizes["d_model"]))
    identity = layer.multi_head_attention(x, Parameters(eye, eye, eye, eye[0]), memory, mask)
    plain = layer.scaled_dot_product_attention(x, memory, memory, mask)
    return [
        *(Comparison("one head is attention of the projected inputs", one, expected, REARRANGED) for one in found),
        Comparison("with identities it is attention of the inputs", identity, plain, REARRANGED),
    ]


projected = total(single.O[i, b] * W_O[0, b, c], (b, d_v)) + B_O[c]
theorem = ValueTheorem(
    name="one_head_is_plain_attention",
    sentence="Multi-head attention with one head is scaled dot-product attention of the projected inputs, times W_O.",
    hypotheses=(
        Hypothesis("Every query may attend to at least one key.", Keeps(mu, m)),
        Hypothesis("There is one head; for the second result, all widths are d_model and no projection has a bias."),
    ),
    definitions={
        **several.definitions,
        **single.definitions,
        **bare.definitions,
        **inputs.definitions,
        Q[i, d]: total(X[i, e] * W_Q[0, e, d], (e, d_model)) + B_Q[0, d],
        K[j, d]: total(Y[j, f] * W_K[0, f, d], (f, d_memory)) + B_K[0, d],
        V[j, b]: total(Y[j, f] * W_V[0, f, b], (f, d_memory)) + B_V[0, b],
        **{unit[name][a, e, d]: delta(e, d) for name in "QKVO"},
    },
    indices={i: n, c: d_model},
    chains=(
        Chain(
            "entry (i, c) of the output with one head",
            several.O[i, c],
            projected,
            (
                ValueStep(several.O[i, c], "the layer with one head"),
                ValueStep(
                    total(several.Z[0, i, b] * W_O[0, b, c], (b, d_v)) + B_O[c],
                    "the sum over heads has one term, head 0",
                ),
                ValueStep(projected, "that head is attention of the projected inputs"),
            ),
        ),
        Chain(
            "entry (i, c) of the output with identities for matrices",
            bare.O[i, c],
            inputs.O[i, c],
            (
                ValueStep(bare.O[i, c], "the layer with one head and four identities"),
                ValueStep(
                    total(bare.Z[0, i, b] * delta(b, c), (b, d_model)),
                    "W_O is the identity, and head 0 is the only one",
                ),
                ValueStep(bare.Z[0, i, c], "a product with the identity"),
                ValueStep(inputs.O[i, c], "queries are the inputs, keys and values the memory"),
            ),
        ),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, sections 3.2.1 and 3.2.2",
    confirms=confirms,
)
