"""Without a mask, a decoder's attention is causal run "sdpa" and not run "eager"; with one query it never is."""

from __future__ import annotations

import torch
from transformers import GPT2Config, T5Config
from transformers.models.gpt2.modeling_gpt2 import GPT2Attention
from transformers.models.t5.modeling_t5 import T5Attention

torch.manual_seed(0)
x, other = torch.randn(1, 3, 8), torch.randn(1, 3, 8)
other[:, :2] = x[:, :2]  # only the last token differs

causal = {}
for implementation in ("eager", "sdpa"):
    layer = GPT2Attention(GPT2Config(n_embd=8, n_head=2, attn_implementation=implementation), layer_idx=0).eval()
    with torch.no_grad():
        causal[implementation] = torch.equal(layer(x)[0][:, :2], layer(other)[0][:, :2])
    print(f"GPT-2, {implementation}: the first two outputs ignore the third token: {causal[implementation]}")
assert causal == {"eager": False, "sdpa": True}, causal

config = T5Config(d_model=8, num_heads=2, d_kv=4, attn_implementation="sdpa")
decoder = T5Attention(config, layer_idx=0, is_causal=True).eval()
ignores = {}
for queries in (1, 2):
    with torch.no_grad():
        first, second = (decoder(x[:, :queries], key_value_states=memory)[0][:, 0] for memory in (x, other))
    ignores[queries] = torch.equal(first, second)
    print(f"T5, {queries} queries of 3 keys: the first output ignores the third key: {ignores[queries]}")
assert ignores == {1: False, 2: True}, ignores
