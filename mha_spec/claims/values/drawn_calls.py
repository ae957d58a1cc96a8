"""What the confirmations of value theorems draw: sizes, arrays, masks and whole layers, away from the corners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy

from mha_spec.design import AttentionDesign, Parameters

from .formulas import B_K, B_O, B_Q, B_V

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

REARRANGED = 1e-10
"""Allowed where the same sums are taken in another order: at most some hundred roundings of 1e-16 each."""
DIFFERENTIATED = 1e-6
"""Allowed where a derivative is a central difference with steps of `STEP`: it is off by the square of the step, and by
roundings over the step."""
STEP = 1e-5


def drawn_sizes(rng: np.random.Generator, *sizes: sympy.Symbol, least: int = 2, most: int = 4) -> dict[str, int]:
    """A value for each size, by name."""
    return {str(size.name): int(rng.integers(least, most + 1)) for size in sizes}


def drawn_mask(rng: np.random.Generator, n: int, m: int, kept: int = 0) -> Booleans:
    """A mask that hides about a third of the keys, but from every query not the key `kept`."""
    mask = rng.random((n, m)) > 0.35
    mask[:, kept] = True
    return mask


def drawn_layer(
    rng: np.random.Generator, *, bias: int = 0, group: int | None = None
) -> tuple[AttentionDesign, Parameters]:
    """A layer of two or three key/value heads with sizes that differ from each other, and its parameters."""
    kv_heads, shared = int(rng.integers(2, 4)), int(rng.integers(1, 4)) if group is None else group
    d_k, d_v, d_model, d_memory = (int(size) for size in rng.permutation([2, 3, 4, 5]))
    design = AttentionDesign(
        d_model=d_model, d_memory=d_memory, h=kv_heads * shared, kv_heads=kv_heads, d_k=d_k, d_v=d_v, bias=bias
    )
    return design, Parameters.draw(design, rng)


def drawn_tokens(rng: np.random.Generator, design: AttentionDesign) -> tuple[Floats, Floats, Booleans]:
    """Inputs `(n, d_model)`, a memory `(m, d_memory)` of another length, and a mask `(n, m)` that leaves a key."""
    n, m = (int(size) for size in rng.permutation([2, 3, 4, 5])[:2])
    x, memory = rng.standard_normal((n, design.d_model)), rng.standard_normal((m, design.d_memory))
    return x, memory, drawn_mask(rng, n, m, int(rng.integers(m)))


def design_of(
    sizes: Mapping[str, int], *, h: int | None = None, bias: int | None = None, causal: bool = False
) -> AttentionDesign:
    """A design of these sizes; causal ones are aligned at the last key, as a layer with a cache must be."""
    return AttentionDesign(
        d_model=sizes["d_model"],
        d_memory=sizes["d_memory"],
        h=sizes["h"] if h is None else h,
        kv_heads=sizes.get("kv_heads"),
        d_k=sizes["d_k"],
        d_v=sizes["d_v"],
        bias=sizes["bias"] if bias is None else bias,
        causal=causal,
        causal_alignment="bottom-right",
    )


def biases_of(parameters: Parameters) -> dict[sympy.IndexedBase, npt.NDArray[np.floating[Any]]]:
    """The biases of a layer by the names that formulas give them."""
    p = parameters
    return {
        name: bias
        for name, bias in zip((B_Q, B_K, B_V, B_O), (p.b_q, p.b_k, p.b_v, p.b_o), strict=True)
        if bias is not None
    }
