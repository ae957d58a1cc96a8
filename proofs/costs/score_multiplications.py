"""``Q K^T`` takes ``n**2*d_model`` multiplications, however many heads there are.

Main results: ``score_multiplications == n**2*d_model``, and its independence of ``h``.

Each of ``h`` heads multiplies ``n`` queries by ``m`` keys of width ``d_k``: ``h*n*m*d_k`` scalar
multiplications.  As the heads share the width ``d_model`` between them (H1), their number cancels; what it does
change is how many matrices of scores there are, not the work of filling them.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="score_multiplications",
    sentence="The scores Q K^T take n**2*d_model multiplications, however many heads there are.",
    claims=("score_multiplications == n**2*d_model", "score_multiplications independent of h"),
    steps=(
        Step("score_multiplications", "the multiplications that the traced scores book"),
        Step("h*n*m*d_k", "each of h heads has n*m scores, each a product of d_k pairs"),
        Step("n*m*d_model", "the heads share the width d_model between them", ("H1",)),
        Step("n**2*d_model", "in self-attention there are as many keys as queries", ("H5",)),
    ),
    needs=(
        ("H1", "score_multiplications == n**2*d_model"),
        ("H5", "score_multiplications == n**2*d_model"),
        ("H1", "score_multiplications independent of h"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, sections 3.2.1 and 3.2.2",
)
