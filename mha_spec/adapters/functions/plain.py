"""A plain function `attention(q, k, v, mask)` as it is, without a word of what it does beyond that.

It is called with one mask, `(batch, 1, n, m)` boolean with True = may attend, in which causality is contained, or with
None; key/value heads are repeated for it. A function that has a parameter `scale` is given the scale of a design.
What it declares, as attributes of its own, is what a factory declares.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import ClassVar, Final, TypeGuard

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray, Factory
from mha_spec.conformance.declarations import Declarations

from ..masks import allowed_pairs
from .layer import FunctionLayer

Attention = Callable[..., Array]

NAMES: Final = (("q", "k", "v"), ("query", "key", "value"), ("queries", "keys", "values"))


def is_attention(found: object) -> TypeGuard[Attention]:
    """Whether this is a function whose first parameters are queries, keys and values by name."""
    if not inspect.isfunction(found):
        return False
    return tuple(name.lower() for name in list(inspect.signature(found).parameters)[:3]) in NAMES


def of_function(attention: Attention) -> Factory:
    """The factory of layers that attend by a function."""
    parameters = inspect.signature(attention).parameters
    takes_scale = "scale" in parameters

    class OfFunction(PlainFunctionLayer):
        function = staticmethod(attention)
        options = ("scale",) if takes_scale else ()

    for entry in fields(Declarations):
        if hasattr(attention, entry.name):
            declared = getattr(attention, entry.name)
            setattr(OfFunction, entry.name, staticmethod(declared) if callable(declared) else declared)
    OfFunction.__name__ = OfFunction.__qualname__ = getattr(attention, "__name__", "attention")
    return OfFunction


class PlainFunctionLayer(FunctionLayer):
    """A layer that attends by the function that its class holds."""

    function: ClassVar[Attention]
    options: ClassVar[tuple[str, ...]] = ()

    def attend(self, q: Array, k: Array, v: Array, mask: BoolArray | None) -> Array:
        """The heads' outputs."""
        k, v = (np.repeat(heads, self.design.group, axis=1) for heads in (k, v))
        pairs = allowed_pairs(self.design, q.shape[0], q.shape[2], k.shape[2], mask)
        given = {"scale": self.design.scale} if self.design.scale is not None else {}
        return type(self).function(q, k, v, None if pairs is None else pairs[:, None], **given)
