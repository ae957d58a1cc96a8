"""A few sets of sizes that all laws share, for layers that compile anew for every shape."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from mha_spec.sampling.designs import DesignSpace, Sizes

from .wanted import Wanted


@dataclass(frozen=True)
class SlowShape:
    """The sizes of a design and of a call, and the batch."""

    sizes: Sizes
    batch: int


_NAMES: Final = ("kv_heads", "group", "d_k", "d_v", "d_model", "d_memory", "n", "m", "bias")
# batch; kv_heads, group, d_k, d_v, d_model, d_memory, n, m, bias
_SHAPES: Final = (
    (2, (2, 1, 2, 3, 5, 4, 2, 3, 0)),
    (3, (3, 1, 3, 2, 4, 5, 3, 5, 1)),
    (2, (2, 2, 3, 2, 3, 5, 4, 3, 1)),
    (1, (1, 3, 5, 4, 7, 2, 3, 2, 0)),
    (4, (4, 1, 2, 3, 5, 3, 1, 4, 1)),
    (1, (1, 1, 4, 5, 3, 4, 5, 1, 1)),
    (2, (2, 1, 3, 3, 6, 6, 2, 2, 1)),
    (2, (2, 1, 5, 3, 4, 5, 1, 2, 0)),
    (2, (2, 1, 3, 2, 5, 4, 4, 7, 0)),
    (1, (2, 2, 2, 3, 5, 4, 65, 70, 0)),
)


def slow_shapes(requires: Collection[str], wanted: Wanted, memory: bool) -> list[SlowShape]:
    """The shapes under these hypotheses that a law can use; none if it needs another."""
    space = DesignSpace(requires)
    found = []
    for batch, values in _SHAPES:
        free = {name: size for name, size in zip(_NAMES, values, strict=True) if name in space.free}
        shape = SlowShape(space.complete(free), batch)
        if _serves(shape, wanted, memory):
            found.append(shape)
    return found


def _serves(shape: SlowShape, wanted: Wanted, memory: bool) -> bool:
    sizes = shape.sizes
    long = sizes["n"] > 64
    return (
        sizes["h"] >= wanted.least_h
        and sizes["kv_heads"] >= wanted.least_kv_heads
        and (sizes["kv_heads"] < sizes["h"] or not wanted.grouped)
        and wanted.bias in (None, sizes["bias"])
        and sizes["n"] >= wanted.least_n
        and (wanted.long if long else sizes["n"] in wanted.n)
        and (not memory or (sizes["m"] >= wanted.least_m and (long or sizes["m"] in wanted.m)))
    )
