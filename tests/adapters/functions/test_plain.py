"""A plain function is verified as it is: by its name on the command line, or wrapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from mha_spec.adapters import load_factory
from mha_spec.adapters.functions.plain import is_attention, of_function
from mha_spec.conformance import Report, TargetError, verify
from mha_spec.conformance.declarations import Declarations

from . import attentions

FILE = Path(__file__).with_name("attentions.py")
LOADER = "mha_spec.adapters:load_factory"


def failures(report: Report) -> set[str]:
    return {one.law for one in report.outcomes if one.outcome in ("FAIL", "UNKNOWN")}


def test_functions_of_queries_keys_and_values_are_told_by_their_parameters() -> None:
    assert is_attention(attentions.attention)
    assert is_attention(attentions.scaled)
    assert not is_attention(attentions.layer)
    assert not is_attention(attentions)


def test_a_right_function_passes_what_it_declares() -> None:
    report = verify(of_function(attentions.declared), examples=40)
    assert failures(report) == set(), report.text()
    assert report.of("an_empty_row_gives_what_is_declared").outcome == "PASS"
    assert report.of("grouped_heads_equal_repeated_heads").outcome == "PASS"


def test_by_its_name_it_runs_in_a_child_process() -> None:
    laws = ["it_equals_the_definition*", "a_mask_and_causality_must_both_allow"]
    report = verify(f"{FILE}:attention", loader=LOADER, laws=laws, examples=20)
    assert {one.outcome for one in report.outcomes} == {"PASS"}


def test_what_a_function_declares_is_what_its_factory_declares() -> None:
    read = Declarations.of(of_function(attentions.declared))
    assert (read.empty_row, read.hidden_values_may_leak, read.dtypes) == ("nan", True, ("float64",))
    assert read.options == frozenset()
    assert Declarations.of(of_function(attentions.scaled)).options == {"scale"}


def test_wrong_functions_fail() -> None:
    ignored = verify(of_function(attentions.ignores_scale), laws=["*with_options"])
    assert failures(ignored) == {"it_equals_the_definition_with_options"}
    exchanged = verify(of_function(attentions.transposed_mask), laws=["it_equals_the_definition", "padding*"])
    assert failures(exchanged) == {"it_equals_the_definition", "padding_equals_truncating"}


def test_a_given_scale_is_passed_on() -> None:
    report = verify(of_function(attentions.scaled), laws=["*with_options"])
    assert {one.outcome for one in report.outcomes} == {"PASS"}


def test_a_framework_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from mha_spec.adapters.registry import FACTORIES

    beside = FILE.with_name("needs_a_framework.py")
    monkeypatch.setitem(FACTORIES, "no_such_framework.nn:Attention", f"{beside}:factory")
    with pytest.raises(TargetError, match="needs no_such_framework, which is not installed: pip install"):
        load_factory("no_such_framework.nn:Attention")
