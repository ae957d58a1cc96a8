"""How many weights are alive at once: all heads', one head's, or one block's.

Main results: ``h*n*m`` entries where the heads are computed together, ``n*m`` one by one, ``n*block`` streamed.

The same layer, the same multiplications, and very different memory. Only the batched form pays for more heads
here; streaming in blocks of keys makes it independent of the number of keys too.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="weights_alive_at_once",
    sentence="The weights alive at once are h*n*m entries in the batched form, n*m head by head, and n*block streamed.",
    claims=(
        "batched_weights_alive == h*n**2",
        "batched_weights_alive == score_entries",
        "per_head_weights_alive == n*m",
        "per_head_weights_alive independent of h",
        "batched_weights_alive == h*per_head_weights_alive",
        "streamed_weights_alive == n*block",
        "streamed_weights_alive <= per_head_weights_alive where block <= m",
    ),
    steps=(
        Step("batched_weights_alive", "the largest array that the traced softmax makes"),
        Step("h*n*m", "all heads have their weights at the same time"),
        Step("h*n**2", "in self-attention there are as many keys as queries", ("H5",)),
    ),
    needs=(("H5", "batched_weights_alive == h*n**2"),),
    source="Milakov and Gimelshein 2018, Online normalizer calculation for softmax, section 3; Dao et al. 2022, FlashAttention, section 3.1",
    false=("batched_weights_alive independent of h",),
    extra=("block",),
)
