"""Grouped heads are ordinary heads whose key and value matrices are repeated.

Main result: a layer of ``kv_heads*group`` ordinary heads, in which head ``i`` has the key and value matrix
number ``i // group``, gives the output of the grouped layer, which projects keys and values once per group.

Head ``i`` is member ``g`` of group ``t`` with ``i = t*group + g``, and the whole part of ``i`` over ``group``
is ``t``: one sum over all heads is a sum over groups and members. The hypothesis allows the division in each
row.

Why care: it says how a grouped layer is computed with a library that only knows ordinary heads: repeat each
key/value head ``group`` times in a row. Tiling them (``i % kv_heads``) is the usual mistake, and gives another
function.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, drawn_layer, drawn_tokens
from mha_spec.claims.values.formulas import (
    B_K,
    B_O,
    B_V,
    GROUPED,
    W_K,
    W_V,
    HeadWeights,
    a,
    array,
    b,
    c,
    d,
    d_model,
    d_v,
    e,
    f,
    g,
    group,
    i,
    kv_heads,
    m,
    mu,
    multi_head,
    n,
    t,
)
from mha_spec.claims.values.sums.notation import Quotient, total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, Keeps, ValueStep, ValueTheorem
from mha_spec.design import Parameters

# The layer of ordinary heads has its own query matrices and blocks of W_O; its keys and values are repeated.
W_Q1, W_O1, B_Q1 = array("W_Q'"), array("W_O'"), array("B_Q'")
W_K1, W_V1, B_K1, B_V1 = array("W_K'"), array("W_V'"), array("B_K'"), array("B_V'")
ordinary = multi_head(HeadWeights(W_Q1, W_K1, W_V1, W_O1, B_Q1, B_K1, B_V1, B_O), ((a, kv_heads * group),), mark="'")
usual = HeadWeights()
grouped = multi_head(usual, GROUPED)
Z, position = ordinary.Z, t * group + g


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """A drawn grouped layer, and the ordinary layer with its key and value heads repeated."""
    design, weights = drawn_layer(rng, bias=1)
    x, memory, mask = drawn_tokens(rng, design)
    shared = np.arange(design.h) // design.group
    repeated = {name: one[shared] for name, one in weights.arrays().items() if name[-1] in "kv"}
    full = Parameters(**{**weights.arrays(), **repeated})
    expected = layer.multi_head_attention(x, full, memory, mask, form="per-head")
    outputs = [layer.multi_head_attention(x, weights, memory, mask, form=form) for form in ("batched", "per-head")]
    return [Comparison("grouped heads are repeated heads", found, expected, REARRANGED) for found in outputs]


theorem = ValueTheorem(
    name="grouped_heads_equal_repeated_heads",
    sentence="Grouped heads give the output of ordinary heads whose key and value matrices are repeated in a row.",
    hypotheses=(
        Hypothesis("Every query may attend to at least one key.", Keeps(mu, m)),
        Hypothesis("Query head i reads the key/value head i // group."),
    ),
    definitions={
        **ordinary.definitions,
        **grouped.definitions,
        W_K1[a, f, d]: W_K[Quotient(a, group), f, d],
        W_V1[a, f, b]: W_V[Quotient(a, group), f, b],
        B_K1[a, d]: B_K[Quotient(a, group), d],
        B_V1[a, b]: B_V[Quotient(a, group), b],
        usual.w_q[t, g, e, d]: W_Q1[position, e, d],
        usual.b_q[t, g, d]: B_Q1[position, d],
        usual.w_o[t, g, b, c]: W_O1[position, b, c],
    },
    indices={i: n, c: d_model},
    layouts=((kv_heads, group),),
    chains=(
        Chain(
            "entry (i, c) of the output",
            ordinary.O[i, c],
            grouped.O[i, c],
            (
                ValueStep(ordinary.O[i, c], "the layer of ordinary heads with repeated matrices"),
                ValueStep(
                    total(Z[position, i, b] * W_O1[position, b, c], *GROUPED, (b, d_v)) + B_O[c],
                    "head number t*group + g is member g of group t",
                ),
                ValueStep(
                    total(grouped.Z[t, g, i, b] * W_O1[position, b, c], *GROUPED, (b, d_v)) + B_O[c],
                    "it has the matrices number (t*group + g) // group = t, which are those of its group",
                ),
                ValueStep(grouped.O[i, c], "this is the grouped layer"),
            ),
        ),
    ),
    source="Ainslie et al. 2023, GQA, section 2.2; Shazeer 2019, Fast Transformer Decoding, section 3",
    confirms=confirms,
)
