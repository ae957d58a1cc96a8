"""The attention weights of a query sum to one.

Main result: ``sum_j A[i, j] == 1`` for every query that may attend to at least one key.

A weight is the exponential of a score over the sum of the exponentials of that query's row. The divisor does
not depend on the key, so it stands outside the sum, where it meets itself. The hypothesis is what allows the
division: exponentials are positive, but a mask takes them away, and a row without any has nothing to divide by
(the layer then gives the weights zero).

Why care: it is what makes the output an average of the values, and so keeps it between them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, drawn_mask, drawn_sizes
from mha_spec.claims.values.formulas import attention, d_k, i, j, m, mu, n
from mha_spec.claims.values.sums.notation import total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, Keeps, ValueStep, ValueTheorem

of = attention(mask=mu)
A, D, E = of.A, of.D, of.E


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """The weights of a drawn call, which are its output where the values are the unit vectors."""
    sizes = drawn_sizes(rng, n, m, d_k)
    q, k = (rng.standard_normal((sizes[rows], sizes["d_k"])) for rows in ("n", "m"))
    mask = drawn_mask(rng, sizes["n"], sizes["m"])
    weights = (layer.scaled_dot_product_attention(q, k, np.eye(sizes["m"]), kept) for kept in (None, mask))
    return [Comparison("rows sum to one", found.sum(-1), np.ones(sizes["n"]), REARRANGED) for found in weights]


theorem = ValueTheorem(
    name="softmax_rows_sum_to_one",
    sentence="The attention weights of a query sum to one, if it may attend to at least one key.",
    hypotheses=(
        Hypothesis("At least one key of the row is kept, so the exponentials have a positive sum.", Keeps(mu, m)),
    ),
    definitions=of.definitions,
    indices={i: n},
    chains=(
        Chain(
            "the weights of query i sum to one",
            total(A[i, j], (j, m)),
            sympy.Integer(1),
            (
                ValueStep(total(A[i, j], (j, m)), "the sum of the weights of query i"),
                ValueStep(total(E[i, j] / D[i], (j, m)), "a weight is an exponential over the sum of its row"),
                ValueStep(total(E[i, j], (j, m)) / D[i], "the divisor is the same for every key"),
                ValueStep(sympy.Integer(1), "the sum of the exponentials is the divisor, which is not zero"),
            ),
        ),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.1, equation 1",
    confirms=confirms,
)
