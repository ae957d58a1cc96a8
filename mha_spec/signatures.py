"""Shape annotations read at run time: what they name, and whether a call agrees with them.

    with checking(attention):
        attention.scores(Q, K)  # raises ShapeError where Q and K do not fit their annotations

Outside the block the functions are the plain ones. Neither SymPy nor Hypothesis is needed.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, NamedTuple, TypeVarTuple, Union, Unpack, get_args, get_origin, get_type_hints

from . import shapes

BATCH = "*b"
KINDS = (
    shapes.Array,
    shapes.Weight,
    shapes.Mask,
    shapes.Column,
    shapes.Rows,
    shapes.Dim,
    shapes.Index,
)
Sizes = dict[str, Any]
"""Size by name (an `int`, or a symbolic size), and the batch axes as a tuple under `*b`."""


class ShapeError(TypeError):
    """A call whose sizes do not agree with the annotations of the function."""


class Spec(NamedTuple):
    """One annotation: the kind of value, whether it has batch axes, and the factors of each further axis."""

    kind: str
    batched: bool
    axes: tuple[tuple[str, ...], ...]
    optional: bool = False
    repeated: bool = False

    def __str__(self) -> str:
        axes = [BATCH] * self.batched + ["*".join(axis) for axis in self.axes]
        return f"{self.kind}[{', '.join(axes)}]"

    @property
    def is_size(self) -> bool:
        """Whether the value is an integer, not an array."""
        return self.kind in ("Dim", "Index")

    def shape(self, sizes: Mapping[str, Any]) -> tuple[Any, ...]:
        """The shape of such an array at these sizes; for a `Dim` or `Index` its size alone."""
        axes = tuple(prod(sizes[name] for name in axis) for axis in self.axes)
        kept = (1,) if self.kind in ("Column", "Rows") else ()
        return (*(sizes[BATCH] if self.batched else ()), *axes, *kept)


def factors(axis: Any) -> tuple[str, ...]:
    """The names of the sizes whose product is the size of an axis: `Mul[H, DK]` gives `("h", "d_k")`."""
    if get_origin(axis) is shapes.Mul:
        return tuple(name for part in get_args(axis) for name in factors(part))
    return (re.sub(r"(?<=[A-Za-z])(?=[A-Z])", "_", axis.__name__).lower(),)


def without_none(annotation: Any) -> tuple[Any, bool]:
    """The annotation `T` of `T | None`, and whether there was a None."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation, False
    rest = [part for part in get_args(annotation) if part is not type(None)]
    optional = len(rest) < len(get_args(annotation))
    return (rest[0], optional) if len(rest) == 1 else (annotation, optional)


def read(annotation: Any) -> Spec | None:
    """What a shape annotation says, or None for an annotation that is about no shape.

    `T | None` is read as an optional `T`, a sequence of `T` as a repeated one.
    """
    inner, optional = without_none(annotation)
    if get_origin(inner) in (Sequence, list):
        element = read(get_args(inner)[0])
        return element and element._replace(optional=optional, repeated=True)
    if get_origin(inner) not in KINDS:
        return None
    arguments = get_args(inner)
    batched = bool(arguments) and (
        get_origin(arguments[0]) is Unpack or isinstance(arguments[0], TypeVarTuple)
    )
    if any(get_origin(axis) is Unpack for axis in arguments[batched:]):
        raise TypeError(f"{inner}: batch axes come first, as in Array[*B, N, DK]")
    axes = tuple(factors(axis) for axis in arguments[batched:])
    return Spec(get_origin(inner).__name__, batched, axes, optional)


def bundle_of(annotation: Any) -> type | None:
    """The dataclass of arrays that an annotation names, such as `attention.Weights`, or None."""
    inner, _ = without_none(annotation)
    origin = get_origin(inner) or inner
    return origin if isinstance(origin, type) and dataclasses.is_dataclass(origin) else None


def bundle_specs(annotation: Any) -> dict[str, Spec]:
    """The specs of the fields of a dataclass of arrays, in the size names of the annotation that uses it."""
    bundle = bundle_of(annotation)
    if bundle is None:
        return {}
    inner, optional = without_none(annotation)
    given = dict(zip(getattr(bundle, "__parameters__", ()), get_args(inner), strict=False))
    renamed = {factors(parameter)[0]: factors(argument) for parameter, argument in given.items()}
    found = {}
    for field, hint in get_type_hints(bundle).items():
        if spec := read(hint):
            axes = tuple(tuple(n for name in axis for n in renamed.get(name, (name,))) for axis in spec.axes)
            found[field] = spec._replace(axes=axes, optional=spec.optional or optional)
    return found


