"""Readings against the modules that the library builds, on the meta device, at sizes drawn by Hypothesis."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from mha_spec.models.class_defaults import config_class
from mha_spec.models.errors import ConfigError
from models.measured_models import read

pytest.importorskip("torch", reason="needs the transformers extra: pip install 'mha-spec[transformers]'")
pytest.importorskip("transformers", reason="needs the transformers extra: pip install 'mha-spec[transformers]'")

from mha_spec.models.cross_check import cross_check

TYPES = [
    "albert",
    "apertus",
    "arcee",
    "aria_text",
    "bart",
    "beit",
    "bert",
    "big_bird",
    "biogpt",
    "bitnet",
    "blenderbot",
    "bloom",
    "camembert",
    "clip_text_model",
    "codegen",
    "cohere",
    "cohere2",
    "csm_depth_decoder_model",
    "ctrl",
    "data2vec-text",
    "deberta-v2",
    "deepseek_v3",
    "dinov2",
    "diffllama",
    "distilbert",
    "electra",
    "ernie4_5",
    "esmc",
    "exaone",
    "exaone4",
    "falcon",
    "flaubert",
    "gemma",
    "gemma2",
    "gemma3_text",
    "glm",
    "glm4",
    "gpt2",
    "gpt_bigcode",
    "gpt_neox",
    "gpt_oss",
    "gptj",
    "granite",
    "granitemoe",
    "helium",
    "hubert",
    "jamba",
    "layoutlm",
    "lfm2",
    "llama",
    "longformer",
    "lxmert",
    "mbart",
    "minicpm3",
    "minimax",
    "mistral",
    "mixtral",
    "modernbert",
    "mpt",
    "mt5",
    "nemotron",
    "nystromformer",
    "olmo",
    "olmo2",
    "olmo3",
    "olmoe",
    "openai-gpt",
    "opt",
    "pegasus",
    "persimmon",
    "phi",
    "phi3",
    "phimoe",
    "plbart",
    "qwen2",
    "qwen2_moe",
    "qwen3",
    "qwen3_moe",
    "qwen3_next",
    "rembert",
    "roberta",
    "seed_oss",
    "siglip_text_model",
    "smollm3",
    "stablelm",
    "starcoder2",
    "t5",
    "umt5",
    "vit",
    "wav2vec2",
    "wavlm",
    "whisper",
    "xglm",
    "xlm",
    "xlnet",
    "xmod",
]
"""Model types whose modules are small enough to be built again and again."""

_LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "encoder_layers", "decoder_layers")
_WIDTHS = ("hidden_size", "d_model", "n_embd", "emb_dim", "dim")
_HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads", "decoder_attention_heads")
_SWITCHES = ("attention_bias", "use_bias", "qkv_bias", "use_qk_norm", "multi_query", "new_decoder_architecture", "bias")


@st.composite
def configs(draw: st.DrawFn, model_type: str) -> dict[str, Any]:
    """A config of the type with sizes of its own, of which any key may be left out."""
    known = config_class(model_type)
    assert known is not None
    heads, group = draw(st.sampled_from([(4, 2), (6, 3), (8, 1), (12, 4), (2, 2)]))
    width = heads * 2 * draw(st.integers(4, 24))
    config: dict[str, Any] = {"model_type": model_type}
    for names, value in ((_WIDTHS, width), (_HEADS, heads)):
        config |= {name: value for name in names if name in known.defaults}
    config |= {name: draw(st.integers(1, 4)) for name in _LAYERS if name in known.defaults}
    if "num_key_value_heads" in known.defaults:
        config["num_key_value_heads"] = heads // group
    for name in ("head_dim", "d_kv"):
        if name in known.defaults and draw(st.booleans()):
            config[name] = draw(st.sampled_from([8, 16, 24]))
    for name in _SWITCHES:
        if isinstance(known.defaults.get(name), bool) and draw(st.booleans()):
            config[name] = draw(st.booleans())
    return config


@pytest.mark.parametrize("model_type", TYPES)
@settings(max_examples=3, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_reading_agrees_with_the_modules(model_type: str, data: st.DataObject) -> None:
    config = data.draw(configs(model_type))
    try:
        reading = read(config)
    except ConfigError:
        assume(False)
    try:
        found = cross_check(config, reading)
    except ValueError:
        assume(False)  # sizes that the library refuses
    assert found.agrees, (found.only_read, found.only_built)


def test_there_are_many_types() -> None:
    assert len(set(TYPES)) >= 60
