"""From an ONNX model to a factory, with its declarations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mha_spec.conformance.contract import Factory, Layer, Unsupported
from mha_spec.conformance.declarations import OPTIONS
from mha_spec.conformance.target import TargetError
from mha_spec.design import AttentionDesign, DesignError, Parameters

from .engine import EngineName, Run, default_engine, engine
from .layers import OnnxFunction, OnnxLayer
from .reading import Model
from .signature import Signature, signature
from .stated import Stated, stated

BOOLEAN_MASK_AND_CAUSALITY: Final = (
    "*",
    lambda design, call: True,
    "where is_causal is set, onnx's reference evaluator multiplies 1 - mask by minus infinity, and so gives NaN "
    "wherever a key may be attended to",
)


def factory_of(model: Model, *, by: EngineName | None = None, **states: object) -> Factory:
    """The factory of a model, run by an engine; `states` is what `stated` would read from its metadata."""
    said = stated(model, states)
    reads = signature(model, causal=bool(said.design.get("causal", False)))
    run = engine(model, by)
    factory = ready_made(reads, run, said) if reads.kind == "ready-made" else made(reads, run, said)
    for name, value in declarations(reads, said, by or default_engine()).items():
        setattr(factory, name, value)
    return factory


def made(reads: Signature, run: Run, said: Stated) -> Factory:
    """The factory of a graph whose layer takes parameters."""
    if reads.kind == "function" and len(reads.entries["q"].shape) == 3 and "h" not in said.design:
        raise TargetError("the file takes q, k and v without an axis for heads: state h, their number")

    def factory(design: AttentionDesign, parameters: Parameters) -> Layer:
        for name, value in said.design.items():
            if getattr(design, name) != value:
                raise Unsupported(f"the file has {name}={value}")
        if reads.kind == "function":
            return OnnxFunction(reads, run, design, parameters)
        return OnnxLayer(reads, run, design, parameters)

    return factory


def ready_made(reads: Signature, run: Run, said: Stated) -> Factory:
    """The factory of a graph that holds its parameters."""
    sizes = {name: reads.entries[entry].shape[-1] for name, entry in SIZES.items() if reads.has(entry)}
    known: dict[str, Any] = {"h": 1, **{name: size for name, size in sizes.items() if size}, **said.design}
    if "d_model" not in known:
        raise TargetError("the width of x is free in the file: fix it, or state d_model")
    try:
        held = AttentionDesign(**known, dtype=reads.dtype)
    except (DesignError, TypeError) as error:
        raise TargetError(f"what the file states is no design: {error}") from error

    def factory(design: AttentionDesign | None, parameters: Parameters | None) -> Layer:
        return OnnxLayer(reads, run, held, None)

    factory.fixed_design = held  # type: ignore[attr-defined]
    return factory


SIZES: Mapping[str, str] = {"d_model": "x", "d_memory": "memory"}


def declarations(reads: Signature, said: Stated, by: EngineName) -> dict[str, object]:
    """What the factory of a graph declares: what its inputs and nodes imply, and what is stated."""
    masks = reads.has("mask")
    options = {name for name in OPTIONS if said.design.get(name) is not None}
    implied: dict[str, object] = {
        "dtypes": (reads.dtype,),
        "causal": "only" if reads.causal else masks,
        "options": options | ({"window"} if masks and not reads.causal else set()),
        "causal_alignment": said.design.get("causal_alignment", "top-left"),
        "hidden_values_may_leak": True,  # the operators multiply them by a weight of zero
    }
    if said.has_attention_node:
        implied["empty_row"] = "zero" if by == "onnxruntime" else "nan"
        if by == "onnxruntime" and reads.dtype == "float64":
            implied["computes_in"] = "float32"  # its Attention rounds the scale to float32
        if by == "reference" and reads.causal and masks and reads.entries["mask"].dtype == "bool":
            implied["known_failures"] = (BOOLEAN_MASK_AND_CAUSALITY,)
    if reads.kind == "ready-made":
        implied.pop("options")
        implied["causal"] = "only" if reads.causal else False
    return implied | said.declared
