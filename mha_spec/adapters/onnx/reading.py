"""Reading an ONNX file that a stranger may have written, within bounds.

Refused are files that are too large, that keep data outside themselves, that nest or repeat too much, and operators
that are not from ONNX or onnxruntime. What is left is still a program: its arrays may be larger than memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import onnx

from mha_spec.conformance.target import TargetError

# Objects of the library; their types are unknown where it is not installed.
Model: TypeAlias = Any
Graph: TypeAlias = Any

MOST_BYTES: Final = 256 * 2**20
MOST_NODES: Final = 20_000
DEEPEST: Final = 4
DOMAINS: Final = frozenset({"", "ai.onnx", "ai.onnx.ml", "com.microsoft"})
REPEATING: Final = frozenset({"Loop", "Scan", "SequenceMap"})


def read_model(path: Path) -> Model:
    """The model in a file; raises `TargetError`, with the place and the fix, for one that is not read."""
    if not path.is_file():
        raise TargetError(f"there is no file {path}")
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise TargetError(f"{path} has more than {MOST_BYTES:,} bytes: export a layer and not a whole model")
    try:
        model = onnx.load_model_from_string(data)
    except Exception as error:
        raise TargetError(f"{path} is not an ONNX file: {first_line(error)}") from error
    refuse_unbounded(path, model)
    try:
        onnx.checker.check_model(model)
    except Exception as error:
        raise TargetError(f"{path} is not a valid ONNX model: {first_line(error)}") from error
    return model


def refuse_unbounded(path: Path, model: Model) -> None:
    """Raise `TargetError` for a model that does more than an attention layer needs."""
    own = {function.domain for function in model.functions}
    count = 0
    for owner in (model.graph, *model.functions):
        for node in nodes_of(path, owner):
            count += 1
            if count > MOST_NODES:
                raise TargetError(f"{path} has more than {MOST_NODES:,} nodes: export a layer and not a whole model")
            if node.op_type in REPEATING:
                raise TargetError(f"{path}: node {node.name!r} is a {node.op_type}, which may run without end")
            if node.domain not in DOMAINS | own:
                raise TargetError(f"{path}: node {node.name!r} is of {node.domain!r}, which is not ONNX's own")
    for tensor in tensors_of(path, model):
        if tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data:
            raise TargetError(f"{path}: the data of {tensor.name!r} are in another file: save them inside the model")


def nodes_of(path: Path, owner: Graph, depth: int = 0) -> Iterator[Any]:
    """The nodes of a graph or a function and of all graphs inside."""
    if depth > DEEPEST:
        raise TargetError(f"{path} has graphs inside graphs, more than {DEEPEST} deep")
    for node in owner.node:
        yield node
        for attribute in node.attribute:
            for graph in (*((attribute.g,) if attribute.HasField("g") else ()), *attribute.graphs):
                yield from nodes_of(path, graph, depth + 1)


def tensors_of(path: Path, model: Model) -> Iterator[Any]:
    """The tensors that are stored in a model: initializers, and attributes of nodes."""
    yield from model.graph.initializer
    for sparse in model.graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    for owner in (model.graph, *model.functions):
        for node in nodes_of(path, owner):
            for attribute in node.attribute:
                yield from (attribute.t, *attribute.tensors)
                for graph in (attribute.g, *attribute.graphs):
                    yield from graph.initializer


def first_line(error: Exception) -> str:
    """What an error says, in one line of at most 200 characters."""
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0][:200]}" if said else type(error).__name__
