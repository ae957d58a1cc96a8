"""Before the scale, the score of a random query and key has variance d_k; over the root of d_k it has variance
one.

Main results: ``Var(q . k) == d_k`` and ``Var(q . k / sqrt(d_k)) == 1`` for independent entries of mean zero and
variance one; and ``Var(q . k) == d_k (1 + 2 mean**2)`` where the entries have a mean, so the hypothesis on the
mean is needed.

A square of a sum is a double sum of products; the mean of a product of independent things is the product of
their means; and of the d_k**2 products only the d_k squares are left.

Why care: it is the paper's reason for dividing by the root of d_k. Without it scores grow with the width of a
head, one weight goes to one, and the derivative of the softmax to zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import REARRANGED, Floats
from mha_spec.claims.values.formulas import array, d, d_k, e
from mha_spec.claims.values.sums.notation import Expectation, total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, ValueStep, ValueTheorem, Zero
from mha_spec.score_rule import ScoreRule

q, k, q_shifted, k_shifted = array("q"), array("k"), array("q'"), array("k'")
shift = sympy.Symbol("mean", real=True)
delta = sympy.KroneckerDelta
# Zero by hypothesis: what a pair, and two pairs, lack to independence, and moments less what they are.
pair, pairs, q_mean, k_mean, q_moment, k_moment = map(
    array, ("pair", "pairs", "q_mean", "k_mean", "q_moment", "k_moment")
)
pair_s, pairs_s, q_mean_s, k_mean_s, q_moment_s, k_moment_s = map(
    array, ("pair'", "pairs'", "q_mean'", "k_mean'", "q_moment'", "k_moment'")
)


def score(query: sympy.IndexedBase = q, key: sympy.IndexedBase = k) -> sympy.Expr:
    """The product of a query and a key."""
    return total(query[d] * key[d], (d, d_k))


def variance(of: sympy.Expr) -> sympy.Expr:
    """The mean square without the square of the mean."""
    return Expectation(of**2) - Expectation(of) ** 2


def twice(of: sympy.Expr) -> sympy.Expr:
    """The sum over all pairs of features."""
    return total(of, (d, d_k), (e, d_k))


def multiplied_out(query: sympy.IndexedBase, key: sympy.IndexedBase) -> sympy.Expr:
    """The variance as sums of means."""
    squares = twice(Expectation(query[d] * key[d] * query[e] * key[e]))
    return squares - total(Expectation(query[d] * key[d]), (d, d_k)) ** 2


def independent(query: sympy.IndexedBase, key: sympy.IndexedBase) -> sympy.Expr:
    """The variance with means of queries and means of keys apart."""
    squares = twice(Expectation(query[d] * query[e]) * Expectation(key[d] * key[e]))
    return squares - total(Expectation(query[d]) * Expectation(key[d]), (d, d_k)) ** 2


def apart(
    query: sympy.IndexedBase, key: sympy.IndexedBase, pair: sympy.IndexedBase, pairs: sympy.IndexedBase
) -> sympy.Expr:
    """What is zero as queries and keys are independent."""
    both = total(Expectation(query[d] * key[d]) + Expectation(query[d]) * Expectation(key[d]), (d, d_k))
    return twice(pairs[d, e]) - total(pair[d], (d, d_k)) * both


moments = twice(q_moment[d, e] * Expectation(k[d] * k[e]) + delta(d, e) * k_moment[d, e])
centred = moments - total(q_mean[d] * Expectation(k[d]), (d, d_k)) ** 2
with_mean = delta(d, e) + shift**2
moments_s = twice(q_moment_s[d, e] * Expectation(k_shifted[d] * k_shifted[e]) + with_mean * k_moment_s[d, e])
means_s = total(q_mean_s[d] * Expectation(k_shifted[d]) + shift * k_mean_s[d], (d, d_k)) * total(
    Expectation(q_shifted[d]) * Expectation(k_shifted[d]) + shift**2, (d, d_k)
)


def signs(width: int) -> Floats:
    """All vectors of signs: independent entries of mean zero and variance one, each vector as likely as any."""
    return np.array(list(product((-1.0, 1.0), repeat=width)))


def scores_of(vectors: Floats, rule: ScoreRule) -> Floats:
    """The layer's scores of all pairs of vectors, read from its weights: beside a key of zeros, whose score is zero."""
    keys = np.vstack([vectors, np.zeros_like(vectors[:1])])
    logarithms = np.log(layer.scaled_dot_product_attention(vectors, keys, np.eye(len(keys)), rule=rule))
    scores: Floats = logarithms[:, :-1] - logarithms[:, -1:]
    return scores


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """The layer's scores of all pairs of vectors of signs: scaled, unscaled, and with a mean."""
    width = int(rng.integers(2, 5))
    drawn, mean_of_each = signs(width), float(rng.uniform(0.5, 2.0))
    unscaled = ScoreRule(scale=1.0)
    runs = ((drawn, ScoreRule()), (drawn, unscaled), (drawn + mean_of_each, unscaled))
    found = np.array([np.var(scores_of(vectors, rule)) for vectors, rule in runs])
    expected = np.array([1, width, width * (1 + 2 * mean_of_each**2)])
    return [Comparison("scores have the variance that the theorem says", found, expected, REARRANGED)]


