"""The names under which configs give a quantity; the first that a model type's class has is the one it reads."""

from __future__ import annotations

from collections.abc import Mapping

ALIASES: Mapping[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "layers", "decoder_layers", "depth"),
    "d_model": ("hidden_size", "d_model", "n_embd", "embed_dim", "emb_dim", "dim"),
    "h": (
        "num_attention_heads",
        "n_head",
        "num_heads",
        "n_heads",
        "attention_heads",
        "decoder_attention_heads",
    ),
    "kv_heads": ("num_key_value_heads",),
    "d_k": ("head_dim",),
}
"""Keys of quantities of one layer.  `d_k` and `kv_heads` have no others: `qk_rope_head_dim` is no head size, and
Falcon's `num_kv_heads` counts only in one of its layouts."""

LAYER_TYPES = "layer_types"

LENGTHS = (
    "max_position_embeddings",
    "n_positions",
    "n_ctx",
    "max_seq_len",
    "max_sequence_length",
    "seq_length",
    "max_target_positions",
    "max_source_positions",
    "model_max_length",
)
"""Keys that say how many positions a model was made for."""


def common_keys() -> frozenset[str]:
    """Every key that a rule reads without naming it."""
    return frozenset({*(key for keys in ALIASES.values() for key in keys), LAYER_TYPES, *LENGTHS, "sliding_window"})
