"""Writes `class_defaults.json` anew from an installed transformers library.

Run it as ``python -m mha_spec.models.regenerate_class_defaults``.

Only the classes are read: the fields of each config's dataclass, its `attribute_map` and its sub-configs.  An
instance would freeze values that the class derives, so what a null stands for is probed instead: it follows another
key, is the floor of a quotient of two keys, stays null, is refused, or is computed in a way that is not read here.

``--check`` writes nothing and fails where the file and the library disagree.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import importlib
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

from .aliases import common_keys
from .rules import known_types, rule_for

TARGET = Path(__file__).with_name("class_defaults.json")
_PROBES, _TRIES = 3, 12
_LONGEST_LIST = 120  # characters; a longer default is a pattern, which a rule describes


class ConfigClass(Protocol):
    """What is used of a config class of the library."""

    __name__: str
    __dataclass_fields__: Mapping[str, dataclasses.Field[object]]
    attribute_map: Mapping[str, str]

    def __call__(self, **keys: object) -> object:
        """An instance with these keys."""


class PartSpec(Protocol):
    """What is used of the library's specification of a sub-config."""

    model_type: str | None
    config_class: type
    init_kwargs: Mapping[str, object] | None
    optional: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table, or with ``--check`` compare; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the file differs")
    wanted = parser.parse_args(arguments)
    text = table_text(class_defaults())
    if not wanted.check:
        TARGET.write_text(text, encoding="utf-8")
        print(f"{TARGET}: {len(text):,} bytes")
        return 0
    same = TARGET.read_text(encoding="utf-8") == text
    print(f"{TARGET}: {'as the library says' if same else 'differs from the library; run without --check'}")
    return int(not same)


def table_text(types: Mapping[str, Mapping[str, object]]) -> str:
    """The file: the library's version, a hash of the entries, and one line a model type."""
    library = importlib.import_module("transformers")
    lines = [f"{json.dumps(name)}: {json.dumps(entry, separators=(',', ':'))}" for name, entry in sorted(types.items())]
    body = ",\n".join(lines)
    digest = hashlib.sha256(body.encode()).hexdigest()
    head = {"library": f"transformers {library.__version__}", "sha256": digest}
    return f'{json.dumps(head)[:-1]}, "types": {{\n{body}\n}}}}\n'


def class_defaults() -> dict[str, dict[str, object]]:
    """The entry of each model type that has a rule and that the library imports."""
    auto = importlib.import_module("transformers.models.auto.configuration_auto")
    keys = common_keys() | {key for name in known_types() if (rule := rule_for(name)) for key in rule.mentioned()}
    found: dict[str, dict[str, object]] = {}
    for model_type in sorted(set(known_types()) & set(auto.CONFIG_MAPPING_NAMES)):
        try:
            config_class = cast(ConfigClass, auto.CONFIG_MAPPING[model_type])
        except (ImportError, AttributeError):
            continue
        found[model_type] = dict(_entry(config_class, keys))
    return found


def _entry(config_class: ConfigClass, keys: frozenset[str]) -> Iterator[tuple[str, object]]:
    """The parts of an entry that say something."""
    fields = config_class.__dataclass_fields__
    yield "class", config_class.__name__
    defaults = {
        name: default
        for name, one in sorted(fields.items())
        if name in keys and (default := _plain(one)) is not dataclasses.MISSING
    }
    yield "defaults", defaults
    nulls = {
        name: meaning
        for name, default in defaults.items()
        if (meaning := meaning_of_null(config_class, name, defaults)) != ("stays" if default is None else "refused")
    }
    if nulls:
        yield "null", nulls
    aliases = {
        alias: key for alias, key in sorted(config_class.attribute_map.items()) if key in defaults and alias != key
    }
    if aliases:
        yield "aliases", aliases
    parts = {
        name: _part(spec, keys) for name, spec in sorted(getattr(config_class, "sub_configs_defaults", {}).items())
    }
    if parts:
        yield "parts", parts


