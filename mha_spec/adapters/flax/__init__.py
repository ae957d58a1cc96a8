"""Flax: the attention layers of `flax.nnx` and of `flax.linen`; imports Flax only when one of them is loaded."""
