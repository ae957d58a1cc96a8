"""Shazeer's tables compare models of exactly equal size: 176,160,768 and 125,829,120 weights.

Main results: each row's feed-forward width is what keeps the number of weights equal.

Fast Transformer Decoding compares multi-query attention with fewer or narrower heads, and widens the feed-
forward blocks so that all rows have as many weights. They do, to the last one. Matrices only.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="multi_query_body",
    sentence="In each of Shazeer's two tables every row has the same number of weights.",
    claims=(
        "layers*(3*projection_weights + 4*d_model*d_ff) == 2*layers*d_model*(3*d_k*(h + kv_heads) + 2*d_ff)",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 176160768 where layers == 6, d_model == 1024, h == 8, kv_heads == 8, d_k == 128, d_ff == 4096",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 176160768 where layers == 6, d_model == 1024, h == 8, kv_heads == 1, d_k == 128, d_ff == 5440",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 176160768 where layers == 6, d_model == 1024, h == 1, kv_heads == 1, d_k == 128, d_ff == 6784",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 176160768 where layers == 6, d_model == 1024, h == 2, kv_heads == 2, d_k == 64, d_ff == 6784",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 176160768 where layers == 6, d_model == 1024, h == 4, kv_heads == 4, d_k == 32, d_ff == 6784",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 176160768 where layers == 6, d_model == 1024, h == 8, kv_heads == 8, d_k == 16, d_ff == 6784",
        "layers*(projection_weights + 2*d_model*d_ff) == 125829120 where layers == 6, d_model == 1024, h == 8, kv_heads == 8, d_k == 128, d_ff == 8192",
        "layers*(projection_weights + 2*d_model*d_ff) == 125829120 where layers == 6, d_model == 1024, h == 8, kv_heads == 1, d_k == 128, d_ff == 9088",
        "layers*(projection_weights + 2*d_model*d_ff) == 125829120 where layers == 6, d_model == 1024, h == 1, kv_heads == 1, d_k == 128, d_ff == 9984",
        "layers*(projection_weights + 2*d_model*d_ff) == 125829120 where layers == 6, d_model == 1024, h == 2, kv_heads == 2, d_k == 64, d_ff == 9984",
        "layers*(projection_weights + 2*d_model*d_ff) == 125829120 where layers == 6, d_model == 1024, h == 4, kv_heads == 4, d_k == 32, d_ff == 9984",
        "layers*(projection_weights + 2*d_model*d_ff) == 125829120 where layers == 6, d_model == 1024, h == 8, kv_heads == 8, d_k == 16, d_ff == 9984",
    ),
    steps=(
        Step(
            "layers*(3*projection_weights + 4*d_model*d_ff)",
            "three attentions and two feed-forward blocks of two matrices, for each pair of layers",
        ),
        Step(
            "layers*(3*(2*d_model*d_k*(h + kv_heads)) + 4*d_model*d_ff)",
            "the theorem about grouped weights",
            ("H2", "H6"),
        ),
        Step("2*layers*d_model*(3*d_k*(h + kv_heads) + 2*d_ff)", "what the blocks have in common"),
    ),
    needs=(
        ("H2", "layers*(3*projection_weights + 4*d_model*d_ff) == 2*layers*d_model*(3*d_k*(h + kv_heads) + 2*d_ff)"),
        ("H6", "layers*(3*projection_weights + 4*d_model*d_ff) == 2*layers*d_model*(3*d_k*(h + kv_heads) + 2*d_ff)"),
    ),
    source="Shazeer 2019, Fast Transformer Decoding, tables 1 and 3",
    drop=(
        "H1",
        "H3",
    ),
    extra=(
        "layers",
        "d_ff",
    ),
)
