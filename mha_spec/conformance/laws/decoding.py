"""Cached decoding: a causal layer run token by token, in chunks, and again after a reset."""

from __future__ import annotations

import numpy as np

from ..cases.wanted import Wanted
from ..contract import Array
from ..trial import GuardedLayer, Trial
from .law import law

DECODED = Wanted(causal=True, memory=False, masked=False, least_n=3, n=(4, 3, 5, 7, 8, 9), options=("window",))
THEOREM = "causal_token_by_token_equals_the_whole"


def decoded(layer: GuardedLayer, x: Array, chunk: int) -> Array:
    """The outputs of all tokens, given in chunks after a reset."""
    layer.reset()
    parts = [layer.step(x[:, start : start + chunk]) for start in range(0, x.shape[1], chunk)]
    return np.concatenate(parts, axis=1)


@law("relation", THEOREM, DECODED, "step")
def token_by_token_equals_the_whole(t: Trial) -> None:
    """One token after the other, on a cache, gives what the whole sequence gives at once."""
    t.agree("the output token by token", decoded(t.layer(), t.inputs.x, 1), t.run(), t.sigma(), t.sigma())


@law("relation", THEOREM, DECODED, "step")
def chunk_by_chunk_equals_the_whole(t: Trial) -> None:
    """Chunks of two or three tokens, after a first part of one, give what the whole sequence gives at once."""
    chunk = int(t.rng.integers(2, 4))
    layer, x = t.layer(), t.inputs.x
    layer.reset()
    first = layer.step(x[:, :1])
    rest = [layer.step(x[:, start : start + chunk]) for start in range(1, t.case.n, chunk)]
    t.agree(f"the output in chunks of {chunk}", np.concatenate([first, *rest], 1), t.run(), t.sigma(), t.sigma())


@law("relation", THEOREM, DECODED, "step")
def a_reset_forgets_every_token(t: Trial) -> None:
    """After a reset, another sequence, and then more entries at once, give what they give on a new layer."""
    layer = t.layer()
    decoded(layer, t.inputs.x, 1)
    other = t.inputs.but(x=-2 * t.inputs.x[:, ::-1])
    more = t.inputs.but(x=np.concatenate([t.inputs.x, other.x])[: t.case.batch + 1])
    for inputs in (other, more):
        what = f"the output of {len(inputs.x)} entries after a reset"
        t.agree(what, decoded(layer, inputs.x, 1), t.run(inputs), t.sigma(inputs), t.sigma(inputs))
