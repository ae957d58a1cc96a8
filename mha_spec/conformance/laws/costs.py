"""What a layer holds: as many parameters as its design says, however many heads there are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mha_spec.design import AttentionDesign, Parameters

from ..cases.case import Inputs
from ..cases.wanted import Wanted
from ..failure import LawBroken
from ..trial import Trial
from .law import law

HEAD_COUNTS = (2, 3, 1, 4, 6, 12)


@law("cost", "parameters_with_biases", Wanted(n=(1,), batches=(1,), masked=False), "parameter count")
def parameter_count_is_the_designs(t: Trial) -> None:
    """The layer holds as many parameters as the arrays that it was given."""
    expected, counted = t.inputs.given.count(), t.layer().parameter_count()
    if counted != expected:
        raise LawBroken("the number of parameters", counted, expected)


@law("cost", "projection_weights", Wanted(n=(1,), batches=(1,), masked=False, memory=False), "parameter count")
def parameter_count_does_not_depend_on_the_heads(t: Trial) -> None:
    """Two layers with equal `d_model` and other head counts, with `d_k = d_v = d_model/h`, hold equally many."""
    d_model = 12 * int(t.rng.integers(1, 3))
    first, second = (int(h) for h in t.rng.permutation(HEAD_COUNTS)[:2])
    counts = {h: counted(t, d_model, h) for h in (first, second)}
    if counts[first] == counts[second]:
        return
    measured = {h: counts[h] if h in counts else counted(t, d_model, h) for h in HEAD_COUNTS}
    came = f"{counts[first]} with h={first} and {counts[second]} with h={second}"
    biases = " + 4*d_model" if t.inputs.design.bias else ""
    law_of_it = closed_form(measured, 4 * d_model**2 + (4 * d_model if biases else 0))
    what = f"the number of parameters at d_model={d_model}"
    found = f"{came}: your law is 4*d_model**2{biases} + {law_of_it}" if law_of_it else came
    raise LawBroken(what, found, "equal")


def counted(t: Trial, d_model: int, h: int) -> int:
    """The parameters of the layer with the paper's sizes for this `d_model` and `h`."""
    drawn = t.inputs.design
    fields = {name: getattr(drawn, name) for name in ("bias", "causal", "causal_alignment", "dtype")}
    design = AttentionDesign(d_model=d_model, h=h, **fields)
    parameters = Parameters.draw(design, np.random.default_rng(0))
    x = np.zeros((1, 1, d_model), dtype=design.dtype)
    return t.layer(Inputs(design, parameters, x, None, None)).parameter_count()


def closed_form(measured: dict[int, int], base: int) -> str | None:
    """What is held beyond `base`, as `a*h + b`, if that is exact at every measured head count."""
    (h1, c1), (h2, c2) = list(measured.items())[:2]
    slope = Fraction(c2 - c1, h2 - h1)
    rest = c1 - base - slope * h1
    if any(base + slope * h + rest != count for h, count in measured.items()):
        return None
    return f"{slope}*h" + (f" + {rest}" if rest else "")
