"""FlopCounterMode counts nothing for attention on the CPU, and rightly for the same layer on the meta device."""

from __future__ import annotations

import torch
from torch.utils.flop_counter import FlopCounterMode

DEVICES = ("cpu", "meta")
n, d_model = 5, 8
due = 2 * (4 * n * d_model**2 + 2 * n**2 * d_model)  # two operations a multiplication

flops = {}
for device in DEVICES:
    layer = torch.nn.MultiheadAttention(d_model, 2, batch_first=True, device=device).eval()
    x = torch.zeros(1, n, d_model, device=device)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        layer(x, x, x, need_weights=False)
    flops[device] = counter.get_total_flops()
    print(f"{device}: {flops[device]} of {due}")

assert flops == {"cpu": 0, "meta": due}, flops