@functools.cache
def specs(function: Callable[..., Any]) -> Mapping[str, Spec]:
    """The spec of each shaped parameter of a function, and of its result under `return`.

    The fields of a dataclass of arrays appear as `w.w_q`.
    """
    found: dict[str, Spec] = {}
    for name, annotation in get_type_hints(function).items():
        if spec := read(annotation):
            found[name] = spec
        else:
            found |= {f"{name}.{field}": spec for field, spec in bundle_specs(annotation).items()}
    return types.MappingProxyType(found)


def values(name: str, spec: Spec, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values, with a name for each, that one spec of a call is about."""
    first, *field = name.split(".")
    value = arguments.get(first)
    for part in field:
        value = getattr(value, part, None)
    if value is None:
        return
    if spec.repeated:
        yield from ((f"{name}[{i}]", element) for i, element in enumerate(value))
    else:
        yield name, value


def found_shape(place: str, spec: Spec, value: Any) -> tuple[Any, ...]:
    """The shape of the value of a call; raises `ShapeError` for a value that has none."""
    if spec.is_size:
        return (value,)
    if not hasattr(value, "shape"):
        raise ShapeError(f"{place} is a {type(value).__name__} and has no shape, annotated {spec}")
    return tuple(value.shape)


def bind(spec: Spec, shape: tuple[Any, ...], sizes: Sizes) -> bool:
    """Add to `sizes` what this shape says about names not bound yet; whether the shape agrees with them."""
    kept = spec.kind in ("Column", "Rows")
    lead = len(shape) - len(spec.axes) - kept
    if lead < 0 or (lead > 0 and not spec.batched) or (kept and shape[-1] != 1):
        return False
    if spec.batched and sizes.setdefault(BATCH, shape[:lead]) != shape[:lead]:
        return False
    return all(bind_axis(axis, size, sizes) for axis, size in zip(spec.axes, shape[lead:], strict=False))


def bind_axis(axis: tuple[str, ...], size: Any, sizes: Sizes) -> bool:
    """Add to `sizes` the one unknown factor of an axis, if there is one; whether the axis agrees."""
    unknown = [name for name in axis if name not in sizes]
    known = prod(sizes[name] for name in axis if name in sizes)
    if not unknown:
        return bool(known == size)
    if len(unknown) == 1:
        if known == 0 or size % known != 0:
            return False
        sizes[unknown[0]] = size // known
    return True


def check(function: str, found: Sequence[tuple[str, Spec, Any]], sizes: Sizes) -> None:
    """Raise `ShapeError` unless all values agree with their specs at one choice of sizes; binds `sizes`.

    Sizes given as values are bound first, then axes that are one name, then products.
    """
    ordered = sorted(
        found, key=lambda f: (f[1].kind != "Dim", max((len(axis) for axis in f[1].axes), default=0))
    )
    for name, spec, value in [
        *ordered,
        *ordered,
    ]:  # twice: the first pass may leave a product with two unknowns
        place = f"{function}: {name}"
        shape = found_shape(place, spec, value)
        if spec.kind == "Index":
            limit = spec.shape(sizes)[0] if all(n in sizes for n in spec.axes[0]) else value + 1
            agrees = bool(0 <= value < limit)
        else:
            agrees = bind(spec, shape, sizes)
        if not agrees:
            what = f"is {value}" if spec.is_size else f"has shape {shape}"
            bound = ", ".join(f"{n}={size}" for n, size in sizes.items()) or "nothing is bound"
            raise ShapeError(f"{place} {what}, annotated {spec} where {bound}")


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its arguments and its result checked at every call."""
    shaped = dict(specs(function))
    results = {name: spec for name, spec in shaped.items() if name.split(".")[0] == "return"}
    signature = inspect.signature(function)
    if not shaped:
        return function

    def pairs(names: Mapping[str, Spec], arguments: Mapping[str, Any]) -> list[tuple[str, Spec, Any]]:
        return [
            (place, spec, value)
            for key, spec in names.items()
            for place, value in values(key, spec, arguments)
        ]

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        sizes: Sizes = {}
        inputs = {name: spec for name, spec in shaped.items() if name not in results}
        check(function.__name__, pairs(inputs, given), sizes)
        result = function(*args, **kwargs)
        check(function.__name__, pairs(results, {"return": result}), sizes)
        return result

    return wrapper


@contextmanager
def checking(*modules: types.ModuleType) -> Iterator[None]:
    """Within the block, every call of a function of these modules is checked against its annotations.

    A call that does not agree raises `ShapeError`, which names the function, the argument, its shape, its
    annotation and every size bound so far. Functions that other modules imported by name before the block are
    not checked there. At the end of the block, also by an exception, the functions are the plain ones again.
    """
    plain = [
        (module, name, function)
        for module in modules
        for name, function in vars(module).items()
        if inspect.isfunction(function) and function.__module__ == module.__name__
    ]
    try:
        for module, name, function in plain:
            setattr(module, name, checked(function))
        yield
    finally:
        for module, name, function in plain:
            setattr(module, name, function)
