"""Queries in another order give the same outputs in that order.

Main result: attention of the queries ``Q[pi(i)]`` has as row ``i`` the row ``pi(i)`` of attention of the
queries ``Q``.

A row of the output is computed from one query and from all keys; other queries do not enter. So ``pi`` need not
even be a permutation: a query may be left out or be asked twice. The only hypothesis allows the division in
each row.

Why care: queries can be computed in any order, in batches, or one at a time. Together with the theorem about
keys, self-attention without a mask is equivariant: reordered tokens give reordered outputs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, drawn_mask, drawn_sizes
from mha_spec.claims.values.formulas import Q, V, array, attention, c, d, d_k, d_v, i, j, m, mu, n
from mha_spec.claims.values.sums.notation import total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, Keeps, ValueStep, ValueTheorem

pi = sympy.Function("pi")
Q_moved, moved_mu = array("Q'"), array("mu'")
usual = attention(mask=mu)
moved = attention(query=Q_moved, mask=moved_mu, mark="'")
A, O = usual.A, usual.O


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """A drawn call with its queries and mask in a drawn order, against its outputs in that order."""
    sizes = drawn_sizes(rng, n, m, d_k, d_v)
    q, k = (rng.standard_normal((sizes[rows], sizes["d_k"])) for rows in ("n", "m"))
    v, mask = rng.standard_normal((sizes["m"], sizes["d_v"])), drawn_mask(rng, sizes["n"], sizes["m"])
    order = np.append(rng.permutation(sizes["n"]), 0)
    found = layer.scaled_dot_product_attention(q[order], k, v, mask[order])
    expected = layer.scaled_dot_product_attention(q, k, v, mask)[order]
    return [Comparison("outputs follow their queries", found, expected, REARRANGED)]


theorem = ValueTheorem(
    name="permuting_queries_permutes_outputs",
    sentence="Queries and mask rows in another order give the same outputs in that order.",
    hypotheses=(Hypothesis("Every query may attend to at least one key.", Keeps(mu, m)),),
    definitions={**usual.definitions, **moved.definitions, Q_moved[i, d]: Q[pi(i), d], moved_mu[i, j]: mu[pi(i), j]},
    indices={i: n, c: d_v},
    chains=(
        Chain(
            "entry (i, c) of the output",
            moved.O[i, c],
            O[pi(i), c],
            (
                ValueStep(moved.O[i, c], "attention of the queries in the new order"),
                ValueStep(
                    total(moved.E[i, j] * V[j, c], (j, m)) / moved.D[i],
                    "the divisor of a row is the same for every key",
                ),
                ValueStep(
                    total(A[pi(i), j] * V[j, c], (j, m)),
                    "query i is now the old query pi(i), with its row of the mask, and no other query enters",
                ),
                ValueStep(O[pi(i), c], "this is row pi(i) of attention of the queries in the old order"),
            ),
        ),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.1",
    confirms=confirms,
)
