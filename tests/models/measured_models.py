"""The shared configs with what was measured on the library's modules, and readings in the form of a measurement.

One line of `measured.jsonl` is one config: its layers by kind, its totals, and which of its keys are `redundant`,
that is, may be deleted one after the other without a change in what the library resolves the config to.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mha_spec.models.designs import MATRICES, ModelReading
from mha_spec.models.model import read_model
from mha_spec.models.reading import ConfigFile

DATA = Path(__file__).resolve().parents[1] / "data" / "models"
KNOWN_ERRORS = {"default--exaone4", "default--lxmert"}
"""Measurements that are wrong: exaone4's full layers are labelled sliding, and lxmert's 12 heads are read as 1."""

Layer = tuple[Any, ...]


@dataclass(frozen=True)
class MeasuredModel:
    """One config with its measurement."""

    name: str
    source: str
    text: bool
    towers: int
    totals: dict[str, int | None]
    layers: list[dict[str, Any]]
    redundant: list[str]
    config: dict[str, Any]

    @property
    def model_type(self) -> str:
        return str(self.config["model_type"])

    @property
    def named(self) -> bool:
        """Whether it is a published size rather than a class's default or a synthetic shape."""
        return self.source in {"L", "R", "D"}

    def measured(self) -> Counter[Layer]:
        """The layers by their numbers, with how many there are."""
        found: Counter[Layer] = Counter()
        for layer in self.layers:
            sizes = (layer[name] for name in ("d_model", "d_memory", "h", "kv_heads", "d_k"))
            matrices = (layer[name] for name in MATRICES)
            key = (layer["kind"], layer["sliding"], *sizes, *matrices, tuple(layer["biases"]), layer["other"])
            found[key] += layer["modules"]
        return found

    def minimal(self) -> dict[str, Any]:
        """The config without its redundant keys."""
        kept = {key: dict(value) if isinstance(value, dict) else value for key, value in self.config.items()}
        for key in self.redundant:
            part, _, inner = key.partition(".")
            del (kept[part] if inner else kept)[inner or part]
        return kept


@cache
def measured_models() -> tuple[MeasuredModel, ...]:
    lines = (DATA / "measured.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(MeasuredModel(**json.loads(line)) for line in lines)


def read(config: dict[str, Any], name: str = "config.json") -> ModelReading:
    return read_model(ConfigFile(name, config))


def layers_read(reading: ModelReading) -> Counter[Layer]:
    """The designs of a reading in the form of `MeasuredModel.measured`."""
    found: Counter[Layer] = Counter()
    for layer, count in _layers_read(reading):
        found[layer] += count
    return found


def _layers_read(reading: ModelReading) -> Iterator[tuple[Layer, int]]:
    for design in reading.designs:
        weights, latent = design.weights, design.kind == "latent"
        biases = None if weights.biases is None else tuple(weights.biases.get(name, 0) for name in MATRICES)
        sizes = [design.sizes[name] for name in ("d_model", "d_memory", "h", "kv_heads", "d_k")]
        if latent:
            sizes[1] = None
        matrices = (weights.matrices[name] for name in MATRICES)
        yield (design.kind, design.sliding, *sizes, *matrices, biases, weights.other_entries), design.modules or 0


def standing(model: MeasuredModel) -> str:
    """``exact``, ``partial`` (every number is right, but some are left open), ``declined`` or ``wrong``."""
    reading = read(model.config, model.name)
    mine, truth = layers_read(reading), model.measured()
    totals = reading.totals()
    if any(value is not None and value != model.totals[name] for name, value in totals.items()) or mine - truth:
        return "wrong"
    if not reading.designs:
        return "declined"
    left_open = [one for one in reading.not_covered if not one.key.endswith("applied")]
    return "exact" if mine == truth and totals == model.totals and not left_open else "partial"
