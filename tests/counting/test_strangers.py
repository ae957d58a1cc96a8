"""Attention layers that strangers might have written: traced for all sizes, and counted at some."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mha_spec.counting.errors import TraceError
from mha_spec.counting.ledger import Ledger
from mha_spec.counting.scalars import count_scalars
from mha_spec.counting.sizes import Size
from mha_spec.counting.trace import trace

from .comparison import require_same_cost
from .strangers import STRANGERS, batched, loop_of_slices

NAMES = ("W_q", "W_k", "W_v", "W_o")
SIZES = [(1, 1, 1), (1, 2, 3), (3, 1, 2), (3, 2, 4), (5, 4, 1)]


def traced(program: Callable[..., Any]) -> Ledger:
    weights = dict.fromkeys(NAMES, ("d_model", "d_model"))
    return trace(program, ("n", "d_model"), weights, "h", declare={"d_model": "h*d_k"})


@pytest.mark.parametrize("program", STRANGERS, ids=lambda program: program.__name__)
def test_a_stranger_costs_what_numpy_executes(program: Callable[..., Any]) -> None:
    ledger = traced(program)
    for n, h, d_k in SIZES:
        d = h * d_k
        generator = np.random.default_rng(0)
        weights = {name: generator.standard_normal((d, d)) for name in NAMES}
        count = count_scalars(program, generator.standard_normal((n, d)), weights, h)
        require_same_cost(ledger, count, {"n": n, "h": h, "d_k": d_k})


@pytest.mark.parametrize("program", STRANGERS, ids=lambda program: program.__name__)
def test_counting_does_not_change_what_is_computed(program: Callable[..., Any]) -> None:
    generator = np.random.default_rng(1)
    weights = {name: generator.standard_normal((6, 6)) for name in NAMES}
    x = generator.standard_normal((4, 6))
    np.testing.assert_allclose(count_scalars(program, x, weights, 2).result, program(x, weights, 2), rtol=1e-9)


def test_the_parameters_are_the_entries_of_the_dict() -> None:
    ledger = traced(batched)
    assert list(ledger.parameters) == list(NAMES)
    assert sum(ledger.parameters.values(), Size()).same_as("4*h*h*d_k*d_k")
    assert ledger.through["W_o"]["mul"].same_as("n*h*h*d_k*d_k")


def test_work_is_booked_to_the_function_that_does_it() -> None:
    ledger = traced(batched)
    assert set(ledger) == {"batched", "softmax"}
    assert ledger["softmax"]["exp"].same_as("h*n*n")


def test_the_largest_array_tells_a_loop_from_a_batch() -> None:
    assert traced(batched).largest_array("softmax").same_as("h*n*n")
    looped = trace(lambda q, h: [np.exp(q @ q.T) for _ in h.each()], ("n", "d"), "h")
    assert looped.largest_array("<lambda>" if "<lambda>" in looped else next(iter(looped))).same_as("n*n")


def test_undeclared_products_are_asked_for() -> None:
    weights = dict.fromkeys(NAMES, ("d_model", "d_model"))
    with pytest.raises(TraceError, match=r"declare=\{'d_model': 'h\*width'\}"):
        trace(batched, ("n", "d_model"), weights, "h")


def test_a_known_number_of_heads_is_an_integer() -> None:
    weights = dict.fromkeys(NAMES, ("d_model", "d_model"))
    ledger = trace(loop_of_slices, ("n", "d_model"), weights, 4, declare={"d_model": "4*d_k"})
    assert ledger.total("exp").same_as("4*n*n")
