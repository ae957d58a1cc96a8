"""The definition in plain loops: closed forms, and the layer of this package, which shares no code with it."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from mha_spec import multi_head_attention
from mha_spec.conformance import definition
from mha_spec.conformance.cases.wanted import ALL_OPTIONS, Wanted
from mha_spec.conformance.declarations import Declarations
from mha_spec.conformance.definition import define, visible_pairs
from mha_spec.design import AttentionDesign, Parameters
from mha_spec.layer import multi_head_weights
from mha_spec.shapes import Alignment

from .drawn import cases


@pytest.mark.parametrize("alignment", ["top-left", "bottom-right"])
@pytest.mark.parametrize("empty_row", [False, True])
def test_it_is_what_the_layer_computes(alignment: str, empty_row: bool) -> None:
    declared = replace(Declarations(), causal_alignment=cast(Alignment, alignment))
    for case in cases(Wanted(options=ALL_OPTIONS, empty_row=empty_row), declared):
        i = case.inputs()
        defined = define(i.design, i.given, i.x, i.memory, i.mask)
        out = multi_head_attention(i.x, i.given, i.memory, i.mask, design=i.design)
        weights = multi_head_weights(i.x, i.given, i.memory, i.mask, design=i.design)
        np.testing.assert_allclose(defined.output, out, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(defined.weights, weights, rtol=1e-11, atol=1e-11)


def test_it_shares_no_code_with_the_layer() -> None:
    tree = ast.parse(Path(definition.__file__).read_text(encoding="utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules & {"mha_spec.attention", "mha_spec.layer", "mha_spec.shapes"} == set()


def one_head(**options: float | int | bool) -> tuple[AttentionDesign, Parameters]:
    """One head of width 1 that reads queries, keys and values as they are."""
    design = AttentionDesign(d_model=1, h=1, **options)  # type: ignore[arg-type]
    one = np.ones((1, 1, 1))
    return design, Parameters(one, one, one, np.ones((1, 1)))


def test_two_keys_whose_scores_differ_by_ln_3_weigh_three_to_one() -> None:
    design, parameters = one_head()
    memory = np.array([[[math.log(3)], [0.0]]])
    found = define(design, parameters, np.ones((1, 1, 1)), memory)
    assert found.weights.ravel().tolist() == pytest.approx([0.75, 0.25])
    assert found.output.item() == pytest.approx(0.75 * math.log(3))


def test_scale_and_softcap_act_in_this_order() -> None:
    design, parameters = one_head(scale=2.0, softcap=0.5)
    memory = np.array([[[1.0], [0.0]]])
    capped = 0.5 * math.tanh(2.0 / 0.5)
    expected = math.exp(capped) / (math.exp(capped) + 1)
    assert define(design, parameters, np.ones((1, 1, 1)), memory).output.item() == pytest.approx(expected)


def test_an_empty_row_has_no_weights_and_gives_the_bias() -> None:
    design = AttentionDesign(d_model=2, h=1, bias=1)
    parameters = Parameters.draw(design, np.random.default_rng(0))
    x = np.random.default_rng(1).standard_normal((1, 2, 2))
    mask = np.array([[[True, True], [False, False]]])
    found = define(design, parameters, x, None, mask)
    assert not found.weights[0, 0, 1].any()
    assert found.output[0, 1].tolist() == parameters.b_o.tolist()  # type: ignore[union-attr]


def test_only_the_queries_asked_for_are_computed() -> None:
    i = cases(Wanted(least_n=3))[0].inputs()
    every, some = (
        define(i.design, i.given, i.x, i.memory, i.mask),
        define(i.design, i.given, i.x, i.memory, i.mask, [1]),
    )
    assert np.array_equal(every.output[:, 1], some.output[:, 1])
    assert not some.output[:, [0, 2]].any()


def test_what_causality_shows() -> None:
    def shown(alignment: str, window: int | None, n: int, m: int) -> list[str]:
        design = AttentionDesign(d_model=1, h=1, causal=True, causal_alignment=alignment, window=window)  # type: ignore[arg-type]
        return ["".join("x" if seen else "." for seen in row) for row in visible_pairs(design, n, m)]

    assert shown("top-left", None, 2, 4) == ["x...", "xx.."]
    assert shown("bottom-right", None, 2, 4) == ["xxx.", "xxxx"]
    assert shown("bottom-right", None, 3, 2) == ["..", "x.", "xx"]
    assert shown("top-left", 2, 4, 4) == ["x...", "xx..", ".xx.", "..xx"]
    assert shown("bottom-right", 1, 2, 3) == [".x.", "..x"]
