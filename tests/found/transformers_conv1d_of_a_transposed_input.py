"""GPT-2's attention raises for hidden states that are not contiguous, which BERT's takes."""

from __future__ import annotations

import torch
from transformers import BertConfig, GPT2Config
from transformers.models.bert.modeling_bert import BertSelfAttention
from transformers.models.gpt2.modeling_gpt2 import GPT2Attention

tokens_first = torch.randn(3, 2, 8)
x = tokens_first.transpose(0, 1)

bert = BertSelfAttention(BertConfig(hidden_size=8, num_attention_heads=2, attn_implementation="sdpa")).eval()
gpt2 = GPT2Attention(GPT2Config(n_embd=8, n_head=2, attn_implementation="sdpa"), layer_idx=0).eval()
print(bert(x)[0].shape)
print(gpt2(x.contiguous())[0].shape)
try:
    gpt2(x)
except RuntimeError as error:
    print(error)
else:
    raise AssertionError("hidden states that are not contiguous are taken")
