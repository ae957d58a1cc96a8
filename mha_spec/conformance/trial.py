"""One case of one law on one factory: running layers under guard, and comparing what they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from mha_spec.design import AttentionDesign, Parameters

from .cases.case import Case, Inputs
from .contract import (
    Array,
    BoolArray,
    Call,
    CountsParameters,
    Decodes,
    Factory,
    GivesGradients,
    GivesWeights,
    Layer,
    Unsupported,
)
from .declarations import Declarations, KnownFailure
from .definition import Defined, define
from .failure import CannotJudge, Finding, LawBroken, LayerBroke
from .tolerance import Deviation, Distance, Float64, deviation, distance

T = TypeVar("T")

PERTURBATIONS = 3


class Trial:
    """One case of a law. `inputs` are the drawn ones; `known` is the known failure that a call met, if one did."""

    def __init__(self, law: str, factory: Factory, declared: Declarations, case: Case) -> None:
        self.law = law
        self.factory = factory
        self.declared = declared
        self.case = case
        self.fixed = declared.fixed_design is not None
        self.inputs = case.inputs(fixed=self.fixed)
        self.rng = case.rng()
        self.known: KnownFailure | None = None
        self.widest = Distance(0.0, 0.0, ())

    def layer(self, inputs: Inputs | None = None) -> GuardedLayer:
        """A new layer of these inputs' design and parameters."""
        inputs = self.inputs if inputs is None else inputs
        self._meets(inputs.design, inputs.call)
        if self.fixed:
            made = guarded("the factory", lambda: self.factory(None, None))  # type: ignore[arg-type]
        else:
            made = guarded("the factory", lambda: self.factory(inputs.design, copied(inputs.given)))
        if not callable(made):
            raise LayerBroke(Finding("the factory", f"{type(made).__name__}, which is not callable", "a layer"))
        return GuardedLayer(made, inputs.design, self)

    def run(self, inputs: Inputs | None = None) -> Array:
        """The output of a new layer on copies of these inputs."""
        inputs = self.inputs if inputs is None else inputs
        return self.layer(inputs)(*inputs.copied())

    def defined(self, inputs: Inputs | None = None, queries: list[int] | None = None) -> Defined:
        """What the definition gives on these inputs."""
        i = self.inputs if inputs is None else inputs
        return define(i.design, i.given, i.x, i.memory, i.mask, queries)

    def deviation(self, inputs: Inputs | None = None) -> Deviation:
        """How far rounding may move the results of a layer with these inputs; not for a ready-made layer."""
        i = self.inputs if inputs is None else inputs
        return deviation(i.design, i.given, i.x, i.memory, i.mask, dtype=self.precision(i))

    def sigma(self, inputs: Inputs | None = None) -> Float64:
        """How far rounding may move the output `(batch, n, d_model)` of a layer with these inputs."""
        i = self.inputs if inputs is None else inputs
        return self.deviation(i).output if i.parameters is not None else self._measured_sigma(i)

    def precision(self, inputs: Inputs | None = None) -> str:
        """The dtype whose rounding the results may show."""
        i = self.inputs if inputs is None else inputs
        return self.declared.precision_of(i.design, i.call)

    def agree(self, what: str, came: Array, expected: Array, *sigmas: Array) -> None:
        """Raise `LawBroken` unless two results agree, given the deviations of each of them."""
        came64, expected64 = np.asarray(came, np.float64), np.asarray(expected, np.float64)
        if came64.shape != expected64.shape:
            raise LawBroken(what, f"shape {came64.shape}", f"shape {expected64.shape}")
        if not np.isfinite(expected64).all():
            raise CannotJudge(f"{what}: what should come out is not finite")
        finite = np.isfinite(came64)
        if not finite.all():
            at = tuple(int(k) for k in np.argwhere(~finite)[0])
            raise LawBroken(f"{what}, at {at}", f"{came64[at]}", f"{expected64[at]:.9g}")
        sigma = np.sqrt(sum(np.asarray(s, np.float64) ** 2 for s in sigmas))
        found = distance(came64, expected64, sigma)
        if not found.is_rounding:
            far = f"{expected64[found.at]:.9g} ({found.largest:.3g} sigma of rounding, rms {found.rms:.3g})"
            raise LawBroken(f"{what}, at {found.at}", f"{came64[found.at]:.9g}", far)
        self.widest = max(self.widest, found, key=lambda d: d.largest)

    def same(self, what: str, one: Inputs, other: Inputs) -> None:
        """Raise `LawBroken` unless the layer gives the same on both inputs."""
        self.agree(what, self.run(other), self.run(one), self.sigma(one), self.sigma(other))

    def _meets(self, design: AttentionDesign, call: Call) -> None:
        if self.known is None and self.declared.known_failures:
            self.known = self.declared.known_failure(self.law, design, call)

    def _measured_sigma(self, inputs: Inputs) -> Float64:
        """For a layer whose parameters are not known: what roundings of its inputs do to its output."""
        unit = float(np.finfo(self.precision(inputs)).eps)
        exact = np.asarray(self.run(inputs), np.float64)
        squares = 0.0
        for _ in range(PERTURBATIONS):
            moved = np.asarray(self.run(self._perturbed(inputs, unit)), np.float64)
            squares += float(np.mean((moved - exact) ** 2, where=np.isfinite(exact - moved))) if exact.size else 0.0
        size = np.abs(exact)[np.isfinite(exact)].max(initial=0.0)
        floor = 4 * unit * (size + np.where(np.isfinite(exact), np.abs(exact), 0.0))
        sigma: Float64 = np.sqrt(4 * squares / PERTURBATIONS + floor**2)
        return sigma

    def _perturbed(self, inputs: Inputs, unit: float) -> Inputs:
        def moved(array: Array) -> Array:
            result: Array = (array * (1 + unit * self.rng.standard_normal(array.shape))).astype(array.dtype)
            return result

        memory = None if inputs.memory is None else moved(inputs.memory)
        return inputs.but(x=moved(inputs.x), memory=memory)


