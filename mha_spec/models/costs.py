"""What the layers of a model cost at a given length: each number with its unit, None where it is not known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .designs import MATRICES, LayerDesign, ModelReading
from .tower_weights import product

Causality: TypeAlias = Literal["full", "kept"]

BYTES: Mapping[str, int] = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8": 1, "int8": 1}
"""Bytes of one entry, by dtype."""


@dataclass(frozen=True)
class Setting:
    """What a cost depends on beside the design: tokens `n`, sequences, bytes of an entry, and which pairs count.

    With `kept` only the query-key pairs that causality leaves are counted; with `full` all that are in a layer's
    window.  A cross-attention reads a memory of `n` tokens too.
    """

    n: int
    batch: int = 1
    dtype: str = "bfloat16"
    causal: Causality = "full"

    @property
    def bytes(self) -> int:
        """Bytes of one entry."""
        return BYTES[self.dtype]


@dataclass(frozen=True)
class LayerCost:
    """Costs of one layer on the whole batch, but for the parameters, which the batch shares."""

    parameters: int | None
    projection_multiplications: int | None
    score_multiplications: int | None
    mixing_multiplications: int | None
    exponentials: int | None
    kv_cache_bytes: int | None
    score_bytes: int | None

    @property
    def multiplications(self) -> int | None:
        """Projections, scores and mixing together."""
        parts = (self.projection_multiplications, self.score_multiplications, self.mixing_multiplications)
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None

    def as_json(self) -> dict[str, int | None]:
        """The costs by name."""
        return {**vars(self), "multiplications": self.multiplications}


def pairs(design: LayerDesign, setting: Setting) -> int | None:
    """The query-key pairs of one head and one sequence.

    None for a sliding layer whose window is not known, and where the length is that of an image or a sound.
    """
    if not design.reads_tokens:
        return None
    n, kept = setting.n, setting.causal == "kept" and design.causal
    if not design.sliding:
        return n * (n + 1) // 2 if kept else n * n
    if design.window is None:
        return None
    w = min(design.window, n)
    return w * (w + 1) // 2 + (n - w) * w if kept else n * w


def layer_cost(design: LayerDesign, setting: Setting) -> LayerCost:
    """The costs of one layer of a design."""
    h, d_k, d_v = (design.size(name) for name in ("h", "d_k", "d_v"))
    seen, batch = pairs(design, setting), setting.batch
    entries, n = _cache_entries(design, setting), setting.n if design.reads_tokens else None
    return LayerCost(
        design.weights.total,
        product(_projected(design), n, batch),
        product(h, seen, d_k, batch),
        product(h, seen, d_v, batch),
        product(h, seen, batch),
        product(entries, batch, setting.bytes),
        product(h, n, n, batch, setting.bytes),
    )


def model_cost(reading: ModelReading, setting: Setting) -> dict[str, int | None]:
    """The costs over all layers: parameters by distinct modules, everything else by calls in a forward pass.

    Towers that read images or sounds count for their parameters alone.  None for whatever is not known of a layer,
    and throughout where a tower was not read.
    """
    costs = [(design, layer_cost(design, setting).as_json()) for design in reading.designs]
    totals: dict[str, int | None] = {}
    for name in LayerCost(*[None] * 7).as_json():
        parts = [
            product(cost[name], design.modules if name == "parameters" else design.applied)
            for design, cost in costs
            if name == "parameters" or (design.reads_tokens and (name != "kv_cache_bytes" or design.caches))
        ]
        known = [part for part in parts if part is not None]
        totals[name] = sum(known) if reading.complete and parts and len(known) == len(parts) else None
    return totals


def _projected(design: LayerDesign) -> int | None:
    """Multiplications of all projections for one token: a factored projection by its factors."""
    weights = design.weights
    matrices = [
        weights.matrices[name] for name in MATRICES if not (weights.factored and weights.matrices[name] is None)
    ]
    known = [entries for entries in matrices if entries is not None]
    if len(known) < len(matrices) or weights.other is None:
        return None
    return sum(known) + sum(math.prod(shape) for shape in weights.factored.values())


def _cache_entries(design: LayerDesign, setting: Setting) -> int | None:
    """Entries of the cache of one layer and one sequence; None where it keeps none, or it is not known."""
    if not design.caches:
        return None
    n = setting.n
    if design.sliding:
        if design.window is None:
            return None
        n = min(n, design.window)
    if design.cache is not None:
        return n * design.cache
    if design.kind == "latent":
        return None
    kv_heads, d_k, d_v = (design.size(name) for name in ("kv_heads", "d_k", "d_v"))
    return None if kv_heads is None or d_k is None or d_v is None else n * kv_heads * (d_k + d_v)
