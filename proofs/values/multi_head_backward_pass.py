"""The derivatives of multi-head attention towards inputs, memory and all four matrices.

Main results, for a loss whose derivative towards the output is ``G``; per head, with its own ``A``:

    dZ = G W_O^T        dA = dZ V^T        dS = A * (dA - rowsum(A * dA)) / sqrt(d_k)
    dQ = dS K           dK = sum over the group of dS^T Q           dV = sum over the group of A^T dZ

    towards W_O: Z^T G    W_Q: X^T dQ    W_K: Y^T dK    W_V: Y^T dV
    towards X: sum over heads of dQ W_Q^T          Y: sum over key/value heads of dK W_K^T + dV W_V^T

Nothing is taken over from the case of one head: the whole layer, with its biases and its grouped heads, is
differentiated by the rules of calculus. A key/value head gathers from all query heads that read it. The
hypothesis allows the division. In self-attention memory and inputs are the same array, and its derivative is
the sum of both.

Why care: it is the backward pass of every transformer, and each line is a matrix product that can be counted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import DIFFERENTIATED, STEP, Floats, biases_of, drawn_layer, drawn_tokens
from mha_spec.claims.values.explicit import Valuation
from mha_spec.claims.values.formulas import (
    B_Q,
    GROUPED,
    W_K,
    W_O,
    W_Q,
    W_V,
    HeadWeights,
    X,
    Y,
    array,
    b,
    c,
    d,
    d_k,
    d_memory,
    d_model,
    d_v,
    g,
    group,
    i,
    index,
    j,
    kv_heads,
    l,
    m,
    mu,
    multi_head,
    n,
    t,
)
from mha_spec.claims.values.sums.notation import Gradient, total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, Keeps, ValueStep, ValueTheorem
from mha_spec.design import Parameters

of = multi_head(HeadWeights())
A, K, Q, V, Z, O = of.A, of.K, of.Q, of.V, of.Z, of.O
G, dZ, dA, row, dS, dQ, dK, dV = map(array, ("G", "dZ", "dA", "row", "dS", "dQ", "dK", "dV"))  # noqa: N816
i0, j0, t0, g0, e0, f0, d0, b0, c0 = (index(f"{name}_0") for name in "ijtgefdbc")
gathered = ((g, group), (i, n))
definitions = {
    **of.definitions,
    dZ[t, g, i, b]: total(G[i, c] * W_O[t, g, b, c], (c, d_model)),
    dA[t, g, i, j]: total(dZ[t, g, i, b] * V[t, j, b], (b, d_v)),
    row[t, g, i]: total(A[t, g, i, l] * dA[t, g, i, l], (l, m)),
    dS[t, g, i, j]: A[t, g, i, j] * (dA[t, g, i, j] - row[t, g, i]) / sympy.sqrt(d_k),
    dQ[t, g, i, d]: total(dS[t, g, i, j] * K[t, j, d], (j, m)),
    dK[t, j, d]: total(dS[t, g, i, j] * Q[t, g, i, d], *gathered),
    dV[t, j, b]: total(A[t, g, i, j] * dZ[t, g, i, b], *gathered),
}
loss = total(G[i, c] * O[i, c], (i, n), (c, d_model))


def slope(of_entry: sympy.Expr, towards: sympy.Expr, *over: tuple[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    """What reaches an entry, by way of all entries of a head's queries, keys or values."""
    named = {Q: dQ, K: dK, V: dV}[of_entry.base]
    return total(named[of_entry.indices] * Gradient(of_entry, towards), *over)


