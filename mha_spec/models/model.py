"""From a config file to the designs of all its towers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .aliases import LENGTHS, common_keys
from .class_defaults import ConfigClass, Part, config_class
from .designs import LayerDesign, ModelReading, Uncovered, merged
from .errors import ConfigError, refuse
from .expressions import NotCoveredError, Plain, Value, WrongValueError
from .reading import ConfigFile
from .resolution import PUBLISHED, Keys
from .rules import Rule, rule_for
from .tower import Tower

_HETEROGENEOUS = "per_layer_config"


def read_model(config: ConfigFile, assume_like: str | None = None, given_by: str = PUBLISHED) -> ModelReading:
    """The designs of a config, with what is not covered.

    `assume_like` reads a config as if it were of that model type, and marks everything as assumed; `given_by` is
    the provenance of values that stand in the config.  Raises ConfigError for values that make no attention layer.
    """
    written = config.keys.get("model_type")
    if assume_like is not None:
        if config_class(assume_like) is None or rule_for(assume_like) is None:
            raise ConfigError(f"--assume-like {assume_like}: no model type is known by that name")
    elif "model_type" not in config.keys:
        raise ConfigError(f"{config.name}: model_type is missing, expected a model type (or give --assume-like TYPE)")
    elif not isinstance(written, str) or not written:
        raise refuse(config.name, "model_type", written, "the name of a model type")
    model_type = assume_like or str(written)
    assumed = (f"everything: read as {assume_like}",) if assume_like else ()
    found = _Reading(config.name, assumed, given_by)
    found.read(model_type, config.keys, "", given_by)
    positions, source = found.positions
    return ModelReading(
        config.name,
        written if isinstance(written, str) else None,
        merged(found.designs),
        tuple(dict.fromkeys(found.uncovered)),
        not found.incomplete,
        positions,
        source,
    )


@dataclass
class _Reading:
    file: str
    assumed: tuple[str, ...]
    given_by: str
    designs: list[LayerDesign] = field(default_factory=list)
    uncovered: list[Uncovered] = field(default_factory=list)
    incomplete: bool = False
    positions: tuple[int | None, str] = (None, "")

    def read(self, model_type: str, raw: Mapping[str, Plain], place: str, given_by: str) -> None:
        """Add the designs of a config or of a part of one; `place` is where it stands, such as ``text_config``."""
        known, rule = config_class(model_type), rule_for(model_type)
        dotted = f"{place}." if place else ""
        if known is None or rule is None:
            self._decline(f"{dotted}model_type", f"{model_type}: there is no rule for the layers of this model type")
            return
        if raw.get(_HETEROGENEOUS) and _HETEROGENEOUS not in rule.names("reads"):
            self._decline(dotted + _HETEROGENEOUS, "sizes of single layers are not read")
            return
        keys = Keys(self.file, dotted, raw, known, frozenset(rule.names("reads")), given_by)
        if rule.lines:
            tower = Tower(keys, rule, place, self.assumed)
            found = tower.designs()
            self.designs += found
            self.uncovered += tower.uncovered
            self.incomplete |= bool(tower.uncovered)
            if any(design.applied is None and design.modules is not None for design in found):
                self.uncovered.append(Uncovered(f"{dotted}applied", "layers run in loops whose number is not read"))
        self._find_positions(keys)
        for key in _strange_parts(rule, known, raw):
            self._decline(dotted + key, "a part of the model that is not read")
        for part in rule.names("towers"):
            self._read_part(part, rule, known, keys, place)
        for key, reason in _parts_left_out(rule):
            self._decline(dotted + key, reason)

    def _read_part(self, name: str, rule: Rule, known: ConfigClass, keys: Keys, place: str) -> None:
        path = f"{place}.{name}" if place else name
        part, given = known.parts.get(name, Part(None)), keys.raw.get(name)
        if given is not None and not isinstance(given, dict):
            raise refuse(self.file, path, given, "an object with the keys of a part of the model")
        source = self.given_by
        if keys.raw.get(f"{name}_dict") is not None:
            self._decline(f"{path}_dict", f"an older form of {name}, which overrides it")
            return
        if given is None:
            if stray := [key for key in common_keys() if key in keys.raw and key not in known.defaults]:
                self._decline(path, f"it is missing, and {stray[0]} stands outside it")
                return
            if part.optional:
                return
            given, source = dict(part.initial), f"class default of {known.model_type}"
        written = given.get("model_type")
        model_type = str(written) if isinstance(written, str) and not part.fixed else part.model_type
        if model_type is None:
            self._decline(path, "it does not say what model type it is")
        elif part.fixed and isinstance(written, str) and written != part.model_type and rule_for(written):
            self._decline(
                f"{path}.model_type", f"{written}, but {known.model_type} reads every part as {part.model_type}"
            )
        else:
            self.read(model_type, given, path, source)

    def _find_positions(self, keys: Keys) -> None:
        if self.positions[0] is not None:
            return
        for key in LENGTHS:
            if keys.has(key):
                try:
                    found: Value = keys.value(key)
                except (NotCoveredError, WrongValueError):
                    continue
                if isinstance(found.plain, int) and not isinstance(found.plain, bool) and found.plain > 0:
                    self.positions = (found.plain, f"{keys.place}{key}, {found.source}")
                    return

    def _decline(self, key: str, reason: str) -> None:
        self.uncovered.append(Uncovered(key, reason))
        self.incomplete = True


_NO_TOWERS = frozenset({"quantization_config", "generation_config", "compression_config", "auto_map", "rope_config"})


def _strange_parts(rule: Rule, known: ConfigClass, raw: Mapping[str, Plain]) -> Iterator[str]:
    """Parts that a composite config names and its class does not know: older names of a tower, among others."""
    if rule.names("towers"):
        for key, value in raw.items():
            if key.endswith("_config") and isinstance(value, dict) and key not in known.parts and key not in _NO_TOWERS:
                yield key


def _parts_left_out(rule: Rule) -> Iterator[tuple[str, str]]:
    """The parts of a config that a rule names as not read: ``without vision_config: reason``."""
    for item in filter(None, rule.settings.get("without", "").split(",")):
        key, _, reason = item.partition(":")
        yield key.strip(), reason.strip()
