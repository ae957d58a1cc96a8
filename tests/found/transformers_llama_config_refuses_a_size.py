"""LlamaConfig wants hidden_size to be a multiple of the heads even where head_dim is given; the layer does not."""

from __future__ import annotations

import torch
from transformers import LlamaConfig, MistralConfig
from transformers.models.llama.modeling_llama import LlamaAttention

sizes = {"hidden_size": 1792, "num_attention_heads": 24, "num_key_value_heads": 8, "head_dim": 128}
print(MistralConfig(**sizes).head_dim)
try:
    LlamaConfig(**sizes)
except Exception as error:
    refusal = str(error)
    print(refusal)
else:
    refusal = ""
assert "not a multiple" in refusal

config = LlamaConfig(attn_implementation="sdpa")
for name, size in sizes.items():
    setattr(config, name, size)
layer, x = LlamaAttention(config, layer_idx=0).eval(), torch.zeros(1, 3, 1792)
with torch.no_grad():
    print(layer(x, (torch.ones(1, 3, 128), torch.zeros(1, 3, 128)))[0].shape)
