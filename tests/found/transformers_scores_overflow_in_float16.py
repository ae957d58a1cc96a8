"""In a float16 model run "eager", scalar products above 65504 overflow before they are scaled; not run "sdpa"."""

from __future__ import annotations

import torch
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertSelfAttention

finite = {}
for implementation in ("eager", "sdpa"):
    config = BertConfig(hidden_size=64, num_attention_heads=1, attn_implementation=implementation)
    layer = BertSelfAttention(config).half().eval()
    for projection in (layer.query, layer.key, layer.value):
        torch.nn.init.eye_(projection.weight)
        torch.nn.init.zeros_(projection.bias)
    x = torch.full((1, 2, 64), 40.0, dtype=torch.float16)  # q.k is 64*40*40 = 102400, and the score 12800
    with torch.no_grad():
        output, _ = layer(x)
    finite[implementation] = bool(output.isfinite().all())
    print(f"{implementation}: {output[0, 0, :3].tolist()}")

assert finite == {"eager": False, "sdpa": True}, finite
