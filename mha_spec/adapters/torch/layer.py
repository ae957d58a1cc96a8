"""What layers of torch share: arrays in and out, parameters in a layout of their own, gradients by autograd."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
import torch

from mha_spec.conformance.contract import Array, BoolArray
from mha_spec.design import AttentionDesign, Parameters

from .tensors import Tensors, dtype_of, tensor, tensors


class TorchLayer(ABC):
    """A factory and its layer in one. A subclass declares as attributes what it accepts and how it behaves.

    `own` are the layer's own parameters by name, in the layout that it keeps them in.
    """

    def __init__(self, design: AttentionDesign, parameters: Parameters) -> None:
        self.design = design
        self.parameters = tensors(parameters)
        self.own = self.made(self.arranged(self.parameters))

    @abstractmethod
    def arranged(self, parameters: Tensors) -> dict[str, torch.Tensor]:
        """The parameters, given in the paper's layout, as the layer's own; differentiable."""

    def made(self, own: Tensors) -> Tensors:
        """Make the layer with these parameters of its own; those that it then holds."""
        return {name: entry.detach().clone().requires_grad_() for name, entry in own.items()}

    @abstractmethod
    def output(self, x: torch.Tensor, memory: torch.Tensor | None, mask: BoolArray | None) -> torch.Tensor:
        """The output `(batch, n, d_model)`; without a memory this is self-attention."""

    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The output `(batch, n, d_model)`, computed as for inference: nothing is recorded for gradients."""
        with inference():
            return array(self.output(tensor(x), None if memory is None else tensor(memory), mask))

    def parameter_count(self) -> int:
        """The number of entries of the layer's own parameters."""
        return sum(entry.numel() for entry in self.own.values())

    def vjp(self, x: Array, memory: Array | None, mask: BoolArray | None, cotangent: Array) -> dict[str, Array]:
        """The gradients of `sum(output * cotangent)` by autograd, those of the parameters in the paper's layout."""
        given = {"x": tensor(x).requires_grad_()}
        if memory is not None:
            given["memory"] = tensor(memory).requires_grad_()
        with one_thread():
            out = self.output(given["x"], given.get("memory"), mask)
            towards = gradients(out, tensor(cotangent), [*given.values(), *self.own.values()])
            by_name = dict(zip(given, towards, strict=False)) | self.in_papers_layout(towards[len(given) :])
        return {name: array(gradient) for name, gradient in by_name.items()}

    def in_papers_layout(self, towards_own: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        """Gradients for the layer's own parameters as gradients for the parameters in the paper's layout."""
        leaves = {name: leaf.clone().requires_grad_() for name, leaf in self.parameters.items()}
        arranged = self.arranged(leaves)
        found = gradients([arranged[name] for name in self.own], towards_own, list(leaves.values()))
        return dict(zip(leaves, found, strict=True))


class ModuleLayer(TorchLayer):
    """A layer that is an `nn.Module` in eval mode; all the parameters it has are set."""

    module: torch.nn.Module

    @abstractmethod
    def build(self, design: AttentionDesign) -> torch.nn.Module:
        """A new module of this design, whatever its parameters and its dtype."""

    def made(self, own: Tensors) -> Tensors:
        """Make the module; raises RuntimeError if its parameters are not exactly these."""
        self.module = self.build(self.design).to(dtype_of(self.design)).eval()
        self.module.load_state_dict(own)
        return dict(self.module.named_parameters())


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """With one thread: on arrays as small as those of a law, threads wait for each other far longer than they work."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextlib.contextmanager
def inference() -> Iterator[None]:
    """With one thread, and nothing recorded for gradients."""
    with one_thread(), torch.no_grad():
        yield


def gradients(of: object, cotangents: object, towards: list[torch.Tensor]) -> list[torch.Tensor]:
    """Gradients by autograd, zeros for what has no influence."""
    return list(torch.autograd.grad(of, towards, cotangents, allow_unused=True, materialize_grads=True))


def array(entries: torch.Tensor) -> Array:
    """An ndarray with the entries of a tensor, which share no memory."""
    return np.array(entries.detach().numpy())


def inverted(mask: BoolArray) -> torch.Tensor:
    """A mask with torch's other polarity, True = hidden."""
    return tensor(np.logical_not(mask))
