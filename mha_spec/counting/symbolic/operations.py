"""The table of everything that can be done to a symbolic array: functions, methods and ufuncs of NumPy."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType
from typing import TypeAlias, cast

from mha_spec.counting.errors import TraceError
from mha_spec.counting.symbolic import creation, joining, products, reductions, selecting, shaping
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.counting.symbolic.einsum import einsum
from mha_spec.counting.symbolic.elementwise import UFUNCS

Handler: TypeAlias = Callable[..., SymbolicArray]

_MAY_BE_NONE = ("out", "dtype", "device", "like", "mode")
"""Arguments that mean nothing when they are None."""


def _named(module: ModuleType, names: str) -> dict[str, Callable[..., object]]:
    return {name: getattr(module, name) for name in names.split()}


_FUNCTIONS: dict[str, Callable[..., object]] = {
    **_named(reductions, "sum prod max min any all mean"),
    "amax": reductions.max,
    "amin": reductions.min,
    **_named(products, "dot outer tensordot"),
    "einsum": einsum,
    **_named(shaping, "reshape ravel transpose swapaxes moveaxis matrix_transpose expand_dims squeeze"),
    **_named(shaping, "broadcast_to repeat tile astype copy shape ndim size"),
    **_named(joining, "concatenate stack hstack vstack split"),
    **_named(selecting, "where tril triu"),
    **_named(creation, "zeros_like ones_like empty_like full_like ones full eye tri arange"),
}

_METHODS: dict[str, Callable[..., object]] = {
    **_named(reductions, "sum prod max min any all mean"),
    "dot": products.dot,
    **_named(shaping, "ravel swapaxes squeeze repeat astype copy"),
    "flatten": shaping.ravel,
    "reshape": shaping.reshape_method,
    "transpose": shaping.transpose_method,
}


def _means_nothing(keyword: str, value: object) -> bool:
    """Whether an argument has the value that it has if it is left out."""
    return (keyword in _MAY_BE_NONE and value is None) or (keyword == "order" and value in ("C", "K"))


def _checked(name: str, function: Callable[..., object]) -> Handler:
    """The function, with an argument that it does not know refused in the words of a trace."""
    signature = inspect.signature(function)
    unannotated = (one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values())
    arguments = ", ".join(map(str, unannotated))

    @functools.wraps(function)
    def call(*positional: object, **keywords: object) -> object:
        given = {key: value for key, value in keywords.items() if not _means_nothing(key, value)}
        try:
            signature.bind(*positional, **given)
        except TypeError as error:
            raise TraceError(
                f"{name} is called with arguments that are not traced: {error}",
                f"what can be traced is {name}({arguments})",
            ) from None
        return function(*positional, **given)

    return cast(Handler, call)


FUNCTIONS: Mapping[str, Handler] = {name: _checked(f"np.{name}", f) for name, f in _FUNCTIONS.items()}
"""The functions `np.name`, by name."""

METHODS: Mapping[str, Handler] = {name: _checked(f"x.{name}", f) for name, f in _METHODS.items()}
"""The methods `x.name`, by name."""

OPERATIONS: Mapping[str, str] = MappingProxyType(
    {
        **{f"np.{name}": "function" for name in FUNCTIONS},
        **{f"x.{name}": "method" for name in METHODS},
        **{f"ufunc {name}": "ufunc" for name in UFUNCS},
        **{f"{name}.reduce": "ufunc" for name in reductions.REDUCTIONS},
        "x[...]": "indexing",
        "x[...] = y": "indexing",
    }
)
"""Every operation that a symbolic array supports, with what it is."""
