"""Gradients, of layers that can give them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..cases.case import Inputs
from ..cases.wanted import Wanted
from ..contract import Array, Unsupported
from ..failure import LawBroken
from ..trial import Trial
from .empty_rows import empty_rows
from .hidden_keys import hidden_from
from .law import law

SMALL = (2, 3, 1, 4)
STEP = 1e-5
CLOSE = 1e-6


def cotangent_of(t: Trial) -> Array:
    """A drawn cotangent of the output."""
    drawn: Array = t.rng.standard_normal(t.inputs.x.shape).astype(t.inputs.x.dtype)
    return drawn


def exact(t: Trial) -> None:
    """`Unsupported` where the layer does not compute in float64, since differences then show only rounding."""
    if t.precision() != "float64":
        raise Unsupported("it computes in less than float64")


def checked(gradients: Mapping[str, Array], inputs: Inputs) -> dict[str, tuple[Array, Array]]:
    """Each array that has a gradient, with it; `LawBroken` where names or shapes are wrong."""
    arrays = {"x": inputs.x} | ({} if inputs.memory is None else {"memory": inputs.memory})
    missing = [name for name in arrays if name not in gradients]
    if missing:
        raise LawBroken("layer.vjp", f"gradients of {', '.join(gradients) or 'nothing'}", f"also of {missing[0]}")
    if inputs.parameters is None:  # of a ready-made layer: those of its parameters cannot be checked
        gradients = {name: gradient for name, gradient in gradients.items() if name in arrays}
    else:
        arrays |= inputs.parameters.arrays()
    for name, gradient in gradients.items():
        if name not in arrays:
            raise LawBroken("layer.vjp", f"a gradient of {name!r}", f"names among {', '.join(arrays)}")
        if np.shape(gradient) != arrays[name].shape:
            raise LawBroken(f"the gradient of {name}", f"shape {np.shape(gradient)}", f"shape {arrays[name].shape}")
    return {name: (arrays[name], np.asarray(gradients[name], np.float64)) for name in gradients}


def with_array(inputs: Inputs, name: str, array: Array) -> Inputs:
    """The inputs with one array, of the call or of the parameters, replaced."""
    if name == "x":
        return inputs.but(x=array)
    return inputs.but(memory=array) if name == "memory" else inputs.but_parameters(**{name: array})


@law("relation", "attention_backward_pass", Wanted(n=SMALL, m=SMALL), "gradients")
def gradients_agree_with_finite_differences(t: Trial) -> None:
    """Along a drawn direction of each array, the gradient is the slope of the layer's own output."""
    exact(t)
    cotangent = cotangent_of(t)
    for name, (array, gradient) in checked(t.layer().vjp(t.inputs, cotangent), t.inputs).items():
        direction = t.rng.standard_normal(array.shape)
        up, down = (t.run(with_array(t.inputs, name, array + s * STEP * direction)) for s in (1, -1))
        slope = float(np.sum((up - down) * cotangent)) / (2 * STEP)
        along = float(np.sum(gradient * direction))
        size = float(np.abs(cotangent).sum() + np.abs(gradient * direction).sum())
        if not abs(along - slope) <= CLOSE * size:
            raise LawBroken(f"the gradient of {name} along a direction", f"{along:.9g}", f"the slope {slope:.9g}")


@law("relation", "attention_backward_pass", Wanted(n=SMALL, m=SMALL, empty_row=True), "gradients")
def gradients_are_finite_beside_empty_rows(t: Trial) -> None:
    """With a query that may attend to nothing, and no cotangent at its output, every gradient is finite."""
    if t.declared.empty_row_of(t.inputs.design, t.inputs.call) == "raises":
        raise Unsupported("it raises for empty rows")
    cotangent = np.where(empty_rows(t.inputs)[..., None], 0, cotangent_of(t)).astype(t.inputs.x.dtype)
    for name, (_, gradient) in checked(t.layer().vjp(t.inputs, cotangent), t.inputs).items():
        if not np.isfinite(gradient).all():
            at = tuple(int(k) for k in np.argwhere(~np.isfinite(gradient))[0])
            raise LawBroken(f"the gradient of {name} at {at}, beside an empty row", gradient[at], "finite")


@law("relation", "attention_backward_pass", Wanted(n=SMALL, m=SMALL, least_n=2, least_m=2), "gradients")
def gradients_towards_hidden_keys_are_zero(t: Trial) -> None:
    """A cotangent only at outputs from which a key is hidden gives that key no gradient."""
    e, j, rows = hidden_from(t)
    cotangent = np.zeros_like(t.inputs.x)
    cotangent[e, rows] = cotangent_of(t)[e, rows]
    gradients = checked(t.layer().vjp(t.inputs, cotangent), t.inputs)
    gradient = gradients["x" if t.inputs.memory is None else "memory"][1][e, j]
    own_query = t.inputs.memory is None and bool(rows[j])
    if not own_query and not (gradient == 0).all():
        raise LawBroken(f"the gradient towards hidden token {j} of entry {e}", gradient[gradient != 0][0], 0)
