"""A pure JAX program as a layer under test: compiled once for all layers of the same sizes, and differentiated.

A program is a function of a design, of named arrays (`"x"`, `"memory"` where there is one, and parameters in the
paper's layout) and of a mask. It maps the parameters to those of a library inside the program, so its gradients come
back in the paper's layout too. 64-bit arrays are switched on while it runs and not outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from mha_spec.adapters.masks import allowed_pairs
from mha_spec.conformance.contract import Array, BoolArray, Unsupported
from mha_spec.design import AttentionDesign, Parameters

# An array of JAX, or what stands for one while a program is compiled. Its type is unknown where JAX is not installed.
JaxArray: TypeAlias = Any
JaxArrays: TypeAlias = Mapping[str, JaxArray]
Program: TypeAlias = Callable[[AttentionDesign, JaxArrays, JaxArray | None], JaxArray]

F = TypeVar("F", bound=Callable[..., object])

# A program runs once or twice after it is compiled: making it fast would take nine tenths of the time.
QUICK_TO_COMPILE: Final = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}


class CompiledProgram:
    """A program with its gradients, each compiled for every new design and every new set of shapes."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._run = jax.jit(program, static_argnums=0, compiler_options=QUICK_TO_COMPILE)
        self._pull_back = jax.jit(self._pulled_back, static_argnums=0, compiler_options=QUICK_TO_COMPILE)

    def run(self, design: AttentionDesign, arrays: Mapping[str, Array], mask: BoolArray | None) -> Array:
        """What the program gives, as an ndarray that can be written to."""
        with jax.enable_x64(True):
            return np.array(self._run(design, arrays, mask))

    def vjp(
        self, design: AttentionDesign, arrays: Mapping[str, Array], mask: BoolArray | None, cotangent: Array
    ) -> tuple[Array, dict[str, Array]]:
        """The output, and the gradient of `sum(output * cotangent)` for each of the arrays."""
        with jax.enable_x64(True):
            out, towards = self._pull_back(design, arrays, mask, cotangent)
            return np.array(out), {name: np.array(gradient) for name, gradient in towards.items()}

    def _pulled_back(
        self, design: AttentionDesign, arrays: JaxArrays, mask: JaxArray | None, cotangent: JaxArray
    ) -> tuple[JaxArray, JaxArrays]:
        out, pull_back = jax.vjp(lambda given: self._program(design, given, mask), arrays)
        (towards,) = pull_back(cotangent)
        return out, towards


class CompiledLayer:
    """A layer under test whose output is that of a compiled program; `held` is how many entries the library holds."""

    def __init__(self, program: CompiledProgram, design: AttentionDesign, parameters: Parameters, held: int) -> None:
        self._program = program
        self._held = held
        self.design = design
        self.parameters = parameters

    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The output `(batch, n, d_model)`."""
        return self._program.run(self.design, self.arrays(x, memory), mask)

    def arrays(self, x: Array, memory: Array | None) -> dict[str, Array]:
        """The arrays of a call and the parameters, by name."""
        return {"x": x, **({} if memory is None else {"memory": memory}), **self.parameters.arrays()}

    def parameter_count(self) -> int:
        """The number of entries that the layer of the library holds."""
        return self._held

    def vjp(self, x: Array, memory: Array | None, mask: BoolArray | None, cotangent: Array) -> dict[str, Array]:
        """The gradients, by JAX's own differentiation of the layer."""
        return self._program.vjp(self.design, self.arrays(x, memory), mask, cotangent)[1]


class CompiledLayerWithWeights(CompiledLayer):
    """A layer of a library that can also show its attention weights, by another compiled program."""

    def __init__(
        self,
        program: CompiledProgram,
        shown: CompiledProgram,
        design: AttentionDesign,
        parameters: Parameters,
        held: int,
    ) -> None:
        super().__init__(program, design, parameters, held)
        self._shown = shown

    def weights(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The attention weights `(batch, h, n, m)`, as the library gives them."""
        return self._shown.run(self.design, self.arrays(x, memory), mask)


def declares(**declarations: object) -> Callable[[F], F]:
    """Put declarations (see `mha_spec.conformance.declarations`) on a factory."""

    def declaring(factory: F) -> F:
        for name, value in declarations.items():
            setattr(factory, name, value)
        return factory

    return declaring


def read_from(arrays: JaxArrays) -> JaxArray:
    """What keys and values are read from: the memory, or in self-attention `x`."""
    return arrays.get("memory", arrays["x"])


def together(design: AttentionDesign, arrays: JaxArrays, mask: JaxArray | None) -> JaxArray | None:
    """The mask and causality in one mask `(batch, 1, n, m)`, for libraries that leave both to the mask; or None."""
    batch, n = arrays["x"].shape[:2]
    allowed: JaxArray = allowed_pairs(design, batch, n, read_from(arrays).shape[1], mask)
    return None if allowed is None else jnp.asarray(allowed)[:, None]


def refuse_options(design: AttentionDesign, *names: str) -> None:
    """Raise `Unsupported` if the design sets one of these options."""
    for name in names:
        if getattr(design, name) is not None:
            raise Unsupported(f"it has no option {name}")


def refuse_unless(design: AttentionDesign, hypothesis: str, why: str) -> None:
    """Raise `Unsupported` unless the design meets a hypothesis."""
    if not design.satisfies(hypothesis):
        raise Unsupported(why)
