"""Loops over a symbolic size: three passes that stand for all, or an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mha_spec.counting.errors import TraceError, UndecidedBranch
from mha_spec.counting.scalars import count_scalars
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.counting.trace import trace
from mha_spec.shapes import each

Program = Callable[..., Any]
SIZES = [(1, 1, 1), (2, 1, 3), (3, 4, 2), (5, 2, 1)]


def same_as_counted(program: Program) -> None:
    """The trace of program(x (n, h*d), h) agrees with counted runs."""
    ledger = trace(program, ("n", "h*d"), "h")
    for n, h, d in SIZES:
        count = count_scalars(program, np.ones((n, h * d)), h)
        for kind in ("add", "sub", "mul", "div", "exp", "cmp"):
            assert ledger.total(kind).at({"n": n, "h": h, "d": d}) == count.total(kind), kind


def joined_slices(x: Any, h: Any) -> Any:
    d = x.shape[1] // h
    parts = [np.exp(x[:, i * d : (i + 1) * d]) for i in each(h)]
    return np.concatenate(parts, axis=-1) * 2.0


def stacked(x: Any, h: Any) -> Any:
    return np.stack([x + 1.0 for _ in each(h)]).sum(axis=0)


def written_in_place(x: Any, h: Any) -> Any:
    d = x.shape[1] // h
    out = np.zeros_like(x)
    for i in each(h):
        out[:, i * d : (i + 1) * d] = x[:, i * d : (i + 1) * d] * 2.0
    return out + x


def other_first_pass(x: Any, h: Any) -> Any:
    total = np.zeros_like(x)
    for i in each(h):
        if i == 0:
            total += np.exp(x)
        else:
            total += x * x
    return total


def first_pass_starts_the_sum(x: Any, h: Any) -> Any:
    total: Any = None
    for _ in each(h):
        total = np.exp(x) if total is None else total + np.exp(x)
    return x


def nested(x: Any, h: Any) -> Any:
    n = x.shape[0]
    rows: list[Any] = []
    for i in each(n):
        row = np.exp(x[i])
        rows.extend(row * 2.0 for _ in each(h))
    return np.stack(rows).max(axis=0)


def joined_inside(x: Any, h: Any) -> Any:
    n = x.shape[0]
    return np.stack([np.stack([x[i] * 2.0 for _ in each(h)]).sum(axis=0) for i in each(n)]) + 1.0


@pytest.mark.parametrize(
    "program",
    [
        joined_slices,
        stacked,
        written_in_place,
        other_first_pass,
        first_pass_starts_the_sum,
        nested,
        joined_inside,
    ],
)
def test_a_loop_costs_what_its_passes_cost(program: Program) -> None:
    same_as_counted(program)


def last_pass_is_special(x: Any, h: Any) -> None:
    for i in each(h):
        if i == h - 1:
            np.exp(x)


def work_grows(x: Any, h: Any) -> None:
    for i in each(h):
        np.exp(x[:, : i + 1])


def work_of_later_passes_differs(x: Any, h: Any) -> None:
    done: list[Any] = []
    for _ in each(h):
        for y in done:
            np.exp(y)
        done.append(x * 2.0)


def left_by_break(x: Any, h: Any) -> None:
    for _ in each(h):
        np.exp(x)
        break


def left_by_return(x: Any, h: Any) -> Any:
    for _ in each(h):
        return np.exp(x)


def left_by_a_caught_error(x: Any, h: Any) -> None:
    try:
        for _ in each(h):
            raise ValueError
    except ValueError:
        np.exp(x)


def indices_collected(x: Any, h: Any) -> None:
    for _ in list(each(h)):
        np.exp(x)


def used_after_the_loop(x: Any, h: Any) -> None:
    for _ in each(h):
        y = np.exp(x)
    y + 1.0


def some_parts_joined(x: Any, h: Any) -> None:
    parts = [np.exp(x) for _ in each(h)]
    np.concatenate(parts[1:])


def joined_while_looping(x: Any, h: Any) -> None:
    y = x
    for _ in each(h):
        y = np.concatenate([y, np.exp(x)])


def index_used_after_the_loop(x: Any, h: Any) -> None:
    kept: Any = None
    for i in each(h):
        np.exp(x)
        kept = i
    x[:, kept]


def loop_that_may_be_empty(x: Any, h: Any) -> None:
    for _ in each(h - 1):
        np.exp(x)


def never_finished(x: Any, h: Any) -> Any:
    passes = each(h)
    next(passes)
    np.exp(x)
    KEPT.append(passes)


KEPT: list[Any] = []


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (last_pass_is_special, "is not the same for all sizes"),
        (work_grows, "depends on the pass"),
        (work_of_later_passes_differs, "do different work after the first"),
        (left_by_break, "left early"),
        (left_by_return, "left early"),
        (left_by_a_caught_error, "left early"),
        (indices_collected, "did nothing to any array"),
        (used_after_the_loop, "join that with np.concatenate"),
        (some_parts_joined, "some arrays of the loop over h are joined and others are not"),
        (joined_while_looping, "joined inside the loop"),
        (index_used_after_the_loop, "not proved to lie inside"),
        (loop_that_may_be_empty, "not proved to have a pass"),
        (never_finished, "never finished"),
    ],
)
def test_a_loop_that_cannot_be_summed_is_an_error(program: Program, message: str) -> None:
    with pytest.raises(TraceError, match=message) as raised:
        trace(program, ("n", "h*d"), "h")
    assert "fix:" in str(raised.value)
    KEPT.clear()


def test_a_branch_on_the_last_pass_shows_enough_passes() -> None:
    def third_pass_is_special(x: Any, h: Any) -> None:
        for i in each(h):
            if i == 2:
                np.exp(x)

    with pytest.raises(UndecidedBranch, match=r"true at h=3, i#\d+=2; false at h=2, i#\d+=1"):
        trace(third_pass_is_special, ("n", "h*d"), "h")


def test_a_loop_over_an_integer_is_an_ordinary_loop() -> None:
    three: Any = 3
    ledger = trace(lambda x: [x[i] * 2.0 for i in each(three)], (3, "d"))
    assert str(ledger.total("mul")) == "3*d"


def test_a_loop_outside_a_trace_is_an_error() -> None:
    from mha_spec.counting.sizes import Size

    with pytest.raises(TraceError, match="outside a trace"):
        list(Size.of("h").each())


def test_an_error_in_one_trace_leaves_the_next_one_whole() -> None:
    with pytest.raises(TraceError):
        trace(left_by_break, ("n", "h*d"), "h")
    assert str(trace(np.exp, SymbolicArray(("n",))).total("exp")) == "n"
