"""What the attention modules of transformers share: two implementations of one module, and how each takes masks.

With `"sdpa"`, the library's default, a mask is boolean with True = may attend, and without one a decoder's module is
causal by itself. With `"eager"` a mask is added to the scores, the most negative number of the dtype where a key is
hidden; without one no module is causal, and only this implementation gives its weights.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Final, Literal, TypeAlias

import torch
from transformers import PretrainedConfig

from mha_spec.conformance.contract import Array, BoolArray, Call, Unsupported
from mha_spec.conformance.declarations import EmptyRow, KnownFailure
from mha_spec.design import AttentionDesign

from ..masks import allowed_pairs
from ..torch.layer import ModuleLayer, array, inference
from ..torch.tensors import dtype_of, tensor

Implementation: TypeAlias = Literal["sdpa", "eager"]


def always(design: AttentionDesign, call: Call) -> bool:
    """The condition of what fails in every case."""
    return True


OVERFLOWING_SCORES: Final = KnownFailure(
    frozenset({"half_precision_scores_do_not_overflow_before_the_scale"}),
    always,
    'transformers 5.24 run "eager" rounds the scalar products to the dtype of the model before it multiplies them by '
    "the scale, so in float16 they overflow above 65504 though the scores would not",
)
NAN_IN_FLOAT64: Final = KnownFailure(
    frozenset({"gradients_are_finite_beside_empty_rows"}),
    lambda design, call: design.dtype == "float64",
    'transformers 5.24 run "eager" casts scores with the mask to float32 before the softmax: the most negative float64 '
    "becomes minus infinity, so a query that may attend to nothing gives NaN, and NaN gradients everywhere",
)


class AttentionModule(ModuleLayer):
    """One attention module, in self-attention unless `takes_memory`.

    Sizes are set on a default configuration, past the checks of its constructor: those want an even `head_dim`, for a
    rotation that is turned off here, and a `hidden_size` that is a multiple of the heads.
    """

    implementation: ClassVar[Implementation] = "sdpa"
    takes_memory: ClassVar[bool] = False
    has_biases_always: ClassVar[bool] = False

    requires: ClassVar[object] = {"H1", "H2", "H3", "H6"}
    options: ClassVar[object] = ()
    hidden_values_may_leak: ClassVar[object] = True
    empty_row: ClassVar[object] = "zero"

    config_class: ClassVar[type[PretrainedConfig]]
    config: PretrainedConfig

    @abstractmethod
    def settings(self, design: AttentionDesign) -> dict[str, int | bool]:
        """The entries of the configuration that say what the design says."""

    @abstractmethod
    def module_of(self, config: PretrainedConfig, design: AttentionDesign) -> torch.nn.Module:
        """The attention module of a model with this configuration."""

    @abstractmethod
    def run(
        self, x: torch.Tensor, memory: torch.Tensor | None, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights, the latter None with `"sdpa"`; the mask is in the form that the module takes."""

    def causal_by_itself(self) -> bool:
        """Whether without a mask the module hides later tokens."""
        return self.implementation == "sdpa" and bool(self.attention.is_causal)

    @property
    def attention(self) -> torch.nn.Module:
        """The module that attends, where the layer consists of more."""
        return self.module

    def build(self, design: AttentionDesign) -> torch.nn.Module:
        """The module of this design with this class's implementation."""
        self.config = copy.copy(default_configuration(self.config_class))
        for name, setting in self.settings(design).items():
            setattr(self.config, name, setting)
        self.config._attn_implementation = self.implementation
        return self.module_of(self.config, design)

    def output(self, x: torch.Tensor, memory: torch.Tensor | None, mask: BoolArray | None) -> torch.Tensor:
        """The output `(batch, n, d_model)`; raises `Unsupported` for a memory, where the module takes none."""
        return self.both(x, memory, mask)[0]

    def both(
        self, x: torch.Tensor, memory: torch.Tensor | None, mask: BoolArray | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Output and weights for a mask as the contract has it."""
        if memory is not None and not self.takes_memory:
            raise Unsupported("it does self-attention only")
        return self.run(x, memory, self.own_mask(x, memory, mask))

    def own_mask(self, x: torch.Tensor, memory: torch.Tensor | None, mask: BoolArray | None) -> torch.Tensor | None:
        """Mask and causality in the form that the module takes, `(batch, 1, n, m)`, or None where it needs none."""
        if mask is None and memory is None and self.design.causal == self.causal_by_itself():
            return None
        if mask is None and not self.design.causal and self.takes_memory:
            return None
        batch, n, m = x.shape[0], x.shape[1], (x if memory is None else memory).shape[1]
        pairs = allowed_pairs(self.design, batch, n, m, mask)
        allowed = torch.ones(batch, n, m, dtype=torch.bool) if pairs is None else tensor(pairs)
        return self.in_its_form(allowed[:, None]).to(x.device)

    def in_its_form(self, allowed: torch.Tensor) -> torch.Tensor:
        """A boolean mask as the implementation takes it."""
        if self.implementation == "sdpa":
            return allowed
        dtype = dtype_of(self.design)
        return torch.zeros(allowed.shape, dtype=dtype).masked_fill(~allowed, torch.finfo(dtype).min)

    def parameter_count(self) -> int:
        """The number of entries; `Unsupported` where the module holds biases that the design has not."""
        if self.has_biases_always and not self.design.bias:
            raise Unsupported("the module always has biases: without them in the design, they are zeros")
        return super().parameter_count()


class WithWeights(AttentionModule):
    """A module run `"eager"`, which gives its weights. Hidden keys of an empty row are all equally hidden."""

    implementation: ClassVar[Implementation] = "eager"
    empty_row: ClassVar[object] = "uniform"
    known_failures: ClassVar[tuple[KnownFailure, ...]] = (OVERFLOWING_SCORES,)

    def weights(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The weights of each head."""
        with inference():
            found = self.both(tensor(x), None if memory is None else tensor(memory), mask)[1]
        assert found is not None
        return array(found)


def mean_or_nan(design: AttentionDesign, call: Call) -> EmptyRow:
    """What an empty row gives where the softmax is computed in float32: the mean over all keys, but in float64 NaN."""
    return "nan" if design.dtype == "float64" else "uniform"


class SoftmaxInFloat32(WithWeights):
    """A module run `"eager"` that computes its softmax in float32, whatever the dtype of the model."""

    computes_in: ClassVar[object] = "float32"
    known_failures: ClassVar[tuple[KnownFailure, ...]] = (OVERFLOWING_SCORES, NAN_IN_FLOAT64)
    empty_row: ClassVar[object] = staticmethod(mean_or_nan)


DEFAULTS: Final[dict[object, PretrainedConfig]] = {}


def default_configuration(config_class: type[PretrainedConfig]) -> PretrainedConfig:
    """The configuration of this class that says nothing, to be copied: making one takes longer than a layer."""
    if config_class not in DEFAULTS:
        DEFAULTS[config_class] = config_class()
    return DEFAULTS[config_class]


def zero_biases(design: AttentionDesign, parameters: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The parameters, with zeros for the biases that a design without biases lacks."""
    shapes: dict[str, tuple[int, ...]] = {"b_q": (design.h, design.d_k), "b_k": (design.kv_heads, design.d_k)}
    shapes |= {"b_v": (design.kv_heads, design.d_v), "b_o": (design.d_model,)}
    dtype = dtype_of(design)
    return {name: torch.zeros(shape, dtype=dtype) for name, shape in shapes.items()} | dict(parameters)
