"""`jax.nn.dot_product_attention` as a layer: the projections around it are NumPy's.

Its arrays have tokens before heads, `(batch, n, h, d_k)`; its softmax is in float32 whatever they are. A window is
`local_window_size = (w - 1, 0)`, whose left side counts the keys before the query's own.
"""

from __future__ import annotations

from typing import ClassVar

import jax

from mha_spec.adapters.functions.layer import DifferentiableFunctionLayer
from mha_spec.conformance.contract import Array, BoolArray
from mha_spec.conformance.declarations import EmptyRow
from mha_spec.design import AttentionDesign, Parameters

from .compiled import CompiledProgram, JaxArray, JaxArrays, refuse_options, refuse_unless
from .half_precision import COMPILED_IN_FLOAT16


def attended(design: AttentionDesign, arrays: JaxArrays, mask: JaxArray | None) -> JaxArray:
    """What the function gives, with heads before tokens."""
    q, k, v = (arrays[name].transpose(0, 2, 1, 3) for name in "qkv")
    heads = jax.nn.dot_product_attention(
        q,
        k,
        v,
        mask=None if mask is None else mask[:, None],
        scale=design.scale,
        is_causal=design.causal,
        local_window_size=None if design.window is None else (design.window - 1, 0),
    )
    return heads.transpose(0, 2, 1, 3)


ATTENDED = CompiledProgram(attended)


class DotProductAttention(DifferentiableFunctionLayer):
    """The function with the implementation that it chooses by itself."""

    requires: ClassVar = {"H2"}
    options: ClassVar = ("scale", "window")
    slow_shapes: ClassVar = True
    causal_alignment: ClassVar = "top-left"
    empty_row: ClassVar[EmptyRow] = "uniform"
    computes_in: ClassVar = "float32"
    hidden_values_may_leak: ClassVar = True
    allows_empty: ClassVar = ("batch", "n", "m")
    known_failures: ClassVar = (COMPILED_IN_FLOAT16,)

    def __init__(self, design: AttentionDesign, parameters: Parameters) -> None:
        refuse_options(design, "softcap")
        refuse_unless(design, "H2", "values are as wide as keys")
        super().__init__(design, parameters)

    def attend(self, q: Array, k: Array, v: Array, mask: BoolArray | None) -> Array:
        """The heads' outputs."""
        return ATTENDED.run(self.design, {"q": q, "k": k, "v": v}, mask)

    def attend_vjp(
        self, q: Array, k: Array, v: Array, mask: BoolArray | None, cotangent: Array
    ) -> tuple[Array, Array, Array, Array]:
        """The heads' outputs and the gradients for `q`, `k` and `v`."""
        heads, towards = ATTENDED.vjp(self.design, {"q": q, "k": k, "v": v}, mask, cotangent)
        return heads, towards["q"], towards["k"], towards["v"]


factory = DotProductAttention
