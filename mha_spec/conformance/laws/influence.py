"""Which parameters influence the output: all of them, except the biases of the keys, which the softmax ignores."""

from __future__ import annotations

import numpy as np

from ..cases.wanted import Wanted
from ..failure import LawBroken
from ..trial import Trial
from .law import law


@law(
    "relation", None, Wanted(least_n=2, least_m=2, masked=False), "parameters", only_sees="parameters that are not used"
)
def every_parameter_influences_the_output(t: Trial) -> None:
    """One drawn array of the parameters, replaced by another, changes the output."""
    arrays = t.inputs.given.arrays()
    name = str(t.rng.choice([name for name in arrays if name != "b_k"]))
    other = t.rng.standard_normal(arrays[name].shape).astype(arrays[name].dtype)
    changed = t.inputs.but_parameters(**{name: other})
    sigma = np.maximum(t.sigma(), t.sigma(changed))
    if not (np.abs(t.run(changed) - t.run()) > sigma).any():
        raise LawBroken(f"the output with another {name}", "the same", "another")


@law(
    "relation",
    "softmax_ignores_a_shift",
    Wanted(bias=1),
    "parameters",
    only_sees="biases of the keys that are used for something else",
)
def biases_of_the_keys_change_nothing(t: Trial) -> None:
    """Other `b_k` add the same to all scores of a query, so they change nothing."""
    b_k = t.inputs.given.b_k
    if b_k is None:
        return
    other = t.inputs.but_parameters(b_k=(-2 * b_k + 1).astype(b_k.dtype))
    t.same("the output with another b_k", t.inputs, other)
