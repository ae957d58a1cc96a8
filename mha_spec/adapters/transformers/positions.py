"""Rotary positions that rotate nothing: cosines of 1 and sines of 0, so that a module is the layer of the paper."""

from __future__ import annotations

import torch


def unrotated(x: torch.Tensor, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The position embeddings `(batch, n, width)` of tokens that all stand at position 0."""
    return x.new_ones(*x.shape[:2], width), x.new_zeros(*x.shape[:2], width)
