"""The projections hold ``4*d_model**2`` weights, however many heads there are.

Main results: ``parameters == 4*d_model**2``, and its independence of ``h``.

Each head has its own ``W_Q``, ``W_K``, ``W_V`` of ``d_model x d_k``, and ``W_O`` has one block of ``d_v`` rows a
head.  More heads make more matrices of less width: the heads share the width ``d_model`` between them (H1), so
their number cancels.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="parameters",
    sentence="The projections hold 4*d_model**2 weights, however many heads there are.",
    claims=("parameters == 4*d_model**2", "parameters independent of h"),
    steps=(
        Step("parameters", "the entries of the traced layer's parameters"),
        Step(
            "h*d_model*d_k + kv_heads*d_memory*d_k + kv_heads*d_memory*d_v + h*d_v*d_model",
            "without biases these are W_Q, W_K, W_V and W_O",
            ("H4",),
        ),
        Step(
            "h*d_model*d_k + h*d_memory*d_k + h*d_memory*d_v + h*d_v*d_model",
            "every head has keys and values of its own",
            ("H3",),
        ),
        Step(
            "h*d_model*d_k + h*d_memory*d_k + h*d_memory*d_k + h*d_k*d_model",
            "values are as wide as keys",
            ("H2",),
        ),
        Step("2*h*d_k*(d_model + d_memory)", "collect what the four have in common"),
        Step("4*h*d_k*d_model", "keys and values are read from inputs as wide as the queries'", ("H6",)),
        Step("4*d_model**2", "the heads share the width d_model between them", ("H1",)),
    ),
    needs=(
        ("H1", "parameters == 4*d_model**2"),
        ("H2", "parameters == 4*d_model**2"),
        ("H3", "parameters == 4*d_model**2"),
        ("H4", "parameters == 4*d_model**2"),
        ("H6", "parameters == 4*d_model**2"),
        ("H1", "parameters independent of h"),
        ("H2", "parameters independent of h"),
        ("H3", "parameters independent of h"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2",
)
