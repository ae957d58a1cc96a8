"""What a JAX program costs: multiplications in its matrix products, read from the program that JAX traced.

XLA's own cost analysis gives one sum of products, additions and softmax. Here each primitive is looked at: a matrix
product has a price, what makes, moves or compares arrays is free, and any other primitive is reported and the measure
is not `complete`. Shapes are enough, so no array is computed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import jax

from mha_spec.design import AttentionDesign

from .compiled import Program

MAKE_OR_MOVE: Final = (
    "broadcast_in_dim concatenate convert_element_type copy copy_p expand_dims iota reshape rev slice split squeeze "
    "stop_gradient transpose"
)
MASKS: Final = "and eq ge gt le lt ne not or select_n"
COUNTED_APART: Final = "abs add add_any div exp integer_pow max neg reduce_max reduce_sum rsqrt sqrt sub"
"""Additions, and what a ledger counts apart: the scale, and the softmax with its divisions and comparisons."""

FREE: Final = frozenset(f"{MAKE_OR_MOVE} {MASKS} {COUNTED_APART}".split())
CALLS: Final = frozenset({"pjit", "jit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat2"})


@dataclass(frozen=True)
class Metered:
    """The cost of one run.

    - `multiplications`: scalar multiplications in matrix products.
    - `elementwise`: multiplications of two arrays entry by entry; a scale, which is one number, is not counted.
    - `without_price`: how often each primitive occurs whose cost is not known.
    """

    multiplications: int
    elementwise: int
    without_price: Mapping[str, int]

    @property
    def complete(self) -> bool:
        """Whether every primitive had a price."""
        return not self.without_price


def meter(run: Callable[..., object], *shapes: object) -> Metered:
    """The cost of `run`, called with arrays or with trees of `jax.ShapeDtypeStruct`."""
    products, elementwise, without = 0, 0, Counter[str]()
    for equation in equations(jax.make_jaxpr(run)(*shapes).jaxpr):
        name = equation.primitive.name
        if name == "dot_general":
            products += product_multiplications(equation)
        elif name == "mul":
            elementwise += elementwise_multiplications(equation)
        elif name not in FREE:
            without[name] += 1
    return Metered(products, elementwise, dict(without))


def meter_program(program: Program, design: AttentionDesign, n: int, m: int | None = None, batch: int = 1) -> Metered:
    """The cost of one call of a layer's program without a mask; `m` None is self-attention.

    Causality leaves no product out: the libraries compute hidden scores as well.
    """
    shapes = {"x": (batch, n, design.d_model), **design.parameter_shapes()}
    if m is not None:
        shapes["memory"] = (batch, m, design.d_memory)
    with jax.enable_x64(True):
        arrays = {name: jax.ShapeDtypeStruct(shape, design.dtype) for name, shape in shapes.items()}
        return meter(lambda given: program(design, given, None), arrays)


def equations(program: Any) -> Iterator[Any]:
    """The equations of a traced program, with those of the functions that it calls in place of the calls."""
    for equation in program.eqns:
        inner = [getattr(value, "jaxpr", value) for value in equation.params.values() if hasattr(value, "eqns")]
        if equation.primitive.name in CALLS and inner:
            yield from equations(inner[0])
        else:
            yield equation


def product_multiplications(equation: Any) -> int:
    """Of one matrix product: the entries of the result, times the length of what is summed."""
    contracted: tuple[int, ...] = equation.params["dimension_numbers"][0][0]
    left: tuple[int, ...] = equation.invars[0].aval.shape
    result: tuple[int, ...] = equation.outvars[0].aval.shape
    return math.prod(result) * math.prod(left[axis] for axis in contracted)


def elementwise_multiplications(equation: Any) -> int:
    """Of one product entry by entry: the entries of the result, or none if a factor is one number."""
    factors: list[tuple[int, ...]] = [factor.aval.shape for factor in equation.invars]
    result: tuple[int, ...] = equation.outvars[0].aval.shape
    return 0 if any(math.prod(shape) == 1 for shape in factors) else math.prod(result)
