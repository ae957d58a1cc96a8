"""Values against the definition: what no relation between runs can show, such as a wrong scale."""

from __future__ import annotations

from ..cases.wanted import ALL_OPTIONS, Wanted
from ..trial import Trial
from .law import law


def equals_the_definition(t: Trial) -> None:
    """Compare the output with the definition, element by element."""
    t.agree("the output", t.run(), t.defined().output, t.sigma())


@law("value", None, Wanted(), "parameters", only_sees="wrong values of every kind")
def it_equals_the_definition(t: Trial) -> None:
    """The output is that of the definition in plain loops, to the rounding of float64."""
    equals_the_definition(t)


@law("value", None, Wanted(options=ALL_OPTIONS), "parameters", only_sees="a scale, softcap or window that is ignored")
def it_equals_the_definition_with_options(t: Trial) -> None:
    """The same with a given scale, a softcap and a window, where the factory does them."""
    equals_the_definition(t)


@law("value", None, Wanted(dtypes=("float16", "float32")), "parameters", only_sees="a loss of precision")
def it_equals_the_definition_in_low_precision(t: Trial) -> None:
    """In float32 and float16 it is the definition on the rounded inputs, to the rounding of the dtype."""
    equals_the_definition(t)


@law("value", None, Wanted(long=True, batches=(1, 2)), "parameters", only_sees="blocks that are left out")
def it_equals_the_definition_on_long_sequences(t: Trial) -> None:
    """The first, the last and a drawn query of sequences of up to 129 tokens give what the definition gives."""
    n = t.case.n
    rows = sorted({0, n - 1, int(t.rng.integers(n))})
    t.agree("the output", t.run()[:, rows], t.defined(queries=rows).output[:, rows], t.sigma()[:, rows])
