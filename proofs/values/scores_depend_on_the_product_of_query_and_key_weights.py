"""Scores see the query and the key matrix only through their product.

Main results: a score is ``x W_Q W_K^T y^T / sqrt(d_k)``, so it is a function of ``W_Q W_K^T``; and so ``W_Q G``
and ``W_K H`` give the scores of ``W_Q`` and ``W_K`` wherever ``G H^T`` is the identity.

Both results are the order of finite sums. That there are no biases is in the definition of the scores; ``d_k``
is fixed, as the root of it divides.

Why care: W_Q and W_K are not determined by what the layer does. Any invertible change of basis of the d_k
features is invisible, so comparing heads by their matrices means nothing, and comparing the products does. It
also is what lets the product be stored instead of its factors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, drawn_sizes
from mha_spec.claims.values.explicit import Valuation
from mha_spec.claims.values.formulas import (
    W_K,
    W_Q,
    X,
    Y,
    array,
    d,
    d_k,
    d_memory,
    d_model,
    e,
    f,
    i,
    index,
    j,
    m,
    n,
)
from mha_spec.claims.values.sums.notation import total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, ValueStep, ValueTheorem, Zero

P, G, H, inverse = array("P"), array("G"), array("H"), array("inverse")
W_Q_new, W_K_new = array("W_Q'"), array("W_K'")
a, b = index("a"), index("b")


def scores_of(w_q: sympy.IndexedBase, w_k: sympy.IndexedBase) -> sympy.Expr:
    """The score of query i and key j."""
    query = total(X[i, e] * w_q[e, d], (e, d_model))
    key = total(Y[j, f] * w_k[f, d], (f, d_memory))
    return total(query * key, (d, d_k)) / sympy.sqrt(d_k)


def bilinear(product: sympy.Expr) -> sympy.Expr:
    """The score as a bilinear form of input and memory."""
    return total(X[i, e] * product * Y[j, f], (e, d_model), (f, d_memory)) / sympy.sqrt(d_k)


through_the_product = bilinear(P[e, f])
changed = total(W_Q[e, a] * W_K[f, b] * total(G[a, d] * H[b, d], (d, d_k)), (a, d_k), (b, d_k))
weighted_gap = bilinear(total(W_Q[e, a] * W_K[f, b] * inverse[a, b], (a, d_k), (b, d_k)))


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """A drawn head, with and without a change of basis, against the softmax of the bilinear form."""
    sizes = drawn_sizes(rng, n, m, d_model, d_memory, d_k)
    w_q, w_k = (
        rng.standard_normal((sizes["d_model"], sizes["d_k"])),
        rng.standard_normal((sizes["d_memory"], sizes["d_k"])),
    )
    x, y = rng.standard_normal((sizes["n"], sizes["d_model"])), rng.standard_normal((sizes["m"], sizes["d_memory"]))
    basis = np.eye(sizes["d_k"]) + 0.3 * rng.standard_normal((sizes["d_k"], sizes["d_k"]))
    values = Valuation.of_arrays({X: x, Y: y, W_Q: w_q, W_K: w_k}, sizes=sizes, definitions=theorem.definitions)
    exponentials = np.exp(values.table(through_the_product, (i, n), (j, m)))
    expected, units = exponentials / exponentials.sum(-1, keepdims=True), np.eye(sizes["m"])
    usual = layer.scaled_dot_product_attention(x @ w_q, y @ w_k, units)
    new = layer.scaled_dot_product_attention(x @ w_q @ basis, y @ w_k @ np.linalg.inv(basis).T, units)
    return [
        Comparison("the weights follow from the product of the matrices", usual, expected, REARRANGED),
        Comparison("a change of basis changes no weight", new, expected, 100 * REARRANGED),
    ]


theorem = ValueTheorem(
    name="scores_depend_on_the_product_of_query_and_key_weights",
    sentence="Without query and key biases, and at fixed d_k, scores depend on W_Q and W_K only through W_Q W_K^T.",
    hypotheses=(
        Hypothesis("Queries and keys have no biases, and d_k is fixed."),
        Hypothesis("For the second result, G H^T is the identity.", Zero(inverse)),
    ),
    definitions={
        P[e, f]: total(W_Q[e, d] * W_K[f, d], (d, d_k)),
        W_Q_new[e, d]: total(W_Q[e, a] * G[a, d], (a, d_k)),
        W_K_new[f, d]: total(W_K[f, b] * H[b, d], (b, d_k)),
        inverse[a, b]: total(G[a, d] * H[b, d], (d, d_k)) - sympy.KroneckerDelta(a, b),
    },
    indices={i: n, j: m},
    chains=(
        Chain(
            "a score is a bilinear form with the product of the matrices, P",
            scores_of(W_Q, W_K),
            through_the_product,
            (
                ValueStep(scores_of(W_Q, W_K), "the score of query i and key j"),
                ValueStep(
                    total(X[i, e] * W_Q[e, d] * Y[j, f] * W_K[f, d], (d, d_k), (e, d_model), (f, d_memory))
                    / sympy.sqrt(d_k),
                    "multiply the two sums out",
                ),
                ValueStep(
                    bilinear(total(W_Q[e, d] * W_K[f, d], (d, d_k))),
                    "the sum over the d_k features first: inputs and memory do not depend on them",
                ),
                ValueStep(
                    through_the_product, "that sum is an entry of P = W_Q W_K^T, and nothing else holds the matrices"
                ),
            ),
        ),
        Chain(
            "a change of basis of the features leaves every score",
            scores_of(W_Q_new, W_K_new),
            scores_of(W_Q, W_K),
            (
                ValueStep(scores_of(W_Q_new, W_K_new), "the score with the matrices W_Q G and W_K H"),
                ValueStep(bilinear(changed), "the product of the new matrices is W_Q G H^T W_K^T"),
                ValueStep(through_the_product, "G H^T is the identity", gap=weighted_gap),
                ValueStep(scores_of(W_Q, W_K), "by the first result"),
            ),
        ),
    ),
    source="Elhage et al. 2021, A Mathematical Framework for Transformer Circuits (the QK circuit)",
    confirms=confirms,
)
