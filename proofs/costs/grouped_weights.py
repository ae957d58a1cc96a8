"""Grouped heads hold ``2*d_model*d_k*(h + kv_heads)`` weights.

Main results: ``projection_weights == 2*d_model*d_k*(h + kv_heads)``; at most the full count exactly when
``kv_heads <= h``, equal exactly when ``kv_heads == h``.

Queries and output keep their h heads; keys and values have kv_heads. Multi-query attention is kv_heads = 1.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="grouped_weights",
    sentence="Grouped heads hold 2*d_model*d_k*(h + kv_heads) weights.",
    claims=(
        "projection_weights == 2*d_model*d_k*(h + kv_heads)",
        "projection_weights <= 4*h*d_k*d_model iff kv_heads <= h",
        "projection_weights == 4*h*d_k*d_model iff kv_heads == h",
        "projection_weights <= 4*h*d_k*d_model",
    ),
    steps=(
        Step("projection_weights", "the entries of the traced layer's matrices"),
        Step(
            "h*d_model*d_k + kv_heads*d_memory*d_k + kv_heads*d_memory*d_v + h*d_v*d_model",
            "W_Q, W_K, W_V and W_O, as traced",
        ),
        Step("2*h*d_model*d_k + 2*kv_heads*d_memory*d_k", "values are as wide as keys", ("H2",)),
        Step("2*d_model*d_k*(h + kv_heads)", "keys and values are read from inputs as wide as the queries'", ("H6",)),
    ),
    needs=(
        ("H2", "projection_weights == 2*d_model*d_k*(h + kv_heads)"),
        ("H6", "projection_weights == 2*d_model*d_k*(h + kv_heads)"),
        ("H2", "projection_weights == 4*h*d_k*d_model iff kv_heads == h"),
        ("H6", "projection_weights == 4*h*d_k*d_model iff kv_heads == h"),
    ),
    source="Shazeer 2019, Fast Transformer Decoding, section 3; Ainslie et al. 2023, GQA, section 2",
    drop=(
        "H1",
        "H3",
    ),
)
