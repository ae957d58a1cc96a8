"""What a file says about its layer beside the graph: the attributes of its Attention nodes, and its metadata.

The metadata are one property named `mha_spec`, a JSON object of fields of a design and of declarations:

    onnx.helper.set_model_props(model, {"mha_spec": '{"h": 4, "causal": true, "empty_row": "nan"}'})
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

import onnx

from mha_spec.conformance.declarations import Declarations
from mha_spec.conformance.target import TargetError
from mha_spec.design import AttentionDesign

from .reading import Model

KEY: Final = "mha_spec"
OF_DESIGN: Final = {field.name for field in fields(AttentionDesign)} - {"dtype"}
DECLARED: Final = {field.name for field in fields(Declarations)} - {
    "causal",
    "dtypes",
    "fixed_design",
    "known_failures",
}
ATTRIBUTES: Final = {"q_num_heads": "h", "kv_num_heads": "kv_heads", "scale": "scale"}


@dataclass(frozen=True)
class Stated:
    """Fields of the design that the graph fixes, and what is declared of how it behaves."""

    design: dict[str, Any]
    declared: dict[str, Any]
    has_attention_node: bool


def stated(model: Model, more: Mapping[str, object]) -> Stated:
    """What the nodes, the metadata and `more` say, the last word first; raises `TargetError` for other words."""
    said = {**metadata(model), **more}
    for name in said:
        if name not in OF_DESIGN | DECLARED:
            near = difflib.get_close_matches(name, OF_DESIGN | DECLARED, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TargetError(f"the file states {name!r}, which is no field of a design and no declaration{hint}")
    nodes = [attributes_of(node) for node in model.graph.node if node.op_type == "Attention" and not node.domain]
    design = dict(fixed_by(nodes[0])) if len(nodes) == 1 else {}
    design |= {name: value for name, value in said.items() if name in OF_DESIGN}
    return Stated(design, {name: value for name, value in said.items() if name in DECLARED}, bool(nodes))


def metadata(model: Model) -> dict[str, object]:
    """The object in the property `mha_spec`; empty if there is none."""
    texts = [entry.value for entry in model.metadata_props if entry.key == KEY]
    if not texts:
        return {}
    try:
        read = json.loads(texts[-1])
    except (json.JSONDecodeError, RecursionError) as error:
        raise TargetError(f"the property {KEY!r} of the file is not JSON: {error}") from error
    if not isinstance(read, dict):
        raise TargetError(f"the property {KEY!r} of the file is not an object such as {{'h': 4}}")
    return read


def attributes_of(node: Any) -> dict[str, Any]:
    """The attributes of a node by name."""
    return {entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute}


def fixed_by(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a design that an Attention node fixes."""
    fixed = {name: attributes[attribute] for attribute, name in ATTRIBUTES.items() if attribute in attributes}
    if attributes.get("softcap", 0.0):
        fixed["softcap"] = attributes["softcap"]
    if attributes.get("is_causal", 0):
        fixed["causal"] = True
    return fixed
