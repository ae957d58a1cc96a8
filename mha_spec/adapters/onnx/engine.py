"""Running an ONNX model on ndarrays: by onnxruntime where it is installed, else by ONNX's reference evaluator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Literal, TypeAlias

import numpy as np

from mha_spec.conformance.contract import Array
from mha_spec.conformance.target import TargetError

from .reading import Model, first_line

EngineName: TypeAlias = Literal["onnxruntime", "reference"]
Run: TypeAlias = Callable[[Mapping[str, Array]], list[Array]]


def default_engine() -> EngineName:
    """onnxruntime where it is installed."""
    return "onnxruntime" if find_spec("onnxruntime") is not None else "reference"


def engine(model: Model, name: EngineName | None = None) -> Run:
    """A function from the inputs of a model to its outputs; raises `TargetError` for a model that is not accepted."""
    making = {"onnxruntime": by_onnxruntime, "reference": by_reference}[name or default_engine()]
    try:
        return making(model)
    except Exception as error:
        raise TargetError(f"{name or default_engine()} does not accept the model: {first_line(error)}") from error


def by_onnxruntime(model: Model) -> Run:
    """By onnxruntime on the CPU, in one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda given: [np.array(out) for out in session.run(None, {k: aligned(v) for k, v in given.items()})]


def by_reference(model: Model) -> Run:
    """By the evaluator that comes with ONNX, in NumPy."""
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(model)
    return lambda given: [np.array(out) for out in evaluator.run(None, {k: aligned(v) for k, v in given.items()})]


def aligned(array: Array) -> Array:
    """The array without strides."""
    return np.ascontiguousarray(array)
