"""The tolerance has power (noise, constants and a blend of heads fail) and peace (a correct layer never does)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from mha_spec.conformance.cases.case import Case, Inputs
from mha_spec.conformance.cases.wanted import ALL_OPTIONS, Wanted
from mha_spec.conformance.contract import Array
from mha_spec.conformance.declarations import Declarations
from mha_spec.conformance.definition import Defined, define
from mha_spec.conformance.judging import examined
from mha_spec.conformance.laws import catalogue
from mha_spec.conformance.tolerance import MOST_RMS, MOST_SIGMA, Distance, deviation, distance
from mha_spec.conformance.trial import Trial
from mutants.layer import CorrectLayer

from .drawn import cases

DTYPES = ("float64", "float32", "float16")


def drawn(dtype: str, wanted: Wanted, examples: int = 200) -> Iterator[tuple[Case, Inputs, Defined, Array]]:
    """Cases with what the definition gives and how far rounding may move it."""
    for case in cases(wanted, examples=examples):
        i = case.inputs()
        arguments = (i.design, i.given, i.x, i.memory, i.mask)
        yield case, i, define(*arguments), deviation(*arguments).output


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_correct_layer_stays_well_inside(dtype: str) -> None:
    found = []
    for _, i, defined, sigma in drawn(dtype, Wanted(dtypes=(dtype,), options=ALL_OPTIONS), 400):
        with np.errstate(all="ignore"):
            out = CorrectLayer(i.design, i.given)(i.x, i.memory, i.mask)
        found.append(distance(out, defined.output, sigma))
    assert max(each.largest for each in found) < MOST_SIGMA * 0.75
    assert max(each.rms for each in found) < MOST_RMS * 0.75
    assert max(each.largest for each in found) > MOST_SIGMA / 8, "the tolerance is not needlessly wide"


def rounded(inputs: Inputs, heads: Array, dtype: str) -> Array:
    """The output of heads `(batch, h, n, d_v)` in a dtype."""
    p = inputs.given
    merged = heads.transpose(0, 2, 1, 3).reshape(*inputs.x.shape[:2], -1)
    out = merged @ p.w_o.astype(np.float64)
    return (out if p.b_o is None else out + p.b_o).astype(dtype)


def values(inputs: Inputs) -> Array:
    """The values of every head, in float64."""
    p = inputs.given
    found = inputs.read_from.astype(np.float64)[:, None] @ p.w_v.astype(np.float64)
    found = found if p.b_v is None else found + p.b_v.astype(np.float64)[None, :, None]
    return np.repeat(found, inputs.design.group, 1)


def caught(distances: list[Distance]) -> float:
    """The share that is not taken for rounding."""
    return float(np.mean([not found.is_rounding for found in distances]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_values_inside_the_hull_fail(dtype: str) -> None:
    found = []
    for case, i, defined, sigma in drawn(dtype, Wanted(dtypes=(dtype,), least_n=2, least_m=2)):
        if not ((defined.weights > 0) & (defined.weights < 0.999)).any():
            continue  # every query sees one key only
        noise = case.rng(1).random(defined.weights.shape) * (defined.weights > 0)
        noise /= noise.sum(-1, keepdims=True)
        found.append(distance(rounded(i, noise @ values(i), dtype), defined.output, sigma))
    assert caught(found) > 0.97


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_constant_row_fails(dtype: str) -> None:
    found = []
    for _, _, defined, sigma in drawn(dtype, Wanted(dtypes=(dtype,), least_n=2, least_m=2)):
        mean = np.broadcast_to(defined.output.mean((0, 1)), defined.output.shape)
        found.append(distance(mean.astype(dtype), defined.output, sigma))
    assert caught(found) > 0.97


@pytest.mark.parametrize(("dtype", "share"), [("float64", 0.99), ("float32", 0.99), ("float16", 0.25)])
def test_one_percent_of_another_head_fails(dtype: str, share: float) -> None:
    """In float16 the rounding is of that size; the law about heads without output rows amplifies it, see below."""
    found = []
    for _, i, defined, sigma in drawn(dtype, Wanted(dtypes=(dtype,), least_h=2, least_kv_heads=2)):
        heads = defined.weights @ values(i)
        heads[:, 0] = 0.99 * heads[:, 0] + 0.01 * heads[:, -1]
        found.append(distance(rounded(i, heads, dtype), defined.output, sigma))
    assert caught(found) > share


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_law_catches_one_percent_of_another_head_in_every_dtype(dtype: str) -> None:
    class Leaks(CorrectLayer):
        def mix(self, weights: Array, v: Array) -> Array:
            heads = super().mix(weights, v).copy()
            heads[:, 0] = (0.99 * heads[:, 0] + 0.01 * heads[:, -1]).astype(heads.dtype)
            return heads

    (law,) = (law for law in catalogue() if law.name == "a_head_without_output_rows_has_no_influence")
    declared = Declarations(dtypes=(dtype,), causal_alignment="top-left")
    verdicts = [examined(law, Leaks, declared, case).came for case in cases(law.wanted, declared)]
    assert verdicts.count("failed") > 20


def test_not_a_number_is_no_rounding() -> None:
    assert not distance(np.array([np.nan]), np.array([1.0]), np.array([1.0])).is_rounding
    assert not distance(np.array([np.inf]), np.array([1.0]), np.array([1.0])).is_rounding


def test_equal_results_are_at_distance_zero_even_without_any_rounding() -> None:
    assert distance(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3))) == Distance(0.0, 0.0, (0, 0))
    assert distance(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3))).is_rounding


def test_a_layer_that_computes_in_less_has_the_tolerance_of_that() -> None:
    case = cases()[3]
    wide = Trial("any", CorrectLayer, Declarations(computes_in="float32"), case).sigma()
    narrow = Trial("any", CorrectLayer, Declarations(), case).sigma()
    assert np.all(wide > 1e8 * narrow)
