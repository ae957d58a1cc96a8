"""With biases a layer holds ``4*d_model**2 + 4*d_model`` parameters.

Main results: ``parameters == 4*d_model**2 + 4*bias*d_model``, where ``bias`` is 0 or 1; its independence of
``h``.

Each head has biases of width d_k, d_k and d_v, together 3*d_model over all heads, and the output has one of
width d_model. The claim of exactly 4*d_model**2 parameters fails for a layer with biases, by 4*d_model; its
weights are as many as ever.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="parameters_with_biases",
    sentence="With biases a layer holds 4*d_model**2 + 4*d_model parameters, however many heads there are.",
    claims=(
        "parameters == 4*d_model**2 + 4*bias*d_model",
        "parameters == 4*d_model**2 + 4*d_model where bias == 1",
        "parameters independent of h",
    ),
    steps=(
        Step("parameters", "the entries of the traced layer's parameters"),
        Step(
            "projection_weights + bias*(h*d_k + kv_heads*d_k + kv_heads*d_v + d_model)",
            "matrices, and a bias for each of their columns",
        ),
        Step(
            "projection_weights + bias*(h*d_k + h*d_k + h*d_v + d_model)",
            "every head has keys and values of its own",
            ("H3",),
        ),
        Step("projection_weights + bias*(3*h*d_k + d_model)", "values are as wide as keys", ("H2",)),
        Step("projection_weights + 4*bias*d_model", "the heads share the width d_model between them", ("H1",)),
        Step("4*d_model**2 + 4*bias*d_model", "the theorem about projection weights", ("H1", "H2", "H3", "H6")),
    ),
    needs=(
        ("H1", "parameters == 4*d_model**2 + 4*bias*d_model"),
        ("H2", "parameters == 4*d_model**2 + 4*bias*d_model"),
        ("H3", "parameters == 4*d_model**2 + 4*bias*d_model"),
        ("H6", "parameters == 4*d_model**2 + 4*bias*d_model"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2; biases as in common libraries",
    drop=("H4",),
    false=("parameters == 4*d_model**2",),
)
