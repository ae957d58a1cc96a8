"""How similar is similar: what ``h`` heads cost beyond one head of full width, kind by kind.

Main results: ``(h - 1)*n**2`` exponentials, as many divisions, ``(h - 1)*n*(n - 1)`` comparisons, and no
multiplication.

One head of full width takes n**2 exponentials, n**2 divisions and n*(n - 1) comparisons. Heads repeat that
work. These are different units from multiplications; additions depend on the kernel and are left out.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="excess_over_one_full_head",
    sentence="Beyond one head of full width, h heads cost h - 1 times its softmax and not one multiplication.",
    claims=(
        "exponentials + softmax_divisions + comparisons - (3*n**2 - n) == (h - 1)*(3*n**2 - n)",
        "exponentials - n**2 == (h - 1)*n**2",
        "softmax_divisions - n**2 == (h - 1)*n**2",
        "comparisons - n*(n - 1) == (h - 1)*n*(n - 1)",
        "multiplications - (4*n*d_model**2 + 2*n**2*d_model) == 0",
    ),
    steps=(
        Step(
            "exponentials + softmax_divisions + comparisons - (3*n**2 - n)",
            "the softmax of all heads, less that of one head of full width",
        ),
        Step("h*n*m + h*n*m + h*n*(m - 1) - (3*n**2 - n)", "as traced: each head's softmax touches each of its scores"),
        Step("h*(3*n**2 - n) - (3*n**2 - n)", "in self-attention there are as many keys as queries", ("H5",)),
        Step("(h - 1)*(3*n**2 - n)", "what the two have in common"),
    ),
    needs=(
        ("H5", "exponentials + softmax_divisions + comparisons - (3*n**2 - n) == (h - 1)*(3*n**2 - n)"),
        ("H1", "multiplications - (4*n*d_model**2 + 2*n**2*d_model) == 0"),
        ("H2", "multiplications - (4*n*d_model**2 + 2*n**2*d_model) == 0"),
        ("H3", "multiplications - (4*n*d_model**2 + 2*n**2*d_model) == 0"),
        ("H5", "multiplications - (4*n*d_model**2 + 2*n**2*d_model) == 0"),
        ("H6", "multiplications - (4*n*d_model**2 + 2*n**2*d_model) == 0"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2: 'similar to that of single-head attention'",
)
