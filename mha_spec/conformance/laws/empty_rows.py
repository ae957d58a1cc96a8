"""Queries that may attend to nothing: what they give is declared, and they harm no other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..cases.case import Inputs
from ..cases.wanted import Wanted
from ..contract import BoolArray, Unsupported
from ..definition import define
from ..failure import LawBroken, LayerBroke
from ..trial import Trial
from .law import law

EMPTY = Wanted(empty_row=True)


def empty_rows(inputs: Inputs) -> BoolArray:
    """Which queries may attend to nothing, `(batch, n)`."""
    empty: BoolArray = np.logical_not(inputs.seen.any(-1))
    return empty


@law("relation", "masking_a_key_equals_deleting_it", Wanted(empty_row=True, least_n=2))
def an_empty_row_harms_no_other(t: Trial) -> None:
    """The other outputs are what they are when the empty row is filled."""
    if t.declared.empty_row_of(t.inputs.design, t.inputs.call) == "raises":
        raise Unsupported("it raises for empty rows")
    empty, mask = empty_rows(t.inputs), t.inputs.mask
    assert mask is not None
    filled = t.inputs.but(mask=mask | empty[..., None])
    others = ~empty
    if not others.any():
        raise Unsupported("every row is empty")
    out, expected = t.run()[others], t.run(filled)[others]
    t.agree("the output of another row", out, expected, t.sigma()[others], t.sigma(filled)[others])


@law("value", None, EMPTY, only_sees="what empty rows give")
def an_empty_row_gives_what_is_declared(t: Trial) -> None:
    """`b_o` for `"zero"`, NaN for `"nan"`, the mean over all keys for `"uniform"`, an error for `"raises"`."""
    said = t.declared.empty_row_of(t.inputs.design, t.inputs.call)
    if said is None:
        raise Unsupported("it declares no empty_row")
    if said == "raises":
        return must_raise(t)
    empty, out = empty_rows(t.inputs), t.run()
    if said == "nan":
        if not np.isnan(out[empty]).all():
            raise LawBroken("the output of an empty row", out[empty].ravel()[0], "NaN, as declared")
        return None
    if t.fixed and (said == "uniform" or t.inputs.design.bias):
        raise Unsupported("the parameters of a ready-made layer are not known")
    if said == "zero":
        b_o = None if t.fixed else t.inputs.given.b_o
        expected = np.zeros_like(out) if b_o is None else np.broadcast_to(b_o, out.shape)
        t.agree("the output of an empty row", out[empty], expected[empty], t.sigma()[empty])
        return None
    even = t.inputs.but_parameters(w_q=t.inputs.given.w_q * 0, b_q=zeroed(t.inputs))
    even = even.but(design=replace(t.inputs.design, causal=False, window=None), mask=None)
    mean = define(even.design, even.given, even.x, even.memory).output
    t.agree("the output of an empty row", out[empty], mean[empty], t.sigma(even)[empty], t.sigma(even)[empty])
    return None


def zeroed(inputs: Inputs) -> np.ndarray[tuple[int, ...], np.dtype[np.floating]] | None:
    """Biases of the queries that are zero, where there are any."""
    return None if inputs.given.b_q is None else inputs.given.b_q * 0


def must_raise(t: Trial) -> None:
    """`LawBroken` unless the layer raises."""
    try:
        out = t.run()
    except LayerBroke:
        return
    raise LawBroken("a call with an empty row", f"an output of shape {out.shape}", "an error, as declared")
