"""Counting scalars: nothing that NumPy executes on them is lost, and their values are NumPy's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_spec.counting.counting_scalar import KINDS, ParameterScalar, Scalar
from mha_spec.counting.scalars import ELSEWHERE, count_scalars

FLOATS = st.floats(allow_nan=True, allow_infinity=True, width=32)


def triangle_of_products(x: Any, w: Any) -> Any:
    return np.exp(helper(x, w))


def helper(x: Any, w: Any) -> Any:
    return x @ w


def test_operations_are_counted_by_the_calling_function() -> None:
    count = count_scalars(triangle_of_products, np.ones((2, 3)), np.ones((3, 4)))
    assert count.counts == {"helper": {"mul": 24, "add": 16}, "triangle_of_products": {"exp": 8}}
    assert count.total("mul") == 24
    np.testing.assert_allclose(count.result, np.full((2, 4), math.exp(3.0)))


def test_a_kind_that_is_not_counted_is_refused() -> None:
    with pytest.raises(ValueError, match="the kinds are add"):
        count_scalars(np.exp, np.ones(2)).total("flop")


def test_work_between_calls_of_numpy_is_not_lost() -> None:
    count = count_scalars(lambda x: x + sum(float_free(entry) for entry in np.asarray(x)), np.ones(3))
    assert count.counts[ELSEWHERE] == {"mul": 3, "add": 3}


def float_free(entry: Any) -> Any:
    return entry * 2.0


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.asarray(x, dtype=np.float64),
        lambda x: math.sqrt(x[0]),
        lambda x: float(x.sum()),
        lambda x: np.add(np.zeros(3), x, out=np.zeros(3)),
        lambda x: np.zeros(3).__setitem__(slice(None), x),
        lambda x: x.astype(bool),
    ],
)
def test_a_counted_number_never_becomes_a_plain_one(program: Any) -> None:
    with pytest.raises(TypeError, match=r"plain float|counting scalars|Cannot cast|cast"):
        count_scalars(program, np.ones(3))


def test_plain_floats_among_scalars_are_lifted() -> None:
    def masked(x: Any, mask: Any) -> Any:
        filled = np.where(mask, x, -np.inf)
        return np.exp(filled - np.where(mask.any(axis=-1, keepdims=True), filled.max(-1, keepdims=True), 0.0))

    mask = np.array([[True, False], [False, False]])
    count = count_scalars(masked, np.ones((2, 2)), mask)
    assert count.counts["masked"] == {"cmp": 2, "sub": 4, "exp": 4}
    np.testing.assert_array_equal(count.result, [[1.0, 0.0], [0.0, 0.0]])


def test_numbers_made_from_masks_are_counted() -> None:
    count = count_scalars(lambda mask: (1.0 - mask) * -1e9, np.ones((2, 3), np.bool_))
    assert (count.total("sub"), count.total("mul")) == (6, 6)


def test_in_place_work_is_counted_and_seen() -> None:
    def in_place(x: Any) -> Any:
        x -= 1.0
        x[0] = 5.0
        x[1] = x[1:].sum() * 0.0
        np.exp(x, out=x)
        return x

    count = count_scalars(in_place, np.ones(3))
    assert count.counts["in_place"] == {"sub": 3, "add": 1, "mul": 1, "exp": 3}
    np.testing.assert_allclose(count.result, [math.exp(5.0), 1.0, 1.0])


def test_numbers_written_into_an_array_are_counted_afterwards() -> None:
    def written(x: Any) -> Any:
        x[0], x[1] = 2, True
        np.copyto(x[2:3], 4.0)
        x[3:].fill(1)
        return x * x

    count = count_scalars(written, np.ones(5))
    assert count.counts["written"] == {"mul": 5}
    np.testing.assert_array_equal(count.result, [4.0, 1.0, 16.0, 1.0, 1.0])


def test_the_arguments_are_left_as_they_were() -> None:
    x = np.ones(3)
    count_scalars(lambda y: y.__imul__(2.0), x)
    np.testing.assert_array_equal(x, np.ones(3))


def test_masks_and_nested_arguments_arrive_as_arrays() -> None:
    def program(bundle: Any, keep: Any) -> Any:
        assert keep.dtype == bool
        return bundle["w"][0] * bundle["w"][1]

    count = count_scalars(program, {"w": [np.ones(2), np.ones(2)]}, keep=np.ones(2, np.bool_))
    assert count.total("mul") == 2


@given(FLOATS, FLOATS)
def test_scalars_compute_what_numpy_computes(a: float, b: float) -> None:
    x, y = np.float64(a), np.float64(b)
    with np.errstate(all="ignore"):
        pairs = [
            (Scalar(a) + Scalar(b), x + y),
            (Scalar(a) - b, x - y),
            (a * Scalar(b), x * y),
            (Scalar(a) / Scalar(b), x / y),
            (Scalar(a).exp(), np.exp(x)),
            (Scalar(a).tanh(), np.tanh(x)),
            (Scalar(a).sqrt(), np.sqrt(x)),
            (Scalar(a).log(), np.log(x)),
        ]
    for counted, expected in pairs:
        np.testing.assert_allclose(counted.value, expected, rtol=1e-12)
    assert (Scalar(a) >= Scalar(b)) == (a >= b)


def test_a_parameter_knows_whether_it_was_read() -> None:
    parameter = ParameterScalar(2.0)
    assert not parameter.touched
    assert (Scalar(3.0) * parameter).value == 6.0
    assert parameter.touched
    with pytest.raises(AttributeError):
        parameter.other  # noqa: B018


def test_the_kinds_are_those_of_the_ledger() -> None:
    from mha_spec.counting.ledger import KINDS as LEDGER_KINDS

    assert set(KINDS) <= set(LEDGER_KINDS)
