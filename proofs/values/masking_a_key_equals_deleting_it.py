"""Hiding a key from the queries is the same as not having it.

Main result: attention with key ``p`` masked, beside whatever else the mask hides, equals attention over the
arrays from which row ``p`` of keys, values and mask has been removed.

The masked key's exponential is multiplied by zero, so both the output and the divisor lose exactly its term.
The keys before and after it are those of the shorter arrays, the later ones one place further up. The
hypothesis is that the query keeps another key: else there is nothing to divide by.

Why care: padding may be masked instead of removed, and what stands in a padded row is of no influence. A layer
that hides scores with a finite number such as -10000 does not have this property.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, drawn_mask, drawn_sizes
from mha_spec.claims.values.formulas import K, V, array, attention, c, d, d_k, d_v, i, j, m, mu, n, p
from mha_spec.claims.values.sums.notation import Below, total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, Positive, ValueStep, ValueTheorem

masked_mu = array("mu'")
K_short, V_short, short_mu = array("K''"), array("V''"), array("mu''")
plain = attention(mask=mu)
masked = attention(mask=masked_mu, mark="'")
short = attention(key=K_short, value=V_short, mask=short_mu, keys=m - 1, mark="''")
E = plain.E


def without_p(entry: sympy.Expr) -> sympy.Expr:
    """The entry for key j of the array without row p: row j below p, the next row from there on."""
    return Below(j, p) * entry + (1 - Below(j, p)) * entry.subs(j, j + 1)


def before_and_after(term: sympy.Expr) -> sympy.Expr:
    """The sum of a term over all keys but p."""
    return sympy.Sum(term, (j, 0, p - 1)) + sympy.Sum(term, (j, p + 1, m - 1))


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """A drawn call with one key hidden, its row full of large numbers, and the call without that row."""
    sizes = drawn_sizes(rng, n, m, d_k, d_v)
    q, k = (rng.standard_normal((sizes[rows], sizes["d_k"])) for rows in ("n", "m"))
    v, hidden = rng.standard_normal((sizes["m"], sizes["d_v"])), int(rng.integers(sizes["m"]))
    mask = drawn_mask(rng, sizes["n"], sizes["m"], kept=(hidden + 1) % sizes["m"])
    mask[:, hidden], v[hidden] = False, 100.0
    found = layer.scaled_dot_product_attention(q, k, v, mask)
    less = (np.delete(k, hidden, 0), np.delete(v, hidden, 0), np.delete(mask, hidden, 1))
    expected = layer.scaled_dot_product_attention(q, *less)
    return [Comparison("a masked key might as well be absent", found, expected, REARRANGED)]


theorem = ValueTheorem(
    name="masking_a_key_equals_deleting_it",
    sentence="Masking a key gives the output of the layer without that key, if another is kept.",
    hypotheses=(
        Hypothesis(
            "The query keeps a key other than p, so the other exponentials have a positive sum.", Positive(masked.D)
        ),
        Hypothesis("p is one of the m keys."),
    ),
    definitions={
        **plain.definitions,
        **masked.definitions,
        **short.definitions,
        masked_mu[i, j]: mu[i, j] * (1 - sympy.KroneckerDelta(j, p)),
        K_short[j, d]: without_p(K[j, d]),
        V_short[j, c]: without_p(V[j, c]),
        short_mu[i, j]: without_p(mu[i, j]),
    },
    indices={i: n, c: d_v, p: m},
    chains=(
        Chain(
            "entry (i, c) of the output",
            masked.O[i, c],
            short.O[i, c],
            (
                ValueStep(masked.O[i, c], "attention with key p masked"),
                ValueStep(
                    total(masked.E[i, j] * V[j, c], (j, m)) / total(masked.E[i, j], (j, m)),
                    "an average of the values, weighted by exponentials",
                ),
                ValueStep(
                    before_and_after(E[i, j] * V[j, c]) / before_and_after(E[i, j]),
                    "the mask takes the term of key p from both sums, and leaves the others",
                ),
                ValueStep(
                    total(short.E[i, j] * V_short[j, c], (j, m - 1)) / short.D[i],
                    "these are the rows of the arrays without row p, later keys one place further up",
                ),
                ValueStep(short.O[i, c], "this is attention over the shorter arrays"),
            ),
        ),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.3",
    confirms=confirms,
)
