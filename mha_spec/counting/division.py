"""Floor division of polynomials in sizes, where floor and remainder are polynomials for all sizes."""

from __future__ import annotations

from mha_spec.counting import polynomials
from mha_spec.counting.comparisons import is_nonnegative
from mha_spec.counting.errors import TraceError
from mha_spec.counting.polynomials import Polynomial

_ONE = polynomials.constant(1)


def floor_and_remainder(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """`dividend // divisor` and `dividend % divisor`.

    Raises TraceError unless the divisor is proved at least 1 and the remainder is proved to lie between 0 and
    the divisor minus 1, for all sizes.
    """
    shown, by = polynomials.text(dividend), polynomials.text(divisor)
    if not is_nonnegative(polynomials.add(divisor, _ONE, -1)):
        raise TraceError(f"{shown} is divided by {by}, which is not proved to be at least 1", "divide by a size")
    quotient, remainder = polynomials.divide(dividend, divisor)
    one_less = polynomials.add(quotient, _ONE, -1), polynomials.add(remainder, divisor)
    for floor, rest in ((quotient, remainder), one_less):
        below = polynomials.add(polynomials.add(divisor, _ONE, -1), rest, -1)
        if is_nonnegative(rest) and is_nonnegative(below):
            return floor, rest
    raise TraceError(
        f"{by} is not proved to divide {shown}",
        f"declare the product, for example declare={{'{shown}': '{by}*width'}}"
        if shown.isidentifier()
        else "declare the product, for example declare={'d_model': 'h*d_k'}",
    )
