"""What a symbolic run cannot do is refused, with the operation, the user's line and the fix."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mha_spec.counting.errors import TraceError
from mha_spec.counting.sizes import Size
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.counting.trace import trace

Program = Callable[..., Any]

TRAPS: list[tuple[str, Program, str, str]] = [
    ("np.zeros", lambda x, n: np.zeros((n, 2)), "concrete int", "np.zeros_like"),
    ("np.zeros of a size", lambda x, n: np.zeros(n), "concrete int", "np.zeros_like"),
    ("np.empty like", lambda x, n: np.empty((n, 2), like=x), "concrete int", "np.zeros_like"),
    ("np.ones", lambda x, n: np.ones((n, 2)), "concrete int", "like=x"),
    ("np.full", lambda x, n: np.full((n, 2), 0.0), "concrete int", "like=x"),
    ("np.tri", lambda x, n: np.tri(n), "not the same for all sizes", "like=x"),
    ("np.arange", lambda x, n: np.arange(n), "value of", "like=x"),
    ("range", lambda x, n: [x for _ in range(n)], "concrete int", "mha_spec.shapes.each"),
    ("int", lambda x, n: int(n), "concrete int", "drop int()"),
    ("int of a quotient", lambda x, n: int(n / 2), "value of", "//"),
    ("float", lambda x, n: float(n), "a float was demanded", "np.sqrt"),
    ("math.sqrt", lambda x, n: x / math.sqrt(n), "a float was demanded", "np.sqrt"),
    ("a root compared", lambda x, n: x if n**0.5 > 2 else -x, "value of", "only to scale"),
    ("a list times a size", lambda x, n: [x] * n, "concrete int", "append to an empty list"),
    ("len", lambda x, n: len(x), "concrete int", "x.shape"),
    ("np.asarray", lambda x, n: np.asarray(x), "values of a symbolic array", "drop np.asarray"),
    ("np.array", lambda x, n: np.array(x), "values of a symbolic array", "drop np.asarray"),
    ("x[mask]", lambda x, n: x[x > 0], "depends on the values of the mask", "np.where"),
    ("np.where of one", lambda x, n: np.where(x > 0), "depends on values", "np.where(mask, x, y)"),
    ("if on values", lambda x, n: x if (x > 0).any() else -x, "control flow", "np.where"),
    ("float of an array", lambda x, n: float(x.sum()), "control flow", "np.where"),
    ("iteration", lambda x, n: list(x), "iterates over the first axis", "each(n)"),
    ("np.isfinite", lambda x, n: np.isfinite(x), "np.isfinite", "mask.any"),
    ("np.cumsum", lambda x, n: np.cumsum(x, axis=0), "np.cumsum", "can be traced"),
    ("np.linalg.norm", lambda x, n: np.linalg.norm(x), "np.norm", "can be traced"),
    ("x.argmax", lambda x, n: x.argmax(), ".argmax", "can be traced"),
    ("np.add.accumulate", lambda x, n: np.add.accumulate(x), "np.add.accumulate", "can be traced"),
    ("np.sum with where", lambda x, n: np.sum(x, where=x > 0), "np.sum", "can be traced is np.sum"),
    ("np.max with initial", lambda x, n: x.max(initial=0.0), "x.max", "can be traced is x.max"),
    ("np.add with where", lambda x, n: np.add(x, x, where=x > 0), "np.add with where", "np.where"),
    ("einsum optimize", lambda x, n: np.einsum("nd,nd->n", x, x, optimize=True), "optimize", "leave it out"),
    ("einsum lists", lambda x, n: np.einsum(x, [0, 1]), "lists of axes", "nd,dk->nk"),
    ("np.dot of stacks", lambda x, n: np.dot(x, x[None]), "np.dot", "a @ b"),
    ("np.split into n", lambda x, n: np.split(x, n), "np.split", "each(h)"),
    ("squeeze", lambda x, n: x.squeeze(), "squeeze", "name the axis"),
    ("any of numbers", lambda x, n: x.any(), "any and all of numbers", "compare"),
    ("and of numbers", lambda x, n: np.logical_and(x, x), "np.logical_and", "compare"),
    ("mean of a mask", lambda x, n: (x > 0).mean(), "np.mean", "sum them"),
    ("a flattening order", lambda x, n: np.ravel(x, order="F"), "order", "can be traced"),
    ("sizes that differ", lambda x, n: x + x.T, "differ at d=1, n=2", "declare"),
    ("inner sizes", lambda x, n: x @ x, "inner sizes", "declare"),
    ("reshape", lambda x, n: x.reshape(n, n), "changes the entries", "declare"),
    ("reshape -1", lambda x, n: x.reshape(-1, 3), "not proved to divide", "declare"),
    ("an index too far", lambda x, n: x[n], "not proved to lie inside", "each(size)"),
    ("a slice too far", lambda x, n: x[:, :n], "is not the same for all sizes", "same for all sizes"),
    ("plain and traced parts", lambda x, n: np.concatenate([x, np.ones((1, 1))]), "plain arrays", "like=x"),
    ("plain array and root", lambda x, n: np.ones(3) * n**0.5, "plain numbers", "like=x"),
    ("a mask updated by floats", lambda x, n: np.logical_not(x > 0).__iadd__(x), "written to", "of floats"),
    ("astype to bool", lambda x, n: x.astype(bool), "astype", "compare"),
]


@pytest.mark.parametrize(("name", "program", "what", "fix"), TRAPS, ids=[trap[0] for trap in TRAPS])
def test_a_trap_is_named_with_its_line_and_its_fix(name: str, program: Program, what: str, fix: str) -> None:
    with pytest.raises(TraceError) as raised:
        trace(program, ("n", "d"), "n")
    message, _, hint = str(raised.value).partition("fix:")
    assert what in message
    assert fix in hint
    assert "test_traps.py" in message
    assert program.__code__.co_filename in message


def test_the_error_names_function_and_line() -> None:
    def shape_by_int(x: Any) -> Any:
        return int(x.shape[0])

    line = shape_by_int.__code__.co_firstlineno + 1
    with pytest.raises(TraceError, match=rf"in shape_by_int, .*test_traps\.py:{line}") as raised:
        trace(shape_by_int, ("n", "d"))
    assert "line: return int(x.shape[0])" in str(raised.value)


def test_a_symbolic_array_passes_for_an_ndarray() -> None:
    x = SymbolicArray(("n", "d"))
    assert isinstance(x, np.ndarray)
    assert isinstance(x, SymbolicArray)


def test_attributes_that_are_absent_are_seen_as_absent() -> None:
    x = SymbolicArray(("n", "d"))
    assert not hasattr(x, "detach")
    assert hasattr(x, "reshape")


def test_an_array_outside_a_trace_is_refused() -> None:
    with pytest.raises(TraceError, match="outside a trace"):
        SymbolicArray(("n",)) + 1.0


def test_a_root_of_a_size_scales_an_array() -> None:
    ledger = trace(lambda x, d: 1.0 / np.sqrt(d) * x * d**-0.5 / np.sqrt(d * 2.0), ("n", "d"), "d")
    assert str(ledger.total("mul")) == "2*d*n"
    assert str(ledger.total("div")) == "d*n"


def test_a_type_error_of_the_program_itself_stays_one() -> None:
    def wrong(x: Any) -> Any:
        return len(3)  # type: ignore[arg-type]

    with pytest.raises(TypeError, match="has no len") as raised:
        trace(wrong, ("n",))
    assert not isinstance(raised.value, TraceError)


@pytest.mark.parametrize("declare", [{"d": "d*h"}, {"d": "h*k", "h": "d*2"}], ids=["itself", "in a circle"])
def test_a_name_declared_by_itself_is_refused(declare: dict[str, str]) -> None:
    with pytest.raises(TraceError, match="declared by itself"):
        trace(lambda x: x, ("n", "d"), declare=declare)


def test_declared_names_may_use_declared_names() -> None:
    ledger = trace(lambda x: x + 1.0, ("d",), declare={"d": "h*k", "h": "g*2"})
    assert ledger.total("add").same_as(Size.of("2*g*k"))
