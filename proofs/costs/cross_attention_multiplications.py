"""Cross-attention takes ``2*d_model*(n*d_model + m*d_memory) + 2*n*m*d_model`` multiplications.

Main results: The closed form for ``m`` keys from a memory of width ``d_memory``, and its independence of ``h``.

Queries and output are projected once a query, keys and values once a key; scores and mixing meet every pair.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="cross_attention_multiplications",
    sentence="Cross-attention takes 2*d_model*(n*d_model + m*d_memory) + 2*n*m*d_model multiplications, however many heads there are.",
    claims=(
        "multiplications == 2*d_model*(n*d_model + m*d_memory) + 2*n*m*d_model",
        "score_multiplications == n*m*d_model",
        "mixing_multiplications == n*m*d_model",
        "multiplications independent of h",
    ),
    steps=(
        Step("multiplications", "the multiplications that the traced layer books"),
        Step(
            "n*h*d_model*d_k + m*kv_heads*d_memory*d_k + m*kv_heads*d_memory*d_v + n*h*d_v*d_model + h*n*m*d_k + h*n*m*d_v",
            "projections, scores and mixing, as traced",
        ),
        Step(
            "2*h*d_k*(n*d_model + m*d_memory) + 2*h*n*m*d_k",
            "every head has keys and values of its own, as wide as each other",
            ("H2", "H3"),
        ),
        Step(
            "2*d_model*(n*d_model + m*d_memory) + 2*n*m*d_model",
            "the heads share the width d_model between them",
            ("H1",),
        ),
    ),
    needs=(
        ("H1", "multiplications == 2*d_model*(n*d_model + m*d_memory) + 2*n*m*d_model"),
        ("H2", "multiplications == 2*d_model*(n*d_model + m*d_memory) + 2*n*m*d_model"),
        ("H3", "multiplications == 2*d_model*(n*d_model + m*d_memory) + 2*n*m*d_model"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, sections 3.2.2 and 3.2.3",
    drop=(
        "H5",
        "H6",
    ),
)
