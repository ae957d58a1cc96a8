"""ONNX: a file as a layer under test, run by onnxruntime or by the reference evaluator; imports them only when used."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mha_spec.conformance.contract import Factory


def load(target: str) -> Factory:
    """The factory of a file, named by its path; raises `TargetError` for one that cannot be put under test."""
    from mha_spec.conformance.target import TargetError

    if find_spec("onnx") is None:
        raise TargetError(f"{target!r} needs onnx, which is not installed: pip install onnx")
    from pathlib import Path

    from .loading import factory_of
    from .reading import read_model

    return factory_of(read_model(Path(target)))
