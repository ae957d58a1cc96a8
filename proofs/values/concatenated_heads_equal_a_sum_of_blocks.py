"""Concatenating the heads and multiplying by W_O is adding up one product per head.

Main result: ``Concat(head_1, ..., head_h) W_O == sum_a head_a W_O[a]`` with ``W_O[a]`` the a-th block of d_v
rows.

Row ``a*d_v + b`` of ``W_O`` meets feature ``b`` of head ``a``, so a sum over ``h*d_v`` positions is a sum over
heads and features. Nothing is assumed but that layout: heads one after the other (head-major).

Why care: it shows that heads only ever meet by addition. That is why a head can be removed or exchanged with
another, why a layer can be split over machines by heads with one addition at the end, and why the order of
heads is arbitrary.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, drawn_layer, drawn_tokens
from mha_spec.claims.values.explicit import Valuation
from mha_spec.claims.values.formulas import W_O, a, array, b, c, d_model, d_v, h, i, n, r
from mha_spec.claims.values.sums.notation import Quotient, Remainder, total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, ValueStep, ValueTheorem

Z, C, block = array("Z"), array("C"), array("W_block")
definitions = {C[i, r]: Z[Quotient(r, d_v), i, Remainder(r, d_v)], block[a, b, c]: W_O[a * d_v + b, c]}

joined = total(C[i, r] * W_O[r, c], (r, h * d_v))
added = total(Z[a, i, b] * block[a, b, c], (a, h), (b, d_v))


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """The layer's output, in both forms, against the sum of what each head contributes by itself."""
    design, weights = drawn_layer(rng, group=1)
    x, memory, mask = drawn_tokens(rng, design)
    heads = [
        layer.scaled_dot_product_attention(x @ weights.w_q[a], memory @ weights.w_k[a], memory @ weights.w_v[a], mask)
        for a in range(design.h)
    ]
    sizes = design.sizes(*mask.shape)
    values = Valuation.of_arrays({Z: np.array(heads), W_O: weights.w_o}, sizes=sizes, definitions=definitions)
    expected = values.table(added, (i, n), (c, d_model))
    outputs = [layer.multi_head_attention(x, weights, memory, mask, form=form) for form in ("batched", "per-head")]
    return [Comparison("the output is the sum of the heads' blocks", found, expected, REARRANGED) for found in outputs]


theorem = ValueTheorem(
    name="concatenated_heads_equal_a_sum_of_blocks",
    sentence="Concatenating the heads and multiplying by W_O adds up the product of each head with its block of W_O.",
    hypotheses=(Hypothesis("W_O is head-major: its row a*d_v + b belongs to feature b of head a."),),
    definitions=definitions,
    indices={i: n, c: d_model},
    layouts=((h, d_v),),
    chains=(
        Chain(
            "entry (i, c) of the output",
            joined,
            added,
            (
                ValueStep(joined, "row i of the concatenation times column c of W_O"),
                ValueStep(
                    total(
                        Z[Quotient(a * d_v + b, d_v), i, Remainder(a * d_v + b, d_v)] * W_O[a * d_v + b, c],
                        (a, h),
                        (b, d_v),
                    ),
                    "position r is feature b of head a: r = a*d_v + b",
                ),
                ValueStep(
                    total(Z[a, i, b] * W_O[a * d_v + b, c], (a, h), (b, d_v)),
                    "the concatenation holds that feature there",
                ),
                ValueStep(added, "these rows of W_O are the block of head a"),
            ),
        ),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2",
    confirms=confirms,
)
