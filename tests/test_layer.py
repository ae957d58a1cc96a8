"""The layer against plain loops at drawn designs, its two forms against each other, and every refusal."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from mha_spec import layer
from mha_spec.design import AttentionDesign, DesignError, Parameters, ScoreRule
from plain_attention import plain_layer

FORMS: list[layer.Form] = ["batched", "per-head"]
# Largest deviation allowed, in units of the rounding error. Over 2500 drawn calls in each of float64, float32
# and float16, at most 4.1 occurred.
UNITS = 20


class Call(NamedTuple):
    """One call of a layer."""

    design: AttentionDesign
    parameters: Parameters
    x: npt.NDArray[Any]
    memory: npt.NDArray[Any] | None
    mask: npt.NDArray[np.bool_] | None

    def run(self, form: layer.Form) -> npt.NDArray[Any]:
        return layer.multi_head_attention(
            self.x, self.parameters, self.memory, self.mask, design=self.design, form=form
        )


@st.composite
def designs(draw: st.DrawFn, dtype: str) -> AttentionDesign:
    kv_heads, group = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    size = st.integers(1, 4)
    causal = draw(st.booleans())
    d_model = draw(size)
    return AttentionDesign(
        d_model=d_model,
        d_memory=draw(st.just(d_model) | size),
        h=kv_heads * group,
        kv_heads=kv_heads,
        d_k=draw(size),
        d_v=draw(size),
        bias=draw(st.integers(0, 1)),
        causal=causal,
        causal_alignment=draw(st.sampled_from(["top-left", "bottom-right"])),
        scale=draw(st.sampled_from([None, 0.3, 1.0])),
        softcap=draw(st.sampled_from([None, 0.7, 2.0])),
        window=draw(st.none() | st.integers(1, 3)) if causal else None,
        dtype=dtype,
    )


@st.composite
def calls(draw: st.DrawFn, dtype: str = "float64") -> Call:
    design = draw(designs(dtype))
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    batch = tuple(draw(st.lists(st.integers(1, 2), max_size=2)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cross = design.d_memory != design.d_model or draw(st.booleans())
    keys = m if cross else n
    shape = draw(st.sampled_from([None, (n, keys), (*batch, n, keys)]))
    return Call(
        design,
        Parameters.draw(design, rng),
        rng.standard_normal((*batch, n, design.d_model)).astype(dtype),
        rng.standard_normal((*batch, m, design.d_memory)).astype(dtype) if cross else None,
        None if shape is None else rng.random(shape) < draw(st.sampled_from([0.7, 1.0, 0.3, 0.0])),
    )


def expected(call: Call) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The output and the weights by plain loops, sequence by sequence, in double precision."""
    memory = call.x if call.memory is None else call.memory
    batch, n, m, design = call.x.shape[:-2], call.x.shape[-2], memory.shape[-2], call.design
    parameters = {name: array.astype(float).tolist() for name, array in call.parameters.arrays().items()}
    output, weights = np.zeros((*batch, n, design.d_model)), np.zeros((*batch, design.h, n, m))
    mask = None if call.mask is None else np.broadcast_to(call.mask, (*batch, n, m))
    for at in np.ndindex(*batch):
        row_mask = None if mask is None else mask[at].tolist()
        x, y = call.x[at].astype(float).tolist(), memory[at].astype(float).tolist()
        output[at], weights[at] = plain_layer(vars(design), parameters, x, y, row_mask)
    return output, weights


def deviation(found: npt.NDArray[Any], right: npt.NDArray[np.float64]) -> float:
    """The largest deviation, in units of the rounding error at the size of the largest entry."""
    unit = float(np.finfo(found.dtype).eps) * max(1.0, float(np.abs(right).max()))
    return float(np.abs(found.astype(float) - right).max()) / unit


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_the_layer_is_its_definition(dtype: str) -> None:
    @settings(max_examples=300)
    @given(calls(dtype))
    def run(call: Call) -> None:
        output, weights = expected(call)
        for form in FORMS:
            found = call.run(form)
            assert (found.shape, found.dtype) == (call.x.shape, np.dtype(dtype))
            assert deviation(found, output) <= UNITS, form
        found = layer.multi_head_weights(call.x, call.parameters, call.memory, call.mask, design=call.design)
        assert (found.shape, found.dtype) == (weights.shape, np.dtype(dtype))
        assert deviation(found, weights) <= UNITS

    run()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_both_forms_agree(dtype: str) -> None:
    @given(calls(dtype))
    def run(call: Call) -> None:
        batched = call.run("batched")
        assert batched.dtype == np.dtype(dtype)
        assert deviation(call.run("per-head"), batched.astype(float)) <= UNITS

    run()


REACHED = {
    "cross-attention of another length and width": lambda c: (
        c.memory is not None
        and c.x.shape[-2] > c.memory.shape[-2] > 1
        and c.x.shape[-1] != c.memory.shape[-1]
    ),
    "grouped heads, d_v != d_k, biases": lambda c: (
        1 < c.design.kv_heads < c.design.h and c.design.d_v != c.design.d_k and c.design.bias
    ),
    "bottom-right with fewer keys than queries": lambda c: (
        c.design.causal_alignment == "bottom-right"
        and c.design.causal
        and c.memory is not None
        and c.memory.shape[-2] < c.x.shape[-2]
    ),
    "a window, a softcap and a scale": lambda c: c.design.window and c.design.softcap and c.design.scale,
    "an empty row beside others": lambda c: c.mask is not None and len(set(c.mask.any(-1).ravel())) == 2,
    "one mask for two batch axes": lambda c: c.x.ndim == 4 and c.mask is not None and c.mask.ndim == 2,
}


