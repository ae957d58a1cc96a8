"""ONNX graphs of attention, made node by node: an Attention node, and a whole layer of simple operators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from mha_spec.design import AttentionDesign, Parameters

Nodes = list[Any]
Axes = Sequence[str | int]

X: Axes = ("batch", "n", "d_model")
MEMORY: Axes = ("batch", "m", "d_memory")
MASK: Axes = ("batch", "n", "m")
PARAMETERS: dict[str, Axes] = {
    "w_q": ("h", "d_model", "d_k"),
    "w_k": ("h", "d_memory", "d_k"),
    "w_v": ("h", "d_memory", "d_v"),
    "w_o": ("h_d_v", "d_model"),
}


def model_of(nodes: Nodes, inputs: dict[str, tuple[int, Axes]], held: Nodes, opset: int, states: object = None) -> Any:
    """A model with the output `Y`; `states` becomes its metadata."""
    declared = [helper.make_tensor_value_info(name, kind, list(axes)) for name, (kind, axes) in inputs.items()]
    kind, axes = next(iter(inputs.values()))
    result = helper.make_tensor_value_info("Y", kind, [f"Y_{place}" for place in range(len(axes))])
    graph = helper.make_graph(nodes, "attention", declared, [result], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    if states is not None:
        helper.set_model_props(model, {"mha_spec": json.dumps(states)})
    return model


def attention_node(kind: int = TensorProto.FLOAT, **attributes: object) -> Any:
    """One Attention node of opset 23 with a boolean mask, heads before tokens."""
    tokens = {name: (kind, ("batch", f"heads_{name}", f"tokens_{name}", f"width_{name}")) for name in "qkv"}
    node = helper.make_node("Attention", ["q", "k", "v", "mask"], ["Y"], **attributes)
    mask: tuple[int, Axes] = (TensorProto.BOOL, ("batch", 1, "n", "m"))
    return model_of([node], tokens | {"mask": mask}, [], 23)


def flat_attention_node(h: int, kind: int = TensorProto.FLOAT) -> Any:
    """One Attention node of opset 23 with `h` heads beside one another, and no mask."""
    tokens: dict[str, tuple[int, Axes]] = {name: (kind, ("batch", f"n_{name}", f"d_{name}")) for name in "qkv"}
    node = helper.make_node("Attention", ["q", "k", "v"], ["Y"], q_num_heads=h, kv_num_heads=h)
    return model_of([node], tokens, [], 23)


def layer_graph(double_scale: bool = False) -> Any:
    """A layer whose parameters are inputs, in float64, of any sizes; `double_scale` is a mistake on purpose."""
    tokens = {"x": X, "memory": MEMORY, "mask": MASK, **PARAMETERS}
    inputs = {name: (TensorProto.DOUBLE, axes) for name, axes in tokens.items()}
    nodes, held = layer_nodes(double_scale)
    return model_of(nodes, inputs, held, 18, {"requires": ["H3"], "empty_row": "nan"})


def ready_made_graph(design: AttentionDesign, parameters: Parameters) -> Any:
    """The same layer with its parameters inside."""
    nodes, held = layer_nodes(False)
    held += [numpy_helper.from_array(array, name) for name, array in parameters.arrays().items()]
    sizes = {"x": ("batch", "n", design.d_model), "memory": ("batch", "m", design.d_memory), "mask": MASK}
    inputs: dict[str, tuple[int, Axes]] = {name: (TensorProto.DOUBLE, axes) for name, axes in sizes.items()}
    return model_of(nodes, inputs, held, 18, {"h": design.h, "d_k": design.d_k, "d_v": design.d_v, "empty_row": "nan"})


def layer_nodes(double_scale: bool) -> tuple[Nodes, Nodes]:
    """Multi-head attention as matrix products and a softmax: the nodes, and the constants."""
    nodes: Nodes = []
    held: Nodes = []

    def constant(name: str, array: npt.NDArray[Any]) -> str:
        held.append(numpy_helper.from_array(array, name))
        return name

    def put(operator: str, inputs: Sequence[str], output: str, **attributes: object) -> str:
        nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    one = constant("one", np.array([1]))
    for letter, tokens in (("q", "x"), ("k", "memory"), ("v", "memory")):
        put("MatMul", [put("Unsqueeze", [tokens, one], f"{letter}_in"), f"w_{letter}"], letter)
    put("MatMul", ["q", put("Transpose", ["k"], "k_columns", perm=[0, 1, 3, 2])], "products")
    width = put("Cast", [put("Shape", ["q"], "d_k", start=3)], "d_k_float", to=TensorProto.DOUBLE)
    scaled = put("Div", ["products", put("Sqrt", [width], "root")], "scaled")
    if double_scale:
        scaled = put("Div", [scaled, "root"], "scaled_again")
    put("Add", [scaled, put("Unsqueeze", ["mask", one], "mask_over_heads")], "scores")
    put("MatMul", [put("Softmax", ["scores"], "weights", axis=-1), "v"], "heads")
    put("Transpose", ["heads"], "tokens_first", perm=[0, 2, 1, 3])
    put("Reshape", ["tokens_first", constant("joined", np.array([0, 0, -1]))], "beside")
    put("MatMul", ["beside", "w_o"], "Y")
    return nodes, held


def saved(model: Any, path: Any) -> str:
    """The path of the file that the model is saved in."""
    onnx.save(model, path)
    return str(path)
