"""Symbolic and property-based verification of multi-head attention.

The names below are the public interface. Each is loaded when it is first used, so that ``import mha_spec``
costs nothing: no SymPy, no Hypothesis, not even NumPy.

>>> import mha_spec
>>> print(mha_spec.prove("multiplications independent of h").outcome)
PROVED
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mha_spec.claims.catalogue import theorems as theorems
    from mha_spec.claims.prover import prove as prove
    from mha_spec.conformance.verification import verify as verify
    from mha_spec.counting.scalars import count_scalars as count_scalars
    from mha_spec.counting.trace import trace as trace
    from mha_spec.design import AttentionDesign as AttentionDesign
    from mha_spec.design import Parameters as Parameters
    from mha_spec.layer import multi_head_attention as multi_head_attention
    from mha_spec.layer import scaled_dot_product_attention as scaled_dot_product_attention

__version__ = "0.1.0"

__all__ = [
    "AttentionDesign",
    "Parameters",
    "__version__",
    "count_scalars",
    "multi_head_attention",
    "prove",
    "scaled_dot_product_attention",
    "theorems",
    "trace",
    "verify",
]

_HOME = {
    "AttentionDesign": "mha_spec.design",
    "Parameters": "mha_spec.design",
    "count_scalars": "mha_spec.counting.scalars",
    "multi_head_attention": "mha_spec.layer",
    "prove": "mha_spec.claims.prover",
    "scaled_dot_product_attention": "mha_spec.layer",
    "theorems": "mha_spec.claims.catalogue",
    "trace": "mha_spec.counting.trace",
    "verify": "mha_spec.conformance.verification",
}


def __dir__() -> list[str]:
    """The public names, before any of them is loaded."""
    return sorted({*globals(), *__all__})


# A type checker must not see this: with it, every misspelt name would be taken for an attribute.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load a public name on first use and keep it; AttributeError for any other name."""
        if name not in _HOME:
            raise AttributeError(f"module 'mha_spec' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
