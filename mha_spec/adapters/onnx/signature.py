"""What the inputs of an ONNX graph are for, read from their names, ranks and element types.

Three kinds of graph can be put under test: a function of queries, keys and values; a layer whose parameters are
inputs, named and laid out as in `mha_spec.design.Parameters`; and a layer that holds its parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import onnx

from mha_spec.conformance.contract import Array, BoolArray, Unsupported
from mha_spec.conformance.target import TargetError
from mha_spec.design import PARAMETER_AXES

from .reading import Model

NAMES: Final = {
    "q": {"q", "query", "queries"},
    "k": {"k", "key", "keys"},
    "v": {"v", "value", "values"},
    "x": {"x", "input", "inputs", "hidden_states"},
    "memory": {"memory", "context", "encoder_hidden_states"},
    "mask": {"mask", "attn_mask", "attention_mask"},
    **{name: {name} for name in PARAMETER_AXES},
}
Kind = Literal["function", "parameters", "ready-made"]
FLOATS: Final = ("float64", "float32", "float16")


@dataclass(frozen=True)
class Entry:
    """One input of a graph: its own name, its dtype, and its sizes, None where they are free."""

    name: str
    dtype: str
    shape: tuple[int | None, ...]

    def fitted(self, array: Array) -> Array:
        """The array as this input; raises `Unsupported` where a size of the file is another."""
        fits = len(array.shape) == len(self.shape) and all(
            mine in (None, size) for mine, size in zip(self.shape, array.shape, strict=True)
        )
        if not fits:
            raise Unsupported(f"the file fixes the shape of {self.name} at {self.shape}, which is not {array.shape}")
        return array

    def fitted_mask(self, mask: BoolArray) -> Array:
        """The mask `(batch, n, m)` with an axis for heads if there is one here, as numbers to add if they are due."""
        shaped = mask[:, None] if len(self.shape) == 4 else mask
        if self.dtype == "bool":
            return self.fitted(shaped)
        return self.fitted(np.where(shaped, 0, -np.inf).astype(self.dtype))


@dataclass(frozen=True)
class Signature:
    """The inputs of a graph by what they are for, and the dtype of those that are numbers."""

    kind: Kind
    entries: dict[str, Entry]
    dtype: str
    causal: bool = False  # by itself, whatever mask it is given

    def has(self, name: str) -> bool:
        """Whether there is such an input."""
        return name in self.entries


def signature(model: Model, causal: bool) -> Signature:
    """The inputs of a graph; raises `TargetError` for one whose inputs are none of an attention layer."""
    held = {tensor.name for tensor in model.graph.initializer}
    found = [entry(value) for value in model.graph.input if value.name not in held]
    entries: dict[str, Entry] = {}
    for one in found:
        meant = [name for name, words in NAMES.items() if one.name.lower() in words]
        if not meant:
            known = "q k v, or x and memory, mask, and the parameters w_q w_k w_v w_o b_q b_k b_v b_o"
            raise TargetError(f"the input {one.name!r} of the file is not known: name the inputs {known}")
        entries[meant[0]] = one
    dtype = next((one.dtype for name, one in entries.items() if name in ("q", "x")), "none")
    if dtype not in FLOATS:
        raise TargetError(f"the file takes its tokens as {dtype}: an attention layer takes {', '.join(FLOATS)}")
    return Signature(kind_of(entries), entries, dtype, causal)


def kind_of(entries: dict[str, Entry]) -> Kind:
    """Which of the three kinds of graph has these inputs."""
    if {"q", "k", "v"} <= set(entries):
        return "function"
    if {"x", "w_q", "w_k", "w_v", "w_o"} <= set(entries):
        return "parameters"
    if "x" in entries and not set(entries) - {"x", "memory", "mask"}:
        return "ready-made"
    raise TargetError(f"the inputs of the file are {', '.join(entries)}: give q, k and v, or x and all projections")


def entry(value: Any) -> Entry:
    """An input of the graph."""
    kind = value.type.tensor_type
    if not kind.elem_type or not kind.HasField("shape"):
        raise TargetError(f"the input {value.name!r} of the file has no shape: declare one, with names for free sizes")
    sizes = tuple(axis.dim_value if axis.HasField("dim_value") else None for axis in kind.shape.dim)
    return Entry(value.name, np.dtype(onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)).name, sizes)
