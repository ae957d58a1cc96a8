"""Every output of attention lies between the least and the greatest of the values it may attend to.

Main results: if no kept value of a feature is above ``u``, neither is the output's, and likewise from below.

The output is an average: the weights are not negative and sum to one. Replacing every kept value by the bound
makes each term larger, or leaves it; values of masked keys have the weight zero, so nothing is asked of them.
One hypothesis gives the bound, the other allows the division.

Why care: attention alone can neither amplify nor invent: a head only chooses and mixes. A test that sees an
output outside the values has found a fault, whatever the weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, drawn_mask, drawn_sizes
from mha_spec.claims.values.formulas import V, array, attention, c, d_k, d_v, i, j, m, mu, n
from mha_spec.claims.values.sums.notation import total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, Keeps, Nonnegative, ValueStep, ValueTheorem

of = attention(mask=mu)
A, D, O, S = of.A, of.D, of.O, of.S
u, w = sympy.Symbol("u", real=True), sympy.Symbol("w", real=True)
under, over = array("under"), array("over")
constant_u, constant_w = total(A[i, j] * u, (j, m)), total(A[i, j] * w, (j, m))
mixture = total(A[i, j] * V[j, c], (j, m))


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """How far the outputs of a drawn call are outside the values of the keys that are kept: not at all."""
    sizes = drawn_sizes(rng, n, m, d_k, d_v)
    q, k = (rng.standard_normal((sizes[rows], sizes["d_k"])) for rows in ("n", "m"))
    v, mask = 1 + rng.standard_normal((sizes["m"], sizes["d_v"])), drawn_mask(rng, sizes["n"], sizes["m"])
    v[-1] += 10
    mask[:, -1] = sizes["m"] == 1
    output = layer.scaled_dot_product_attention(q, k, v, mask)
    least = np.array([v[row].min(0) for row in mask])
    greatest = np.array([v[row].max(0) for row in mask])
    outside = np.maximum(0, np.maximum(output - greatest, least - output))
    return [Comparison("outputs lie between the kept values", outside, np.zeros_like(outside), REARRANGED)]


def slack_over_keys(slack: sympy.IndexedBase) -> sympy.Expr:
    """What is lost by the bound, weighted: none of its terms is below 0."""
    return total(sympy.exp(S[i, j]) * slack[i, j] / D[i], (j, m))


theorem = ValueTheorem(
    name="outputs_lie_between_kept_values",
    sentence="Every output lies between the least and the greatest of the values that its query may attend to.",
    hypotheses=(
        Hypothesis("Every query may attend to at least one key.", Keeps(mu, m)),
        Hypothesis("u is at least every kept value: mu[i, j] (u - V[j, c]) is not negative.", Nonnegative(under)),
        Hypothesis("w is at most every kept value: mu[i, j] (V[j, c] - w) is not negative.", Nonnegative(over)),
    ),
    definitions={
        **of.definitions,
        under[i, j]: mu[i, j] * (u - V[j, c]),
        over[i, j]: mu[i, j] * (V[j, c] - w),
    },
    indices={i: n, c: d_v},
    chains=(
        Chain(
            "from above",
            O[i, c],
            u,
            (
                ValueStep(O[i, c], "entry (i, c) of the output"),
                ValueStep(mixture, "it is a mixture of the values of feature c"),
                ValueStep(
                    constant_u, "no kept value is above u, and no weight below 0", "<=", gap=slack_over_keys(under)
                ),
                ValueStep(u * total(A[i, j], (j, m)), "the bound is the same for every key"),
                ValueStep(u, "the weights sum to one"),
            ),
            "<=",
        ),
        Chain(
            "from below",
            w,
            O[i, c],
            (
                ValueStep(w, "a number that no kept value is below"),
                ValueStep(w * total(A[i, j], (j, m)), "the weights sum to one"),
                ValueStep(constant_w, "the bound is the same for every key"),
                ValueStep(mixture, "no kept value is below w, and no weight below 0", "<=", gap=slack_over_keys(over)),
                ValueStep(O[i, c], "this is entry (i, c) of the output"),
            ),
            "<=",
        ),
    ),
    source='Vaswani et al. 2017, Attention Is All You Need, section 3.2 ("a weighted sum of the values")',
    confirms=confirms,
)
