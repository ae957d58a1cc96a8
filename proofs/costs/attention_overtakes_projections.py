"""Scores and mixing overtake the projections at ``n = 2*d_model``.

Main results: ``score_multiplications + mixing_multiplications >= projection_multiplications`` exactly when ``n
>= 2*d_model``.

Below that length a layer is dominated by its projections, linear in n; above it by the quadratic part. The
widths of the heads cancel, so neither H1 nor H2 is needed.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="attention_overtakes_projections",
    sentence="Scores and mixing take at least as many multiplications as the projections exactly when n is at least 2*d_model.",
    claims=(
        "score_multiplications + mixing_multiplications - projection_multiplications == n*h*(d_k + d_v)*(n - 2*d_model)",
        "score_multiplications + mixing_multiplications >= projection_multiplications iff n >= 2*d_model",
        "score_multiplications + mixing_multiplications == projection_multiplications iff n == 2*d_model",
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
            "h*n*m*(d_k + d_v) - h*(d_k + d_v)*(n*d_model + m*d_memory)",
            "every head has keys and values of its own",
            ("H3",),
        ),
        Step(
            "n*h*(d_k + d_v)*(n - d_model - d_memory)", "in self-attention there are as many keys as queries", ("H5",)
        ),
        Step(
            "n*h*(d_k + d_v)*(n - 2*d_model)", "keys and values are read from inputs as wide as the queries'", ("H6",)
        ),
    ),
    needs=(
        ("H3", "score_multiplications + mixing_multiplications >= projection_multiplications iff n >= 2*d_model"),
        ("H5", "score_multiplications + mixing_multiplications >= projection_multiplications iff n >= 2*d_model"),
        ("H6", "score_multiplications + mixing_multiplications >= projection_multiplications iff n >= 2*d_model"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, table 1 and section 4",
    drop=(
        "H1",
        "H2",
    ),
)
