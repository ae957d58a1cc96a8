"""Reading keys and values from a memory of another width changes two of the four matrices.

Main results: ``projection_weights == 2*d_model**2 + 2*d_model*d_memory``, and its independence of ``h``.

In cross-attention W_K and W_V have d_memory rows. With d_memory = d_model the textbook's number comes back.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="cross_attention_weights",
    sentence="Cross-attention holds 2*d_model**2 + 2*d_model*d_memory weights, however many heads there are.",
    claims=(
        "projection_weights == 2*d_model**2 + 2*d_model*d_memory",
        "projection_weights independent of h",
        "projection_weights == 4*d_model**2 iff d_memory == d_model",
    ),
    steps=(
        Step("projection_weights", "the entries of the traced layer's matrices"),
        Step(
            "h*d_model*d_k + kv_heads*d_memory*d_k + kv_heads*d_memory*d_v + h*d_v*d_model",
            "W_Q, W_K, W_V and W_O, as traced",
        ),
        Step(
            "h*d_model*d_k + h*d_memory*d_k + h*d_memory*d_v + h*d_v*d_model",
            "every head has keys and values of its own",
            ("H3",),
        ),
        Step("2*h*d_k*(d_model + d_memory)", "values are as wide as keys", ("H2",)),
        Step("2*d_model*(d_model + d_memory)", "the heads share the width d_model between them", ("H1",)),
        Step("2*d_model**2 + 2*d_model*d_memory", "multiplied out"),
    ),
    needs=(
        ("H1", "projection_weights == 2*d_model**2 + 2*d_model*d_memory"),
        ("H2", "projection_weights == 2*d_model**2 + 2*d_model*d_memory"),
        ("H3", "projection_weights == 2*d_model**2 + 2*d_model*d_memory"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.3",
    drop=(
        "H5",
        "H6",
    ),
)
