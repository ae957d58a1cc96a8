"""A query that may attend to nothing is NaN on one inference path of nn.MultiheadAttention, finite on the others."""

from __future__ import annotations

import torch

PATHS = {
    "even heads, biases, one object": (2, True, True),
    "odd heads": (3, True, True),
    "no biases": (2, False, True),
    "an equal copy as key and value": (2, True, False),
}

torch.manual_seed(0)
x = torch.randn(1, 3, 6)
mask = torch.zeros(3, 3, dtype=torch.bool)
mask[1] = True  # True = hidden: the second query may attend to nothing

nan = {}
for path, (heads, bias, same) in PATHS.items():
    layer = torch.nn.MultiheadAttention(6, heads, bias=bias, batch_first=True).eval()
    memory = x if same else x.clone()
    with torch.no_grad():
        output, _ = layer(x, memory, memory, attn_mask=mask, need_weights=False)
    nan[path] = bool(output[0, 1].isnan().any())
    print(f"{path}: {output[0, 1].tolist()}")

assert nan == {path: path == "even heads, biases, one object" for path in PATHS}, nan
