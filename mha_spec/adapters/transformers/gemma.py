"""Gemma's attention (`GemmaAttention`): Llama's program in classes of its own, with an explicit `head_dim`."""

from __future__ import annotations

from typing import ClassVar

import torch
from transformers import GemmaConfig, PretrainedConfig
from transformers.models.gemma.modeling_gemma import GemmaAttention

from mha_spec.design import AttentionDesign

from .llama import Llama
from .module import SoftmaxInFloat32


class Gemma(Llama):
    """Self-attention."""

    config_class: ClassVar[type[PretrainedConfig]] = GemmaConfig

    def module_of(self, config: PretrainedConfig, design: AttentionDesign) -> torch.nn.Module:
        """The module of the first layer."""
        return GemmaAttention(config, layer_idx=0)


class GemmaEager(SoftmaxInFloat32, Gemma):
    """The same run `"eager"`."""


factory = Gemma
eager = GemmaEager
