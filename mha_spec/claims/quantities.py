"""The traced quantities as terms that a claim can name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from mha_spec.counting.memory import MEMORY_QUANTITIES, traced_memory
from mha_spec.counting.quantities import QUANTITIES, traced_quantities
from mha_spec.design import SIZES

from .cases import CAUSAL_QUANTITIES, causal_values
from .terms import Term, evaluate, names, of_size

KNOWN_NAMES: tuple[str, ...] = (*SIZES, *QUANTITIES, *CAUSAL_QUANTITIES, *MEMORY_QUANTITIES)


@cache
def quantity_terms() -> Mapping[str, Term]:
    """Each quantity over the sizes, `h` being ``kv_heads*group``, as traced from the layer's code.

    The batched and the per-head form must agree, masked and unmasked; ArithmeticError if they do not, since a
    claim about "the layer" would then have no meaning.
    """
    batched = traced_quantities("batched")
    for form, masked in (("batched", True), ("per-head", False), ("per-head", True)):
        other = traced_quantities("per-head" if form == "per-head" else "batched", masked=masked)
        for name, size in batched.items():
            if dict(size.monomials) != dict(other[name].monomials):
                raise ArithmeticError(f"{name} is {size} in the batched form and {other[name]} in the {form} form")
    return {name: of_size(size) for name, size in batched.items()}


@cache
def memory_terms() -> Mapping[str, Term]:
    """The weights alive at once, over the sizes and `block`, as traced from the code."""
    return {name: of_size(size) for name, size in traced_memory().items()}


def traced_counts(sizes: Mapping[str, int]) -> dict[str, int]:
    """Every quantity at given sizes, `group` among them, from the traced terms."""
    return {name: evaluate(term, sizes) for name, term in quantity_terms().items()}


def all_traced_values(sizes: Mapping[str, int]) -> dict[str, int]:
    """Whatever a claim can name beside sizes, at given sizes, `group` among them; `block` only if it is given."""
    known = {name: term for name, term in memory_terms().items() if names(term) <= sizes.keys()}
    memory = {name: evaluate(term, sizes) for name, term in known.items()}
    return {**traced_counts(sizes), **causal_values(CAUSAL_QUANTITIES, sizes), **memory}
