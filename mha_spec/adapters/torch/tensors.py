"""Parameters of the paper's layout as tensors, and the layouts that modules keep them in.

What is rearranged here stays differentiable, so that gradients come back in the paper's layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import torch

from mha_spec.conformance.contract import Array
from mha_spec.design import AttentionDesign, Parameters

Tensors: TypeAlias = Mapping[str, torch.Tensor]


def tensor(array: Array) -> torch.Tensor:
    """A tensor with the same entries; it shares no memory with the array, which may be read-only or a view."""
    return torch.from_numpy(np.array(array))


def tensors(parameters: Parameters) -> dict[str, torch.Tensor]:
    """The arrays of the parameters as tensors, by name."""
    return {name: tensor(array) for name, array in parameters.arrays().items()}


def dtype_of(design: AttentionDesign) -> torch.dtype:
    """torch's dtype of the same name."""
    return getattr(torch, design.dtype)


def stacked(weight: torch.Tensor) -> torch.Tensor:
    """`(heads, d, width)` as the weight of `nn.Linear`, `(heads*width, d)`: one row for each output feature."""
    return weight.transpose(1, 2).flatten(0, 1)


def side_by_side(weight: torch.Tensor) -> torch.Tensor:
    """`(heads, d, width)` as one matrix `(d, heads*width)`, which is multiplied from the right."""
    return weight.transpose(0, 1).flatten(1, 2)


def linear(name: str, weight: torch.Tensor, bias: torch.Tensor | None) -> dict[str, torch.Tensor]:
    """The entries of an `nn.Linear` called `name` that projects to heads."""
    entries = {f"{name}.weight": stacked(weight)}
    return entries if bias is None else entries | {f"{name}.bias": bias.flatten()}


def output_linear(name: str, parameters: Tensors) -> dict[str, torch.Tensor]:
    """The entries of an `nn.Linear` called `name` that is `W_O`."""
    entries = {f"{name}.weight": parameters["w_o"].transpose(0, 1)}
    return entries | {f"{name}.bias": parameters["b_o"]} if "b_o" in parameters else entries
