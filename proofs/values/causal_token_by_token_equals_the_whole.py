"""A causal layer gives the same outputs token by token as for the whole sequence at once.

Main result: row ``i`` of causal self-attention over ``n`` tokens is the output for token ``i`` alone over the
keys and values of the tokens ``0`` to ``i``, which a cache holds.

Causality lets query ``i`` see the keys up to itself, so every sum over all keys ends at key ``i``. The keys and
values of those tokens are computed from these tokens alone, so they are the same whether or not later tokens
exist. Nothing is assumed: a token sees at least itself, so its exponentials have a positive sum.

Why care: this is what makes a key/value cache correct, and what lets a model be trained on all positions in
parallel and then write one token at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, design_of, drawn_layer
from mha_spec.claims.values.formulas import (
    B_O,
    GROUPED,
    W_O,
    HeadWeights,
    X,
    array,
    b,
    c,
    d_model,
    d_v,
    g,
    i,
    j,
    multi_head,
    n,
    t,
)
from mha_spec.claims.values.sums.notation import Below, total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, ValueStep, ValueTheorem
from mha_spec.design import Parameters

causal = array("mu")
whole = multi_head(HeadWeights(), memory=X, read=d_model, keys=n, mask=causal)
alone = multi_head(HeadWeights(), memory=X, read=d_model, keys=i + 1, mask=None, mark="'", reads=whole)


def output_from(numerators: sympy.Expr, divisor: sympy.Expr) -> sympy.Expr:
    """The output, with the value of each head as a fraction."""
    return total(numerators / divisor * W_O[t, g, b, c], *GROUPED, (b, d_v)) + B_O[c]


def up_to_i(term: sympy.Expr) -> sympy.Expr:
    """The sum of a term over the keys from 0 to i."""
    return sympy.Sum(term, (j, 0, i))


E, V = sympy.exp(whole.S[t, g, i, j]), whole.V


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """A drawn causal layer on all tokens, and on each token with those before it as memory."""
    design, _ = drawn_layer(rng, bias=1)
    causal = design_of({**design.sizes(), "d_memory": design.d_model}, causal=True)
    weights = Parameters.draw(causal, rng)
    x = rng.standard_normal((int(rng.integers(3, 6)), causal.d_model))
    steps = [layer.multi_head_attention(x[at : at + 1], weights, x[: at + 1], design=causal) for at in range(len(x))]
    expected = layer.multi_head_attention(x, weights, design=causal)
    return [Comparison("a token alone is its row of the whole", np.concatenate(steps), expected, REARRANGED)]


theorem = ValueTheorem(
    name="causal_token_by_token_equals_the_whole",
    sentence="A causal layer gives the same outputs token by token, with cached keys and values, as for all at once.",
    hypotheses=(Hypothesis("Keys and values of a token are computed from that token alone, as in self-attention."),),
    definitions={**whole.definitions, **alone.definitions, causal[i, j]: Below(j, i + 1)},
    indices={i: n, c: d_model},
    kept=(whole.V, whole.S),
    chains=(
        Chain(
            "entry (i, c) of the output",
            whole.O[i, c],
            alone.O[i, c],
            (
                ValueStep(whole.O[i, c], "causal self-attention over all n tokens"),
                ValueStep(
                    output_from(total(Below(j, i + 1) * E * V[t, j, b], (j, n)), total(Below(j, i + 1) * E, (j, n))),
                    "key j counts for query i where j < i + 1, with the scores and values of their own tokens",
                ),
                ValueStep(output_from(up_to_i(E * V[t, j, b]), up_to_i(E)), "both sums end at key i"),
                ValueStep(alone.O[i, c], "this is attention of token i over the cache of the tokens up to it"),
            ),
        ),
    ),
    source="Vaswani et al. 2017, section 3.2.3; Shazeer 2019, Fast Transformer Decoding, section 2.4",
    confirms=confirms,
)
