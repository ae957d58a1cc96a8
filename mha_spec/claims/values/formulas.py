"""The definition of attention as formulas: sizes, indices, arrays, and what each array is short for.

A proof file takes its names from here.  The formulas are those of Vaswani et al. 2017, section 3.2, with a mask
`mu` that is 1 where a query may attend to a key and 0 elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from .sums.notation import total
from .sums.reading import Definitions


def size(name: str) -> sympy.Symbol:
    """A size: an integer of at least 1."""
    return sympy.Symbol(name, integer=True, positive=True)


def index(name: str) -> sympy.Symbol:
    """An index: an integer from 0."""
    return sympy.Symbol(name, integer=True, nonnegative=True)


def array(name: str) -> sympy.IndexedBase:
    """An array by name."""
    return sympy.IndexedBase(name)


n, m, d_model, d_memory, h, kv_heads, group, d_k, d_v = map(
    size, ("n", "m", "d_model", "d_memory", "h", "kv_heads", "group", "d_k", "d_v")
)
i, p = index("i"), index("p")  # queries
j, l = index("j"), index("l")  # keys
a, t, g = index("a"), index("t"), index("g")  # heads, key/value heads, members of a group
d, b = index("d"), index("b")  # features of a head: of queries and keys, and of values
c, e, f = index("c"), index("e"), index("f")  # features of outputs, inputs and the memory
r, k = index("r"), index("k")  # other positions

Q, K, V, X, Y = map(array, ("Q", "K", "V", "X", "Y"))
W_Q, W_K, W_V, W_O = map(array, ("W_Q", "W_K", "W_V", "W_O"))
B_Q, B_K, B_V, B_O = map(array, ("b_Q", "b_K", "b_V", "b_O"))
mu = array("mu")
v = array("v")


@dataclass(frozen=True)
class Attention:
    """The arrays of one attention and what they are short for: scores, their exponentials, the sum of these over the
    keys that are kept, weights and output."""

    S: sympy.IndexedBase
    E: sympy.IndexedBase
    D: sympy.IndexedBase
    A: sympy.IndexedBase
    O: sympy.IndexedBase
    definitions: Definitions


def attention(
    query: sympy.IndexedBase = Q,
    key: sympy.IndexedBase = K,
    value: sympy.IndexedBase = V,
    *,
    keys: sympy.Expr = m,
    width: sympy.Expr = d_k,
    mask: sympy.IndexedBase | None = None,
    mark: str = "",
) -> Attention:
    """Scaled dot-product attention (equation 1) of queries `(i, d)`, keys `(j, d)` and values `(j, c)`.

    `mark` is put behind the names, to tell two attentions apart; without a mask every key is kept.
    """
    S, E, D, A, O = (array(name + mark) for name in "SEDAO")
    kept = 1 if mask is None else mask[i, j]
    definitions = {
        S[i, j]: total(query[i, d] * key[j, d], (d, width)) / sympy.sqrt(width),
        E[i, j]: kept * sympy.exp(S[i, j]),
        D[i]: total(E[i, j], (j, keys)),
        A[i, j]: E[i, j] / D[i],
        O[i, c]: total(A[i, j] * value[j, c], (j, keys)),
    }
    return Attention(S, E, D, A, O, definitions)


@dataclass(frozen=True)
class HeadWeights:
    """The parameters of a layer, each array with the index of the head first, and `w_o` with one block a head."""

    w_q: sympy.IndexedBase = W_Q
    w_k: sympy.IndexedBase = W_K
    w_v: sympy.IndexedBase = W_V
    w_o: sympy.IndexedBase = W_O
    b_q: sympy.IndexedBase = B_Q
    b_k: sympy.IndexedBase = B_K
    b_v: sympy.IndexedBase = B_V
    b_o: sympy.IndexedBase = B_O
    biased: bool = True

    def bias(self, of: sympy.IndexedBase, *at: sympy.Symbol) -> sympy.Expr:
        """An entry of a bias, or zero if the layer has none."""
        return of[at] if self.biased else sympy.Integer(0)


@dataclass(frozen=True)
class MultiHead:
    """The arrays of one layer and what they are short for; `S` are the scores, `A` the weights and `Z`
    the outputs of the heads, `O` is the output."""

    Q: sympy.IndexedBase
    K: sympy.IndexedBase
    V: sympy.IndexedBase
    S: sympy.IndexedBase
    A: sympy.IndexedBase
    Z: sympy.IndexedBase
    O: sympy.IndexedBase
    definitions: Definitions


Heads = tuple[tuple[sympy.Symbol, sympy.Expr], ...]
PLAIN: Heads = ((a, h),)
GROUPED: Heads = ((t, kv_heads), (g, group))


def multi_head(
    weights: HeadWeights,
    heads: Heads = GROUPED,
    *,
    memory: sympy.IndexedBase = Y,
    read: sympy.Expr = d_memory,
    keys: sympy.Expr = m,
    mask: sympy.IndexedBase | None = mu,
    widths: tuple[sympy.Expr, sympy.Expr] = (d_k, d_v),
    mark: str = "",
    reads: MultiHead | None = None,
) -> MultiHead:
    """Multi-head attention (section 3.2.2) of inputs `X` and a memory of width `read`.

    `heads` are the indices of a head with their sizes; keys and values belong to the first of them, so that with two
    indices the heads are grouped (Ainslie et al. 2023).  `widths` are those of keys and of values.  With `reads`, the
    queries, keys, values and scores are those of another layer with the same parameters.
    """
    Q, K, V, S, E, D, A, Z, O = (array(name + mark) for name in "QKVSEDAZO")
    if reads is not None:
        Q, K, V, S = reads.Q, reads.K, reads.V, reads.S
    at, shared, w = tuple(one for one, _ in heads), heads[0][0], weights
    definitions = {
        Q[*at, i, d]: total(X[i, e] * w.w_q[*at, e, d], (e, d_model)) + w.bias(w.b_q, *at, d),
        K[shared, j, d]: total(memory[j, f] * w.w_k[shared, f, d], (f, read)) + w.bias(w.b_k, shared, d),
        V[shared, j, b]: total(memory[j, f] * w.w_v[shared, f, b], (f, read)) + w.bias(w.b_v, shared, b),
        S[*at, i, j]: total(Q[*at, i, d] * K[shared, j, d], (d, widths[0])) / sympy.sqrt(widths[0]),
        E[*at, i, j]: (1 if mask is None else mask[i, j]) * sympy.exp(S[*at, i, j]),
        D[*at, i]: total(E[*at, i, j], (j, keys)),
        A[*at, i, j]: E[*at, i, j] / D[*at, i],
        Z[*at, i, b]: total(A[*at, i, j] * V[shared, j, b], (j, keys)),
        O[i, c]: total(Z[*at, i, b] * w.w_o[*at, b, c], *heads, (b, widths[1])) + w.bias(w.b_o, c),
    }
    return MultiHead(Q, K, V, S, A, Z, O, definitions)
