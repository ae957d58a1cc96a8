"""How many attention weights are alive at once: in the batched form, head by head, and streamed in blocks.

Derived as the largest array of weights that the traced code makes; confirmed as the largest that a counted run
hands on.  `block` is the number of keys of a block, a size of the streamed program alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import numpy as np

from mha_spec.counting.counted_run import counted_weights
from mha_spec.counting.counting_array import CountingRun, lift
from mha_spec.counting.quantities import trace_layer
from mha_spec.counting.scalars import counted_call
from mha_spec.counting.sizes import Size
from mha_spec.counting.trace import trace
from mha_spec.streaming import streamed_attention

MEMORY_QUANTITIES: Mapping[str, str] = MappingProxyType(
    {
        "batched_weights_alive": "attention weights alive at once where all heads are computed together",
        "per_head_weights_alive": "attention weights alive at once where heads are computed one by one",
        "streamed_weights_alive": "attention weights of a head alive at once where keys are read in blocks",
    }
)
"""Entries of attention weights that are alive at once, each with its meaning."""


@cache
def traced_memory() -> Mapping[str, Size]:
    """Each of `MEMORY_QUANTITIES`, derived from the code for all sizes."""
    keys, values = ("blocks", "block", "d_k"), ("blocks", "block", "d_v")
    return {
        "batched_weights_alive": trace_layer("batched").largest_array("softmax"),
        "per_head_weights_alive": trace_layer("per-head").largest_array("softmax"),
        "streamed_weights_alive": trace(streamed_attention, ("n", "d_k"), keys, values).largest_array(
            "weights_of_block"
        ),
    }


def counted_memory(name: str, sizes: Mapping[str, int]) -> int:
    """One of `MEMORY_QUANTITIES` as seen in a run: the largest array of weights that met values."""
    if name != "streamed_weights_alive":
        return counted_weights(sizes, "batched" if name == "batched_weights_alive" else "per-head")
    generator = np.random.default_rng(0)
    shapes = ((sizes["n"], sizes["d_k"]), (2, sizes["block"], sizes["d_k"]), (2, sizes["block"], sizes["d_v"]))
    run = CountingRun()
    counted_call(run, streamed_attention, [lift(generator.standard_normal(shape)) for shape in shapes], {})
    return max(product.left.size for product in run.products["mix_block"])
