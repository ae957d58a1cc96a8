"""The backend that Keras runs on, chosen before Keras is imported: JAX, unless `KERAS_BACKEND` names another.

Keras reads that variable once, while it is imported, and would take TensorFlow by default. Its layers are put under
test as pure JAX programs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Protocol

from mha_spec.adapters.jax.compiled import JaxArray, JaxArrays
from mha_spec.conformance.target import TargetError
from mha_spec.design import AttentionDesign

os.environ.setdefault("KERAS_BACKEND", "jax")

import keras as keras

PROJECTIONS = ("query", "key", "value", "attention_output")


class BuiltLayer(Protocol):
    """A layer of Keras whose variables exist."""

    trainable_variables: list[Any]

    def count_params(self) -> int:
        """The number of entries of all variables."""
        ...

    def stateless_call(self, trainable: object, other: object, *arguments: object, **options: object) -> Any:
        """The output with these variables in place of its own, and what becomes of the others."""
        ...


def require_jax() -> None:
    """Raise `TargetError` if Keras runs on another backend."""
    found = keras.config.backend()
    if found != "jax":
        raise TargetError(f"Keras runs on its {found} backend here: set KERAS_BACKEND=jax before Keras is imported")


def variables(layer: BuiltLayer, design: AttentionDesign, p: JaxArrays) -> list[JaxArray]:
    """The parameters in the layout of the library, in the order of the layer's variables."""
    paper = {
        **{name: (p[f"w_{name[0]}"].transpose(1, 0, 2), p.get(f"b_{name[0]}")) for name in ("query", "key", "value")},
        "attention_output": (p["w_o"].reshape(design.h, design.d_v, design.d_model), p.get("b_o")),
    }
    return [paper[projection][kind] for projection, kind in map(place, layer.trainable_variables)]


def place(variable: Any) -> tuple[str, int]:
    """The projection that a variable belongs to, and whether it is its kernel (0) or its bias (1)."""
    *_, projection, kind = variable.path.split("/")
    return projection, int(kind == "bias")


def called(layer: BuiltLayer, values: Iterable[JaxArray], *arguments: object, **options: object) -> Any:
    """What the layer gives with these values of its variables."""
    out, _ = layer.stateless_call(list(values), [], *arguments, **options)
    return out
