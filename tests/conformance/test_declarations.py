"""Declarations are read from the attributes of a factory, and wrong ones are refused by name, value and fix."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mha_spec.conformance.contract import Call
from mha_spec.conformance.declarations import DeclarationError, Declarations
from mha_spec.design import AttentionDesign

DESIGN = AttentionDesign(d_model=6, h=2)
CALL = Call(batch=2, n=3, m=4, memory=True)


def declared(**attributes: Any) -> Declarations:
    return Declarations.of(SimpleNamespace(**attributes))


def test_a_factory_that_declares_nothing_accepts_everything_and_promises_nothing() -> None:
    plain = Declarations.of(lambda design, parameters: None)
    assert plain == Declarations()
    assert plain.options == {"scale", "softcap", "window"}
    assert plain.dtypes == ("float64", "float32", "float16")
    assert plain.empty_row_of(DESIGN, CALL) is None
    assert plain.precision_of(DESIGN, CALL) == "float64"
    assert plain.known_failure("any_law", DESIGN, CALL) is None


def test_every_declaration_is_read() -> None:
    known = (("masking_*", "x"), lambda design, call: True, "why")
    found = declared(
        requires={"H1", "H3"},
        options=["scale"],
        dtypes=[np.float32, "float64"],
        causal="only",
        slow_shapes=True,
        causal_alignment="bottom-right",
        empty_row="uniform",
        computes_in=np.float32,
        hidden_values_may_leak=True,
        allows_empty=True,
        known_failures=[known],
    )
    assert found.requires == {"H1", "H3"}
    assert found.options == {"scale"}
    assert found.dtypes == ("float64", "float32")
    assert found.allows_causal(True)
    assert not found.allows_causal(False)
    assert found.allows_empty == {"batch", "n", "m"}
    assert found.empty_row_of(DESIGN, CALL) == "uniform"
    assert found.precision_of(DESIGN, CALL) == "float32"
    assert found.known_failures[0].covers("x")
    assert found.known_failures[0].reason == "why"


def test_a_class_is_a_factory_too() -> None:
    class Factory:
        requires = ("H1",)

    assert Declarations.of(Factory).requires == {"H1"}


def test_functions_of_design_and_call_are_asked_for_each_case() -> None:
    found = declared(
        empty_row=lambda design, call: "nan" if design.h % 2 == 0 and not call.memory else None,
        computes_in=lambda design, call: "float32" if call.m > 64 else None,
    )
    assert found.empty_row_of(DESIGN, CALL) is None
    assert found.empty_row_of(DESIGN, Call(2, 3, 3, memory=False)) == "nan"
    assert found.precision_of(DESIGN, CALL) == "float64"
    assert found.precision_of(DESIGN, Call(2, 3, 65, memory=True)) == "float32"


def test_what_it_computes_in_is_never_better_than_the_design() -> None:
    half = AttentionDesign(d_model=6, h=2, dtype="float16")
    assert declared(computes_in="float32").precision_of(half, CALL) == "float16"


def test_a_fixed_design_narrows_what_is_drawn() -> None:
    found = declared(fixed_design=AttentionDesign(d_model=6, h=2, causal=True, dtype="float32"))
    assert found.dtypes == ("float32",)
    assert found.causal == "only"
    assert found.options == frozenset()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"requires": "H1"}, r"requires = 'H1', but it may be a collection of H1, .* such as \('H1',\)"),
        ({"requires": ["H7"]}, r"requires = \['H7'\]: 'H7' is not one of H1, H2"),
        ({"requires": ["H5"]}, r"H5 \(m == n\) is about a call: raise Unsupported"),
        ({"options": ["scales"]}, r"options = \['scales'\]: 'scales' is not one of scale, softcap, window"),
        ({"dtypes": ["bfloat16"]}, r"dtypes = 'bfloat16', but it may be 'float64' or"),
        ({"dtypes": "float64"}, r"dtypes = 'float64', but it may be a collection"),
        ({"causal": "never"}, r"causal = 'never', but it may be True .* False .* or 'only'"),
        ({"slow_shapes": 1}, r"slow_shapes = 1, but it may be True or False"),
        ({"causal_alignment": "top"}, r"causal_alignment = 'top', but it may be 'top-left' or 'bottom-right'"),
        ({"empty_row": "zeros"}, r"empty_row = 'zeros', but it may be 'zero' or 'nan' or 'uniform' or 'raises'"),
        ({"computes_in": "int8"}, r"computes_in = .*but it may be 'float64' or"),
        ({"hidden_values_may_leak": None}, r"hidden_values_may_leak = None"),
        ({"allows_empty": ["keys"]}, r"allows_empty = \['keys'\]: 'keys' is not one of batch, n, m"),
        ({"known_failures": "*"}, r"known_failures = '\*', but it may be a sequence of"),
        ({"known_failures": [("*", True, "why")]}, r"known_failures, when = True, but it may be a function"),
        ({"known_failures": [("*", bool, " ")]}, r"known_failures, reason = ' ', but it may be a sentence"),
        ({"known_failures": [((), bool, "why")]}, r"known_failures, laws = \(\)"),
        ({"known_failures": ["*"]}, r"known_failures, one entry = '\*'"),
        ({"fixed_design": {"d_model": 6}}, r"fixed_design = .* may be an AttentionDesign"),
        ({"casual_alignment": "top-left"}, r"'casual_alignment': rename it, or write 'causal_alignment'"),
    ],
)
def test_a_wrong_declaration_is_refused(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        declared(**attributes)


def test_a_function_that_answers_nonsense_is_refused_when_it_is_asked() -> None:
    found = declared(empty_row=lambda design, call: "none")
    with pytest.raises(DeclarationError, match=r"empty_row\(design, call\) = 'none'"):
        found.empty_row_of(DESIGN, CALL)


def test_a_ready_made_layer_has_to_declare_its_design() -> None:
    with pytest.raises(DeclarationError, match="declares no fixed_design"):
        Declarations.of(SimpleNamespace(), fixed=True)
