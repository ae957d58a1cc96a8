"""Keys and values in another order, each key still with its value, give the same output.

Main result: attention over the keys ``K[pi(j)]`` and the values ``V[pi(j)]`` is attention over ``K`` and ``V``.

The output adds up over all keys, and so does the divisor of the weights: a sum does not depend on the order.
The mask moves with the keys. One hypothesis makes the order a permutation (nothing lost, nothing twice), the
other allows the division.

Why care: attention sees a set, not a sequence. Whatever a model knows of the order of its tokens comes from
position encodings or from a causal mask, and a key/value cache may keep its entries in any order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, drawn_mask, drawn_sizes
from mha_spec.claims.values.formulas import K, V, array, attention, c, d, d_k, d_v, i, j, l, m, mu, n
from mha_spec.claims.values.sums.notation import total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, Keeps, Permutes, ValueStep, ValueTheorem

pi = sympy.Function("pi")
K_moved, V_moved, moved_mu = array("K'"), array("V'"), array("mu'")
usual = attention(mask=mu)
moved = attention(key=K_moved, value=V_moved, mask=moved_mu, mark="'")
A, D, E, O = usual.A, usual.D, usual.E, usual.O


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """A drawn call with its keys, values and mask in a drawn order, and in the usual one."""
    sizes = drawn_sizes(rng, n, m, d_k, d_v)
    q, k = (rng.standard_normal((sizes[rows], sizes["d_k"])) for rows in ("n", "m"))
    v, mask = rng.standard_normal((sizes["m"], sizes["d_v"])), drawn_mask(rng, sizes["n"], sizes["m"])
    order = np.roll(rng.permutation(sizes["m"]), 1)
    found = layer.scaled_dot_product_attention(q, k[order], v[order], mask[:, order])
    expected = layer.scaled_dot_product_attention(q, k, v, mask)
    return [Comparison("the order of the keys does not matter", found, expected, REARRANGED)]


theorem = ValueTheorem(
    name="permuting_keys_and_values_changes_nothing",
    sentence="Keys, values and mask in another order give the same output.",
    hypotheses=(
        Hypothesis("Every query may attend to at least one key.", Keeps(mu, m)),
        Hypothesis("pi is a permutation of the m keys.", Permutes(pi, m)),
    ),
    definitions={
        **usual.definitions,
        **moved.definitions,
        K_moved[j, d]: K[pi(j), d],
        V_moved[j, c]: V[pi(j), c],
        moved_mu[i, j]: mu[i, pi(j)],
    },
    indices={i: n, c: d_v},
    chains=(
        Chain(
            "entry (i, c) of the output",
            moved.O[i, c],
            O[i, c],
            (
                ValueStep(moved.O[i, c], "attention over the keys in the new order"),
                ValueStep(
                    total(E[i, pi(j)] / total(E[i, pi(l)], (l, m)) * V[pi(j), c], (j, m)),
                    "key j is now the old key pi(j), with its value and its place in the mask",
                ),
                ValueStep(
                    total(E[i, pi(j)] / D[i] * V[pi(j), c], (j, m)),
                    "the divisor adds up the exponentials of all keys, in whatever order",
                ),
                ValueStep(total(E[i, j] / D[i] * V[j, c], (j, m)), "and so does the output"),
                ValueStep(O[i, c], "this is attention over the keys in the old order"),
            ),
        ),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, sections 3.2.1 and 3.5; Lee et al. 2019, Set Transformer",
    confirms=confirms,
)
