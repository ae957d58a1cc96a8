"""What a layer under test is: a factory that takes a design and parameters, and a layer that takes arrays.

    def factory(design, parameters):
        return layer                                   # layer(x, memory=None, mask=None) -> output

All arrays are NumPy's: `x (batch, n, d_model)`; `memory (batch, m, d_memory)`, or None for self-attention; `mask`
boolean `(batch, n, m)` with True = may attend, or None; the output `(batch, n, d_model)` in `design.dtype`.
What a factory accepts and how its layers behave is declared by attributes of the factory, which
`mha_spec.conformance.declarations` reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from mha_spec.design import AttentionDesign, Parameters

Array: TypeAlias = npt.NDArray[Any]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


class Unsupported(Exception):  # noqa: N818 -- it is not an error
    """Raised by a factory or a layer, with the reason, for what it does not do: that example is not exercised."""


class Layer(Protocol):
    """A layer under test. It may also have any of the optional methods below."""

    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The output `(batch, n, d_model)` of `x (batch, n, d_model)`."""
        ...


@runtime_checkable
class GivesWeights(Protocol):
    """A layer that shows its attention weights."""

    def weights(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The weights after the softmax, `(batch, h, n, m)`."""
        ...


@runtime_checkable
class CountsParameters(Protocol):
    """A layer that knows how many parameters it holds."""

    def parameter_count(self) -> int:
        """The number of entries of all parameters that the layer really holds, biases included."""
        ...


@runtime_checkable
class GivesGradients(Protocol):
    """A layer that can be differentiated."""

    def vjp(self, x: Array, memory: Array | None, mask: BoolArray | None, cotangent: Array) -> Mapping[str, Array]:
        """The gradients of `sum(output * cotangent)`, each by name and with the shape of what it belongs to.

        `"x"`, and `"memory"` where one is given; any of the parameters, named as in `mha_spec.design.Parameters`.
        """
        ...


@runtime_checkable
class Decodes(Protocol):
    """A layer that is also run token by token on a cache: causal self-attention without a mask."""

    def reset(self) -> None:
        """Forget every token; the batch size is that of the next `step`."""
        ...

    def step(self, x_part: Array) -> Array:
        """The output of the next tokens `(batch, some, d_model)`, each attending to all before it and to itself."""
        ...


class Factory(Protocol):
    """Makes a layer from a design and its parameters; a ready-made layer is made from `(None, None)`."""

    def __call__(self, design: AttentionDesign, parameters: Parameters) -> Layer:
        """A new layer that shares no state with another."""
        ...


@dataclass(frozen=True, eq=False)
class Call:
    """What a layer is called with, as declarations that are functions see it: sizes and the mask, no values.

    `m` is the number of keys, which in self-attention is `n`; `memory` says whether one is given, and `mask` is the
    mask `(batch, n, m)` itself, or None.
    """

    batch: int
    n: int
    m: int
    memory: bool
    mask: BoolArray | None = None

    @staticmethod
    def of(x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Call:
        """The call with these arrays."""
        keys = x if memory is None else memory
        return Call(x.shape[0], x.shape[1], keys.shape[1], memory is not None, mask)
