"""How the weights of a query move with its scores.

Main result: the derivative of the weight ``A[j]`` towards the score ``s[k]`` is ``A[j] (delta(j, k) - A[k])``.

The quotient rule gives two terms. The numerator moves only if the score is its own: that is the delta. The sum
of exponentials moves with every score, by that score's exponential: that is the product of two weights. Nothing
is assumed: a sum of exponentials is positive.

Why care: this is all that backpropagation needs to know about the softmax. Rows of the matrix sum to zero,
since a shift of all scores changes nothing; and where one weight is near one, all derivatives are near zero,
which is why scores are divided by the root of d_k.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from mha_spec import layer
from mha_spec.claims.values.drawn_calls import DIFFERENTIATED, STEP, Floats
from mha_spec.claims.values.explicit import Valuation
from mha_spec.claims.values.formulas import array, j, k, l, m
from mha_spec.claims.values.sums.notation import Gradient, total
from mha_spec.claims.values.theorem import Chain, Comparison, Hypothesis, ValueStep, ValueTheorem

s, A = array("s"), array("A")
exp, delta = sympy.exp, sympy.KroneckerDelta
definitions = {A[j]: exp(s[j]) / total(exp(s[l]), (l, m))}
divisor = total(exp(s[l]), (l, m))

left, right = Gradient(A[j], s[k]), A[j] * (delta(j, k) - A[k])


def weights_of(scores: Floats) -> Floats:
    """The layer's weights at these scores: with d_k = m, keys that are unit vectors and values that are, too."""
    units = np.eye(len(scores))
    weights: Floats = layer.scaled_dot_product_attention(scores[None] * len(scores) ** 0.5, units, units)[0]
    return weights


def confirms(rng: np.random.Generator) -> Sequence[Comparison]:
    """Central differences of the layer's weights at drawn scores."""
    keys = int(rng.integers(2, 5))
    scores = rng.standard_normal(keys)
    moved = [(weights_of(scores + step) - weights_of(scores - step)) / (2 * STEP) for step in STEP * np.eye(keys)]
    values = Valuation.of_arrays({s: scores}, sizes={"m": keys}, definitions=definitions)
    says = "the weights move as their derivative says"
    return [Comparison(says, np.array(moved).T, values.table(right, (j, m), (k, m)), DIFFERENTIATED)]


theorem = ValueTheorem(
    name="softmax_jacobian",
    sentence="The derivative of the weight A[j] towards the score s[k] is A[j] (delta(j, k) - A[k]).",
    hypotheses=(Hypothesis("Both j and k are keys that are kept; m counts the keys that are."),),
    definitions=definitions,
    indices={j: m, k: m},
    chains=(
        Chain(
            "the derivative of weight j towards score k",
            left,
            right,
            (
                ValueStep(left, "how weight j moves with score k"),
                ValueStep(
                    Gradient(exp(s[j]), s[k]) / divisor - exp(s[j]) * Gradient(divisor, s[k]) / divisor**2,
                    "the quotient rule",
                ),
                ValueStep(
                    delta(j, k) * exp(s[j]) / divisor - exp(s[j]) * exp(s[k]) / divisor**2,
                    "an exponential moves only with its own score, and the sum with one of them",
                ),
                ValueStep(delta(j, k) * A[j] - A[j] * A[k], "an exponential over the sum is a weight"),
                ValueStep(right, "both terms hold weight j"),
            ),
        ),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.1; the derivative is folklore",
    confirms=confirms,
)
