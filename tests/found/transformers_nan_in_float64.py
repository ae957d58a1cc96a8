"""In a float64 Llama run "eager", a sequence that is padded on the left is NaN from its first to its last token.

The mask holds the most negative float64, which is minus infinity in float32, where Llama, Gemma and GPT-NeoX compute
their softmax: a padding token that may attend to nothing becomes NaN, and in the next layer all that follow.
"""

from __future__ import annotations

import torch
from transformers import LlamaConfig, LlamaModel

torch.manual_seed(0)
tokens, padding = torch.tensor([[0, 1, 2], [3, 4, 5]]), torch.tensor([[0, 1, 1], [1, 1, 1]])

nan = {}
for implementation in ("eager", "sdpa"):
    for dtype in (torch.float32, torch.float64):
        config = LlamaConfig(
            hidden_size=8,
            num_attention_heads=2,
            intermediate_size=8,
            num_hidden_layers=2,
            vocab_size=10,
            attn_implementation=implementation,
        )
        model = LlamaModel(config).to(dtype).eval()
        with torch.no_grad():
            output = model(tokens, attention_mask=padding).last_hidden_state
        nan[implementation, dtype] = output.isnan().any(-1).tolist()
        print(implementation, dtype, nan[implementation, dtype])

nowhere = [[False] * 3] * 2
assert nan.pop(("eager", torch.float64)) == [[True] * 3, [False] * 3]
assert set(map(str, nan.values())) == {str(nowhere)}, nan
