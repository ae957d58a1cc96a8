"""A function of queries, keys and values as a layer under test: the projections around it are NumPy's.

The function sees one head beside the other, `q (batch, h, n, d_k)`, `k (batch, kv_heads, m, d_k)` and
`v (batch, kv_heads, m, d_v)`, and gives the heads' outputs `(batch, h, n, d_v)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from mha_spec.conformance.contract import Array, BoolArray
from mha_spec.design import AttentionDesign, FloatArray, Parameters


class FunctionLayer(ABC):
    """A factory and its layer in one: make a subclass, write `attend`, and declare as attributes what it does."""

    def __init__(self, design: AttentionDesign, parameters: Parameters) -> None:
        self.design = design
        self.parameters = parameters

    @abstractmethod
    def attend(self, q: Array, k: Array, v: Array, mask: BoolArray | None) -> Array:
        """The heads' outputs; `mask (batch, n, m)` is the one that the layer was called with.

        Causality, the scale and the other options are in `self.design`, for the function to do or to refuse.
        """

    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        """The output `(batch, n, d_model)`."""
        return merged(self.attend(*self.projected(x, memory), mask), self.parameters)

    def projected(self, x: Array, memory: Array | None) -> tuple[Array, Array, Array]:
        """Queries, keys and values, heads before tokens."""
        p, read_from = self.parameters, x if memory is None else memory
        return (
            projection(x, p.w_q, p.b_q),
            projection(read_from, p.w_k, p.b_k),
            projection(read_from, p.w_v, p.b_v),
        )


class DifferentiableFunctionLayer(FunctionLayer):
    """A function that has gradients: the layer has them with respect to its inputs and all its parameters."""

    @abstractmethod
    def attend_vjp(
        self, q: Array, k: Array, v: Array, mask: BoolArray | None, cotangent: Array
    ) -> tuple[Array, Array, Array, Array]:
        """The output of `attend`, and the gradients of `sum(output * cotangent)` for `q`, `k` and `v`."""

    def vjp(self, x: Array, memory: Array | None, mask: BoolArray | None, cotangent: Array) -> dict[str, Array]:
        """The gradients of `sum(output * cotangent)` by name."""
        p, read_from = self.parameters, x if memory is None else memory
        batch, n = x.shape[:2]
        towards_heads = cotangent @ p.w_o.T
        by_head = towards_heads.reshape(batch, n, self.design.h, self.design.d_v).transpose(0, 2, 1, 3)
        heads, d_q, d_k, d_v = self.attend_vjp(*self.projected(x, memory), mask, by_head)
        side_by_side = heads.transpose(0, 2, 1, 3).reshape(batch, n, -1)
        towards_x = through_projection(d_q, p.w_q)
        towards_keys = through_projection(d_k, p.w_k) + through_projection(d_v, p.w_v)
        gradients = {
            "w_q": np.einsum("bnd,bhnk->hdk", x, d_q),
            "w_k": np.einsum("bmd,bhmk->hdk", read_from, d_k),
            "w_v": np.einsum("bmd,bhmk->hdk", read_from, d_v),
            "w_o": np.einsum("bnc,bnd->cd", side_by_side, cotangent),
        }
        if self.design.bias:
            gradients |= {"b_q": d_q.sum((0, 2)), "b_k": d_k.sum((0, 2)), "b_v": d_v.sum((0, 2))}
            gradients["b_o"] = cotangent.sum((0, 1))
        if memory is None:
            return gradients | {"x": towards_x + towards_keys}
        return gradients | {"x": towards_x, "memory": towards_keys}


def projection(rows: Array, matrices: FloatArray, biases: FloatArray | None) -> Array:
    """`rows (batch, n, d)` times each of `matrices (heads, d, width)`, plus `biases (heads, width)`."""
    product: Array = rows[:, None] @ matrices[None]
    return product if biases is None else product + biases[:, None]


def through_projection(towards: Array, matrices: FloatArray) -> Array:
    """The gradient for the rows of a projection, from that for its result `(batch, heads, n, width)`."""
    gradient: Array = (towards @ matrices.transpose(0, 2, 1)).sum(1)
    return gradient


def merged(heads: Array, parameters: Parameters) -> Array:
    """The output of heads `(batch, h, n, d_v)`, side by side, times `W_O`."""
    batch, h, n, d_v = heads.shape
    product: Array = heads.transpose(0, 2, 1, 3).reshape(batch, n, h * d_v) @ parameters.w_o
    return product if parameters.b_o is None else product + parameters.b_o