def _part(spec: PartSpec, keys: frozenset[str]) -> dict[str, object]:
    """A part of a composite config: its type, whether no other is possible, and what it is where it is left out."""
    plain = {key: value for key, value in (spec.init_kwargs or {}).items() if key in keys}
    return {
        "type": spec.model_type or None,
        **({"fixed": True} if _is_config(spec.config_class) else {}),
        **({"optional": True} if spec.optional else {}),
        **({"initial": plain} if plain else {}),
    }


def _is_config(config_class: type) -> bool:
    """Whether a part has one class, so that the model type that it names is not looked at."""
    return hasattr(config_class, "__dataclass_fields__")


def _plain(one: dataclasses.Field[object]) -> object:
    """The default of a field as JSON has it; MISSING for one that is required or no plain value."""
    default = one.default
    if default is dataclasses.MISSING and one.default_factory is not dataclasses.MISSING:
        default = one.default_factory()
    if isinstance(default, tuple):
        default = list(default)
    if default is None or isinstance(default, (bool, int, float, str)):
        return default
    if isinstance(default, (list, dict)) and len(json.dumps(default, default=str)) <= _LONGEST_LIST:
        return default
    return dataclasses.MISSING


def meaning_of_null(config_class: ConfigClass, key: str, defaults: Mapping[str, object]) -> object:
    """What a null for `key` stands for, seen on drawn values of the other keys.

    ``"stays"`` where it stays null; else ``"refused"``, ``"computed"``, ``{"follows": key}`` or
    ``{"floor": [key, key]}``.
    """
    rng = random.Random(f"{config_class.__name__}.{key}")
    numbers = {name: value for name, value in defaults.items() if _is_number(value) or name in _SIZES}
    seen: list[tuple[dict[str, int], object]] = []
    for _ in range(_TRIES):
        drawn = _drawn(numbers, key, rng)
        try:
            made = config_class(**{**drawn, key: None})
        except Exception:  # whatever a class raises for values that it refuses
            continue
        held = object.__getattribute__(made, "__dict__")  # getattr refuses what differs from layer to layer
        others = {name: held.get(name) for name in numbers if name != key}
        kept = {name: value for name, value in others.items() if isinstance(value, int) and drawn.get(name) == value}
        seen.append((kept, held.get(key)))
        if len(seen) == _PROBES:
            break
    return _meaning(seen) if seen else "refused"


def _meaning(seen: Sequence[tuple[dict[str, int], object]]) -> object:
    if all(value is None for _, value in seen):
        return "stays"
    shared = sorted(set.intersection(*(set(others) for others, _ in seen)))
    for name in shared:
        if all(others[name] == value for others, value in seen):
            return {"follows": name}
    for over in shared:
        for under in shared:
            if over != under and all(others[under] and others[over] // others[under] == v for others, v in seen):
                return {"floor": [over, under]}
    return "computed"


_SIZES = {"num_key_value_heads", "head_dim", "num_kv_heads", "num_decoder_layers", "encoder_hidden_size"}


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _drawn(numbers: Mapping[str, object], null: str, rng: random.Random) -> dict[str, int]:
    """Values for the size-like keys, no two of which agree by chance: heads divide widths, kv heads divide heads."""
    heads, group = rng.choice([(12, 2), (20, 4), (28, 7), (36, 3)])
    choose: list[tuple[str, Callable[[], int]]] = [
        (r"key_value_heads|kv_heads", lambda: heads // group),
        (r"heads$|^n_head$", lambda: heads),
        (r"hidden_size$|^d_model$|^n_embd$|^dim$|embed_dim$|emb_dim$", lambda: heads * 2 * rng.randrange(20, 60)),
        (r"head_dim$|^d_kv$", lambda: 2 * rng.randrange(30, 90)),
        (r"layers$|^n_layer$", lambda: rng.randrange(8, 12)),
    ]
    drawn: dict[str, int] = {}
    for name in numbers:
        if name != null:
            draw = next((make for pattern, make in choose if re.search(pattern, name)), None)
            if draw is not None:
                drawn[name] = draw()
    return drawn


if __name__ == "__main__":
    sys.exit(main())
