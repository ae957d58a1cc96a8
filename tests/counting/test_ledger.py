"""Reading a ledger, SymPy's form of a size, and what the package loads."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given

from mha_spec.counting.errors import TraceError
from mha_spec.counting.ledger import KINDS, Ledger
from mha_spec.counting.recording import recording
from mha_spec.counting.sizes import Size
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.counting.sympy_bridge import from_sympy, symbol, to_sympy

from .test_sizes import sizes


def test_counts_add_up() -> None:
    ledger = Ledger()
    ledger.add("softmax", "exp", Size.of("n"))
    ledger.add("softmax", "exp", Size.of("m"))
    ledger.add("mix", "exp", Size.of("n"))
    assert ledger["softmax"]["exp"].same_as("n + m")
    assert ledger.total("exp").same_as("2*n + m")
    assert ledger.get_count("mix", "div").same_as(0)
    assert list(ledger) == ["softmax", "mix"]


def test_a_ledger_is_read_only_by_its_rows() -> None:
    ledger = Ledger()
    ledger.add("mix", "exp", Size.of("n"))
    with pytest.raises(TypeError):
        ledger["mix"]["exp"] = Size.of(0)  # type: ignore[index]


def test_the_largest_array_must_be_the_largest_for_all_sizes() -> None:
    ledger = Ledger()
    for entries in ("n", "n*m", "m"):
        ledger.add_array("f", Size.of(entries))
    assert ledger.largest_array("f").same_as("n*m")
    ledger.add_array("f", Size.of("n*n"))
    with pytest.raises(TraceError, match="largest for all sizes"):
        ledger.largest_array("f")
    with pytest.raises(TraceError, match="largest for all sizes"):
        ledger.largest_array("g")


def test_every_kind_that_is_booked_has_a_meaning() -> None:
    with recording() as run:
        x, mask = SymbolicArray(("n", "d")), SymbolicArray(("n", "d"), np.bool_)
        n: Any = Size.of("n")
        np.where(mask & ~mask, x @ x.T @ x, 0.0)
        np.arange(n, like=x) + 1
        ledger = run.finish()
    assert {kind for row in ledger.values() for kind in row} <= set(KINDS)


@given(sizes())
def test_sympy_gives_a_size_back(size: Size) -> None:
    assert from_sympy(to_sympy(size)).same_as(size)


def test_symbols_are_positive_integers() -> None:
    assert symbol("n").is_positive
    assert symbol("n").is_integer
    assert symbol("bias").is_nonnegative
    assert not symbol("bias").is_positive


@pytest.mark.parametrize("text", ["n/2", "1/n", "sqrt(n)", "n**m", "Rational(1, 2)"])
def test_other_expressions_are_no_sizes(text: str) -> None:
    expression = sympy.sympify(text, locals={"n": symbol("n"), "m": symbol("m"), "Rational": sympy.Rational})
    with pytest.raises(TraceError, match="clear its denominators"):
        from_sympy(expression)


@pytest.mark.parametrize(
    "module",
    ["sizes", "ledger", "symbolic", "symbolic.operations", "trace", "quantities", "scalars", "counted_run"],
)
def test_counting_loads_no_sympy(module: str) -> None:
    code = (
        f"import sys, mha_spec.counting.{module}\nprint(sorted({{'sympy', 'hypothesis', 'pytest'}} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_sizes_load_no_numpy() -> None:
    code = "import sys, mha_spec.counting.sizes; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
