"""The quantities of the layer: derived from its code for all sizes, and counted at some."""

from __future__ import annotations

import itertools
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_spec import attention
from mha_spec.counting import quantities
from mha_spec.counting.counted_run import counted_quantities
from mha_spec.counting.errors import TraceError
from mha_spec.counting.quantities import QUANTITIES, read_quantities, trace_layer, traced_quantities
from mha_spec.counting.sizes import Size
from mha_spec.design import ScoreRule

Form = Literal["batched", "per-head"]
FORMS: tuple[Form, ...] = ("batched", "per-head")
PAPER = {
    "n": 10,
    "m": 10,
    "d_model": 512,
    "d_memory": 512,
    "h": 8,
    "d_k": 64,
    "d_v": 64,
    "kv_heads": 8,
    "bias": 0,
}

EXPECTED = {
    "projection_weights": "h*d_model*d_k + kv_heads*d_memory*(d_k + d_v) + h*d_v*d_model",
    "parameters": "h*d_model*d_k + kv_heads*d_memory*(d_k + d_v) + h*d_v*d_model"
    " + bias*(h*d_k + kv_heads*(d_k + d_v) + d_model)",
    "projection_multiplications": "n*h*d_model*d_k + m*kv_heads*d_memory*(d_k + d_v) + n*h*d_v*d_model",
    "score_multiplications": "h*n*m*d_k",
    "mixing_multiplications": "h*n*m*d_v",
    "multiplications": "n*h*d_model*d_k + m*kv_heads*d_memory*(d_k + d_v) + n*h*d_v*d_model + h*n*m*(d_k + d_v)",
    "exponentials": "h*n*m",
    "softmax_divisions": "h*n*m",
    "comparisons": "h*n*(m - 1)",
    "attention_matrices": "h",
    "score_entries": "h*n*m",
    "kv_cache_entries": "m*kv_heads*(d_k + d_v)",
}


def test_every_quantity_is_the_formula_of_the_literature() -> None:
    heads = {"h": Size.of("kv_heads*group")}
    assert {name: str(size) for name, size in traced_quantities().items()} == {
        name: str(Size.of(text).substitute(heads)) for name, text in EXPECTED.items()
    }


def test_the_quantities_come_in_their_order() -> None:
    assert list(traced_quantities()) == list(QUANTITIES)
    assert all(quantity.name == name and quantity.unit for name, quantity in QUANTITIES.items())


def test_the_sizes_are_the_general_ones() -> None:
    names = set().union(*(size.names() for size in traced_quantities().values()))
    assert names == {"n", "m", "d_model", "d_memory", "kv_heads", "group", "d_k", "d_v", "bias"}


@pytest.mark.parametrize(("form", "masked"), list(itertools.product(FORMS, (False, True))))
def test_form_and_mask_change_no_quantity(form: Form, masked: bool) -> None:
    expected = traced_quantities()
    for name, size in traced_quantities(form, masked=masked).items():
        assert size.same_as(expected[name]), name


