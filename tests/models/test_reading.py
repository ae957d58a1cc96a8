"""Files that are no config, and values that make no layer: one line with file, key, value and what was expected."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_spec.models.errors import ConfigError
from mha_spec.models.model import read_model
from mha_spec.models.reading import DEEPEST, MOST_BYTES, ConfigFile, parse_config, read_config

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_hidden_layers": 2,
}


def refusal(config: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        read_model(ConfigFile("c.json", config))
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("c.json: ")
    return message


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "c.json: empty, expected a JSON object"),
        (b"{", "c.json: not JSON at line 1, column 2"),
        (b"[1, 2]", "c.json: holds a list, expected a JSON object"),
        (b"null", "c.json: holds null"),
        (b'"text"', "c.json: holds a string"),
        (b"3", "c.json: holds a number"),
        (b"true", "c.json: holds true or false"),
        (b'{"h": 1, "h": 2}', "c.json: h is 2, expected the key once"),
        (b'{"a": {"h": 1, "h": 1}}', "c.json: h is 1, expected the key once"),
        (b"\xff\xfe\xff", "expected JSON in UTF-8, UTF-16 or UTF-32"),
        (b'{"a": "\xe9"}', "c.json: byte 7 is not UTF-8"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", f"expected at most {DEEPEST} levels"),
        (b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", f"expected at most {DEEPEST} levels"),
        (b'{"a": ' + b"9" * 5000 + b"}", "Exceeds the limit"),
        (b" " * (MOST_BYTES + 1), "larger than 16 MiB"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_files_that_are_no_config(content: bytes, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(content, "c.json")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_encodings(encoding: str) -> None:
    text = json.dumps({"model_type": "llama", "note": "größer"}, ensure_ascii=False)
    assert parse_config(text.encode(encoding), "c.json").keys == {"model_type": "llama", "note": "größer"}


def test_a_directory_is_refused_with_the_file_that_is_meant(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"a directory, expected a config file; did you mean .*config\.json"):
        read_config(str(tmp_path))


def test_a_large_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    with path.open("wb") as file:
        os.truncate(file.fileno(), 2**30)
    with pytest.raises(ConfigError, match="1,073,741,824 bytes, expected a config file of at most 16 MiB"):
        read_config(str(path))


@pytest.mark.parametrize("value", ["12", 12.0, -1, 0, True, float("nan"), {"a": 1}])
@pytest.mark.parametrize("key", ["num_attention_heads", "num_key_value_heads", "hidden_size", "num_hidden_layers"])
def test_a_value_of_the_wrong_kind_is_refused(key: str, value: object) -> None:
    message = refusal({**LLAMA, key: value})
    assert f"{key} is " in message
    assert "expected" in message


def test_a_list_for_one_number_is_not_covered() -> None:
    reading = read_model(ConfigFile("c.json", {**LLAMA, "num_attention_heads": [32, 32]}))
    assert [one.key for one in reading.not_covered] == ["num_attention_heads"]
    assert not reading.designs or reading.designs[0].sizes["h"] is None
    assert set(reading.totals().values()) == {None}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"num_key_value_heads": 5}, "num_key_value_heads is 5, expected a divisor of num_attention_heads = 32"),
        ({"hidden_size": 4097}, "hidden_size is 4097, expected a multiple of num_attention_heads = 32"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers is 1000000000, expected at most 100,000 layers"),
        ({"attention_bias": "yes"}, 'attention_bias is "yes", expected true or false'),
        ({"model_type": 7}, "model_type is 7, expected the name of a model type"),
    ],
)
def test_contradictions_are_refused(changed: dict[str, Any], told: str) -> None:
    assert refusal({**LLAMA, **changed}) == f"c.json: {told}"


def test_two_names_of_one_key_must_agree() -> None:
    both: dict[str, Any] = {"model_type": "gpt2", "n_embd": 768, "hidden_size": 1024}
    assert "hidden_size is 1024, expected the same as n_embd = 768" in refusal(both)
    reading = read_model(ConfigFile("c.json", {**both, "hidden_size": 768}))
    assert reading.designs[0].sizes["d_model"] == 768


def test_a_missing_model_type_is_refused_and_an_unknown_one_is_not_covered() -> None:
    assert "model_type is missing" in refusal({"hidden_size": 8})
    unknown = ConfigFile("c.json", {**LLAMA, "model_type": "no_such_type"})
    reading = read_model(unknown)
    assert not reading.designs
    assert [one.key for one in reading.not_covered] == ["model_type"]
    assert set(reading.totals().values()) == {None}
    assumed = read_model(unknown, assume_like="llama")
    assert assumed.designs[0].assumed == ("everything: read as llama",)
    assert assumed.designs[0].sizes["kv_heads"] == 8


def test_a_missing_key_is_the_default_of_the_class_and_a_null_is_what_follows() -> None:
    gemma: dict[str, Any] = {
        "model_type": "gemma",
        "hidden_size": 3072,
        "num_attention_heads": 16,
        "num_key_value_heads": 16,
    }
    missing = read_model(ConfigFile("c.json", gemma)).designs[0]
    assert (missing.sizes["d_k"], missing.provenance["d_k"]) == (256, "class default of gemma")
    glm: dict[str, Any] = {"model_type": "glm4_moe", "hidden_size": 4096, "num_attention_heads": 96}
    null = read_model(ConfigFile("c.json", {**glm, "head_dim": None})).designs[0]
    assert (null.sizes["d_k"], null.provenance["d_k"]) == (42, "derived: floor(4096/96)")
    llama = read_model(ConfigFile("c.json", {**LLAMA, "num_key_value_heads": None})).designs[0]
    assert (llama.sizes["kv_heads"], llama.provenance["kv_heads"]) == (32, "derived: num_attention_heads")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.sampled_from(["llama", "falcon", "gpt_neo", "t5", "deepseek_v2", "qwen2_vl", "nemotron_h", "lfm2", "mpt"]),
    st.dictionaries(
        st.sampled_from(
            [
                "hidden_size",
                "num_attention_heads",
                "num_key_value_heads",
                "head_dim",
                "layer_types",
                "attention_types",
                "n_layers",
                "d_model",
                "num_hidden_layers",
                "text_config",
                "vision_config",
                "q_lora_rank",
                "multi_query",
                "full_attn_idxs",
                "d_kv",
                "num_layers",
            ]
        ),
        json_values,
        max_size=4,
    ),
)
def test_whatever_is_written_is_read_or_refused(model_type: str, keys: dict[str, Any]) -> None:
    told = ""
    try:
        read_model(ConfigFile("c.json", {**keys, "model_type": model_type})).totals()
    except ConfigError as error:
        told = str(error)
    assert "\n" not in told