queries = (*GROUPED, (i, n), (d, d_k))
keys, values = ((t, kv_heads), (j, m), (d, d_k)), ((t, kv_heads), (j, m), (b, d_v))
AT_O, AT_Q = W_O[t0, g0, b0, c0], W_Q[t0, g0, e0, d0]
AT_K, AT_V, AT_X, AT_Y = W_K[t0, f0, d0], W_V[t0, f0, b0], X[i0, e0], Y[j0, f0]
memory_result = total(
    total(dK[t, j0, d] * W_K[t, f0, d], (d, d_k)) + total(dV[t, j0, b] * W_V[t, f0, b], (b, d_v)), (t, kv_heads)
)
RESULTS = {
    W_O: total(Z[t0, g0, i, b0] * G[i, c0], (i, n)),
    W_Q: total(X[i, e0] * dQ[t0, g0, i, d0], (i, n)),
    W_K: total(Y[j, f0] * dK[t0, j, d0], (j, m)),
    W_V: total(Y[j, f0] * dV[t0, j, b0], (j, m)),
    X: total(dQ[t, g, i0, d] * W_Q[t, g, e0, d], *GROUPED, (d, d_k)),
    Y: memory_result,
}
AXES = {
    W_O: ((t0, kv_heads), (g0, group), (b0, d_v), (c0, d_model)),
    W_Q: ((t0, kv_heads), (g0, group), (e0, d_model), (d0, d_k)),
    W_K: ((t0, kv_heads), (f0, d_memory), (d0, d_k)),
    W_V: ((t0, kv_heads), (f0, d_memory), (b0, d_v)),
    X: ((i0, n), (e0, d_model)),
    Y: ((j0, m), (f0, d_memory)),
}


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """Central differences of a drawn grouped layer with biases, towards each array in a drawn direction."""
    design, w = drawn_layer(rng, bias=1, group=2)
    x, memory, mask = drawn_tokens(rng, design)
    held, heads = rng.standard_normal((len(x), design.d_model)), (design.kv_heads, design.group)
    inputs = {X: x, Y: memory, W_Q: w.w_q, W_K: w.w_k, W_V: w.w_v, W_O: w.w_o}
    biases = biases_of(w)
    biases[B_Q] = biases[B_Q].reshape(*heads, design.d_k)
    grouped = {W_Q: w.w_q.reshape(*heads, design.d_model, -1), W_O: w.w_o.reshape(*heads, design.d_v, -1)}
    sizes = {**design.sizes(*mask.shape), "group": design.group}
    arrays = {**inputs, **grouped, **biases, G: held, mu: mask}
    values = Valuation.of_arrays(arrays, sizes=sizes, definitions=definitions)

    def run(moved: sympy.IndexedBase, step: Floats) -> float:
        new = {**inputs, moved: inputs[moved] + step}
        p = Parameters(new[W_Q], new[W_K], new[W_V], new[W_O], w.b_q, w.b_k, w.b_v, w.b_o)
        return float(np.sum(held * layer.multi_head_attention(new[X], p, new[Y], mask)))

    comparisons = []
    for moved, result in RESULTS.items():
        direction = rng.standard_normal(inputs[moved].shape)
        found = (run(moved, STEP * direction) - run(moved, -STEP * direction)) / (2 * STEP)
        expected = np.sum(values.table(result, *AXES[moved]).reshape(direction.shape) * direction)
        says = f"the derivative towards {moved.label} is the difference quotient"
        comparisons.append(Comparison(says, np.array(found), np.array(expected), DIFFERENTIATED))
    return comparisons


def chain(towards: sympy.Indexed, *middle: ValueStep, because: str) -> Chain:
    """The derivative of the loss towards one entry."""
    left, right = Gradient(loss, towards), RESULTS[towards.base]
    return Chain(
        f"towards {towards.base.label}",
        left,
        right,
        (ValueStep(left, f"how the loss moves with {towards}"), *middle, ValueStep(right, because)),
    )


theorem = ValueTheorem(
    name="multi_head_backward_pass",
    sentence="The derivatives of multi-head attention towards inputs, memory and all four matrices are these products.",
    hypotheses=(
        Hypothesis("Every query may attend to at least one key.", Keeps(mu, m)),
        Hypothesis("G is the derivative of the loss towards the output, held while the arrays vary."),
        Hypothesis("W_O is split into one block per head, by concatenated_heads_equal_a_sum_of_blocks."),
    ),
    definitions=definitions,
    indices={
        i0: n,
        j0: m,
        t0: kv_heads,
        g0: group,
        e0: d_model,
        f0: d_memory,
        d0: d_k,
        b0: d_v,
        c0: d_model,
    },
    kept=(Q, K, V, of.S),
    chains=(
        chain(
            AT_O,
            ValueStep(
                total(
                    G[i, c] * Z[t, g, i, b] * Gradient(W_O[t, g, b, c], AT_O), (i, n), (c, d_model), *GROUPED, (b, d_v)
                ),
                "the output is linear in W_O, and no head depends on it",
            ),
            because="only the entry itself moves",
        ),
        chain(
            AT_Q,
            ValueStep(
                slope(Q[t, g, i, d], AT_Q, *queries), "it acts through the queries, and these through the scores"
            ),
            because="a query is linear in W_Q, and only the entry itself moves",
        ),
        chain(
            AT_K,
            ValueStep(slope(K[t, j, d], AT_K, *keys), "it acts through the keys, which every head of the group reads"),
            because="a key is linear in W_K, and only the entry itself moves",
        ),
        chain(
            AT_V,
            ValueStep(
                slope(V[t, j, b], AT_V, *values), "it acts through the values, which every head of the group reads"
            ),
            because="a value is linear in W_V, and only the entry itself moves",
        ),
        chain(
            AT_X,
            ValueStep(slope(Q[t, g, i, d], AT_X, *queries), "an input acts through its queries, in every head"),
            because="query i_0 moves with its own input, by a row of W_Q",
        ),
        chain(
            AT_Y,
            ValueStep(
                slope(K[t, j, d], AT_Y, *keys) + slope(V[t, j, b], AT_Y, *values),
                "a token of the memory acts through its keys and through its values, in every key/value head",
            ),
            because="key and value j_0 move with their own token, by rows of W_K and of W_V",
        ),
    ),
    source="Vaswani et al. 2017, section 3.2.2; Dao et al. 2022, FlashAttention, appendix B.2, for one head",
    confirms=confirms,
)
