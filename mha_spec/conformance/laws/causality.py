"""Causal layers: no later token influences, every visible one does, and positions are counted as declared."""

from __future__ import annotations

import numpy as np

from ..cases.case import Inputs
from ..cases.wanted import Wanted
from ..contract import Array, Unsupported
from ..failure import LawBroken
from ..trial import Trial
from .law import law


def with_tokens(inputs: Inputs, start: int, tokens: Array) -> Inputs:
    """The inputs with the tokens from `start` on, of what keys and values are read from, replaced."""
    changed = inputs.read_from.copy()
    changed[:, start : start + tokens.shape[1]] = tokens
    return inputs.but(x=changed) if inputs.memory is None else inputs.but(memory=changed)


def moved_token(inputs: Inputs, j: int) -> Inputs:
    """The inputs with token `j` of what keys and values are read from moved far away."""
    return with_tokens(inputs, j, -2 * inputs.read_from[:, j : j + 1] + 1)


@law("relation", "causal_token_by_token_equals_the_whole", Wanted(causal=True, least_n=2, least_m=2))
def future_tokens_do_not_influence(t: Trial) -> None:
    """Other tokens from a drawn place on leave every output as it is from which all of them are hidden."""
    start = int(t.rng.integers(1, t.case.keys))
    later = t.rng.standard_normal(t.inputs.read_from[:, start:].shape) * 3
    changed = with_tokens(t.inputs, start, later.astype(t.inputs.x.dtype))
    unseen = ~t.inputs.seen[:, :, start:].any((0, 2))
    if t.inputs.memory is None:
        unseen = unseen & (np.arange(t.case.n) < start)
    if not unseen.any():
        raise Unsupported("every query sees a later token")
    what = f"the output before token {start}, when tokens from {start} on are others"
    t.agree(what, t.run(changed)[:, unseen], t.run()[:, unseen], t.sigma()[:, unseen], t.sigma(changed)[:, unseen])


@law("relation", None, Wanted(least_n=2, least_m=2, long=True, batches=(1, 2)))
def every_visible_token_influences(t: Trial) -> None:
    """The last visible token and a drawn one, each moved far away, change every output from which they are visible."""
    seen = t.inputs.seen
    if t.inputs.memory is None:
        seen = seen & ~np.eye(t.case.n, dtype=np.bool_)  # its own output changes with its query in any case
    tokens = np.flatnonzero(seen.any((0, 1)))
    if not len(tokens):
        raise Unsupported("no query sees another token")
    before, sigma = t.run(), t.sigma()
    for j in sorted({int(tokens[-1]), int(t.rng.choice(tokens))}):
        changed = moved_token(t.inputs, j)
        moved = (np.abs(t.run(changed) - before) > np.maximum(sigma, t.sigma(changed))).any(-1)
        if not moved[seen[:, :, j]].all():
            e, i = (int(k) for k in np.argwhere(seen[:, :, j] & ~moved)[0])
            raise LawBroken(
                f"output {i} of entry {e}, when token {j} is moved", "the same", "another, since it sees it"
            )


@law(
    "relation",
    "causal_token_by_token_equals_the_whole",
    Wanted(causal=True, memory=False, least_n=2, long=True, batches=(1, 2)),
)
def a_prefix_alone_gives_the_first_outputs(t: Trial) -> None:
    """In causal self-attention, the first tokens alone give the first outputs of the whole."""
    length = int(t.rng.integers(1, t.case.n))
    mask = t.inputs.mask
    prefix = t.inputs.but(x=t.inputs.x[:, :length], mask=None if mask is None else mask[:, :length, :length])
    what = f"the output of the first {length} tokens alone"
    t.agree(what, t.run(prefix), t.run()[:, :length], t.sigma(prefix), t.sigma()[:, :length])


@law("relation", None, Wanted(memory=False))
def self_attention_is_attention_to_a_memory_of_itself(t: Trial) -> None:
    """A copy of `x` given as the memory changes nothing."""
    t.same("the output with x as its own memory", t.inputs, t.inputs.but(memory=t.inputs.x.copy()))


@law(
    "relation",
    "causal_token_by_token_equals_the_whole",
    Wanted(causal=True, memory=False, least_n=2, options=("window",)),
)
def some_queries_of_all_keys_keep_their_places(t: Trial) -> None:
    """Some of the queries, with all tokens as memory, give their outputs of the whole: the first where the alignment
    is declared to be top-left, the last where it is bottom-right.
    """
    if t.declared.causal_alignment is None:
        raise Unsupported("it declares no causal_alignment")
    cut, mask = int(t.rng.integers(1, t.case.n)), t.inputs.mask
    rows = slice(0, cut) if t.inputs.design.causal_alignment == "top-left" else slice(cut, None)
    some = t.inputs.but(x=t.inputs.x[:, rows], memory=t.inputs.x, mask=None if mask is None else mask[:, rows])
    t.agree("the output of some queries", t.run(some), t.run()[:, rows], t.sigma(some), t.sigma()[:, rows])


@law("relation", None, Wanted(causal=True, masked=False, set_option="window", least_n=4, least_m=4))
def a_window_shows_exactly_its_keys(t: Trial) -> None:
    """The key just inside the window of a query influences its output, and the key just outside does not."""
    rows = [i for i in range(t.case.n) if t.inputs.seen[0, i].argmax() > 0]
    if not rows:
        raise Unsupported("no key is outside a window")
    i = int(t.rng.choice(rows))
    inside = int(t.inputs.seen[0, i].argmax())
    before, sigma = t.run()[:, i], t.sigma()[:, i]
    outside = t.run(moved_token(t.inputs, inside - 1))[:, i]
    t.agree(f"output {i}, when key {inside - 1} outside the window is moved", outside, before, sigma, sigma)
    changed = moved_token(t.inputs, inside)
    if not (np.abs(t.run(changed)[:, i] - before) > np.maximum(sigma, t.sigma(changed)[:, i])).any():
        raise LawBroken(f"output {i}, when key {inside} inside the window is moved", "the same", "another")