class GuardedLayer:
    """A layer under test: what it raises becomes `LayerBroke`, and so does what is no output of the design."""

    def __init__(self, layer: Layer, design: AttentionDesign, trial: Trial) -> None:
        self._layer = layer
        self._design = design
        self._trial = trial

    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The output; arguments that are None are left out at the end."""
        self._trial._meets(self._design, Call.of(x, memory, mask))
        out = guarded("the layer", lambda: self._layer(x, memory, mask))
        return output_of(out, (*x.shape[:2], self._design.d_model), self._design.dtype, "the output")

    def weights(self, inputs: Inputs) -> Array:
        """The weights `(batch, h, n, m)`."""
        layer, call = self._layer, inputs.call
        if not isinstance(layer, GivesWeights):
            raise Unsupported("it has no weights(x, memory, mask)")
        self._trial._meets(self._design, call)
        out = guarded("layer.weights", lambda: layer.weights(*inputs.copied()))
        return output_of(out, (call.batch, self._design.h, call.n, call.m), None, "the weights")

    def parameter_count(self) -> int:
        """How many parameters it says it has."""
        layer = self._layer
        if not isinstance(layer, CountsParameters):
            raise Unsupported("it has no parameter_count()")
        return int(guarded("layer.parameter_count", layer.parameter_count))

    def vjp(self, inputs: Inputs, cotangent: Array) -> Mapping[str, Array]:
        """The gradients of `sum(output * cotangent)`."""
        layer = self._layer
        if not isinstance(layer, GivesGradients):
            raise Unsupported("it has no vjp(x, memory, mask, cotangent)")
        self._trial._meets(self._design, inputs.call)
        return guarded("layer.vjp", lambda: layer.vjp(*inputs.copied(), cotangent.copy()))

    def reset(self) -> None:
        """Forget every token."""
        layer = self._layer
        if not isinstance(layer, Decodes):
            raise Unsupported("it has no reset() and step(x_part)")
        guarded("layer.reset", layer.reset)

    def step(self, x_part: Array) -> Array:
        """The output of the next tokens."""
        layer = self._layer
        if not isinstance(layer, Decodes):
            raise Unsupported("it has no reset() and step(x_part)")
        out = guarded("layer.step", lambda: layer.step(x_part.copy()))
        return output_of(out, (*x_part.shape[:2], self._design.d_model), self._design.dtype, "the output of a step")


def guarded(what: str, action: Callable[[], T]) -> T:
    """What the action gives; `LayerBroke` for anything it raises but `Unsupported`."""
    try:
        return action()
    except Unsupported:
        raise
    except (Exception, SystemExit) as error:
        raised = f"{type(error).__name__}: {str(error).strip()[:240]}"
        raise LayerBroke(Finding(what, raised, "no error")) from error


def output_of(out: object, shape: tuple[int, ...], dtype: str | None, what: str) -> Array:
    """The output if it is an array of this shape and dtype (any floating one if None), else `LayerBroke`."""
    if not isinstance(out, np.ndarray):
        raise LayerBroke(Finding(what, f"a {type(out).__name__}", f"an ndarray of shape {shape}"))
    if out.shape != shape:
        raise LayerBroke(Finding(what, f"shape {out.shape}", f"shape {shape}"))
    if out.dtype != dtype if dtype is not None else out.dtype.kind != "f":
        raise LayerBroke(Finding(what, f"dtype {out.dtype}", f"dtype {dtype or 'floating'}"))
    return out


def copied(parameters: Parameters) -> Parameters:
    """Parameters that share no array with these, so that a factory cannot change them for another layer."""
    return Parameters(**{name: array.copy() for name, array in parameters.arrays().items()})
