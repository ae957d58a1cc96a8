"""``mha-spec check``: what it prints in each form, and the status it leaves with."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from mha_spec.cli import guard
from mha_spec.cli.app import app

BERT = {"model_type": "bert", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12}
LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_hidden_layers": 32,
    "max_position_embeddings": 8192,
}
DEEPSEEK: dict[str, Any] = {"model_type": "deepseek_v2"}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, config in {"bert": BERT, "llama": LLAMA, "deepseek": DEEPSEEK, "odd": {"model_type": "no_such"}}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(config))
    (tmp_path / "broken.json").write_text("{")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["check", *arguments], input=stdin)


def entry(*arguments: str) -> dict[str, Any]:
    result = check(*arguments, "--format", "json")
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["schema"] == 1
    return dict(found["files"][0])


@pytest.mark.usefixtures("files")
def test_json_has_the_agreed_form() -> None:
    found = entry("llama.json")
    assert found["model_type"] == "llama"
    (design,) = found["designs"]
    assert {name: design[name] for name in ("kind", "sliding", "side", "tower", "modules", "applied", "q_gate")} == {
        "kind": "self",
        "sliding": False,
        "side": None,
        "tower": "",
        "modules": 32,
        "applied": 32,
        "q_gate": False,
    }
    assert (design["d_model"], design["h"], design["kv_heads"], design["d_k"], design["d_v"]) == (4096, 32, 8, 128, 128)
    assert design["parameters"] == {
        "q": 4096**2,
        "k": 4096 * 1024,
        "v": 4096 * 1024,
        "o": 4096**2,
        "biases": 0,
        "other": 0,
        "total": 41_943_040,
    }
    assert design["provenance"]["h"] == "published"
    assert design["provenance"]["d_k"] == "derived: 4096/32"
    assert found["totals"] == {
        "attention_layers": 32,
        "qkvo_weights": 1_342_177_280,
        "qkvo_biases": 0,
        "attention_parameters": 1_342_177_280,
    }
    assert found["not_covered"] == []


@pytest.mark.usefixtures("files")
def test_factored_projections_are_null_by_structure() -> None:
    found = entry("deepseek.json")
    (design,) = found["designs"]
    assert design["kind"] == "latent"
    assert design["parameters"]["q"] is None
    assert design["parameters"]["o"] is not None
    assert set(design["factored"]) == {"q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "kv_b_proj"}
    assert found["totals"]["qkvo_weights"] is None
    assert found["totals"]["attention_parameters"] == design["parameters"]["total"] * 32


@pytest.mark.usefixtures("files")
def test_verdicts_tell_biases_from_matrices() -> None:
    verdicts = {claim["claim"]: claim for claim in entry("bert.json")["claims"]}
    assert verdicts["projection_weights == 4*d_model**2"]["theorem"] == "projection_weights"
    parameters = verdicts["parameters == 4*d_model**2"]
    assert (parameters["verdict"], parameters["hypotheses_broken"]) == ("FAILS", ["H4"])
    assert "the matrices hold what the textbook says" in parameters["why"]
    llama = {claim["claim"]: claim for claim in entry("llama.json")["claims"]}
    assert llama["projection_weights == 4*d_model**2"]["ratio"] == 0.625
    assert llama["kv_cache_entries == 2*m*d_model"]["ratio"] == 0.25
    assert llama["score_multiplications == n**2*d_model"]["verdict"] == "HOLDS"


def test_a_coincidence_is_told_apart() -> None:
    result = check("--d-model", "8", "--heads", "3", "--kv-heads", "1", "--head-dim", "4", "--format", "json")
    claims = {claim["claim"]: claim for claim in json.loads(result.stdout)["files"][0]["claims"]}
    assert claims["projection_weights == 4*d_model**2"]["verdict"] == "COINCIDENCE"


@pytest.mark.usefixtures("files")
def test_the_statuses() -> None:
    assert check("llama.json").exit_code == 0
    assert check("llama.json", "--claim", "kv_heads == 8").exit_code == 0
    assert check("llama.json", "--claim", "kv_heads == 9").exit_code == 1
    assert check("deepseek.json", "--claim", "kv_heads == 9").exit_code == 1
    assert check("odd.json").exit_code == 0
    assert check("odd.json", "--strict").exit_code == 1
    assert check("odd.json", "--claim", "h == 1").exit_code == 1
    assert check("llama.json", "--strict").exit_code == 1
    assert check("--d-model", "512", "--heads", "8", "--strict").exit_code == 0
    assert check("broken.json").exit_code == guard.BAD_INPUT


@pytest.mark.usefixtures("files")
def test_of_several_files_the_good_ones_are_reported() -> None:
    result = check("bert.json", "broken.json", "absent.json", "llama.json")
    assert result.exit_code == guard.BAD_INPUT
    assert "bert.json" in result.stdout
    assert "llama.json" in result.stdout
    assert "broken.json: not JSON at line 1" in result.stderr
    assert "absent.json: No such file or directory" in result.stderr


def test_standard_input_is_read() -> None:
    result = check("-", stdin=json.dumps(LLAMA))
    assert result.exit_code == 0
    assert "standard input: llama" in result.stdout


@pytest.mark.usefixtures("files")
def test_text_says_where_each_number_came_from_and_in_what_unit() -> None:
    text = check("llama.json", "--batch", "2", "--dtype", "float32", "--causal", "kept").stdout
    assert "n = 8,192 (max_position_embeddings, published), batch 2, float32" in text
    assert "only the pairs that causality leaves" in text
    assert "multiplications" in text
    assert "bytes" in text
    assert "published" in text


@pytest.mark.usefixtures("files")
def test_costs_follow_the_setting() -> None:
    full, kept = (
        entry("llama.json", "--seq", "1000", "--causal", kind)["costs"]["layers"][0] for kind in ("full", "kept")
    )
    assert full["score_multiplications"] == 32 * 1000 * 1000 * 128
    assert kept["score_multiplications"] == 32 * 1000 * 1001 // 2 * 128
    assert full["kv_cache_bytes"] == 1000 * 8 * 256 * 2
    twice = entry("llama.json", "--seq", "1000", "--batch", "2", "--dtype", "float32")["costs"]["layers"][0]
    assert twice["kv_cache_bytes"] == 4 * full["kv_cache_bytes"]
    assert twice["parameters"] == full["parameters"]


def test_sliding_layers_are_counted_by_their_window(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "mistral", "sliding_window": 100}))
    layer = entry(str(path), "--seq", "1000", "--causal", "kept")["costs"]["layers"][0]
    assert layer["score_multiplications"] == 32 * 128 * sum(min(query, 100) for query in range(1, 1001))
    assert layer["kv_cache_bytes"] == 100 * 8 * 256 * 2


@pytest.mark.usefixtures("files")
def test_csv_and_markdown_are_tables() -> None:
    rows = list(csv.DictReader(io.StringIO(check("bert.json", "llama.json", "--format", "csv").stdout)))
    assert [(row["model_type"], row["d_model"], row["biases"]) for row in rows] == [
        ("bert", "768", "qkvo"),
        ("llama", "4096", "none"),
    ]
    markdown = check("bert.json", "--format", "markdown").stdout
    assert markdown.startswith("| file | model_type |")
    assert "| HOLDS |" in markdown


@pytest.mark.usefixtures("files")
def test_github_prints_at_most_ten_annotations(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files / "summary.md"))
    claims = [argument for number in range(12) for argument in ("--claim", f"h == {100 + number}")]
    lines = check("llama.json", *claims, "--format", "github").stdout.splitlines()
    assert sum(line.startswith("::") for line in lines) == 10
    assert lines[0].startswith("::error file=llama.json,title=mha-spec::h == 100 FAILS")
    assert "| HOLDS |" in (files / "summary.md").read_text()


@pytest.mark.usefixtures("files")
def test_two_models_are_compared() -> None:
    text = check("bert.json", "--vs", "llama.json", "--seq", "512").stdout
    assert "bert.json (bert) against llama.json (llama)" in text
    assert "5.333 times" in text


def test_heads_vary() -> None:
    result = check("--d-model", "512", "--heads", "8", "--vary", "h=1,8,3", "--seq", "10", "--format", "json")
    one, eight, three = json.loads(result.stdout)["variants"][0]["rows"]
    assert one["costs"]["multiplications"] == eight["costs"]["multiplications"] == 4 * 10 * 512**2 + 2 * 100 * 512
    assert eight["costs"]["exponentials"] == 8 * one["costs"]["exponentials"]
    assert three["problem"] == "3 heads do not divide the width 512 that they share"
    held = check("--d-model", "512", "--heads", "8", "--vary", "h=1,8", "--hold", "d_k", "--format", "json")
    rows = json.loads(held.stdout)["variants"][0]["rows"]
    assert [row["sizes"]["d_model"] for row in rows] == [64, 512]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--heads", "8"),
        ("--d-model", "512", "--heads", "7"),
        ("--d-model", "512", "--heads", "8", "--vary", "h=1,x"),
        ("--d-model", "512", "--heads", "8", "--vary", "h=1", "--hold", "n"),
        ("--d-model", "512", "--heads", "8", "--claim", "h ="),
        ("x.json", "--d-model", "512", "--heads", "8"),
        ("absent.json",),
    ],
)
@pytest.mark.usefixtures("files")
def test_bad_input_is_told_in_one_message(arguments: tuple[str, ...]) -> None:
    from mha_spec.cli import main

    with pytest.raises(SystemExit) as caught:
        main(["check", *arguments])
    assert caught.value.code == guard.BAD_INPUT


@pytest.mark.usefixtures("files")
def test_claims_are_proved_where_that_can_be_done() -> None:
    claims = entry("bert.json", "--claim", "projection_weights == 4*d_model**2")["claims"]
    assert claims[-1]["why"].startswith("by proof, for all sizes, using H1 H2 H3 H6")
    independent = entry("llama.json", "--claim", "multiplications independent of h")["claims"][-1]
    assert independent["verdict"] == "FAILS"


@pytest.mark.parametrize("form", ["claims.toml", "pyproject.toml"])
def test_a_project_keeps_claims(files: Path, form: str) -> None:
    head = "[[models]]" if form == "claims.toml" else "[[tool.mha-spec.models]]"
    path = files / form
    path.write_text(f'{head}\nconfig = "llama.json"\nclaims = ["kv_heads == 8"]\n\n{head}\nd_model = 512\nh = 8\n')
    result = check()
    assert result.exit_code == 0, result.output
    assert "llama.json" in result.stdout
    path.write_text(f'{head}\nconfig = "llama.json"\nclaims = ["kv_heads == 7"]\n')
    assert check().exit_code == 1
    path.write_text(f'{head}\nconfig = "llama.json"\nclaim = ["kv_heads == 7"]\n')
    with pytest.raises(Exception, match="claim is"):
        raise check().exception or AssertionError


def test_without_a_config_and_without_a_project_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception, match=r"no CONFIG given, and .* has neither"):
        raise check().exception or AssertionError


@pytest.mark.usefixtures("files")
def test_a_check_loads_no_prover_and_no_framework() -> None:
    program = "import sys\nfrom mha_spec.cli import main\ntry:\n    main(['check', 'llama.json'])\n"
    program += "except SystemExit:\n    pass\n"
    program += "print('LOADED', *{name.partition('.')[0] for name in sys.modules})"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    loaded = set(run.stdout.rpartition("LOADED")[2].split())
    assert not loaded & {"sympy", "hypothesis", "torch", "transformers", "rich", "matplotlib"}
