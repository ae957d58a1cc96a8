"""Weights times values takes ``n**2*d_model`` multiplications, however many heads there are.

Main results: ``mixing_multiplications == n**2*d_model``, and its independence of ``h``.

Each of h heads multiplies an n x m matrix of weights by m values of width d_v. It costs what the scores cost
when values are as wide as keys.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="mixing_multiplications",
    sentence="Mixing the values takes n**2*d_model multiplications, however many heads there are.",
    claims=(
        "mixing_multiplications == n**2*d_model",
        "mixing_multiplications independent of h",
    ),
    steps=(
        Step("mixing_multiplications", "the multiplications that the traced mixing books"),
        Step("h*n*m*d_v", "each of h heads has n outputs of width d_v, each a sum over m values"),
        Step("h*n*m*d_k", "values are as wide as keys", ("H2",)),
        Step("n*m*d_model", "the heads share the width d_model between them", ("H1",)),
        Step("n**2*d_model", "in self-attention there are as many keys as queries", ("H5",)),
    ),
    needs=(
        ("H1", "mixing_multiplications == n**2*d_model"),
        ("H2", "mixing_multiplications == n**2*d_model"),
        ("H5", "mixing_multiplications == n**2*d_model"),
        ("H1", "mixing_multiplications independent of h"),
        ("H2", "mixing_multiplications independent of h"),
    ),
    source="Vaswani et al. 2017, Attention Is All You Need, sections 3.2.1 and 3.2.2",
)
