"""A layer is a function: no memory of earlier calls, no change of its arguments, no matter how they lie in memory."""

from __future__ import annotations

import numpy as np

from ..cases.case import Inputs
from ..cases.wanted import Wanted
from ..contract import Array, BoolArray
from ..failure import LawBroken, LayerBroke
from ..trial import Trial
from .law import law

LENGTHS_WITH_LONGER = (2, 3, 1, 12, 5, 17)


@law("relation", None, Wanted(n=LENGTHS_WITH_LONGER))
def the_same_call_gives_the_same_output_twice(t: Trial) -> None:
    """The same layer, called twice with the same arrays, gives the same."""
    layer = t.layer()
    first = layer(*t.inputs.copied()).copy()
    t.agree("the output of the second call", layer(*t.inputs.copied()), first, t.sigma())


@law("relation", None, Wanted())
def an_earlier_call_leaves_no_trace(t: Trial) -> None:
    """Call A, then B: B gives what it gives on a new layer, and A again what it gave."""
    b = another_call(t)
    layer = t.layer()
    first = layer(*t.inputs.copied()).copy()
    t.agree("the output of a second, different call", layer(*b.copied()), t.run(b), t.sigma(b))
    t.agree("the output of the first call made again", layer(*t.inputs.copied()), first, t.sigma())


@law("relation", None, Wanted(memory=False))
def a_call_of_another_length_leaves_no_trace(t: Trial) -> None:
    """The same with a call of another batch and another length in between."""
    longer = np.concatenate([t.inputs.x, t.inputs.x[:, ::-1] * 2], axis=1)
    b = t.inputs.but(x=np.concatenate([longer, -longer]), mask=None)
    layer = t.layer()
    first = layer(*t.inputs.copied()).copy()
    t.agree("the output of a longer call", layer(*b.copied()), t.run(b), t.sigma(b))
    t.agree("the output of the first call made again", layer(*t.inputs.copied()), first, t.sigma())


def another_call(t: Trial) -> Inputs:
    """A call of the same shape with other tokens and another mask."""
    x = t.rng.standard_normal(t.inputs.x.shape).astype(t.inputs.x.dtype)
    memory = t.inputs.memory
    if memory is not None:
        memory = t.rng.standard_normal(memory.shape).astype(memory.dtype)
    mask = None if t.inputs.mask is None else np.ones_like(t.inputs.mask)
    return t.inputs.but(x=x, memory=memory, mask=mask)


@law("relation", None, Wanted(), "parameters", only_sees="layers that share a state")
def layers_of_one_factory_share_nothing(t: Trial) -> None:
    """A second layer of other parameters, made and called in between, gives its own output and changes no other."""
    p = t.inputs.given
    other = t.inputs.but_parameters(w_o=-2 * p.w_o, b_o=None if p.b_o is None else -2 * p.b_o)
    first, second = t.layer(), t.layer(other)
    before = first(*t.inputs.copied()).copy()
    t.agree("the output of a second layer", second(*other.copied()), -2 * before, t.sigma(other), 2 * t.sigma())
    t.agree("the output of the first layer, called again", first(*t.inputs.copied()), before, t.sigma())


@law("relation", None, Wanted())
def an_output_once_given_does_not_change(t: Trial) -> None:
    """A later call does not write into the array that an earlier one returned."""
    layer = t.layer()
    given = layer(*t.inputs.copied())
    kept = given.copy()
    layer(*another_call(t).copied())
    t.agree("the array returned by the first call, after a second one", given, kept, t.sigma())


@law("relation", None, Wanted(options=("softcap",)))
def its_arguments_stay_unchanged(t: Trial) -> None:
    """After the call, `x`, the memory and the mask hold what they held."""
    arguments = t.inputs.copied()
    t.layer()(*arguments)
    for name, before, after in zip(("x", "memory", "mask"), t.inputs.copied(), arguments, strict=True):
        if before is not None and after is not None and not np.array_equal(before, after):
            at = tuple(int(k) for k in np.argwhere(before != after)[0])
            raise LawBroken(f"{name} at {at}, after the call", after[at], before[at])


@law("relation", None, Wanted())
def views_equal_copies(t: Trial) -> None:
    """Arrays that are not contiguous, in Fortran order or with gaps between their entries, give what copies give."""
    i = t.inputs
    for how, spread in (("in Fortran order", np.asfortranarray), ("with gaps between entries", with_gaps)):
        memory, mask = None if i.memory is None else spread(i.memory), None if i.mask is None else spread(i.mask)
        accepted(t, f"arrays {how}", spread(i.x), memory, mask)


@law("relation", None, Wanted())
def arguments_may_be_read_only(t: Trial) -> None:
    """Arrays that may not be written to are accepted, and give the same."""
    arguments = t.inputs.copied()
    for array in arguments:
        if array is not None:
            array.setflags(write=False)
    accepted(t, "read-only arrays", *arguments)


def accepted(t: Trial, what: str, x: Array, memory: Array | None, mask: BoolArray | None) -> None:
    """`LawBroken` where the layer raises for these arrays, but not for copies, or gives something else."""
    expected = t.run()
    try:
        out = t.layer()(x, memory, mask)
    except LayerBroke as broke:
        raise LawBroken(f"a call with {what}", broke.finding.came_out, "what copies give") from broke
    t.agree(f"the output with {what}", out, expected, t.sigma())


def with_gaps(array: Array) -> Array:
    """The array as every second entry of a wider one."""
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), dtype=array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]
