"""Every shared config against what the library builds: no wrong number, and how much is read."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from mha_spec.models.errors import ConfigError
from mha_spec.models.rules import known_types
from models.measured_models import DATA, KNOWN_ERRORS, MeasuredModel, layers_read, measured_models, read, standing

MODELS = [model for model in measured_models() if model.name not in KNOWN_ERRORS]


def test_no_number_is_wrong() -> None:
    found = Counter({model.name: 1 for model in MODELS if standing(model) == "wrong"})
    assert found == Counter()


def test_the_known_errors_of_the_measurement_are_those() -> None:
    """What is read there is what the library's code says; were the data mended, this would fail."""
    assert {model.name for model in measured_models() if standing(model) == "wrong"} == KNOWN_ERRORS


def test_published_sizes_are_read() -> None:
    """At least 95 % of the published sizes, exactly."""
    standings = [standing(model) for model in MODELS if model.named]
    assert standings.count("exact") >= 0.95 * len(standings), Counter(standings)


def test_single_text_towers_are_read() -> None:
    """At least 85 % of the model types with one tower, of text, at all sizes that are there."""
    by_type: defaultdict[str, set[str]] = defaultdict(set)
    for model in MODELS:
        if model.text and model.towers <= 1:
            by_type[model.model_type].add(standing(model))
    exact = sorted(name for name, found in by_type.items() if found == {"exact"})
    assert len(exact) >= 0.85 * len(by_type), sorted(set(by_type) - set(exact))


def test_model_types_without_a_shared_config_are_read() -> None:
    """At least 60 % of the types of which only the keys were observed have a rule."""
    types = (DATA / "observed_only.txt").read_text(encoding="utf-8").split()
    known = set(known_types())
    assert sum(name in known for name in types) >= 0.6 * len(types)


def test_several_towers_are_read_where_there_is_a_text_tower() -> None:
    """The text tower of most models with several, and never a total that leaves a tower out."""
    several = [model for model in MODELS if model.towers > 1]
    assert sum(standing(model) in {"exact", "partial"} for model in several) >= 0.6 * len(several)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_config_without_its_redundant_keys_reads_the_same_or_declines(model: MeasuredModel) -> None:
    """Published configs leave out what equals the class's default."""
    try:
        whole = read(model.config, model.name)
    except ConfigError:
        return
    minimal = read(model.minimal(), model.name)
    if minimal.not_covered:
        known = {name: value for name, value in minimal.totals().items() if value is not None}
        assert known.items() <= whole.totals().items()
        return
    assert layers_read(minimal) == layers_read(whole)
    assert minimal.totals() == whole.totals()
