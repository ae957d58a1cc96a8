"""The defaults of the library's config classes, as shipped in `class_defaults.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from .reading import Json


@dataclass(frozen=True)
class Part:
    """A sub-config of a composite: the model type it has where it names none, or always if it is `fixed`.

    A part that is left out is not there if it is `optional`, and else has the keys of `initial`.
    """

    model_type: str | None
    fixed: bool = False
    optional: bool = False
    initial: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class ConfigClass:
    """What the library's class of one model type says of keys that a config leaves out or sets to null.

    `null` says what a null stands for: ``{"follows": key}``, ``{"floor": [key, key]}``, ``"computed"``, ``"stays"`` or
    ``"refused"``; of the keys that are not in it, those whose default is null stay null, and the others refuse it.
    `aliases` are other names of keys, `parts` the sub-configs of a composite.
    """

    model_type: str
    name: str
    defaults: Mapping[str, Json]
    null: Mapping[str, Json] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)

    def meaning_of_null(self, key: str) -> Json:
        """What a null stands for, as in `null`."""
        return self.null.get(key, "stays" if self.defaults.get(key) is None else "refused")

    def names_of(self, key: str) -> tuple[str, ...]:
        """A key and its aliases."""
        return (key, *(alias for alias, meant in self.aliases.items() if meant == key))


@cache
def _table() -> Mapping[str, Json]:
    loaded: Mapping[str, Json] = json.loads(
        files(__package__).joinpath("class_defaults.json").read_text(encoding="utf-8")
    )
    return loaded


def library() -> str:
    """The library and version the defaults were read from, such as ``transformers 5.24.0``."""
    return str(_table()["library"])


def digest() -> str:
    """The SHA-256 of the entries, as the file states it."""
    return str(_table()["sha256"])


@cache
def config_class(model_type: str) -> ConfigClass | None:
    """The class of a model type, or None for one that the library does not have."""
    types = _table()["types"]
    assert isinstance(types, dict)
    entry = types.get(model_type)
    if not isinstance(entry, dict):
        return None

    def texts(part: str) -> dict[str, str]:
        found = entry.get(part)
        return {key: str(value) for key, value in found.items()} if isinstance(found, dict) else {}

    def values(part: str) -> dict[str, Json]:
        found = entry.get(part)
        return dict(found) if isinstance(found, dict) else {}

    return ConfigClass(
        model_type,
        str(entry["class"]),
        values("defaults"),
        values("null"),
        texts("aliases"),
        {name: _part(part) for name, part in values("parts").items() if isinstance(part, dict)},
    )


def _part(entry: Mapping[str, Json]) -> Part:
    initial, written = entry.get("initial"), entry.get("type")
    return Part(
        str(written) if written else None,
        bool(entry.get("fixed")),
        bool(entry.get("optional")),
        initial if isinstance(initial, dict) else {},
    )
