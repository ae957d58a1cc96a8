"""Eight heads of width 64 hold what one head of width 512 holds.

Main results: ``projection_weights == 4*(h*d_k)**2``: only the product ``h*d_k`` counts.

However a width is divided into heads, the number of weights depends on the whole width alone.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="heads_hold_what_one_full_head_holds",
    sentence="A layer of h heads of width d_k holds what one head of width h*d_k holds.",
    claims=(
        "projection_weights == 4*(h*d_k)**2",
        "projection_weights == 1048576 where h == 8, d_k == 64",
        "projection_weights == 1048576 where h == 1, d_k == 512",
    ),
    steps=(
        Step("projection_weights", "the entries of the traced layer's matrices"),
        Step("4*d_model**2", "the theorem about projection weights", ("H1", "H2", "H3", "H6")),
        Step("4*(h*d_k)**2", "d_model is the width of one head that is as wide as all together", ("H1",)),
    ),
    needs=(
        ("H1", "projection_weights == 4*(h*d_k)**2"),
        ("H2", "projection_weights == 4*(h*d_k)**2"),
        ("H3", "projection_weights == 4*(h*d_k)**2"),
        ("H6", "projection_weights == 4*(h*d_k)**2"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2",
)
