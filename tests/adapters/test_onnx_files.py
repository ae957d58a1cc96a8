"""ONNX files as targets: right ones pass every law on both engines, wrong ones fail, and bad ones are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", minversion="1.22", reason="onnx 1.22 or later is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")

from adapters import onnx_graphs  # noqa: E402 -- after the skip
from mha_spec.adapters import load_factory  # noqa: E402
from mha_spec.adapters.onnx import reading  # noqa: E402
from mha_spec.adapters.onnx.engine import EngineName, default_engine  # noqa: E402
from mha_spec.adapters.onnx.loading import factory_of  # noqa: E402
from mha_spec.conformance import Report, TargetError, verify  # noqa: E402
from mha_spec.design import AttentionDesign, Parameters  # noqa: E402
from mha_spec.layer import multi_head_attention  # noqa: E402

ENGINES: tuple[EngineName, ...] = ("onnxruntime", "reference")
DESIGN = AttentionDesign(d_model=5, d_memory=4, h=3, d_k=2, d_v=3)
PARAMETERS = Parameters.draw(DESIGN, np.random.default_rng(0))
FLOAT, DOUBLE = onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE


@pytest.fixture(params=ENGINES)
def by(request: pytest.FixtureRequest) -> EngineName:
    if request.param == "onnxruntime":
        pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    name: EngineName = request.param
    return name


def run(model: Any, by: EngineName, **options: Any) -> Report:
    return verify(factory_of(model, by=by), isolated=False, examples=20, **options)


def wrong(report: Report) -> dict[str, str]:
    return {one.law: one.outcome for one in report.outcomes if one.outcome not in ("PASS", "SKIP")}


@pytest.mark.parametrize(
    ("graph", "least"),
    [
        (lambda: onnx_graphs.attention_node(FLOAT), 40),
        (lambda: onnx_graphs.attention_node(DOUBLE), 40),
        (lambda: onnx_graphs.attention_node(DOUBLE, softcap=2.0), 1),
        (lambda: onnx_graphs.flat_attention_node(2), 25),
        (onnx_graphs.layer_graph, 40),
        (lambda: onnx_graphs.ready_made_graph(DESIGN, PARAMETERS), 15),
    ],
    ids=["a node", "a node in float64", "a node with a softcap", "a node with joined heads", "a layer", "ready-made"],
)
def test_a_right_file_passes(graph: Any, least: int, by: EngineName) -> None:
    report = run(graph(), by)
    assert wrong(report) == {}
    assert sum(one.outcome == "PASS" for one in report.outcomes) >= least


def test_a_causal_node_passes_but_not_on_the_reference_evaluator(by: EngineName) -> None:
    """With a boolean mask beside `is_causal` the evaluator of onnx 1.22.0 gives NaN everywhere."""
    report = run(onnx_graphs.attention_node(DOUBLE, is_causal=1), by, laws=["it_equals_the_definition"])
    outcome = report.of("it_equals_the_definition").outcome
    assert outcome == ("PASS" if by == "onnxruntime" else "XFAIL")


def test_a_wrong_scale_is_found(by: EngineName) -> None:
    found = wrong(run(onnx_graphs.layer_graph(double_scale=True), by))
    assert found["two_keys_pin_the_scale"] == "FAIL"
    assert found["it_equals_the_definition"] == "FAIL"


def test_a_file_is_a_target(tmp_path: Path) -> None:
    path = onnx_graphs.saved(onnx_graphs.layer_graph(), tmp_path / "layer.onnx")
    report = verify(path, loader="mha_spec.adapters:load_factory", examples=5, laws=["it_equals_the_definition"])
    assert report.exit_status == 0


def test_a_ready_made_file_is_the_packages_own_layer() -> None:
    factory = load_factory_of(onnx_graphs.ready_made_graph(DESIGN, PARAMETERS))
    rng = np.random.default_rng(1)
    x, memory = rng.standard_normal((2, 3, 5)), rng.standard_normal((2, 4, 4))
    mask = rng.random((2, 3, 4)) < 0.7
    mask[..., 0] = True
    out = factory(None, None)(x, memory, mask)
    assert np.abs(out - multi_head_attention(x, PARAMETERS, memory, mask)).max() < 1e-12


def load_factory_of(model: Any) -> Any:
    return factory_of(model, by=default_engine())


def test_what_is_stated_must_have_a_meaning() -> None:
    with pytest.raises(TargetError, match="'heads', which is no field of a design"):
        factory_of(onnx_graphs.layer_graph(), heads=4)
    with pytest.raises(TargetError, match="is no design: kv_heads=2 does not divide h=3"):
        factory_of(onnx_graphs.ready_made_graph(DESIGN, PARAMETERS), kv_heads=2)


class TestStrangers:
    """Files that are refused, each with what is wrong and what to do."""

    @staticmethod
    def refusal(path: Path) -> str:
        with pytest.raises(TargetError) as raised:
            load_factory(str(path))
        return str(raised.value)

    def test_none(self, tmp_path: Path) -> None:
        assert "there is no file" in self.refusal(tmp_path / "absent.onnx")

    def test_no_onnx(self, tmp_path: Path) -> None:
        path = tmp_path / "text.onnx"
        path.write_text("not a model")
        assert "is not an ONNX file" in self.refusal(path) or "is not a valid ONNX model" in self.refusal(path)

    def test_empty(self, tmp_path: Path) -> None:
        path = tmp_path / "empty.onnx"
        path.write_bytes(b"")
        assert "is not a valid ONNX model" in self.refusal(path)

    def test_large(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reading, "MOST_BYTES", 100)
        path = onnx_graphs.saved(onnx_graphs.layer_graph(), tmp_path / "layer.onnx")
        assert "has more than 100 bytes: export a layer" in self.refusal(Path(path))

    def test_long(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reading, "MOST_NODES", 3)
        path = onnx_graphs.saved(onnx_graphs.layer_graph(), tmp_path / "layer.onnx")
        assert "has more than 3 nodes" in self.refusal(Path(path))

    def test_data_elsewhere(self, tmp_path: Path) -> None:
        """A name of another file, which could be any file of the reader's, is not followed."""
        model = onnx_graphs.ready_made_graph(DESIGN, PARAMETERS)
        tensor = model.graph.initializer[-1]
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="../../../etc/passwd")
        path = tmp_path / "layer.onnx"
        path.write_bytes(model.SerializeToString())
        assert "'w_o' are in another file" in self.refusal(path)

    def test_another_domain(self, tmp_path: Path) -> None:
        model = onnx_graphs.layer_graph()
        model.graph.node[0].domain = "evil"
        assert "is of 'evil'" in self.refusal(Path(onnx_graphs.saved(model, tmp_path / "layer.onnx")))

    def test_a_loop(self, tmp_path: Path) -> None:
        model = onnx_graphs.layer_graph()
        model.graph.node[0].op_type = "Loop"
        assert "is a Loop, which may run without end" in self.refusal(
            Path(onnx_graphs.saved(model, tmp_path / "layer.onnx"))
        )

    def test_inputs_of_no_layer(self, tmp_path: Path) -> None:
        model = onnx_graphs.layer_graph()
        model.graph.input[0].name = "pixels"
        model.graph.node[0].input[0] = "pixels"
        path = Path(onnx_graphs.saved(model, tmp_path / "layer.onnx"))
        assert "the input 'pixels' of the file is not known: name the inputs q k v" in self.refusal(path)
