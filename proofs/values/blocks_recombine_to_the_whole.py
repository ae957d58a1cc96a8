"""Attention over blocks of keys, recombined, is attention over all keys.

Main results: one more block brings the running sums up to date, and the sums of all blocks, each taken with a
number of its own subtracted from its scores, recombine to attention over all keys.

A block b keeps three things of its keys: a number ``t[b]``, the sum of ``exp(s - t[b])``, and that sum weighted
with the values. Multiplied by ``exp(t[b] - T)`` they are the sums with ``T`` in the place of ``t[b]``, and sums
over blocks that follow each other are sums over all their keys. In exact arithmetic any ``t`` and ``T`` will
do; the largest score seen so far, the running maximum, is the choice for which no exponential overflows. It
exists since no block is empty.

Why care: attention over keys that never are in memory at once, in one pass: FlashAttention, ring attention, and
decoding with a cache that is split over machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, Floats
from mha_spec.claims.values.formulas import array, b, c, d_v, index, j, m, size, v
from mha_spec.claims.values.sums.notation import total
from mha_spec.claims.values.theorem import Chain, Comparison, Equal, Hypothesis, ValueStep, ValueTheorem

exp = sympy.exp
blocks, begin = size("blocks"), array("begin")
s, t, T = array("s"), array("t"), sympy.Symbol("T", real=True)
block_sum, block_mix, running_sum, running_mix = map(array, ("l", "o", "L", "N"))


def over_block(term: sympy.Expr) -> sympy.Expr:
    """The sum of a term over the keys of block b."""
    return sympy.Sum(term, (j, begin[b], begin[b + 1] - 1))


def after_one_more(running: sympy.Expr, term: sympy.Expr) -> sympy.Expr:
    """What block b makes of a running sum: the old one under the new maximum, and the block's own keys."""
    return exp(t[b] - t[b + 1]) * running + over_block(term)


definitions = {
    block_sum[b]: over_block(exp(s[j] - t[b])),
    block_mix[b, c]: over_block(exp(s[j] - t[b]) * v[j, c]),
    running_sum[b]: sympy.Sum(exp(s[j] - t[b]), (j, 0, begin[b] - 1)),
    running_mix[b, c]: sympy.Sum(exp(s[j] - t[b]) * v[j, c], (j, 0, begin[b] - 1)),
}
recombined = total(exp(t[b] - T) * block_mix[b, c], (b, blocks)) / total(exp(t[b] - T) * block_sum[b], (b, blocks))
whole = total(exp(s[j]) / total(exp(s[index("l")]), (index("l"), m)) * v[j, c], (j, m))


def one_pass(scores: Floats, values: Floats, cuts: Sequence[int]) -> Floats:
    """The output for one query, a block after the other (Milakov and Gimelshein 2018, algorithm 3)."""
    top, norm, mixed = -np.inf, 0.0, np.zeros(values.shape[1])
    for low, high in pairwise(cuts):
        new = max(top, float(scores[low:high].max()))
        parts = np.exp(scores[low:high] - new)
        norm, mixed = norm * np.exp(top - new) + parts.sum(), mixed * np.exp(top - new) + parts @ values[low:high]
        top = new
    return mixed / norm


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """One pass over drawn blocks with large scores, against the layer on all keys at once."""
    keys, width = int(rng.integers(4, 9)), int(rng.integers(2, 5))
    q, k, values = rng.standard_normal(width), rng.standard_normal((keys, width)), rng.standard_normal((keys, 3))
    cuts = [0, *sorted(int(cut) for cut in rng.permutation(keys - 1)[:2] + 1), keys]
    q = 20 * q
    found = one_pass(k @ q / np.sqrt(width), values, cuts)
    expected = layer.scaled_dot_product_attention(q[None], k, values)[0]
    return [Comparison("blocks of keys recombine to all keys", found, expected, REARRANGED)]


theorem = ValueTheorem(
    name="blocks_recombine_to_the_whole",
    sentence="Attention over blocks of keys, recombined with a running maximum, is attention over all keys.",
    hypotheses=(
        Hypothesis(
            "No block is empty, so that each has a largest score; the sums themselves would allow empty blocks."
        ),
        Hypothesis("The first block begins at the first key.", Equal(begin[0], sympy.Integer(0))),
        Hypothesis("The last block ends with the last key.", Equal(begin[blocks], m)),
    ),
    definitions=definitions,
    indices={b: blocks, c: d_v},
    chains=(
        Chain(
            "one more block brings the running sum up to date",
            after_one_more(running_sum[b], exp(s[j] - t[b + 1])),
            running_sum[b + 1],
            (
                ValueStep(
                    after_one_more(running_sum[b], exp(s[j] - t[b + 1])),
                    "the running sum under the new maximum, and the exponentials of the block",
                ),
                ValueStep(
                    sympy.Sum(exp(s[j] - t[b + 1]), (j, 0, begin[b] - 1)) + over_block(exp(s[j] - t[b + 1])),
                    "exp(t[b] - t[b+1]) exp(s - t[b]) = exp(s - t[b+1]) for every key so far",
                ),
                ValueStep(running_sum[b + 1], "the block begins where the keys so far end"),
            ),
        ),
        Chain(
            "and the running sum of values",
            after_one_more(running_mix[b, c], exp(s[j] - t[b + 1]) * v[j, c]),
            running_mix[b + 1, c],
            (
                ValueStep(
                    after_one_more(running_mix[b, c], exp(s[j] - t[b + 1]) * v[j, c]),
                    "the running sum under the new maximum, and the weighted values of the block",
                ),
                ValueStep(running_mix[b + 1, c], "as for the exponentials: each has its value beside it"),
            ),
        ),
        Chain(
            "all blocks recombine",
            recombined,
            whole,
            (
                ValueStep(recombined, "the sums of the blocks under one maximum, the values over the exponentials"),
                ValueStep(
                    total(over_block(exp(s[j]) * v[j, c]), (b, blocks)) / total(over_block(exp(s[j])), (b, blocks)),
                    "exp(t[b] - T) exp(s - t[b]) = exp(-T) exp(s), whatever the block subtracted, and exp(-T) cancels",
                ),
                ValueStep(
                    total(exp(s[j]) * v[j, c], (j, m)) / total(exp(s[j]), (j, m)),
                    "each block ends where the next begins, from the first key to the last",
                ),
                ValueStep(whole, "a sum of exponentials times values, over a sum of exponentials, is attention"),
            ),
        ),
    ),
    source="Milakov and Gimelshein 2018, Online normalizer calculation for softmax, section 3; Dao et al. 2022",
    confirms=confirms,
)
