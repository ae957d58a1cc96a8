"""The attention weights, of layers that show them."""

from __future__ import annotations

import numpy as np

from ..cases.wanted import ALL_OPTIONS, Wanted
from ..failure import LawBroken
from ..trial import Trial
from .law import law


@law("relation", "softmax_rows_sum_to_one", Wanted(options=ALL_OPTIONS), "weights")
def rows_of_weights_sum_to_one(t: Trial) -> None:
    """The weights of every query are not negative and sum to 1."""
    weights = t.layer().weights(t.inputs)
    if weights.size and not weights.min() >= 0:
        raise LawBroken("the smallest weight", weights.min(), "at least 0")
    sums = weights.sum(-1, dtype=np.float64)
    sigma = np.full(sums.shape, float(np.finfo(t.precision()).eps) * (t.case.keys + 3) ** 0.5)
    t.agree("the sum of a row of weights", sums, np.ones_like(sums), sigma)


@law("relation", None, Wanted(options=ALL_OPTIONS), "weights")
def hidden_keys_get_no_weight(t: Trial) -> None:
    """Where the mask or causality hides a key, its weight is 0 exactly."""
    weights, seen = t.layer().weights(t.inputs), t.inputs.seen[:, None]
    leaked = np.where(seen, 0, weights)
    if not (leaked == 0).all():
        at = tuple(int(k) for k in np.argwhere(leaked != 0)[0])
        raise LawBroken(f"the weight of a hidden key, at {at}", leaked[at], 0)


@law(
    "value",
    None,
    Wanted(options=ALL_OPTIONS),
    "weights",
    "parameters",
    only_sees="weights of another run than the output",
)
def weights_equal_the_definition(t: Trial) -> None:
    """The weights are those of the definition."""
    t.agree("the weights", t.layer().weights(t.inputs), t.defined().weights, t.deviation().weights)


@law("relation", None, Wanted(), "weights")
def asking_for_weights_changes_no_output(t: Trial) -> None:
    """A layer asked for its weights gives the same output as one that was not."""
    asked = t.layer()
    asked.weights(t.inputs)
    t.agree("the output after asking for weights", asked(*t.inputs.copied()), t.run(), t.sigma())


@law("value", None, Wanted(), "weights", "parameters", only_sees="an output that is not the mix of its weights")
def weights_explain_the_output(t: Trial) -> None:
    """The layer's own weights, times the values of the definition, give its output."""
    design, p, keys = t.inputs.design, t.inputs.given, t.inputs.read_from.astype(np.float64)
    weights = t.layer().weights(t.inputs).astype(np.float64)
    values = keys[:, None] @ p.w_v
    if p.b_v is not None:
        values = values + p.b_v[None, :, None]
    heads = weights @ np.repeat(values, design.group, 1)
    mixed = heads.transpose(0, 2, 1, 3).reshape(*t.inputs.x.shape[:2], -1) @ p.w_o
    expected = mixed if p.b_o is None else mixed + p.b_o
    t.agree("the output", t.run(), expected, t.sigma(), t.sigma())
