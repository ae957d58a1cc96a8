"""The cache of keys and values has ``2*m*kv_heads*d_k`` entries.

Main results: ``kv_cache_entries == 2*m*kv_heads*d_k``, and by what factor grouped heads save.

A decoder keeps the projected keys and values of the m tokens before. With full heads that is 2*m*d_model,
whatever h is; grouped heads keep kv_heads/h of it.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="kv_cache_entries",
    sentence="The cache of m keys and values has 2*m*kv_heads*d_k entries; grouped heads keep kv_heads of h parts of it.",
    claims=(
        "kv_cache_entries == 2*m*kv_heads*d_k",
        "h*kv_cache_entries == kv_heads*(2*m*h*d_k)",
        "kv_cache_entries <= 2*m*h*d_k",
        "kv_cache_entries == 2*m*h*d_k iff kv_heads == h",
    ),
    steps=(
        Step("kv_cache_entries", "the entries of the traced keys and values"),
        Step("m*kv_heads*(d_k + d_v)", "each key/value head keeps a key and a value a token"),
        Step("m*kv_heads*(d_k + d_k)", "values are as wide as keys", ("H2",)),
        Step("2*m*kv_heads*d_k", "collected"),
    ),
    needs=(("H2", "kv_cache_entries == 2*m*kv_heads*d_k"),),
    source="Shazeer 2019, Fast Transformer Decoding, section 2.4; Ainslie et al. 2023, GQA",
    drop=(
        "H1",
        "H3",
        "H4",
        "H5",
        "H6",
    ),
)
