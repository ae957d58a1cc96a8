"""What is known of `jax.nn.dot_product_attention` in float16, for the layers that call it."""

from __future__ import annotations

from mha_spec.conformance.contract import Call
from mha_spec.design import AttentionDesign


def in_float16(design: AttentionDesign, call: Call) -> bool:
    """Whether a case is one of float16."""
    return design.dtype == "float16"


COMPILED_IN_FLOAT16 = (
    "*",
    in_float16,
    "jax.nn.dot_product_attention asks for a product of precision F16_F16_F32, which is refused on a CPU once it is "
    "compiled; without jax.jit it catches the refusal and goes on",
)
