"""The scores of a head, before mask and softmax, have rank at most d_k.

Main results: whatever combination of queries is zero, the same combination of rows of scores is zero; of more
than d_k queries there always is one, so every ``d_k + 1`` rows of scores are linearly dependent. And every
determinant of ``d_k + 1`` rows and columns of scores vanishes.

The scores are ``Q K^T``, and its middle size is d_k. The hypothesis names the combination: more than d_k
vectors of width d_k always have one that is not all zeros. Mask and softmax come later and may raise the rank.

Why care: it is what more heads give up. With ``d_k = d_model/h``, twice the heads means half the rank for each,
so no single head can tell as many patterns of "who looks at whom" apart (Bhojanapalli et al. 2020).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import Floats
from mha_spec.claims.values.formulas import K, Q, array, d, d_k, i, j, k, m, n, r
from mha_spec.claims.values.sums.notation import Minor, total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, ValueStep, ValueTheorem, Zero

S, combination, combined = array("S"), array("x"), array("q_x")
minor = Minor(S[r, k], r, k, d_k + 1)
at = tuple({"d_k": width} for width in (1, 2, 3))


def centred(weights: Floats) -> Floats:
    """The scores back from the weights, without what is the same for all keys of a query."""
    logarithms = np.log(np.abs(weights) + 1e-300)
    difference: Floats = logarithms - logarithms.mean(-1, keepdims=True)
    return difference


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """The singular values beyond d_k of a head's scores, read from its weights, are zero.

    Taking the mean over the keys from a row of ``Q K^T`` leaves ``Q`` times centred keys, of no greater rank.
    """
    width = int(rng.integers(1, 4))
    q, k = (rng.standard_normal((width + int(rng.integers(2, 5)), width)) for _ in "qk")
    weights = layer.scaled_dot_product_attention(q, k, np.eye(len(k)))
    beyond = np.linalg.svd(centred(weights), compute_uv=False)[width:]
    return [Comparison("no rank beyond d_k", beyond, np.zeros_like(beyond), 1e-9)]


theorem = ValueTheorem(
    name="scores_of_a_head_have_rank_at_most_d_k",
    sentence="The scores of a head, before mask and softmax, have rank at most d_k.",
    hypotheses=(
        Hypothesis(
            "The combination x of queries is zero; of more than d_k queries there is one not all zeros.", Zero(combined)
        ),
        Hypothesis("For the determinants, d_k is 1, 2 or 3."),
    ),
    definitions={
        S[i, j]: total(Q[i, d] * K[j, d], (d, d_k)),
        combined[d]: total(combination[i] * Q[i, d], (i, n)),
    },
    indices={j: m},
    chains=(
        Chain(
            "the rows of scores are combined to zero wherever the queries are",
            total(combination[i] * S[i, j], (i, n)),
            sympy.Integer(0),
            (
                ValueStep(total(combination[i] * S[i, j], (i, n)), "the same combination of the rows of scores"),
                ValueStep(
                    total(combination[i] * total(Q[i, d] * K[j, d], (d, d_k)), (i, n)),
                    "a score is a product of a query and a key",
                ),
                ValueStep(
                    total(K[j, d] * total(combination[i] * Q[i, d], (i, n)), (d, d_k)),
                    "the sum over queries first: the key does not depend on them",
                ),
                ValueStep(
                    sympy.Integer(0),
                    "each feature of the combined queries is zero",
                    gap=total(K[j, d] * combined[d], (d, d_k)),
                ),
            ),
        ),
        Chain(
            "determinants of d_k + 1 rows and columns vanish",
            minor,
            sympy.Integer(0),
            (
                ValueStep(minor, "the determinant of the first d_k + 1 rows and columns"),
                ValueStep(sympy.Integer(0), "written out, its terms cancel in pairs", at=at),
            ),
        ),
    ),
    source="Bhojanapalli et al. 2020, Low-Rank Bottleneck in Multi-head Attention Models, section 3",
    confirms=confirms,
)
