"""Projecting ``n`` tokens takes ``4*n*d_model**2`` multiplications, however many heads there are.

Main results: ``projection_multiplications == 4*n*d_model**2``, and its independence of ``h``; the form for
cross-attention.

Every token meets every weight of W_Q, W_K, W_V and W_O once: one multiplication for each weight and token.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="projection_multiplications",
    sentence="The projections take 4*n*d_model**2 multiplications, however many heads there are.",
    claims=(
        "projection_multiplications == 4*n*d_model**2",
        "projection_multiplications independent of h",
    ),
    steps=(
        Step("projection_multiplications", "the multiplications that the traced projections book"),
        Step(
            "n*h*d_model*d_k + m*kv_heads*d_memory*d_k + m*kv_heads*d_memory*d_v + n*h*d_v*d_model",
            "inputs by W_Q, memory by W_K and W_V, heads by W_O",
        ),
        Step(
            "n*h*d_model*d_k + m*h*d_memory*d_k + m*h*d_memory*d_v + n*h*d_v*d_model",
            "every head has keys and values of its own",
            ("H3",),
        ),
        Step("2*h*d_k*(n*d_model + m*d_memory)", "values are as wide as keys", ("H2",)),
        Step("2*d_model*(n*d_model + m*d_memory)", "the heads share the width d_model between them", ("H1",)),
        Step("2*d_model*(n*d_model + n*d_memory)", "in self-attention there are as many keys as queries", ("H5",)),
        Step("4*n*d_model**2", "keys and values are read from inputs as wide as the queries'", ("H6",)),
    ),
    needs=(
        ("H1", "projection_multiplications == 4*n*d_model**2"),
        ("H2", "projection_multiplications == 4*n*d_model**2"),
        ("H3", "projection_multiplications == 4*n*d_model**2"),
        ("H5", "projection_multiplications == 4*n*d_model**2"),
        ("H6", "projection_multiplications == 4*n*d_model**2"),
        ("H1", "projection_multiplications independent of h"),
        ("H2", "projection_multiplications independent of h"),
        ("H3", "projection_multiplications independent of h"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2",
)
