"""Without a shared width the weights are ``4*h*d_k*d_model``, and they grow with ``h``.

Main results: ``projection_weights == 4*h*d_k*d_model`` without H1.

Several published models choose d_k freely, so that h*d_k is not d_model. Then 4*d_model**2 is the wrong number,
and more heads of the same width do cost more.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="weights_of_heads_of_any_width",
    sentence="Heads of any width d_k hold 4*h*d_k*d_model weights.",
    claims=("projection_weights == 4*h*d_k*d_model",),
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
        Step("4*h*d_k*d_model", "keys and values are read from inputs as wide as the queries'", ("H6",)),
    ),
    needs=(
        ("H2", "projection_weights == 4*h*d_k*d_model"),
        ("H3", "projection_weights == 4*h*d_k*d_model"),
        ("H6", "projection_weights == 4*h*d_k*d_model"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2, without its choice of d_k",
    drop=("H1",),
    false=(
        "projection_weights independent of h",
        "projection_weights == 4*d_model**2",
    ),
)
