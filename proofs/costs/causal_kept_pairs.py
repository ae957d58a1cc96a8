"""Causality leaves ``n*(n + 1)/2`` pairs a head, of ``n**2``.

Main results: ``2*kept_pairs == n*(n + 1)`` for as many keys as queries; aligned top-left, the same for more
keys, and ``m*(m + 1)/2 + (n - m)*m`` for fewer.

Query i sees keys 0 to i. The count is doubled to stay in integers. A layer that computes all scores and then
hides some still takes h*n*m*d_k multiplications; what causality saves is up to the kernel.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="causal_kept_pairs",
    sentence="A causal layer keeps n*(n + 1)/2 query-key pairs in each head.",
    claims=(
        "2*kept_pairs == n*(n + 1)",
        "2*kept_pairs == n*(n + 1) where n <= m",
        "2*kept_pairs == m*(m + 1) + 2*(n - m)*m where m <= n",
        "kept_pairs <= n*m",
        "2*kept_pairs >= n*m where n <= m, m <= n",
    ),
    steps=(
        Step("2*kept_pairs", "the ones of the triangle that the traced layer makes"),
        Step("n**2 + n", "one more in each row, from 1 to n", ("H5",)),
        Step("n*(n + 1)", "collected"),
    ),
    needs=(("H5", "2*kept_pairs == n*(n + 1)"),),
    source="Vaswani et al. 2017, Attention Is All You Need, section 3.2.3",
)