@pytest.mark.parametrize("case", REACHED.values(), ids=REACHED)
def test_the_drawn_calls_reach(case: Any) -> None:
    find(calls(), case, settings=settings(max_examples=2000, database=None, phases=[Phase.generate]))


DESIGN = AttentionDesign(d_model=4, h=2, bias=1)
PARAMETERS = Parameters.draw(DESIGN, np.random.default_rng(1))
X = np.random.default_rng(2).standard_normal((3, 4))


@pytest.mark.parametrize("form", FORMS)
def test_a_query_without_keys_gets_the_output_bias(form: layer.Form) -> None:
    mask = np.ones((3, 3), bool)
    mask[1] = False
    output = layer.multi_head_attention(X, PARAMETERS, mask=mask, form=form)
    assert PARAMETERS.b_o is not None
    assert (output[1] == PARAMETERS.b_o).all()
    assert np.isfinite(output).all()
    weights = layer.multi_head_weights(X, PARAMETERS, mask=mask)
    np.testing.assert_allclose(weights.sum(-1), [[1, 0, 1]] * 2)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_the_softmax_is_stable(dtype: str) -> None:
    big = np.array([[60000.0]], dtype)
    output = layer.scaled_dot_product_attention(big, np.array([[0], [1]], dtype), np.eye(2, dtype=dtype))
    assert output.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(output, [[0, 1]])


@pytest.mark.parametrize("d_k", [1, 2, 4, 7])
def test_scores_are_divided_by_the_root_of_d_k(d_k: int) -> None:
    """Two keys whose scores differ by sqrt(d_k) ln 3 get the weights 3/4 and 1/4."""
    q = np.zeros((1, d_k))
    q[0, 0] = np.sqrt(d_k) * np.log(3)
    keys = np.zeros((2, d_k))
    keys[0, 0] = 1.0
    np.testing.assert_allclose(layer.scaled_dot_product_attention(q, keys, np.eye(2)), [[0.75, 0.25]])


def test_scaled_dot_product_attention_takes_a_rule_and_batch_axes() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 3, length, width)) for length, width in ((4, 5), (6, 5), (6, 2)))
    mask = rng.random((4, 6)) < 0.6
    rule = ScoreRule(causal=True, causal_alignment="bottom-right", window=3, softcap=2.0)
    found = layer.scaled_dot_product_attention(q, k, v, mask, rule=rule)
    for at in np.ndindex(2, 3):
        alone = layer.scaled_dot_product_attention(q[at], k[at], v[at], mask, rule=rule)
        np.testing.assert_allclose(found[at], alone)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"x": np.ones((3, 5))}, "x has width 5, expected 4 as in the design's d_model"),
    ({"memory": np.ones((2, 7))}, "memory has width 7, expected 4 as in the design's d_memory"),
    ({"memory": np.ones((2, 2, 4))}, "memory has leading axes (2,), expected () as in x"),
    ({"mask": np.ones((3, 2), bool)}, "mask has shape (3, 2), expected (3, 3): queries before keys"),
    (
        {"x": np.ones((2, 3, 4)), "mask": np.ones((2, 1, 3), bool)},
        "mask has shape (2, 1, 3), expected (2, 3, 3) or (3, 3)",
    ),
    ({"mask": np.zeros((3, 3))}, "mask has dtype float64, expected bool with True = may attend"),
    ({"x": np.ones((0, 4))}, "x has shape (0, 4), but tokens and features are at least 1"),
    ({"memory": np.ones((0, 4))}, "memory has shape (0, 4), but tokens and features are at least 1"),
    ({"x": np.ones(4)}, "x has shape (4,), expected at least 2 axes: (..., n, d)"),
    ({"x": np.ones((3, 4), int)}, "x has dtype int64, expected float64: convert it with .astype"),
    ({"x": np.ones((3, 4), np.float32)}, "x has dtype float32, expected float64"),
    ({"x": [[1.0] * 4]}, "x is a list, expected an ndarray"),
    ({"mask": [[True]]}, "mask is a list, expected an ndarray"),
    ({"form": "loop"}, "form is 'loop', not 'batched' or 'per-head'"),
    (
        {"design": dataclasses.replace(DESIGN, d_v=3)},
        "w_v has shape (2, 4, 2), expected (kv_heads, d_memory, d_v) = (2, 4, 3)",
    ),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_refusals_of_calls(changes: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"x": X, "parameters": PARAMETERS} | changes
    with pytest.raises(DesignError) as refusal:
        layer.multi_head_attention(**arguments)
    assert words in str(refusal.value)


def test_self_attention_needs_a_memory_of_its_width() -> None:
    design = dataclasses.replace(DESIGN, d_memory=6)
    parameters = Parameters.draw(design, np.random.default_rng(0))
    with pytest.raises(DesignError, match="d_memory=6 and d_model=4: give a memory"):
        layer.multi_head_attention(X, parameters)


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (((3, 4), (5, 6), (5, 2)), "k has width (d_k) 6, expected 4 as in q"),
        (((3, 4), (5, 4), (6, 2)), "v has number of keys (m) 6, expected 5 as in k"),
        (((2, 3, 4), (5, 4), (5, 2)), "k has leading axes (), expected (2,) as in q"),
        (((3, 0), (5, 0), (5, 2)), "q has shape (3, 0), but tokens and features are at least 1"),
    ],
)
def test_refusals_of_scaled_dot_product_attention(shapes: tuple[tuple[int, ...], ...], words: str) -> None:
    q, k, v = (np.ones(shape) for shape in shapes)
    with pytest.raises(DesignError) as refusal:
        layer.scaled_dot_product_attention(q, k, v)
    assert words in str(refusal.value)
