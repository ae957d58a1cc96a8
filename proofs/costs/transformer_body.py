"""A whole Transformer body has as many weights whatever ``h`` is: 44,040,192 in the paper's table.

Main results: ``4*layers*d_model*(3*d_model + d_ff)`` weights; the five rows of the paper's Table 3 (A) are one
number.

An encoder layer has one attention and one feed-forward block, a decoder layer two and one. Matrices only:
embeddings, biases and layer norms are left out. The paper's rows for h = 1, 4, 8, 16, 32 state no other number
of parameters, and there is none.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="transformer_body",
    sentence="The body of layers encoder and layers decoder layers has 4*layers*d_model*(3*d_model + d_ff) weights, however many heads there are.",
    claims=(
        "layers*(3*projection_weights + 4*d_model*d_ff) == 4*layers*d_model*(3*d_model + d_ff)",
        "layers*(3*projection_weights + 4*d_model*d_ff) independent of h",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 44040192 where layers == 6, d_model == 512, d_ff == 2048, h == 1",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 44040192 where layers == 6, d_model == 512, d_ff == 2048, h == 4",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 44040192 where layers == 6, d_model == 512, d_ff == 2048, h == 8",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 44040192 where layers == 6, d_model == 512, d_ff == 2048, h == 16",
        "layers*(3*projection_weights + 4*d_model*d_ff) == 44040192 where layers == 6, d_model == 512, d_ff == 2048, h == 32",
    ),
    steps=(
        Step(
            "layers*(3*projection_weights + 4*d_model*d_ff)",
            "three attentions and two feed-forward blocks of two matrices, for each pair of layers",
        ),
        Step(
            "layers*(3*(4*d_model**2) + 4*d_model*d_ff)",
            "the theorem about projection weights",
            ("H1", "H2", "H3", "H6"),
        ),
        Step("4*layers*d_model*(3*d_model + d_ff)", "what the blocks have in common"),
    ),
    needs=(
        ("H1", "layers*(3*projection_weights + 4*d_model*d_ff) == 4*layers*d_model*(3*d_model + d_ff)"),
        ("H2", "layers*(3*projection_weights + 4*d_model*d_ff) == 4*layers*d_model*(3*d_model + d_ff)"),
        ("H3", "layers*(3*projection_weights + 4*d_model*d_ff) == 4*layers*d_model*(3*d_model + d_ff)"),
        ("H6", "layers*(3*projection_weights + 4*d_model*d_ff) == 4*layers*d_model*(3*d_model + d_ff)"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, table 3, rows (A)",
    extra=(
        "layers",
        "d_ff",
    ),
)
