"""The catalogue: what a law says of itself, and that a correct layer obeys all of them, quickly."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import mha_spec.conformance.laws as laws_package
from mha_spec import multi_head_attention
from mha_spec.conformance import verify
from mha_spec.conformance.contract import Array, BoolArray
from mha_spec.conformance.laws import THEMES, Law, catalogue
from mha_spec.design import AttentionDesign, Parameters
from mha_spec.layer import multi_head_weights
from mutants.layer import CorrectLayer, factory_of

ROOT = Path(__file__).resolve().parents[2]
LAWS = catalogue()


def test_there_are_enough_laws_and_each_has_its_own_name() -> None:
    assert len(LAWS) >= 35
    assert len({law.name for law in LAWS}) == len(LAWS)
    assert {law.kind for law in LAWS} == {"relation", "value", "cost"}


def test_every_module_of_laws_is_a_theme() -> None:
    modules = {path.stem for path in Path(laws_package.__file__).parent.glob("*.py")}
    assert modules - {"__init__", "law"} == set(THEMES)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_a_law_is_a_sentence_and_says_what_is_done(law: Law) -> None:
    assert re.fullmatch(r"[a-z]+( [a-z0-9]+){2,}", law.sentence)
    assert law.explanation.endswith(".")
    if law.needs & {"parameters"}:
        assert law.only_sees, "what is not seen in a ready-made layer, which has no parameters to set"


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_the_theorem_of_a_law_is_proved(law: Law) -> None:
    if law.theorem is not None:
        assert any(path.suffix in (".py", ".v") for path in (ROOT / "proofs").rglob(f"{law.theorem}.*"))


def test_no_law_shares_code_with_the_layer_of_this_package() -> None:
    for path in (ROOT / "mha_spec" / "conformance").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.module not in ("mha_spec.attention", "mha_spec.layer"), path


@pytest.mark.parametrize("alignment", ["top-left", "bottom-right"])
def test_a_correct_layer_that_can_do_everything_passes_every_law(alignment: str) -> None:
    report = verify(factory_of(CorrectLayer, alignment), isolated=False)
    assert {outcome.law: outcome.reason for outcome in report.outcomes if outcome.outcome != "PASS"} == {}
    assert all(outcome.exercised >= 0.6 * outcome.tried for outcome in report.outcomes)
    assert max(outcome.widest for outcome in report.outcomes) < 3
    assert report.exit_status == 0


class Own:
    """The layer of this package as a layer under test."""

    def __init__(self, design: AttentionDesign, parameters: Parameters) -> None:
        self.design, self.parameters = design, parameters

    def __call__(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        return multi_head_attention(x, self.parameters, memory, mask, design=self.design)

    def weights(self, x: Array, memory: Array | None = None, mask: BoolArray | None = None) -> Array:
        return multi_head_weights(x, self.parameters, memory, mask, design=self.design)

    def parameter_count(self) -> int:
        return self.parameters.count()


def own(design: AttentionDesign, parameters: Parameters) -> Own:
    """Accepts every design; `A V` with a weight of zero lets a hidden NaN through."""
    return Own(design, parameters)


OVERFLOW = "half_precision_scores_do_not_overflow_before_the_scale"
REASON = "Q K^T is a place of its own in the ledger, so in float16 it may overflow before the scale"
DECLARED: dict[str, object] = {
    "empty_row": "zero",
    "hidden_values_may_leak": True,
    "known_failures": [(OVERFLOW, lambda design, call: True, REASON)],
}


@pytest.mark.parametrize("alignment", ["top-left", "bottom-right"])
def test_the_layer_of_this_package_passes(alignment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**DECLARED, "causal_alignment": alignment}.items():
        monkeypatch.setattr(own, name, value, raising=False)
    report = verify(own, isolated=False)
    outcomes = {outcome.law: outcome.outcome for outcome in report.outcomes}
    assert outcomes.pop(OVERFLOW) == "XFAIL"
    assert {law for law, outcome in outcomes.items() if outcome not in ("PASS", "SKIP")} == set()
    assert sum(outcome == "PASS" for outcome in outcomes.values()) >= 50
