"""Outcomes: each law exactly one, counts, known failures run apart, reports, selection and replay."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from mha_spec.conformance import Report, Unsupported, reproduce, verify
from mha_spec.conformance.contract import Array
from mha_spec.conformance.failure import LawBroken
from mha_spec.conformance.laws import catalogue
from mha_spec.conformance.outcome import Outcome
from mha_spec.conformance.reproduction import ReplayError, read_replay, replay_text
from mha_spec.conformance.selection import SelectionError, selected
from mha_spec.design import AttentionDesign
from mutants.layer import CorrectLayer, factory_of
from mutants.masks import EmptyRowIsNan, MaskOfTheFirstEntryForAll
from mutants.scores import ScaleMissing

DEFINITION = "it_equals_the_definition"


def run(factory: Any, *laws: str, **options: Any) -> Report:
    return verify(factory, laws=laws or None, isolated=False, **options)


def test_a_failure_says_what_came_out_what_should_have_the_design_and_how_to_reproduce_it() -> None:
    outcome = run(factory_of(ScaleMissing), DEFINITION).of(DEFINITION)
    assert outcome.outcome == "FAIL"
    assert outcome.example is not None
    shown = outcome.text()
    for part in (
        "came out:",
        "should have been:",
        "sigma",
        "AttentionDesign(d_model=5",
        "batch 2, 2 queries",
        "reproduce(",
    ):
        assert part in shown
    assert outcome.example.came_out in outcome.reason


def test_a_failure_replays() -> None:
    factory = factory_of(ScaleMissing)
    outcome = run(factory, DEFINITION).of(DEFINITION)
    again = verify(factory, replay=outcome.replay)
    assert [each.outcome for each in again.outcomes] == ["FAIL"]
    assert again.outcomes[0].reason == outcome.reason
    with pytest.raises(LawBroken, match="should have been"):
        reproduce(factory, str(outcome.replay))
    reproduce(factory_of(CorrectLayer), str(outcome.replay))


def test_a_replay_names_a_law_and_its_choices() -> None:
    assert replay_text("a_law", (0, 3, 0, 1, 0, 0)) == "a_law:0.3.0.1"
    assert replay_text("a_law", (0, 0)) == "a_law:"
    law, choices = read_replay(f"{DEFINITION}:0.3")
    assert (law.name, choices) == (DEFINITION, (0, 3))
    for text in ("no_law:0.1", f"{DEFINITION}:0.x", f"{DEFINITION}:-1", f"{DEFINITION}:1..2"):
        with pytest.raises(ReplayError):
            read_replay(text)


def known(laws: str, when: Any, layer: type[CorrectLayer] = ScaleMissing) -> Any:
    return factory_of(layer, known_failures=[(laws, when, "the scale is not there yet")])


def test_a_known_failure_is_expected() -> None:
    outcome = run(known("*", lambda design, call: True), DEFINITION).of(DEFINITION)
    assert outcome.outcome == "XFAIL"
    assert "the scale is not there yet (" in outcome.reason
    assert outcome.example is None


def test_cases_outside_a_known_failure_still_fail() -> None:
    outcome = run(known(DEFINITION, lambda design, call: design.causal), DEFINITION).of(DEFINITION)
    assert outcome.outcome == "FAIL"
    assert outcome.example is not None
    assert not outcome.example.design["causal"]


def test_a_known_failure_that_passes_is_told() -> None:
    report = run(known("*", lambda design, call: design.causal, CorrectLayer), DEFINITION)
    assert report.of(DEFINITION).outcome == "XPASS"
    assert report.exit_status == 0


def test_a_known_failure_of_another_law_changes_nothing() -> None:
    assert run(known("two_keys_pin_the_scale", lambda design, call: True), DEFINITION).of(DEFINITION).outcome == "FAIL"


def test_known_failures_see_the_call_that_is_really_made() -> None:
    factory = factory_of(
        EmptyRowIsNan,
        known_failures=[("*", lambda design, call: call.mask is not None and not call.mask.any(-1).all(), "NaN")],
    )
    assert run(factory, "an_empty_row_gives_what_is_declared").outcomes[0].outcome == "XFAIL"


class Picky(CorrectLayer):
    def __call__(self, x: Array, memory: Array | None = None, mask: Any = None) -> Array:
        if self.design.h > 1:
            raise Unsupported("more than one head")
        return super().__call__(x, memory, mask)


class Unwilling(CorrectLayer):
    def __call__(self, x: Array, memory: Array | None = None, mask: Any = None) -> Array:
        raise Unsupported("everything")


class Broken(CorrectLayer):
    def __call__(self, x: Array, memory: Array | None = None, mask: Any = None) -> Array:
        raise ValueError("cannot reshape")


def test_what_is_unsupported_is_not_exercised() -> None:
    outcome = run(factory_of(Picky), DEFINITION).of(DEFINITION)
    assert outcome.outcome == "PASS"
    assert 0 < outcome.exercised < outcome.tried
    assert outcome.not_exercised == {"more than one head": outcome.tried - outcome.exercised}
    assert f"exercised {outcome.exercised} of {outcome.tried}" in outcome.text()


def test_nothing_exercised_is_a_skip_and_a_bad_exit() -> None:
    report = run(factory_of(Unwilling))
    assert {outcome.outcome for outcome in report.outcomes} <= {"SKIP", "PASS"}
    assert report.of(DEFINITION).reason == "everything"
    nothing = run(factory_of(Unwilling), DEFINITION)
    assert nothing.exit_status == 1
    assert "nothing could be exercised" in nothing.text()


def test_a_layer_that_raises_fails_one_law_and_leaves_the_others_unknown() -> None:
    report = run(factory_of(Broken))
    failed = {outcome.law for outcome in report.outcomes if outcome.outcome == "FAIL"}
    assert failed - {"it_accepts_sizes_of_zero", "it_runs_on_long_sequences"} == {"it_runs_on_every_design_it_accepts"}
    assert report.of(DEFINITION).outcome == "UNKNOWN"
    assert "ValueError: cannot reshape" in report.of(DEFINITION).reason
    assert report.exit_status == 1


def test_an_expectation_that_is_not_finite_is_unknown() -> None:
    class Infinite(CorrectLayer):
        def output(self, merged: Array) -> Array:
            return super().output(merged) * np.inf

    outcome = run(factory_of(Infinite), "the_same_call_gives_the_same_output_twice").outcomes[0]
    assert outcome.outcome == "UNKNOWN"
    assert "not finite" in outcome.reason


def test_a_gradient_that_is_no_mapping_is_unknown_and_no_traceback() -> None:
    class Odd(CorrectLayer):
        def vjp(self, *arguments: Any) -> Any:
            return 3

    outcome = run(factory_of(Odd), "gradients_agree_with_finite_differences").outcomes[0]
    assert outcome.outcome == "UNKNOWN"
    assert "TypeError" in outcome.reason


def test_every_law_has_exactly_one_outcome() -> None:
    report = run(factory_of(MaskOfTheFirstEntryForAll), examples=10)
    assert [outcome.law for outcome in report.outcomes] == [law.name for law in catalogue()]


def test_stopping_after_a_failure_leaves_the_rest_unknown() -> None:
    report = run(factory_of(ScaleMissing), stop_after=1, examples=10)
    assert len(report.failed) == 1
    assert len(report.outcomes) == len(catalogue())
    assert report.outcomes[-1].reason == "not run: stopped after 1 failure"


def test_the_same_seed_draws_the_same_cases() -> None:
    first, again, other = (run(factory_of(Picky), DEFINITION, seed=seed).outcomes[0] for seed in (3, 3, 4))
    assert first.exercised == again.exercised
    assert (first.exercised, first.widest) != (other.exercised, other.widest)


def test_the_report_as_json() -> None:
    written = json.loads(
        json.dumps(run(factory_of(ScaleMissing), DEFINITION, "its_arguments_stay_unchanged").as_json())
    )
    assert (written["schema"], written["target"]) == (1, "ScaleMissing (in this process)")
    failed, passed = written["outcomes"]
    assert set(failed) == {"law", "outcome", "reason", "example", "replay"}
    assert failed["outcome"] == "FAIL"
    assert failed["example"]["design"]["h"] == 2
    assert passed == {
        "law": "its_arguments_stay_unchanged",
        "outcome": "PASS",
        "reason": "exercised 100 of 100",
        "example": None,
        "replay": None,
    }


def test_an_outcome_survives_the_way_between_processes() -> None:
    for outcome in run(factory_of(ScaleMissing), DEFINITION, "two_keys_pin_the_scale").outcomes:
        assert Outcome.from_message(json.loads(json.dumps(outcome.as_message()))) == outcome


def test_progress_is_told() -> None:
    seen: list[tuple[str, int, int]] = []
    run(
        factory_of(CorrectLayer),
        "*scale*",
        examples=3,
        progress=lambda outcome, number, of: seen.append((outcome.law, number, of)),
    )
    assert [number for _, number, _ in seen] == list(range(1, len(seen) + 1))
    assert {of for _, _, of in seen} == {len(seen)}


def test_laws_are_chosen_by_name_or_pattern() -> None:
    assert [law.name for law in selected(["two keys pin the scale"])] == ["two_keys_pin_the_scale"]
    assert len(selected(["*mask*"], exclude=["masking*"])) == len(selected(["*mask*"])) - 1
    assert selected(None) == catalogue()
    with pytest.raises(SelectionError, match="did you mean 'two_keys_pin_the_scale'"):
        selected(["two_keys_pin_scale"])
    with pytest.raises(SelectionError, match="no law is left"):
        selected(["*"], exclude=["*"])


def test_a_ready_made_layer_is_verified_by_relations() -> None:
    design = AttentionDesign(d_model=6, h=3, bias=1, causal=True)
    from mha_spec.design import Parameters

    parameters = Parameters.draw(design, np.random.default_rng(0))

    def factory(given_design: None, given_parameters: None) -> CorrectLayer:
        assert given_design is None
        assert given_parameters is None
        return CorrectLayer(design, parameters)

    factory.fixed_design = design  # type: ignore[attr-defined]
    factory.causal_alignment = "top-left"  # type: ignore[attr-defined]
    report = run(factory, fixed=True)
    by = {name: {o.law for o in report.outcomes if o.outcome == name} for name in ("PASS", "FAIL", "SKIP", "UNKNOWN")}
    assert by["FAIL"] == by["UNKNOWN"] == set()
    assert {"padding_equals_truncating", "future_tokens_do_not_influence", "token_by_token_equals_the_whole"} <= by[
        "PASS"
    ]
    assert DEFINITION in by["SKIP"]
    assert "a wrong scale" in report.notes[-1]
    assert "grouped heads" in report.notes[-1]


def test_a_ready_made_layer_that_is_wrong_fails_relations() -> None:
    design = AttentionDesign(d_model=6, h=3)
    from mha_spec.design import Parameters
    from mutants.masks import HiddenScoresSetToZero

    parameters = Parameters.draw(design, np.random.default_rng(0))

    def factory(given_design: None, given_parameters: None) -> CorrectLayer:
        return HiddenScoresSetToZero(design, parameters)

    factory.fixed_design = design  # type: ignore[attr-defined]
    assert {"masking_a_key_equals_deleting_it", "padding_equals_truncating"} <= {o.law for o in run(factory).failed}
