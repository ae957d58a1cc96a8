"""With need_weights=True a query that may attend to nothing makes every gradient NaN, even if it is not used."""

from __future__ import annotations

import torch

torch.manual_seed(0)
layer = torch.nn.MultiheadAttention(6, 2, batch_first=True)
mask = torch.zeros(3, 3, dtype=torch.bool)
mask[1] = True  # True = hidden: the second query may attend to nothing

finite = {}
for need_weights in (True, False):
    x = torch.randn(1, 3, 6, requires_grad=True)
    output, _ = layer(x, x, x, attn_mask=mask, need_weights=need_weights)
    (gradient,) = torch.autograd.grad(output[:, [0, 2]].sum(), x)
    finite[need_weights] = bool(gradient.isfinite().all())
    print(f"need_weights={need_weights}: {gradient[0, 0].tolist()}")

assert finite == {True: False, False: True}, finite
