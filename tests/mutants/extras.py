"""Mistakes in gradients and in the count of parameters."""

from __future__ import annotations

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray

from .layer import CorrectLayer, Memory, Pairs
from .registry import mutant


@mutant("backward-wrong")
class GradientWithoutTheRowSum(CorrectLayer):
    """Only the diagonal of the Jacobian of the softmax."""

    def softmax_gradient(self, weights: Array, d_weights: Array, seen: BoolArray) -> Array:
        gradient: Array = weights * (1 - weights) * d_weights
        return gradient


@mutant("backward-wrong")
class GradientOfOneHeadOfAGroup(CorrectLayer):
    def summed(self, heads: Array) -> Array:
        return heads[:, :: self.design.group]


@mutant("backward-wrong")
class GradientIsNanBesideEmptyRows(CorrectLayer):
    def softmax_gradient(self, weights: Array, d_weights: Array, seen: BoolArray) -> Array:
        dead = ~seen.any(-1, keepdims=True)
        return np.where(dead, np.nan, super().softmax_gradient(weights, d_weights, seen))


@mutant("backward-wrong")
class GradientReachesHiddenKeys(CorrectLayer):
    def softmax_gradient(self, weights: Array, d_weights: Array, seen: BoolArray) -> Array:
        return np.where(seen, super().softmax_gradient(weights, d_weights, seen), 0.01 * d_weights)


@mutant("backward-wrong")
class GradientOfTheMemoryIsMissing(CorrectLayer):
    def vjp(self, x: Array, memory: Memory, mask: Pairs, cotangent: Array) -> dict[str, Array]:
        found = super().vjp(x, memory, mask, cotangent)
        return {name: gradient for name, gradient in found.items() if name != "memory"}


@mutant("value-dim-assumed")
class ParametersGrowWithHeads(CorrectLayer):
    def parameter_count(self) -> int:
        return super().parameter_count() + 32 * self.design.h


@mutant("value-dim-assumed")
class BiasesAreNotCounted(CorrectLayer):
    def parameter_count(self) -> int:
        return sum(array.size for name, array in self.p.arrays().items() if name.startswith("w"))
