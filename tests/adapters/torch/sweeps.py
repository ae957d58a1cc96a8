"""Calls drawn at random, by means that the suite does not use, and how far two layers are apart on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mha_spec.conformance import Unsupported
from mha_spec.conformance.contract import Array, BoolArray, Factory
from mha_spec.design import AttentionDesign, Parameters
from mha_spec.layer import multi_head_attention


@dataclass(frozen=True)
class DrawnCall:
    """A design, its parameters, and the arrays of one call."""

    design: AttentionDesign
    parameters: Parameters
    x: Array
    memory: Array | None
    mask: BoolArray | None


def drawn_design(rng: np.random.Generator, *, hypotheses: set[str], scales: bool) -> AttentionDesign:
    """A design that meets these hypotheses; half are causal, half have biases, and with `scales` some have a scale."""
    kv_heads, d_k = int(rng.integers(1, 4)), int(rng.integers(1, 6))
    h = kv_heads if "H3" in hypotheses else kv_heads * int(rng.integers(1, 4))
    d_model = h * d_k if "H1" in hypotheses else int(rng.integers(1, 9))
    return AttentionDesign(
        d_model=d_model,
        d_memory=d_model if "H6" in hypotheses else int(rng.integers(1, 9)),
        h=h,
        kv_heads=kv_heads,
        d_k=d_k,
        d_v=d_k if "H2" in hypotheses else int(rng.integers(1, 6)),
        bias=0 if "H4" in hypotheses else int(rng.integers(2)),
        causal=bool(rng.integers(2)),
        scale=float(rng.uniform(0.1, 2.0)) if scales and rng.random() < 0.5 else None,
    )


def drawn_call(rng: np.random.Generator, design: AttentionDesign, *, memories: bool) -> DrawnCall:
    """A call of this design, whose mask leaves each query the first key, which causality allows as well."""
    batch, n, m = (int(size) for size in rng.integers(1, 8, 3))
    m = m if memories else n
    memory = rng.standard_normal((batch, m, design.d_memory)) if memories else None
    mask: BoolArray | None = None
    if rng.random() < 0.6:
        mask = rng.random((batch, n, m)) < 0.6
        mask[..., 0] = True
    x = rng.standard_normal((batch, n, design.d_model))
    return DrawnCall(design, Parameters.draw(design, rng), x, memory, mask)


def apart(one: Array, other: Array) -> float:
    """The largest difference, relative to the largest entry where that is above 1."""
    return float(np.abs(one - other).max() / max(1.0, float(np.abs(other).max())))


def sweep(
    factory: Factory,
    count: int,
    *,
    hypotheses: set[str],
    scales: bool = False,
    memories: bool = True,
    causal: bool | None = None,
) -> Iterator[float]:
    """How far a layer is from the one of this package on `count` drawn calls; memories on half of them if at all."""
    rng, done = np.random.default_rng(0), 0
    while done < count:
        memory = memories and bool(rng.integers(2))
        needs = hypotheses if memory else hypotheses | {"H6"}
        design = drawn_design(rng, hypotheses=needs, scales=scales)
        if causal is not None and design.causal != causal:
            continue
        call = drawn_call(rng, design, memories=memory)
        try:
            came = factory(design, call.parameters)(call.x, call.memory, call.mask)
        except Unsupported:
            continue
        done += 1
        yield apart(came, multi_head_attention(call.x, call.parameters, call.memory, call.mask, design=design))
