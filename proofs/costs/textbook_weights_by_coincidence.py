"""When a layer that breaks the paper's hypotheses still has ``4*d_model**2`` weights.

Main results: ``projection_weights == 4*d_model**2`` exactly when ``(h + kv_heads)*d_k == 2*d_model``.

Grouped heads that are wide enough can meet the textbook's number although neither H1 nor H3 holds, as with h =
3, kv_heads = 1, d_k = d_model/2. The number alone does not show that the hypotheses are met.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="textbook_weights_by_coincidence",
    sentence="A layer holds 4*d_model**2 weights exactly when (h + kv_heads)*d_k is 2*d_model.",
    claims=(
        "projection_weights - 4*d_model**2 == 2*d_model*((h + kv_heads)*d_k - 2*d_model)",
        "projection_weights == 4*d_model**2 iff (h + kv_heads)*d_k == 2*d_model",
        "projection_weights == 4*d_model**2 where h == 3, kv_heads == 1, d_model == 2*d_k",
    ),
    steps=(
        Step("projection_weights - 4*d_model**2", "how far the weights are from the textbook's number"),
        Step("2*d_model*d_k*(h + kv_heads) - 4*d_model**2", "the theorem about grouped weights", ("H2", "H6")),
        Step("2*d_model*((h + kv_heads)*d_k - 2*d_model)", "2*d_model is common to both, and never 0"),
    ),
    needs=(
        ("H2", "projection_weights == 4*d_model**2 iff (h + kv_heads)*d_k == 2*d_model"),
        ("H6", "projection_weights == 4*d_model**2 iff (h + kv_heads)*d_k == 2*d_model"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2, and Ainslie et al. 2023, GQA",
    drop=(
        "H1",
        "H3",
    ),
)
