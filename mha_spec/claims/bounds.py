"""How large a claim may be, measured on the tree before anything is expanded.

A few characters can ask for more work than any machine has: ``((10**8)**8)**8`` doubles in digits at every
power and ``(n + m + h)**8`` multiplies its terms.  Each bound below is an upper estimate that costs one walk.
"""

from __future__ import annotations

from typing import NamedTuple

from .terms import Operator, Term, fold

MAX_CHARACTERS = 400
MAX_NODES = 200
MAX_DEPTH = 25
MAX_INTEGER = 10**9
MAX_EXPONENT = 8
MAX_DEGREE = 16
MAX_PRODUCTS = 20_000
MAX_BITS = 2_048


class Extent(NamedTuple):
    """Upper estimates for a term once it is multiplied out."""

    degree: int
    products: int
    bits: int
    value: int | None  # of a literal, so that an exponent is known


def _combine(sign: Operator, left: Extent, right: Extent) -> Extent:
    if sign == "**":
        exponent = max(right.value or 0, 1)  # the base is multiplied out even for a power of 0
        # bounded above before the power is taken: an exponent is at most MAX_EXPONENT
        products = min(left.products, MAX_PRODUCTS + 1) ** exponent
        return Extent(left.degree * exponent, products, left.bits * exponent + exponent, None)
    if sign == "*":
        products = left.products * right.products
        return Extent(left.degree + right.degree, products, left.bits + right.bits + 1, None)
    return Extent(
        max(left.degree, right.degree),
        left.products + right.products,
        max(left.bits, right.bits) + 1,
        None,
    )


def extent(term: Term) -> Extent:
    """Degree, number of products and bits of the largest coefficient, each at most what is returned."""
    return fold(
        term,
        lambda number: Extent(0, 1, max(number.bit_length(), 1), number),
        lambda _: Extent(1, 1, 1, None),
        _combine,
    )


def excess(term: Term) -> str:
    """Which bound a term breaks, in words; empty if none."""
    size = extent(term)
    if size.degree > MAX_DEGREE:
        return f"degree {size.degree}, above the bound of {MAX_DEGREE}"
    if size.bits > MAX_BITS:
        return f"numbers of about {size.bits:,} bits, above the bound of {MAX_BITS:,}"
    if size.products > MAX_PRODUCTS:
        return f"about {size.products:,} products when multiplied out, above the bound of {MAX_PRODUCTS:,}"
    return ""
