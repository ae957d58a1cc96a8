"""With full heads the cache has ``2*m*d_model`` entries, however many heads there are.

Main results: ``kv_cache_entries == 2*m*d_model``, and its independence of ``h``.

The number of heads does not change the cache; the number of key/value heads of a given width does.
"""

from __future__ import annotations

from mha_spec.claims.theorem import Step, Theorem

theorem = Theorem(
    name="full_kv_cache_entries",
    sentence="With a key/value head for every head the cache has 2*m*d_model entries, however many heads there are.",
    claims=(
        "kv_cache_entries == 2*m*d_model",
        "kv_cache_entries independent of h",
    ),
    steps=(
        Step("kv_cache_entries", "the entries of the traced keys and values"),
        Step("m*kv_heads*(d_k + d_v)", "each key/value head keeps a key and a value a token"),
        Step("2*m*kv_heads*d_k", "values are as wide as keys", ("H2",)),
        Step("2*m*h*d_k", "every head has keys and values of its own", ("H3",)),
        Step("2*m*d_model", "the heads share the width d_model between them", ("H1",)),
    ),
    needs=(
        ("H1", "kv_cache_entries == 2*m*d_model"),
        ("H2", "kv_cache_entries == 2*m*d_model"),
        ("H3", "kv_cache_entries == 2*m*d_model"),
        ("H1", "kv_cache_entries independent of h"),
        ("H2", "kv_cache_entries independent of h"),
        ("H3", "kv_cache_entries independent of h"),
    ),
    source="Shazeer 2019, Fast Transformer Decoding, section 2.4",
    drop=("H5",),
)
