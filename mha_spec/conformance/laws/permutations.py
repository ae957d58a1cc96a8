"""Equivariance: what happens to the output when tokens, keys or heads change places."""

from __future__ import annotations

import numpy as np

from mha_spec.design import Parameters

from ..cases.wanted import Wanted
from ..trial import Trial
from .law import law


@law("relation", "permuting_queries_permutes_outputs", Wanted(causal=False, memory=True, least_n=2))
def permuting_queries_permutes_outputs(t: Trial) -> None:
    """Queries in another order, with their rows of the mask, give the outputs in that order."""
    order = t.rng.permutation(t.case.n)
    mask = t.inputs.mask
    moved = t.inputs.but(x=t.inputs.x[:, order], mask=None if mask is None else mask[:, order])
    t.agree("the output", t.run(moved), t.run()[:, order], t.sigma(moved), t.sigma()[:, order])


@law("relation", "permuting_queries_permutes_outputs", Wanted(causal=False, memory=False, least_n=2))
def permuting_tokens_permutes_outputs(t: Trial) -> None:
    """In self-attention, tokens in another order give the outputs in that order."""
    order = t.rng.permutation(t.case.n)
    mask = t.inputs.mask
    moved = t.inputs.but(x=t.inputs.x[:, order], mask=None if mask is None else mask[:, order][:, :, order])
    t.agree("the output", t.run(moved), t.run()[:, order], t.sigma(moved), t.sigma()[:, order])


@law("relation", "permuting_keys_and_values_changes_nothing", Wanted(causal=False, memory=True, least_m=2))
def permuting_keys_and_values_changes_nothing(t: Trial) -> None:
    """The memory in another order, with its columns of the mask, gives the same outputs."""
    order = t.rng.permutation(t.case.keys)
    mask = t.inputs.mask
    moved = t.inputs.but(memory=t.inputs.read_from[:, order], mask=None if mask is None else mask[:, :, order])
    t.same("the output with permuted keys", t.inputs, moved)


@law(
    "relation",
    "permuting_heads_with_their_blocks_changes_nothing",
    Wanted(least_h=2),
    "parameters",
    only_sees="heads that are told apart",
)
def permuting_heads_with_their_blocks_changes_nothing(t: Trial) -> None:
    """Heads in another order, in groups with their key/value head and with their rows of `W_O`, change nothing."""
    design, p = t.inputs.design, t.inputs.given
    groups = t.rng.permutation(design.kv_heads)
    heads = np.concatenate([k * design.group + t.rng.permutation(design.group) for k in groups])
    blocks = p.w_o.reshape(design.h, design.d_v, design.d_model)
    moved = Parameters(
        w_q=p.w_q[heads],
        w_k=p.w_k[groups],
        w_v=p.w_v[groups],
        w_o=blocks[heads].reshape(p.w_o.shape),
        b_q=None if p.b_q is None else p.b_q[heads],
        b_k=None if p.b_k is None else p.b_k[groups],
        b_v=None if p.b_v is None else p.b_v[groups],
        b_o=p.b_o,
    )
    t.same("the output with permuted heads", t.inputs, t.inputs.but(parameters=moved))
