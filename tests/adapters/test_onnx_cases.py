"""Every attention case of ONNX on the package's own attention: those in its wheel, and new ones of its generators.

Only the vectors of onnx 1.22 and later are right. Each case comes twice, as one Attention node and expanded into the
operator's definition in simple ones; the data are the same, so the single nodes are run.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

onnx = pytest.importorskip("onnx", minversion="1.22", reason="onnx 1.22 or later is not installed")

from adapters import onnx_operator  # noqa: E402 -- after the skip
from adapters.onnx_operator import STEP_BY_STEP, WHOLE, WITH_FEATURES, Answer, Floats, Operands, answered  # noqa: E402 -- after the skip

STORED: Final = Path(onnx.__file__).parent / "backend/test/data/node"


@dataclass(frozen=True)
class OperatorCase:
    """One case: its inputs, and the outputs that are due."""

    name: str
    model: Any
    inputs: tuple[npt.NDArray[Any], ...]
    outputs: tuple[npt.NDArray[Any], ...]

    def answer(self) -> Answer:
        """What the package's attention gives."""
        (node,) = self.model.graph.node
        given = dict(zip([entry.name for entry in self.model.graph.input], self.inputs, strict=True))
        attributes = {entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute}
        return answered([given.get(name) for name in node.input], attributes)

    def is_right(self) -> bool:
        """Whether every output that is due comes out, within the tolerance of ONNX's own test runner."""
        (node,) = self.model.graph.node
        came = [array for array, name in zip(self.answer().outputs, node.output, strict=False) if name]
        return len(came) == len(self.outputs) and all(map(agree, came, self.outputs))


def agree(came: npt.NDArray[Any], due: npt.NDArray[Any]) -> bool:
    """Whether two outputs are the same but for rounding."""
    one, other = np.asarray(came, np.float64), np.asarray(due, np.float64)
    return came.dtype == due.dtype and came.shape == due.shape and np.allclose(one, other, rtol=1e-3, atol=1e-7)


def stored_array(path: Path) -> npt.NDArray[Any]:
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return np.asarray(onnx.numpy_helper.to_array(tensor))


def stored() -> Iterator[OperatorCase]:
    """The cases in the wheel."""
    for folder in sorted(STORED.glob("test_attention_*")):
        model = onnx.load(folder / "model.onnx")
        if not is_one_node(model):
            continue
        for data in sorted(folder.glob("test_data_set_*")):
            arrays = [
                tuple(stored_array(data / f"{kind}_{i}.pb") for i in range(len(list(data.glob(f"{kind}_*.pb")))))
                for kind in ("input", "output")
            ]
            yield OperatorCase(folder.name, model, *arrays)


def made() -> Iterator[OperatorCase]:
    """New cases by the generators of the wheel, with other random numbers than those stored."""
    from onnx.backend.test.case.node import collect_testcases

    np.random.seed(20240)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the generators of other operators, which run as well
        collected = collect_testcases("Attention")
    for case in collected:
        if is_one_node(case.model):
            for inputs, outputs in case.data_sets:
                yield OperatorCase(case.name, case.model, tuple(inputs), tuple(outputs))


def is_one_node(model: Any) -> bool:
    return [node.op_type for node in model.graph.node] == ["Attention"]


@cache
def cases(source: str) -> tuple[OperatorCase, ...]:
    return tuple(stored() if source == "stored" else made())


@pytest.mark.parametrize("source", ["stored", "made"])
def test_every_case_is_right(source: str) -> None:
    found = cases(source)
    assert [case.name for case in found if not case.is_right()] == []
    assert len(found) >= 64


def test_the_ways_to_the_stored_cases() -> None:
    """None is left out; numbers in a mask are no mask of the layer, so those cases are answered in another way."""
    ways = Counter(case.answer().way for case in cases("stored"))
    assert ways == {WHOLE: 31, WITH_FEATURES: 31, STEP_BY_STEP: 2}


def softmax_of_capped_mask(o: Operands) -> Floats:
    """The mistake of the cases of onnx 1.18 to 1.21: the softcap comes after the mask, so hidden keys leak."""
    assert o.rule.softcap is not None
    masked = np.where(o.visible, o.q @ o.k.swapaxes(-1, -2) * o.q.shape[-1] ** -0.5 + o.added, -np.inf)
    weights = np.exp(o.rule.softcap * np.tanh(masked / o.rule.softcap))
    mixed: Floats = weights / weights.sum(-1, keepdims=True) @ o.v
    return mixed


def test_the_cases_tell_a_softcap_after_the_mask_from_one_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    right = onnx_operator.output

    def wrong(o: Operands) -> tuple[Floats, str]:
        return right(o) if o.rule.softcap is None else (softmax_of_capped_mask(o), WHOLE)

    monkeypatch.setattr(onnx_operator, "output", wrong)
    found = {case.name for case in cases("stored") if not case.is_right()}
    assert {"test_attention_4d_softcap_neginf_mask", "test_attention_4d_softcap_neginf_mask_poison"} <= found
