"""Hypothesis strategies that draw consistent arrays from the shape annotations of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from mha_spec.signatures import BATCH, Sizes, Spec, bundle_of, specs

ALLOWED = (0.7, 1.0, 0.3, 0.0)
"""The shares of True in a drawn mask; with 0.3 and 0 some queries may attend to no key."""


def arguments(
    function: Callable[..., Any],
    *,
    max_size: int = 5,
    max_batch_axes: int = 2,
    dtype: npt.DTypeLike = "float64",
    given: Mapping[str, st.SearchStrategy[Any]] | None = None,
) -> st.SearchStrategy[dict[str, Any]]:
    """A strategy for keyword arguments of `function`: one size a name, and arrays that have these sizes.

    Sizes are between 1 and `max_size`, entries are standard normal (masks: True in a drawn share), `Dim` and
    `Index` are integers. A dataclass of arrays such as `attention.Weights` is drawn as one, with all of its
    optional arrays or none. Parameters without a shape are drawn from `given`, or left at their default.
    Raises `TypeError`, when this function is called, for a parameter that has neither.
    """
    own = dict(given or {})
    sources = {name: source(function, name, own) for name in inspect.signature(function).parameters}
    shaped = {
        name: spec for name, spec in specs(function).items() if name.split(".")[0] not in {"return", *own}
    }
    names = dict.fromkeys(name for spec in shaped.values() for axis in spec.axes for name in axis)

    @st.composite
    def draw_arguments(draw: st.DrawFn) -> dict[str, Any]:
        sizes: Sizes = {name: draw(st.integers(1, max_size), label=name) for name in names}
        if any(spec.batched for spec in shaped.values()):
            sizes[BATCH] = tuple(draw(st.lists(st.integers(1, 3), max_size=max_batch_axes), label="batch"))
        rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
        drawn: dict[str, Any] = {}
        for name, kind in sources.items():
            if kind == "given":
                drawn[name] = draw(own[name], label=name)
            elif kind == "bundle":
                drawn[name] = draw_bundle(draw, function, name, sizes, rng, dtype)
            elif kind == "shaped":
                absent = shaped[name].optional and draw(st.booleans(), label=f"no {name}")
                drawn[name] = None if absent else draw_value(draw, shaped[name], sizes, rng, dtype)
        return drawn

    return draw_arguments()


def source(function: Callable[..., Any], name: str, given: Mapping[str, Any]) -> str:
    """Where the value of a parameter comes from: `given`, `shaped`, `bundle` or `default`."""
    if name in given:
        return "given"
    shaped = specs(function)
    if name in shaped and not shaped[name].repeated:
        return "shaped"
    if any(key.startswith(f"{name}.") for key in shaped):
        return "bundle"
    if (
        name not in shaped
        and inspect.signature(function).parameters[name].default is not inspect.Parameter.empty
    ):
        return "default"
    why = (
        "is a sequence, whose length no annotation gives"
        if name in shaped
        else "has neither shape nor default"
    )
    raise TypeError(f"{function.__name__}: {name} {why}: add a strategy, given={{{name!r}: ...}}")


def draw_value(
    draw: st.DrawFn, spec: Spec, sizes: Sizes, rng: np.random.Generator, dtype: npt.DTypeLike
) -> npt.NDArray[Any] | int:
    """One array, size or index that agrees with its spec at these sizes."""
    shape = spec.shape(sizes)
    if spec.kind == "Dim":
        return int(shape[0])
    if spec.kind == "Index":
        return draw(st.integers(0, shape[0] - 1))
    if spec.kind in ("Mask", "Rows"):
        return rng.random(shape) < draw(st.sampled_from(ALLOWED), label="share of True")
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def draw_bundle(
    draw: st.DrawFn,
    function: Callable[..., Any],
    name: str,
    sizes: Sizes,
    rng: np.random.Generator,
    dtype: npt.DTypeLike,
) -> object:
    """A dataclass of arrays that agree with their specs at these sizes."""
    bundle = bundle_of(get_type_hints(function)[name])
    assert bundle is not None
    fields = {key.split(".")[1]: spec for key, spec in specs(function).items() if key.startswith(f"{name}.")}
    everything = any(spec.optional for spec in fields.values()) and draw(
        st.booleans(), label=f"all of {name}"
    )
    return bundle(
        **{
            field: draw_value(draw, spec, sizes, rng, dtype)
            for field, spec in fields.items()
            if everything or not spec.optional
        }
    )
