"""Decoding on the library's own cache: what a decoder's module does token by token."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import torch
from transformers import DynamicCache

from mha_spec.conformance.contract import Array

from ..torch.layer import array, inference
from ..torch.tensors import tensor
from .module import AttentionModule


class DecodingModule(AttentionModule):
    """A decoder's module: it can read keys and values of earlier tokens from a cache, and write its own there."""

    cache: DynamicCache | None = None
    tokens: int = 0

    @abstractmethod
    def run_on(
        self, cache: DynamicCache | None, x: torch.Tensor, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights, with what the cache holds, if there is one, before `x`."""

    def run(
        self, x: torch.Tensor, memory: torch.Tensor | None, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights without a cache."""
        return self.run_on(None, x, mask)

    def reset(self) -> None:
        """Begin with an empty cache."""
        self.cache, self.tokens = DynamicCache(config=self.config), 0

    def step(self, x_part: Array) -> Array:
        """The output of the next tokens, each of which attends to all tokens before it and to itself."""
        batch, n = x_part.shape[:2]
        self.tokens += n
        allowed = np.tri(n, self.tokens, self.tokens - n, dtype=np.bool_)
        mask = self.in_its_form(tensor(np.broadcast_to(allowed, (batch, 1, n, self.tokens))))
        with inference():
            return array(self.run_on(self.cache, tensor(x_part), mask)[0])