@pytest.mark.parametrize(
    "rule",
    [
        ScoreRule(causal=True),
        ScoreRule(causal=True, causal_alignment="bottom-right"),
        ScoreRule(causal=True, window=2),
        ScoreRule(causal=True, causal_alignment="bottom-right", window=3),
        ScoreRule(scale=0.25),
        ScoreRule(softcap=30.0),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", FORMS)
def test_the_score_rule_changes_no_quantity(form: Form, rule: ScoreRule) -> None:
    expected = read_quantities(trace_layer())
    for masked in (False, True):
        got = read_quantities(trace_layer(form, masked=masked, rule=rule))
        assert all(got[name].same_as(expected[name]) for name in QUANTITIES)


def test_scale_and_cap_are_counted_apart() -> None:
    ledger = trace_layer(rule=ScoreRule(softcap=30.0))
    entries = Size.of("kv_heads*group*n*m")
    assert ledger["scale_scores"]["div"].same_as(entries)
    assert ledger["cap_scores"]["tanh"].same_as(entries)
    assert trace_layer(rule=ScoreRule(scale=0.5))["scale_scores"]["mul"].same_as(entries)


def test_the_weights_take_less_memory_head_by_head() -> None:
    assert trace_layer("batched").largest_array("softmax").same_as("kv_heads*group*n*m")
    assert trace_layer("per-head").largest_array("softmax").same_as("n*m")


def test_work_without_a_role_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    honest: Any = attention.merge_heads
    monkeypatch.setattr(attention, "merge_heads", lambda x: honest(x) * 2.0)
    with pytest.raises(TraceError, match="belong to no quantity"):
        read_quantities(trace_layer())


def test_a_layer_without_an_output_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "multi_head_batched", lambda *_: None)
    with pytest.raises(TraceError, match=r"not \(n, d_model\)"):
        trace_layer()


@pytest.mark.parametrize("kind", ["mul", "div", "exp", "cmp"])
def test_every_kind_with_a_role_is_guarded(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    roles = {key: role for key, role in quantities.ROLES.items() if key[1] != kind}
    monkeypatch.setattr(quantities, "ROLES", roles)
    with pytest.raises(TraceError, match=f"{kind} in .* belong to no quantity"):
        read_quantities(trace_layer())


def designs() -> st.SearchStrategy[dict[str, int]]:
    small = st.integers(1, 4)
    free = st.fixed_dictionaries(
        dict.fromkeys(("n", "m", "d_model", "d_memory", "d_k", "d_v", "kv_heads", "group"), small)
        | {"bias": st.integers(0, 1)}
    )
    return free.map(lambda sizes: {**sizes, "h": sizes["kv_heads"] * sizes["group"]})


@settings(deadline=None, max_examples=40)
@given(designs(), st.sampled_from(FORMS), st.integers(0, 2**16 - 1), st.booleans())
def test_what_is_derived_is_what_is_executed(sizes: dict[str, int], form: Form, bits: int, masked: bool) -> None:
    shape = (sizes["n"], sizes["m"])
    allowed = np.array([bits >> k & 1 for k in range(shape[0] * shape[1])], np.bool_).reshape(shape)
    counted = counted_quantities(sizes, form=form, mask=allowed if masked else None)
    assert counted == {name: size.at(sizes) for name, size in traced_quantities(form, masked=masked).items()}


@pytest.mark.parametrize("alignment", ["top-left", "bottom-right"])
def test_empty_rows_and_causality_are_counted_too(alignment: Literal["top-left", "bottom-right"]) -> None:
    sizes = {**PAPER, "n": 5, "m": 3, "d_model": 4, "d_memory": 3, "h": 4, "d_k": 2, "d_v": 3, "kv_heads": 2}
    rule = ScoreRule(causal=True, causal_alignment=alignment, window=2)
    for form in FORMS:
        counted = counted_quantities(sizes, form=form, mask=np.zeros((5, 3), np.bool_), rule=rule)
        at = {**sizes, "group": 2}
        assert counted == {name: size.at(at) for name, size in traced_quantities(form).items()}


def test_the_papers_layer_is_counted_scalar_by_scalar() -> None:
    counted = counted_quantities(PAPER)
    assert counted["multiplications"] == 10_588_160 == 4 * 10 * 512**2 + 2 * 10**2 * 512
    assert counted["parameters"] == 4 * 512**2
    assert counted == {name: size.at({**PAPER, "group": 1}) for name, size in traced_quantities().items()}


def test_parameters_that_are_not_used_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    honest: Any = attention.project
    monkeypatch.setattr(attention, "project", lambda X, W, b: honest(X, W, None))
    counted = counted_quantities(
        {**PAPER, "d_model": 4, "d_memory": 4, "h": 2, "kv_heads": 2, "d_k": 2, "d_v": 2, "bias": 1}
    )
    assert counted["parameters"] == counted["projection_weights"] == 4 * 4 * 4


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kv_heads": 3}, "kv_heads is 3 and h is 8"),
        ({"n": 0}, "n is 0"),
        ({"bias": 2}, "bias is 2"),
    ],
)
def test_sizes_that_no_layer_has_are_refused(changed: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        counted_quantities({**PAPER, **changed})


def test_missing_sizes_and_wrong_masks_are_refused() -> None:
    with pytest.raises(ValueError, match="sizes without d_v"):
        counted_quantities({name: size for name, size in PAPER.items() if name != "d_v"})
    with pytest.raises(ValueError, match=r"expected bool \(10, 10\)"):
        counted_quantities(PAPER, mask=np.ones((10, 9), np.bool_))
