"""What does grow with ``h``: matrices, score entries, exponentials, divisions, comparisons.

Main results: each is linear in ``h`` at fixed ``n``, and none is independent of it.

Every head has a matrix of scores of its own, and the softmax touches every entry of every matrix. These are
entries and operations of other kinds than multiplications; the theorem about excess compares them.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="attention_matrices_grow_with_heads",
    sentence="There are h attention matrices of n*n entries, and the softmax takes an exponential and a division for each entry.",
    claims=(
        "score_entries == h*n**2",
        "attention_matrices == h",
        "exponentials == h*n**2",
        "softmax_divisions == h*n**2",
        "comparisons == h*n*(n - 1)",
    ),
    steps=(
        Step("score_entries", "the entries of the traced scores, of all heads"),
        Step("h*n*m", "each of h heads has a score for each query and key"),
        Step("h*n**2", "in self-attention there are as many keys as queries", ("H5",)),
    ),
    needs=(
        ("H5", "score_entries == h*n**2"),
        ("H5", "exponentials == h*n**2"),
        ("H5", "softmax_divisions == h*n**2"),
        ("H5", "comparisons == h*n*(n - 1)"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.2",
    false=(
        "attention_matrices independent of h",
        "score_entries independent of h",
        "exponentials independent of h",
        "softmax_divisions independent of h",
        "comparisons independent of h",
    ),
)
