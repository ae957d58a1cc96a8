"""Each fault that no type shows, put into the running layer: a drawn call or extreme scores show it.

This tests the tests of the layer: a comparison that no fault could fail would prove nothing.
"""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from hypothesis import Phase, find, settings

from mha_spec import attention, layer
from seeded_faults import BEYOND_TYPES, Fault
from test_layer import FORMS, UNITS, Call, calls, deviation, expected
from test_seeded_faults import ATTENTION

SEARCH = settings(max_examples=2000, database=None, phases=[Phase.generate])
EXTREME = {"the softmax is not stable", "masked scores are large, not infinite"}


def faulty(fault: Fault) -> ModuleType:
    module = ModuleType("mha_spec.faulty_attention")
    module.__package__ = "mha_spec"
    sys.modules[module.__name__] = module  # where a dataclass looks up its annotations
    exec(compile(ATTENTION.replace(fault.old, fault.new), "faulty_attention.py", "exec"), vars(module))
    return module


def differs(call: Call) -> bool:
    right, _ = expected(call)
    with np.errstate(all="ignore"):
        return any(not (deviation(call.run(form), right) <= UNITS) for form in FORMS)


def differs_at_extreme_scores() -> bool:
    q, k, mask = np.array([[2e4]]), np.array([[-1.0], [1.0], [-1.0]]), np.array([[True, False, True]])
    with np.errstate(all="ignore"):
        free = layer.scaled_dot_product_attention(q, k, np.eye(3))
        masked = layer.scaled_dot_product_attention(q, k, np.eye(3), mask)
    return not (free.tolist() == [[0, 1, 0]] and masked.tolist() == [[0.5, 0, 0.5]])


@pytest.mark.parametrize("fault", BEYOND_TYPES, ids=lambda fault: fault.sentence)
def test_a_fault_in_values_shows(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer, "attention", faulty(fault))
    if fault.sentence in EXTREME:
        assert differs_at_extreme_scores()
    else:
        find(calls(), differs, settings=SEARCH)


def test_without_a_fault_nothing_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer, "attention", faulty(Fault("none", "", "")))
    assert vars(layer)["attention"] is not attention
    assert not differs_at_extreme_scores()
