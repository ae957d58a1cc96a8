"""With grouped heads the quadratic part overtakes sooner.

Main results: the crossover is at ``n = d_model*(h + kv_heads)/h``.

Grouped heads make the projections cheaper and leave scores and mixing as they are. The crossover lies between
d_model, for one key/value head shared by very many, and 2*d_model, for full heads.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="grouped_attention_overtakes_projections",
    sentence="Scores and mixing take at least as many multiplications as the projections exactly when h*n is at least d_model*(h + kv_heads).",
    claims=(
        "score_multiplications + mixing_multiplications - projection_multiplications == n*(d_k + d_v)*(h*n - d_model*(h + kv_heads))",
        "score_multiplications + mixing_multiplications >= projection_multiplications iff h*n >= d_model*(h + kv_heads)",
    ),
    steps=(
        Step(
            "score_multiplications + mixing_multiplications - projection_multiplications",
            "the quadratic part less the linear part",
        ),
        Step(
            "h*n*m*(d_k + d_v) - (n*h*d_model*d_k + m*kv_heads*d_memory*d_k + m*kv_heads*d_memory*d_v + n*h*d_v*d_model)",
            "as traced",
        ),
        Step(
            "h*n*n*(d_k + d_v) - (d_k + d_v)*(n*h*d_model + n*kv_heads*d_memory)",
            "in self-attention there are as many keys as queries",
            ("H5",),
        ),
        Step(
            "n*(d_k + d_v)*(h*n - d_model*(h + kv_heads))",
            "keys and values are read from inputs as wide as the queries'",
            ("H6",),
        ),
    ),
    needs=(
        (
            "H5",
            "score_multiplications + mixing_multiplications >= projection_multiplications iff h*n >= d_model*(h + kv_heads)",
        ),
        (
            "H6",
            "score_multiplications + mixing_multiplications >= projection_multiplications iff h*n >= d_model*(h + kv_heads)",
        ),
    ),
    source="Shazeer 2019, Fast Transformer Decoding, section 3; Ainslie et al. 2023, GQA",
    drop=(
        "H1",
        "H2",
        "H3",
    ),
)
