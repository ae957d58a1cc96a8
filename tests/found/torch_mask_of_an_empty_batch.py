"""nn.MultiheadAttention takes an empty batch, and a mask, but not both, unless it computes the weights as well."""

from __future__ import annotations

import torch

layer = torch.nn.MultiheadAttention(6, 3, batch_first=True).eval()
x, mask = torch.zeros(0, 3, 6), torch.zeros(0, 3, dtype=torch.bool)

print(layer(x, x, x, need_weights=False)[0].shape)
print(layer(x, x, x, key_padding_mask=mask, need_weights=True)[0].shape)
try:
    layer(x, x, x, key_padding_mask=mask, need_weights=False)
except RuntimeError as error:
    print(error)
else:
    raise AssertionError("an empty batch with a mask is taken")
