"""The layers and functions that a target may name directly, and where the factory of each is: one line a target."""

from __future__ import annotations

from typing import Final

FACTORIES: Final[dict[str, str]] = {
    # PyTorch
    "torch.nn:MultiheadAttention": "mha_spec.adapters.torch.multihead_attention:factory",
    "torch.nn.functional:scaled_dot_product_attention": "mha_spec.adapters.torch.scaled_dot_product:factory",
    "torch.nn.functional:multi_head_attention_forward": "mha_spec.adapters.torch.functional_forward:factory",
    # Hugging Face transformers
    "transformers.models.bert.modeling_bert:BertSelfAttention": "mha_spec.adapters.transformers.bert:factory",
    "transformers.models.bert.modeling_bert:BertCrossAttention": "mha_spec.adapters.transformers.bert:cross",
    "transformers.models.gpt2.modeling_gpt2:GPT2Attention": "mha_spec.adapters.transformers.gpt2:factory",
    "transformers.models.llama.modeling_llama:LlamaAttention": "mha_spec.adapters.transformers.llama:factory",
    "transformers.models.gemma.modeling_gemma:GemmaAttention": "mha_spec.adapters.transformers.gemma:factory",
    "transformers.models.t5.modeling_t5:T5Attention": "mha_spec.adapters.transformers.t5:factory",
    "transformers.models.falcon.modeling_falcon:FalconAttention": "mha_spec.adapters.transformers.falcon:factory",
    "transformers.models.gpt_neox.modeling_gpt_neox:GPTNeoXAttention": "mha_spec.adapters.transformers.neox:factory",
    # JAX and its layer libraries
    "jax.nn:dot_product_attention": "mha_spec.adapters.jax.dot_product_attention:factory",
    "flax.nnx:MultiHeadAttention": "mha_spec.adapters.flax.nnx:factory",
    "flax.linen:MultiHeadDotProductAttention": "mha_spec.adapters.flax.linen:factory",
    "equinox.nn:MultiheadAttention": "mha_spec.adapters.equinox.multihead_attention:factory",
    "haiku:MultiHeadAttention": "mha_spec.adapters.haiku.multi_head_attention:factory",
    # Keras, on its JAX backend
    "keras.layers:MultiHeadAttention": "mha_spec.adapters.keras.multi_head_attention:factory",
    "keras.layers:GroupQueryAttention": "mha_spec.adapters.keras.group_query_attention:factory",
}
"""From the target as a user writes it to the target of its factory; reading this imports no framework."""
