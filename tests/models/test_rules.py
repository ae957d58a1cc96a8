"""The table of model-type rules and the class defaults: every expression can be read, and the file is what it says."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files

import pytest

from mha_spec.models.class_defaults import config_class, digest, library
from mha_spec.models.expressions import parsed
from mha_spec.models.rules import known_types, rule_for


@pytest.mark.parametrize("model_type", known_types())
def test_every_rule_can_be_read_and_says_why(model_type: str) -> None:
    rule = rule_for(model_type)
    known = config_class(model_type)
    assert rule is not None
    assert known is not None, "the library has no such model type"
    assert rule.why
    assert rule.lines or rule.names("towers")
    for line in rule.lines:
        for text in line.texts():
            parsed(text)
    for setting in set(rule.settings) - {"both-ways", "patches", "computed"}:
        assert setting in {"words", "layers", "list", "skip", "guard", "reads", "declines", "uniform", "expand"} | {
            "interleaved",
            "towers",
            "without",
        }
    for name in rule.names("towers"):
        assert name in known.parts
    for key in rule.names("reads"):
        assert key not in known.defaults, f"{key} is declared by the class"


def test_the_defaults_state_their_hash_and_their_library() -> None:
    text = files("mha_spec.models").joinpath("class_defaults.json").read_text(encoding="utf-8")
    body = text.partition('"types": {\n')[2].removesuffix("\n}}\n")
    assert hashlib.sha256(body.encode()).hexdigest() == digest()
    assert library().startswith("transformers 5.")
    assert len(json.loads(text)["types"]) > 400


def test_the_defaults_are_those_of_the_library() -> None:
    """Where the library is installed in the version that the file names, it says the same."""
    transformers = pytest.importorskip("transformers", reason="needs the transformers extra")
    if library() != f"transformers {transformers.__version__}":
        pytest.skip(f"the table is of {library()}, installed is {transformers.__version__}")
    from mha_spec.models.regenerate_class_defaults import main

    assert main(["--check"]) == 0
