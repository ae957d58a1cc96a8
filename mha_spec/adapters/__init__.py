"""Layers of public frameworks as layers under test, one folder a framework.

`load_factory` finds the factory of a target: of the layers in `registry` by their own names, of a `.onnx` file
by its path, and of everything else as `mha_spec.conformance.load_target` does, where a plain function of queries,
keys and values is made a factory. No framework is imported before a
target of it is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mha_spec.conformance.contract import Factory

__all__ = ["load_factory"]


def load_factory(target: str) -> Factory:
    """The factory of a target; raises `TargetError` for one that does not exist, or whose framework is not installed.

    Give its name, `"mha_spec.adapters:load_factory"`, as the `loader` of `mha_spec.conformance.verify`.
    """
    from mha_spec.conformance.target import TargetError, load_target

    from .functions.plain import is_attention, of_function
    from .registry import FACTORIES

    if target.endswith(".onnx"):
        from .onnx import load

        return load(target)
    try:
        found = load_target(FACTORIES.get(target, target))
    except TargetError as error:
        missing = error.__cause__.name if isinstance(error.__cause__, ModuleNotFoundError) else None
        if target not in FACTORIES or missing is None or missing.startswith("mha_spec"):
            raise
        raise TargetError(f"{target!r} needs {missing}, which is not installed: pip install {missing}") from error
    return of_function(found) if is_attention(found) else found
