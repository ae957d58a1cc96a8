"""Each value theorem is compared with the running layer, and a wrong layer does not pass the comparison."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_spec import attention, layer
from mha_spec.claims.theorem import TheoremError
from mha_spec.claims.values.theorem import Comparison, ValueTheorem, confirm

from .theorem_files import theorems

SOURCE = Path(attention.__file__).read_text(encoding="utf-8")
NO_EXPONENTIAL = ("E = exp(S - rowmax(S))", "E = S")
NO_SCALE = ("return S / sqrt(d_k) if scale is None else S * scale", "return S")
NOT_NORMALISED = ("return E / rowsum(E)\n", "return E\n")
MASKED_IS_FINITE = ("S = where(mask, S, -np.inf)", "S = where(mask, S, 0.0)")
VALUES_MOVED_ON = ("return A @ V", "return A @ np.roll(V, 1, axis=-2)")
OUTPUTS_MOVED_ON = ("return A @ V", "return np.roll(A @ V, 1, axis=-2)")
HEAD_MINOR = ("flatten(X.swapaxes(-3, -2))", "flatten(X.swapaxes(-3, -2).mT)")
TILED = ("position(j, g, group)", "position(g, j, kv_heads)")
NOT_CAUSAL = ("    if rule.causal:\n", "    if False:\n")
SQUARED_SCORES = ("return Q @ K.mT", "return (Q @ K.mT) ** 2")
ANOTHER_ROOT = ("return S / sqrt(d_k)", "return S / d_k")
FIRST_ROW_FOR_ALL = ("return A @ V", "return 0 * (A @ V) + (A @ V)[..., :1, :]")
FAULTS = {
    "softmax_rows_sum_to_one": [NOT_NORMALISED],
    "softmax_ignores_a_shift": [NO_EXPONENTIAL, SQUARED_SCORES],
    "softmax_jacobian": [NO_EXPONENTIAL, NO_SCALE],
    "outputs_lie_between_kept_values": [MASKED_IS_FINITE],
    "one_head_is_plain_attention": [MASKED_IS_FINITE, NO_SCALE],
    "concatenated_heads_equal_a_sum_of_blocks": [HEAD_MINOR],
    "permuting_queries_permutes_outputs": [OUTPUTS_MOVED_ON, FIRST_ROW_FOR_ALL],
    "permuting_keys_and_values_changes_nothing": [VALUES_MOVED_ON],
    "permuting_heads_with_their_blocks_changes_nothing": [TILED],
    "grouped_heads_equal_repeated_heads": [TILED],
    "masking_a_key_equals_deleting_it": [MASKED_IS_FINITE],
    "causal_token_by_token_equals_the_whole": [
        NOT_CAUSAL,
        ("rule.causal_alignment, rule.window", '"top-left", rule.window'),
    ],
    "blocks_recombine_to_the_whole": [NO_SCALE, ANOTHER_ROOT],
    "scores_depend_on_the_product_of_query_and_key_weights": [NO_SCALE, ("return Q @ K.mT", "return abs(Q) @ K.mT")],
    "scores_of_a_head_have_rank_at_most_d_k": [SQUARED_SCORES, NO_EXPONENTIAL],
    "dot_product_variance_is_d_k": [NO_SCALE, ANOTHER_ROOT],
    "attention_backward_pass": [NO_SCALE, MASKED_IS_FINITE, ANOTHER_ROOT],
    "multi_head_backward_pass": [NO_SCALE, MASKED_IS_FINITE, HEAD_MINOR],
}
BY_NAME = {theorem.name: theorem for theorem in theorems()}


@pytest.mark.parametrize("theorem", theorems(), ids=lambda theorem: theorem.name)
def test_the_running_layer_confirms_it(theorem: ValueTheorem) -> None:
    @settings(max_examples=10)
    @given(st.integers(0, 2**32 - 1))
    def at_drawn_calls(seed: int) -> None:
        for comparison in confirm(theorem, np.random.default_rng(seed)):
            assert comparison.found.size > 0

    at_drawn_calls()


def test_a_fault_is_known_for_every_theorem() -> None:
    assert sorted(FAULTS) == sorted(BY_NAME)


@pytest.mark.parametrize(
    ("name", "fault"),
    [(name, fault) for name, faults in FAULTS.items() for fault in faults],
    ids=lambda one: str(one)[:40],
)
def test_a_wrong_layer_is_refused(name: str, fault: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer, "attention", faulty(monkeypatch, *fault))
    refusals = [reason for seed in range(12) if (reason := refusal(BY_NAME[name], seed))]
    assert len(refusals) >= 3, "a comparison that seldom sees a fault is a weak witness"
    assert all(f"theorem {name}, its confirmation: on the running layer" in reason for reason in refusals)


def refusal(theorem: ValueTheorem, seed: int) -> str:
    """Why a drawn call does not confirm the theorem, or nothing."""
    with np.errstate(all="ignore"):
        try:
            confirm(theorem, np.random.default_rng(seed))
        except TheoremError as error:
            return str(error)
    return ""


def faulty(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> ModuleType:
    """The package's attention with a fault in it."""
    assert SOURCE.count(old) == 1, old
    module = ModuleType("mha_spec.faulty_attention")
    module.__package__ = "mha_spec"
    monkeypatch.setitem(sys.modules, module.__name__, module)  # where a dataclass looks up its annotations
    exec(compile(SOURCE.replace(old, new), "faulty_attention.py", "exec"), vars(module))
    return module


def test_what_is_not_a_number_does_not_agree() -> None:
    ones, nothing = np.ones(3), np.full(3, np.nan)
    assert Comparison("equal", ones, ones, 0.0).agrees()
    assert not Comparison("not numbers", nothing, ones, 1e9).agrees()
    assert not Comparison("not numbers, expected", ones, nothing, 1e9).agrees()
    assert not Comparison("other shapes", np.ones((3, 1)), ones, 1e9).agrees()
