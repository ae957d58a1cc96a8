"""A number added to all scores of a query changes none of its weights.

Main result: the weights of the scores ``s[j] + c`` are those of the scores ``s[j]``.

``exp(s + c) = exp(s) exp(c)``, and the factor ``exp(c)`` is the same above and below the fraction line. Nothing
is assumed: a sum of exponentials is positive.

Why care: it allows the layer to subtract the largest score before it takes exponentials, so that none
overflows. It also makes the bias of the keys useless: it adds ``q . B_K`` to every score of the query ``q``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, drawn_mask, drawn_sizes
from mha_spec.claims.values.formulas import array, d_k, d_v, j, l, m, n
from mha_spec.claims.values.sums.notation import total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, ValueStep, ValueTheorem

s, c = array("s"), sympy.Symbol("c", real=True)
exp = sympy.exp

shifted = exp(s[j] + c) / total(exp(s[l] + c), (l, m))
weight = exp(s[j]) / total(exp(s[l]), (l, m))


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """The same vector added to every key: the output stays, with and without a mask."""
    sizes = drawn_sizes(rng, n, m, d_k, d_v)
    q, k = (rng.standard_normal((sizes[rows], sizes["d_k"])) for rows in ("n", "m"))
    v, vector = rng.standard_normal((sizes["m"], sizes["d_v"])), rng.standard_normal(sizes["d_k"])
    return [
        Comparison(
            "a vector added to every key changes nothing",
            layer.scaled_dot_product_attention(q, k + vector, v, mask),
            layer.scaled_dot_product_attention(q, k, v, mask),
            REARRANGED,
        )
        for mask in (None, drawn_mask(rng, sizes["n"], sizes["m"]))
    ]


theorem = ValueTheorem(
    name="softmax_ignores_a_shift",
    sentence="A number added to all scores of a query changes none of its weights.",
    hypotheses=(Hypothesis("The number is the same for all keys of the query."),),
    indices={j: m},
    chains=(
        Chain(
            "the weight of key j is the same with and without the shift",
            shifted,
            weight,
            (
                ValueStep(shifted, "the weight of key j among scores that are shifted by c"),
                ValueStep(
                    exp(c) * exp(s[j]) / total(exp(c) * exp(s[l]), (l, m)), "the exponential of a sum is a product"
                ),
                ValueStep(
                    weight, "the factor exp(c) is the same for every key, so it stands outside the sum and cancels"
                ),
            ),
        ),
    ),
    source="Milakov and Gimelshein 2018, Online normalizer calculation for softmax, section 2",
    confirms=confirms,
)
