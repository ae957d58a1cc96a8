"""What a mask means: hiding a key is leaving it out, and hiding none is no mask."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..cases.wanted import Wanted
from ..trial import Trial
from .law import law


@law(
    "relation",
    "masking_a_key_equals_deleting_it",
    Wanted(causal=False, memory=True, masked=False, least_m=2),
)
def masking_a_key_equals_deleting_it(t: Trial) -> None:
    """A key hidden from every query may as well be absent from the memory."""
    j = int(t.rng.integers(t.case.keys))
    mask = np.ones((t.case.batch, t.case.n, t.case.keys), dtype=np.bool_)
    mask[:, :, j] = False
    without = t.inputs.but(memory=np.delete(t.inputs.read_from, j, axis=1))
    t.same(f"the output with key {j} masked", without, t.inputs.but(mask=mask))


@law("relation", "masking_a_key_equals_deleting_it", Wanted(memory=False, masked=False, least_n=2))
def padding_equals_truncating(t: Trial) -> None:
    """Entries of different lengths in one padded batch give what each gives alone at its own length."""
    lengths = t.rng.integers(1, t.case.n + 1, t.case.batch)
    pairs = (t.case.batch, t.case.n, t.case.n)
    mask = np.broadcast_to(np.arange(t.case.n) < lengths[:, None, None], pairs).copy()
    padded = t.inputs.but(mask=mask)
    out, sigma = t.run(padded), t.sigma(padded)
    for e, length in enumerate(lengths):
        alone = t.inputs.entry(e).but(x=t.inputs.x[e : e + 1, :length])
        what = f"the output of entry {e}, of length {length}"
        t.agree(what, out[e : e + 1, :length], t.run(alone), sigma[e : e + 1, :length], t.sigma(alone))


@law("relation", None, Wanted(masked=False))
def a_mask_that_hides_nothing_changes_nothing(t: Trial) -> None:
    """A mask of True everywhere gives what no mask gives."""
    mask = np.ones((t.case.batch, t.case.n, t.case.keys), dtype=np.bool_)
    t.same("the output with a mask that hides nothing", t.inputs, t.inputs.but(mask=mask))


@law("relation", None, Wanted(causal=True, options=("window",)), "causal and not causal")
def a_mask_and_causality_must_both_allow(t: Trial) -> None:
    """A causal layer with a mask is the layer that is not causal, with the intersection of both as its mask."""
    free = replace(t.inputs.design, causal=False, window=None)
    t.same("the output of the causal layer", t.inputs.but(design=free, mask=t.inputs.seen.copy()), t.inputs)
