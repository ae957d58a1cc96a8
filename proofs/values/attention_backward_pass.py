"""The derivatives of scaled dot-product attention towards queries, keys and values.

Main results, for a loss whose derivative towards the output is ``G``: with ``dA = G V^T`` and ``dS = A * (dA -
rowsum(A * dA)) / sqrt(d_k)``, the derivatives are ``A^T G`` towards V, ``dS K`` towards Q and ``dS^T Q``
towards K.

The loss is a number whose derivative towards the output is G at this point, so its derivative towards anything
else is that of ``sum(G * output)`` with G held. The product, quotient and chain rules then do it all; the
softmax gives the two terms of dS. The hypothesis allows the division; where the mask hides a pair, A and so dS
are zero.

Why care: it is what a framework or a fused kernel must compute. It shows that the backward pass needs only A,
or what A can be computed from again, and one number per query, ``rowsum(A * dA)``, which is ``rowsum(G *
output)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import DIFFERENTIATED, STEP, Floats, drawn_mask, drawn_sizes
from mha_spec.claims.values.explicit import Valuation
from mha_spec.claims.values.formulas import K, Q, V, array, attention, b, c, d_k, d_v, e, i, j, k, l, m, mu, n, p
from mha_spec.claims.values.sums.notation import Gradient, total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, Keeps, ValueStep, ValueTheorem

of = attention(mask=mu)
A, O, S = of.A, of.O, of.S
G, dA, dS, row = map(array, ("G", "dA", "dS", "row"))  # noqa: N816
loss = total(G[i, c] * O[i, c], (i, n), (c, d_v))
definitions = {
    **of.definitions,
    dA[i, j]: total(G[i, c] * V[j, c], (c, d_v)),
    row[i]: total(A[i, l] * dA[i, l], (l, m)),
    dS[i, j]: A[i, j] * (dA[i, j] - row[i]) / sympy.sqrt(d_k),
}
V_slope, Q_slope, K_slope = Gradient(loss, V[k, b]), Gradient(loss, Q[p, e]), Gradient(loss, K[k, e])
V_result = total(A[i, k] * G[i, b], (i, n))
Q_result = total(dS[p, j] * K[j, e], (j, m))
K_result = total(dS[i, k] * Q[i, e], (i, n))


def central(run: Callable[[Sequence[Floats]], float], arrays: Sequence[Floats], place: int) -> Floats:
    """The central difference of a number towards every entry of one of the arrays that it depends on."""
    slopes = np.zeros_like(arrays[place])
    for at in np.ndindex(slopes.shape):
        moved = []
        for step in (STEP, -STEP):
            changed = [array.copy() for array in arrays]
            changed[place][at] += step
            moved.append(run(changed))
        slopes[at] = (moved[0] - moved[1]) / (2 * STEP)
    return slopes


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """Central differences of the layer at a drawn call."""
    sizes = drawn_sizes(rng, n, m, d_k, d_v)
    shapes = (("n", "d_k"), ("m", "d_k"), ("m", "d_v"), ("n", "d_v"))
    q, key, v, held = (rng.standard_normal((sizes[rows], sizes[width])) for rows, width in shapes)
    mask = drawn_mask(rng, sizes["n"], sizes["m"])

    def run(arrays: Sequence[Floats]) -> float:
        return float(np.sum(held * layer.scaled_dot_product_attention(arrays[0], arrays[1], arrays[2], mask)))

    arrays = {Q: q, K: key, V: v, G: held, mu: mask}
    values = Valuation.of_arrays(arrays, sizes=sizes, definitions=definitions)
    results = (("Q", Q_result, (p, n), (e, d_k)), ("K", K_result, (k, m), (e, d_k)), ("V", V_result, (k, m), (b, d_v)))
    return [
        Comparison(
            f"the derivative towards {name} is the difference quotient",
            central(run, [q, key, v], place),
            values.table(result, *over),
            DIFFERENTIATED,
        )
        for place, (name, result, *over) in enumerate(results)
    ]


S_slope_Q = Gradient(S[p, j], Q[p, e])
S_slope_K = Gradient(S[i, k], K[k, e])
theorem = ValueTheorem(
    name="attention_backward_pass",
    sentence="The derivatives of attention are A^T G towards V, dS K towards Q and dS^T Q towards K.",
    hypotheses=(
        Hypothesis("Every query may attend to at least one key.", Keeps(mu, m)),
        Hypothesis("G is the derivative of the loss towards the output, held while Q, K and V vary."),
    ),
    definitions=definitions,
    indices={p: n, k: m, e: d_k, b: d_v},
    chains=(
        Chain(
            "towards the values",
            V_slope,
            V_result,
            (
                ValueStep(V_slope, "how the loss moves with entry (k, b) of V"),
                ValueStep(
                    total(G[i, c] * total(A[i, j] * Gradient(V[j, c], V[k, b]), (j, m)), (i, n), (c, d_v)),
                    "the output is linear in V, and no weight depends on it",
                ),
                ValueStep(V_result, "only the entry itself moves: key k, feature b"),
            ),
        ),
        Chain(
            "towards the queries",
            Q_slope,
            Q_result,
            (
                ValueStep(Q_slope, "how the loss moves with entry (p, e) of Q"),
                ValueStep(
                    total(G[p, c] * total(Gradient(A[p, j], Q[p, e]) * V[j, c], (j, m)), (c, d_v)),
                    "row p of the output depends on it, through its weights, and no other row",
                ),
                ValueStep(
                    total(Gradient(A[p, j], Q[p, e]) * dA[p, j], (j, m)),
                    "G times V^T is the derivative towards a weight",
                ),
                ValueStep(
                    total(A[p, j] * (S_slope_Q - total(A[p, l] * S_slope_Q.subs(j, l), (l, m))) * dA[p, j], (j, m)),
                    "a weight moves with its own score, and against all scores of its row: the softmax",
                ),
                ValueStep(
                    total(A[p, j] * (dA[p, j] - row[p]) * S_slope_Q, (j, m)), "collect what stands beside one score"
                ),
                ValueStep(
                    Q_result, "a score moves with entry e of its query by entry e of its key, over the root of d_k"
                ),
            ),
        ),
        Chain(
            "towards the keys",
            K_slope,
            K_result,
            (
                ValueStep(K_slope, "how the loss moves with entry (k, e) of K"),
                ValueStep(
                    total(Gradient(A[i, j], K[k, e]) * dA[i, j], (i, n), (j, m)),
                    "every row of the output depends on it, through its weights",
                ),
                ValueStep(
                    total(A[i, k] * (dA[i, k] - row[i]) * S_slope_K, (i, n)),
                    "in each row one score moves, that of key k: the softmax",
                ),
                ValueStep(K_result, "it moves by entry e of its query, over the root of d_k"),
            ),
        ),
    ),
    source="Dao et al. 2022, FlashAttention, section 3.1 and appendix B.2",
    confirms=confirms,
)
