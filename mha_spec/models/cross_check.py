"""Compares a reading with the modules that the transformers library builds from the same config."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mha_spec.design import DesignError

from .designs import MATRICES, SIZES, ModelReading
from .measured_layers import MeasuredLayer, measure
from .model import read_model
from .reading import read_config


@dataclass(frozen=True)
class CrossCheck:
    """Layers that only one side has, each with how many; both are empty where the reading agrees."""

    only_read: Counter[MeasuredLayer]
    only_built: Counter[MeasuredLayer]
    complete: bool = True

    @property
    def agrees(self) -> bool:
        """Whether every layer that was read is built, and every layer is read unless the reading says otherwise."""
        return not self.only_read and (not self.only_built or not self.complete)


def cross_check(keys: Mapping[str, object], reading: ModelReading) -> CrossCheck:
    """Build the config and compare; raises ImportError without the ``transformers`` extra."""
    built, read = measure(keys), as_measured(reading)
    return CrossCheck(read - built, built - read, reading.complete)


def as_measured(reading: ModelReading) -> Counter[MeasuredLayer]:
    """The designs of a reading in the form in which modules are measured."""
    found: Counter[MeasuredLayer] = Counter()
    for design in reading.designs:
        weights = design.weights
        if weights.biases is None or weights.other_entries is None or design.modules is None:
            continue
        biases = tuple(weights.biases.get(name, 0) for name in MATRICES)
        d_model, d_memory, h, kv_heads, d_k, d_v = (design.sizes[name] for name in SIZES)
        matrices = tuple(weights.matrices[name] for name in MATRICES)
        layer = MeasuredLayer(
            design.kind, d_model, d_memory, h, kv_heads, d_k, d_v, matrices, biases, weights.other_entries
        )
        found[layer] += design.modules
    return found


def print_cross_checks(paths: Sequence[str]) -> int:
    """Cross-check each config, print what differs, and return 1 if anything does.

    Raises DesignError without the ``transformers`` extra.
    """
    status = 0
    for path in paths:
        config = read_config(path)
        try:
            found = cross_check(config.keys, read_model(config))
        except ImportError:
            raise DesignError("--cross-check needs transformers: pip install 'mha-spec[transformers]'") from None
        except ValueError as error:
            print(f"{path}: the library builds no model of it: {str(error)[:200]}")
            status = 1
            continue
        status = max(status, int(not found.agrees))
        outcome = "agrees" if found.agrees else "DISAGREES"
        print(f"{path}: {outcome} with the modules that transformers builds")
        for side, layers in (("read", found.only_read), ("built", found.only_built)):
            for layer, count in layers.items():
                print(f"  only {side}: {count} x {layer}")
    return status
