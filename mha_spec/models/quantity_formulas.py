"""The traced quantities of a layer as products of sizes, so that a model can be priced without tracing anything.

Written by ``python -m mha_spec.models.regenerate_quantity_formulas`` from the terms that the theorems are about; a
test compares each with its trace.
"""

from __future__ import annotations

from collections.abc import Mapping

Monomials = tuple[tuple[int, tuple[str, ...]], ...]

FORMULAS: Mapping[str, Monomials] = {
    "projection_weights": (
        (1, ("d_k", "d_model", "group", "kv_heads")),
        (1, ("d_k", "d_memory", "kv_heads")),
        (1, ("d_memory", "d_v", "kv_heads")),
        (1, ("d_model", "d_v", "group", "kv_heads")),
    ),
    "parameters": (
        (1, ("d_k", "d_model", "group", "kv_heads")),
        (1, ("d_k", "d_memory", "kv_heads")),
        (1, ("d_memory", "d_v", "kv_heads")),
        (1, ("d_model", "d_v", "group", "kv_heads")),
        (1, ("bias", "d_k", "group", "kv_heads")),
        (1, ("bias", "d_k", "kv_heads")),
        (1, ("bias", "d_v", "kv_heads")),
        (1, ("bias", "d_model")),
    ),
    "projection_multiplications": (
        (1, ("d_k", "d_model", "group", "kv_heads", "n")),
        (1, ("d_k", "d_memory", "kv_heads", "m")),
        (1, ("d_memory", "d_v", "kv_heads", "m")),
        (1, ("d_model", "d_v", "group", "kv_heads", "n")),
    ),
    "score_multiplications": ((1, ("d_k", "group", "kv_heads", "m", "n")),),
    "mixing_multiplications": ((1, ("d_v", "group", "kv_heads", "m", "n")),),
    "multiplications": (
        (1, ("d_k", "d_model", "group", "kv_heads", "n")),
        (1, ("d_k", "d_memory", "kv_heads", "m")),
        (1, ("d_memory", "d_v", "kv_heads", "m")),
        (1, ("d_model", "d_v", "group", "kv_heads", "n")),
        (1, ("d_k", "group", "kv_heads", "m", "n")),
        (1, ("d_v", "group", "kv_heads", "m", "n")),
    ),
    "exponentials": ((1, ("group", "kv_heads", "m", "n")),),
    "softmax_divisions": ((1, ("group", "kv_heads", "m", "n")),),
    "comparisons": (
        (1, ("group", "kv_heads", "m", "n")),
        (-1, ("group", "kv_heads", "n")),
    ),
    "attention_matrices": ((1, ("group", "kv_heads")),),
    "score_entries": ((1, ("group", "kv_heads", "m", "n")),),
    "kv_cache_entries": (
        (1, ("d_k", "kv_heads", "m")),
        (1, ("d_v", "kv_heads", "m")),
    ),
}
