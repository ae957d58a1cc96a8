"""Heads in another order, each still with its block of W_O, give the same output.

Main results: the output is the same after a permutation of whole groups (key/value heads with the query heads
that read them), and after a permutation of the query heads within each group.

The output adds up one product per head, and a sum does not depend on the order. But query head ``i`` reads the
key/value head ``i // group``: so a query head may only move together with its group, or inside it. The
hypotheses make the orders permutations and allow the division.

Why care: heads have no meaning by their number. Two trained layers may be the same function with different
heads in place 3; and a checkpoint may be reordered to put the heads of a group on one machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, drawn_layer, drawn_tokens
from mha_spec.claims.values.formulas import (
    B_O,
    GROUPED,
    W_O,
    HeadWeights,
    array,
    b,
    c,
    d,
    d_model,
    d_v,
    e,
    f,
    g,
    group,
    i,
    kv_heads,
    m,
    mu,
    multi_head,
    n,
    t,
)
from mha_spec.claims.values.sums.notation import total
from mha_spec.claims.values.sums.reading import Definitions
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, Keeps, Permutes, ValueStep, ValueTheorem
from mha_spec.design import Parameters

pi, sigma = sympy.Function("pi"), sympy.Function("sigma")
usual = HeadWeights()
NAMES = ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O")


def reordered(mark: str, shared: sympy.Expr, own: sympy.Expr) -> tuple[HeadWeights, Definitions]:
    """The parameters with key/value head `shared` in place t, and its query head `own` in place (t, g)."""
    new = HeadWeights(*(array(name + mark) for name in NAMES))
    return new, {
        new.w_q[t, g, e, d]: usual.w_q[shared, own, e, d],
        new.w_k[t, f, d]: usual.w_k[shared, f, d],
        new.w_v[t, f, b]: usual.w_v[shared, f, b],
        new.w_o[t, g, b, c]: usual.w_o[shared, own, b, c],
        new.b_q[t, g, d]: usual.b_q[shared, own, d],
        new.b_k[t, d]: usual.b_k[shared, d],
        new.b_v[t, b]: usual.b_v[shared, b],
        new.b_o[c]: usual.b_o[c],
    }


by_group, groups_moved = reordered("'", pi(t), g)
inside, members_moved = reordered("''", t, sigma(t, g))
plain, moved, mixed = multi_head(usual), multi_head(by_group, mark="'"), multi_head(inside, mark="''")
Z = plain.Z


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """A drawn grouped layer with its groups, and the heads in each, in drawn orders."""
    design, weights = drawn_layer(rng, bias=1)
    x, memory, mask = drawn_tokens(rng, design)
    groups = np.roll(rng.permutation(design.kv_heads), 1)
    members = np.array([rng.permutation(design.group) for _ in range(design.kv_heads)])
    heads = (groups[:, None] * design.group + members[groups]).ravel()
    arrays = weights.arrays()
    rows = weights.w_o.reshape(design.h, design.d_v, design.d_model)[heads]
    new = {name: arrays[name][heads if name.endswith("q") else groups] for name in arrays if not name.endswith("o")}
    moved = Parameters(**new, w_o=rows.reshape(weights.w_o.shape), b_o=weights.b_o)
    expected = layer.multi_head_attention(x, weights, memory, mask)
    outputs = [layer.multi_head_attention(x, moved, memory, mask, form=form) for form in ("batched", "per-head")]
    return [Comparison("the order of the heads does not matter", found, expected, REARRANGED) for found in outputs]


def chain(states: str, layer_of: sympy.IndexedBase, shared: sympy.Expr, own: sympy.Expr, because: str) -> Chain:
    """From the layer with reordered heads to the layer as it was."""
    return Chain(
        states,
        layer_of[i, c],
        plain.O[i, c],
        (
            ValueStep(layer_of[i, c], "the layer with its heads in the new order"),
            ValueStep(
                total(Z[shared, own, i, b] * W_O[shared, own, b, c], *GROUPED, (b, d_v)) + B_O[c],
                "the head in place (t, g) is an old head, with its own parameters and its block of W_O",
            ),
            ValueStep(total(Z[t, g, i, b] * W_O[t, g, b, c], *GROUPED, (b, d_v)) + B_O[c], because),
            ValueStep(plain.O[i, c], "this is the layer with its heads in the old order"),
        ),
    )


theorem = ValueTheorem(
    name="permuting_heads_with_their_blocks_changes_nothing",
    sentence="Heads in another order, whole groups or inside a group, each with its block of W_O, change nothing.",
    hypotheses=(
        Hypothesis("Every query may attend to at least one key.", Keeps(mu, m)),
        Hypothesis("pi is a permutation of the key/value heads.", Permutes(pi, kv_heads)),
        Hypothesis("sigma(t, .) is, for each t, a permutation of the members of a group.", Permutes(sigma, group)),
    ),
    definitions={
        **plain.definitions,
        **moved.definitions,
        **mixed.definitions,
        **groups_moved,
        **members_moved,
    },
    indices={i: n, c: d_model},
    chains=(
        chain("whole groups in another order", moved.O, pi(t), g, "a sum over groups, in whatever order"),
        chain("the heads of each group in another order", mixed.O, t, sigma(t, g), "a sum over the heads of a group"),
    ),
    source="Vaswani et al. 2017, section 3.2.2; Ainslie et al. 2023, GQA, section 2.2, for the groups",
    confirms=confirms,
)
