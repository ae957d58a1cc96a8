"""torch's layers pass the laws, or fail only as they declare; without the declarations the suite finds the failures."""

from __future__ import annotations

from typing import Any

import pytest

from mha_spec.adapters import load_factory
from mha_spec.conformance import verify

torch = pytest.importorskip("torch", reason="torch is not installed")

ZERO, EMPTY_ROW = "it_accepts_sizes_of_zero", "an_empty_row_gives_what_is_declared"
NAN_GRADIENTS = "gradients_are_finite_beside_empty_rows"
MODULE = "mha_spec.adapters.torch.multihead_attention"

EXPECTED = {
    "torch.nn:MultiheadAttention": {ZERO, EMPTY_ROW},
    f"{MODULE}:with_weights": {ZERO, NAN_GRADIENTS},
    "torch.nn.functional:multi_head_attention_forward": {ZERO},
    "torch.nn.functional:scaled_dot_product_attention": set(),
    "mha_spec.adapters.torch.scaled_dot_product:math": set(),
}


@pytest.mark.parametrize("target", EXPECTED)
def test_it_passes_the_laws_or_fails_as_declared(target: str) -> None:
    report = verify(load_factory(target), examples=40, isolated=False)
    found = {one.law: one.outcome for one in report.outcomes if one.outcome not in ("PASS", "SKIP")}
    assert found == dict.fromkeys(EXPECTED[target], "XFAIL"), report.text()
    assert sum(one.outcome == "PASS" for one in report.outcomes) >= 45


def without_known_failures(target: str) -> Any:
    factory: Any = load_factory(target)
    return type("Undeclared", (factory,), {"known_failures": ()})


@pytest.mark.parametrize("seed", range(3))
def test_the_nan_of_the_fused_path_is_found(seed: int) -> None:
    """The failing design that is shown is one of those with an even number of heads, biases and self-attention."""
    factory = without_known_failures("torch.nn:MultiheadAttention")
    outcome = verify(factory, laws=[EMPTY_ROW], seed=seed, isolated=False).of(EMPTY_ROW)
    assert outcome.outcome == "FAIL"
    assert outcome.example is not None
    assert outcome.example.came_out == "nan"
    assert outcome.example.design["h"] == 2
    assert outcome.example.design["bias"] == 1
    assert "self-attention" in outcome.example.call


def test_the_nan_of_the_fused_path_appears_exactly_there() -> None:
    """Every case that meets the condition fails, and no other."""
    outcome = verify(load_factory("torch.nn:MultiheadAttention"), laws=[EMPTY_ROW], isolated=False).of(EMPTY_ROW)
    failed, of_these = (int(word) for word in outcome.reason.split("(")[-1].split(" such")[0].split(" of "))
    assert failed == of_these >= 5
    assert outcome.exercised == outcome.tried - of_these


def test_other_failures_are_found_without_their_declarations() -> None:
    found = verify(without_known_failures(f"{MODULE}:with_weights"), laws=[ZERO, NAN_GRADIENTS], isolated=False)
    assert {one.law for one in found.failed} == {ZERO, NAN_GRADIENTS}


def test_threads_are_as_they_were() -> None:
    threads = torch.get_num_threads()
    verify(load_factory("torch.nn:MultiheadAttention"), laws=["its_arguments*"], examples=2, isolated=False)
    assert torch.get_num_threads() == threads