theorem = ValueTheorem(
    name="dot_product_variance_is_d_k",
    sentence="The product of query and key with independent entries of mean zero and variance one has variance d_k.",
    hypotheses=(
        Hypothesis("An entry of the query is independent of the entry of the key beside it.", Zero(pair)),
        Hypothesis("Two entries of the query are independent of the two of the key beside them.", Zero(pairs)),
        Hypothesis("Every entry of the query has mean zero.", Zero(q_mean)),
        Hypothesis("Entries of the query are independent of each other and have variance one.", Zero(q_moment)),
        Hypothesis("Entries of the key are independent of each other, of mean zero and variance one.", Zero(k_moment)),
        Hypothesis("With a mean, an entry of the query is independent of that of the key.", Zero(pair_s)),
        Hypothesis("With a mean, two entries of the query are independent of two of the key.", Zero(pairs_s)),
        Hypothesis("With a mean, entries of the query have the mean given.", Zero(q_mean_s)),
        Hypothesis("With a mean, entries of the key have the mean given.", Zero(k_mean_s)),
        Hypothesis("With a mean, entries of the query are independent, of variance one.", Zero(q_moment_s)),
        Hypothesis("With a mean, entries of the key are independent, of variance one.", Zero(k_moment_s)),
    ),
    definitions={
        pair[d]: Expectation(q[d] * k[d]) - Expectation(q[d]) * Expectation(k[d]),
        pairs[d, e]: Expectation(q[d] * k[d] * q[e] * k[e]) - Expectation(q[d] * q[e]) * Expectation(k[d] * k[e]),
        q_mean[d]: Expectation(q[d]),
        q_moment[d, e]: Expectation(q[d] * q[e]) - delta(d, e),
        k_moment[d, e]: Expectation(k[d] * k[e]) - delta(d, e),
        pair_s[d]: Expectation(q_shifted[d] * k_shifted[d]) - Expectation(q_shifted[d]) * Expectation(k_shifted[d]),
        pairs_s[d, e]: Expectation(q_shifted[d] * k_shifted[d] * q_shifted[e] * k_shifted[e])
        - Expectation(q_shifted[d] * q_shifted[e]) * Expectation(k_shifted[d] * k_shifted[e]),
        q_mean_s[d]: Expectation(q_shifted[d]) - shift,
        k_mean_s[d]: Expectation(k_shifted[d]) - shift,
        q_moment_s[d, e]: Expectation(q_shifted[d] * q_shifted[e]) - with_mean,
        k_moment_s[d, e]: Expectation(k_shifted[d] * k_shifted[e]) - with_mean,
    },
    random=(q, k, q_shifted, k_shifted),
    chains=(
        Chain(
            "the variance of a score before the scale",
            variance(score()),
            d_k,
            (
                ValueStep(variance(score()), "the mean square without the square of the mean"),
                ValueStep(multiplied_out(q, k), "a square of a sum is a double sum, and means add up"),
                ValueStep(independent(q, k), "queries are independent of keys", gap=apart(q, k, pair, pairs)),
                ValueStep(twice(delta(d, e) ** 2), "only squares have a mean: one", gap=centred),
                ValueStep(d_k, "there are d_k of them"),
            ),
        ),
        Chain(
            "the variance of a score over the root of d_k",
            variance(score() / sympy.sqrt(d_k)),
            sympy.Integer(1),
            (
                ValueStep(variance(score() / sympy.sqrt(d_k)), "the variance after the scale"),
                ValueStep(variance(score()) / d_k, "a factor is squared in a variance"),
                ValueStep(
                    sympy.Integer(1),
                    "the variance before the scale is d_k",
                    gap=(apart(q, k, pair, pairs) + centred) / d_k,
                ),
            ),
        ),
        Chain(
            "the variance of a score whose entries have a mean: why the mean must be zero",
            variance(score(q_shifted, k_shifted)),
            d_k * (1 + 2 * shift**2),
            (
                ValueStep(variance(score(q_shifted, k_shifted)), "the mean square without the square of the mean"),
                ValueStep(multiplied_out(q_shifted, k_shifted), "a square of a sum is a double sum, and means add up"),
                ValueStep(
                    independent(q_shifted, k_shifted),
                    "queries are independent of keys",
                    gap=apart(q_shifted, k_shifted, pair_s, pairs_s),
                ),
                ValueStep(
                    twice(with_mean**2) - (d_k * shift**2) ** 2,
                    "every pair of entries now has a mean, and a square has one more",
                    gap=moments_s - means_s,
                ),
                ValueStep(d_k * (1 + 2 * shift**2), "the terms with the fourth power of the mean cancel"),
            ),
        ),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.1, footnote 4",
    confirms=confirms,
)
