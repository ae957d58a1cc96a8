"""A layer takes ``4*n*d_model**2 + 2*n**2*d_model`` multiplications, however many heads there are.

Main results: ``multiplications == 4*n*d_model**2 + 2*n**2*d_model``, and its independence of ``h``.

Projections, scores and mixing together. The first term grows with the width squared, the second with the length
squared; the number of heads is in neither.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="multiplications",
    sentence="A layer takes 4*n*d_model**2 + 2*n**2*d_model multiplications, however many heads there are.",
    claims=(
        "multiplications == 4*n*d_model**2 + 2*n**2*d_model",
        "multiplications independent of h",
    ),
    steps=(
        Step("multiplications", "the multiplications that the traced layer books"),
        Step(
            "projection_multiplications + score_multiplications + mixing_multiplications", "the three kinds of products"
        ),
        Step(
            "4*n*d_model**2 + score_multiplications + mixing_multiplications",
            "the theorem about projections",
            ("H1", "H2", "H3", "H5", "H6"),
        ),
        Step("4*n*d_model**2 + n**2*d_model + mixing_multiplications", "the theorem about scores", ("H1", "H5")),
        Step("4*n*d_model**2 + n**2*d_model + n**2*d_model", "the theorem about mixing", ("H1", "H2", "H5")),
        Step("4*n*d_model**2 + 2*n**2*d_model", "scores and mixing cost the same"),
    ),
    needs=(
        ("H1", "multiplications == 4*n*d_model**2 + 2*n**2*d_model"),
        ("H2", "multiplications == 4*n*d_model**2 + 2*n**2*d_model"),
        ("H3", "multiplications == 4*n*d_model**2 + 2*n**2*d_model"),
        ("H5", "multiplications == 4*n*d_model**2 + 2*n**2*d_model"),
        ("H6", "multiplications == 4*n*d_model**2 + 2*n**2*d_model"),
        ("H1", "multiplications independent of h"),
        ("H2", "multiplications independent of h"),
        ("H3", "multiplications independent of h"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2 and table 1",
)
