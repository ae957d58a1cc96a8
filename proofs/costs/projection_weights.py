"""The matrices of a layer hold ``4*d_model**2`` weights, with biases or without.

Main results: ``projection_weights == 4*d_model**2``, and its independence of ``h``.

The count of parameters needs H4 (no biases); the count of the entries of W_Q, W_K, W_V and W_O does not. A
design that has biases keeps the textbook's number of weights, and its number of parameters is a little more.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="projection_weights",
    sentence="W_Q, W_K, W_V and W_O hold 4*d_model**2 weights, however many heads there are.",
    claims=(
        "projection_weights == 4*d_model**2",
        "projection_weights independent of h",
    ),
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
        Step("4*d_model**2", "the heads share the width d_model between them", ("H1",)),
    ),
    needs=(
        ("H1", "projection_weights == 4*d_model**2"),
        ("H2", "projection_weights == 4*d_model**2"),
        ("H3", "projection_weights == 4*d_model**2"),
        ("H6", "projection_weights == 4*d_model**2"),
        ("H1", "projection_weights independent of h"),
        ("H2", "projection_weights independent of h"),
        ("H3", "projection_weights independent of h"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2",
)
