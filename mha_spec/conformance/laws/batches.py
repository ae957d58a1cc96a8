"""The entries of a batch do not know of each other."""

from __future__ import annotations

from ..cases.wanted import Wanted
from ..trial import Trial
from .law import law


@law("relation", None, Wanted(batches=(2, 3)))
def each_entry_alone_equals_its_place_in_the_batch(t: Trial) -> None:
    """Every entry, with its own mask, gives alone what it gives in the batch."""
    out, sigma = t.run(), t.sigma()
    for e in range(t.case.batch):
        alone = t.inputs.entry(e)
        t.agree(f"entry {e} of the output", out[e : e + 1], t.run(alone), sigma[e : e + 1], sigma[e : e + 1])


@law("relation", None, Wanted(batches=(2, 3), masked=True))
def entries_read_their_own_masks(t: Trial) -> None:
    """Entries with equal tokens and different masks give what each gives alone with its mask."""
    x = t.inputs.x.copy()
    x[:] = x[:1]
    memory = None if t.inputs.memory is None else t.inputs.memory.copy()
    if memory is not None:
        memory[:] = memory[:1]
    equal = t.inputs.but(x=x, memory=memory)
    out, sigma = t.run(equal), t.sigma(equal)
    for e in range(t.case.batch):
        alone = equal.entry(e)
        t.agree(f"entry {e} of the output", out[e : e + 1], t.run(alone), sigma[e : e + 1], sigma[e : e + 1])
