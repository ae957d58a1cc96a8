"""What a hidden key holds reaches no output, whether a mask or causality hides it."""

from __future__ import annotations

import numpy as np

from ..cases.case import Inputs
from ..cases.wanted import Wanted
from ..contract import BoolArray, Unsupported
from ..trial import Trial
from .law import law


def hide_and_fill(t: Trial, value: float) -> None:
    """Fill a token that is hidden from some queries, and compare the outputs of those."""
    e, j, rows = hidden_from(t)
    filled = with_token(t.inputs, e, j, value)
    what = f"the output where token {j} of entry {e} is hidden and holds {value:g}"
    t.agree(what, t.run(filled)[e, rows], t.run()[e, rows], t.sigma()[e, rows], t.sigma()[e, rows])


def hidden_from(t: Trial) -> tuple[int, int, BoolArray]:
    """An entry, a key, and the queries `(n,)` from which it is hidden; raises `Unsupported` where none is."""
    hidden = ~t.inputs.seen
    if t.inputs.memory is None:
        hidden = hidden & ~np.eye(t.case.n, dtype=np.bool_)  # a token that is not seen still is its own query
    pairs = np.argwhere(hidden.any(1))
    if not len(pairs):
        raise Unsupported("no key is hidden")
    e, j = (int(k) for k in t.rng.permutation(pairs)[0])
    return e, j, hidden[e, :, j]


def with_token(inputs: Inputs, e: int, j: int, value: float) -> Inputs:
    """The inputs with every feature of one token of what keys and values are read from set to a value."""
    tokens = inputs.read_from.copy()
    tokens[e, j] = value
    return inputs.but(x=tokens) if inputs.memory is None else inputs.but(memory=tokens)


@law("relation", "masking_a_key_equals_deleting_it", Wanted(least_m=2, least_n=2, options=("window",)))
def what_a_hidden_key_holds_reaches_no_output(t: Trial) -> None:
    """A key that holds 1000 in every feature changes nothing where it is hidden."""
    hide_and_fill(t, 1e3)


@law("relation", "masking_a_key_equals_deleting_it", Wanted(least_m=2, least_n=2))
def a_nan_at_a_hidden_key_reaches_no_output(t: Trial) -> None:
    """A key that holds NaN changes nothing where it is hidden, unless `hidden_values_may_leak` is declared."""
    if t.declared.hidden_values_may_leak:
        raise Unsupported("it declares that hidden values may leak")
    hide_and_fill(t, float("nan"))
