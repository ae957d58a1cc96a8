"""The textbook's claims on designs, and the hard cases among the configs, each with its reason."""

from __future__ import annotations

from typing import Any

import pytest

from mha_spec.claims.catalogue import theorems
from mha_spec.models.checking import Wanted, check_reading
from mha_spec.models.verdicts import TEXTBOOK
from models.measured_models import read

Config = dict[str, Any]


def verdicts(config: Config) -> dict[str, str]:
    model = check_reading(read(config), Wanted(seq=128))
    return {one.claim: one.outcome for one in model.designs[0].textbook}


def test_each_textbook_claim_is_proved_by_the_theorem_it_names() -> None:
    known = {theorem.name: theorem for theorem in theorems()}
    for one in TEXTBOOK:
        assert one.claim in known[one.theorem].claims
        needed = {name for name, claim in known[one.theorem].needs if claim == one.claim}
        assert needed - {"H5"} <= set(one.needs)


FALCON: Config = {"model_type": "falcon", "hidden_size": 128, "num_attention_heads": 8, "num_hidden_layers": 2}


@pytest.mark.parametrize(
    ("config", "sizes"),
    [
        ({**FALCON, "multi_query": True, "num_kv_heads": 4}, {"kv_heads": 1}),
        ({**FALCON, "multi_query": False, "num_kv_heads": 4}, {"kv_heads": 8}),
        ({**FALCON, "new_decoder_architecture": True, "num_kv_heads": 4}, {"kv_heads": 4}),
        ({"model_type": "gpt_bigcode", "multi_query": True, "n_embd": 96, "n_head": 6}, {"kv_heads": 1, "d_k": 16}),
        ({"model_type": "t5", "d_model": 512, "num_heads": 8, "d_kv": 32}, {"d_k": 32, "d_model": 512}),
        ({"model_type": "deepseek_v3"}, {"d_k": 192, "d_v": 128, "kv_heads": None}),
        ({"model_type": "mistral", "hidden_size": 5120, "head_dim": 128}, {"d_k": 128, "h": 32}),
        ({"model_type": "mistral", "hidden_size": 5120, "head_dim": None}, {"d_k": 160}),
        (
            {"model_type": "llava", "text_config": {"hidden_size": 64, "num_attention_heads": 4}},
            {"d_model": 64, "h": 4},
        ),
    ],
)
def test_hard_cases(config: Config, sizes: dict[str, int | None]) -> None:
    design = read(config).designs[0]
    assert {name: design.sizes[name] for name in sizes} == sizes


def test_whispers_key_has_no_bias() -> None:
    for design in read({"model_type": "whisper"}).designs:
        assert set(design.weights.biases or ()) == {"q", "v", "o"}


def test_alberts_layer_is_one_module_that_runs_again() -> None:
    (design,) = read({"model_type": "albert", "num_hidden_layers": 12}).designs
    assert (design.modules, design.applied) == (1, 12)


def test_only_the_first_layer_of_a_side_holds_t5s_table() -> None:
    designs = read({"model_type": "t5", "num_layers": 4, "num_decoder_layers": 2}).designs
    found = [(one.side, one.kind, one.modules, bool(one.weights.other)) for one in designs]
    assert found == [
        ("encoder", "self", 1, True),
        ("encoder", "self", 3, False),
        ("decoder", "self", 1, True),
        ("decoder", "self", 1, False),
        ("decoder", "cross", 2, False),
    ]


def test_a_gate_inside_q_is_told() -> None:
    (design,) = read({"model_type": "qwen3_next", "num_hidden_layers": 8}).designs
    assert design.gate
    assert design.modules == 2
    assert design.weights.matrices["q"] == 2 * (design.weights.matrices["o"] or 0)


def test_full_heads_hold_and_grouped_heads_fail() -> None:
    llama: Config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    assert set(verdicts(llama).values()) == {"HOLDS"}
    grouped = verdicts({**llama, "num_key_value_heads": 2})
    assert grouped.pop("score_multiplications == n**2*d_model") == "HOLDS"
    assert set(grouped.values()) == {"FAILS"}


def test_an_unread_tower_leaves_the_totals_open() -> None:
    text: Config = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "model_type": "llama"}
    config = {"model_type": "llava", "text_config": text, "vision_config": {"model_type": "levit"}}
    reading = read(config)
    assert reading.designs
    assert set(reading.totals().values()) == {None}
    assert [one.key for one in reading.not_covered] == ["vision_config.model_type"]
