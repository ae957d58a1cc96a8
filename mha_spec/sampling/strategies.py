"""Hypothesis strategies for designs and pairs of designs, over the same construction as every other draw."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st

from .designs import DesignSpace, Sizes, draw_pair


@st.composite
def designs(draw: st.DrawFn, hypotheses: Collection[str] = (), largest: int = 4) -> Sizes:
    """Sizes of a design that meets the hypotheses; each free size is from 1 to `largest`."""
    return DesignSpace(hypotheses).draw(lambda low, high: draw(st.integers(low, high)), largest)


@st.composite
def pairs_of_designs(
    draw: st.DrawFn, hypotheses: Collection[str], varying: Collection[str]
) -> tuple[Sizes, Sizes]:
    """Two designs that differ in `h` and in what varies with it."""
    return draw_pair(hypotheses, varying, lambda low, high: draw(st.integers(low, high)))
