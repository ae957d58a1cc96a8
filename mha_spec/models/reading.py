"""Reads a config file: strictly, with bounds, and with every refusal in one line."""

from __future__ import annotations

import codecs
import json
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from .errors import ConfigError, refuse

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MOST_BYTES = 16 * 2**20  # the largest published configs list the tokens of a vocabulary, in a few megabytes
DEEPEST = 64
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of it
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class ConfigFile:
    """A config as it was written: the name of its file, and its keys with their values."""

    name: str
    keys: Mapping[str, Json]


def read_config(path: str) -> ConfigFile:
    """The config in a file, or on standard input where `path` is ``-``.

    Raises ConfigError for what is not a JSON object of at most 16 MiB, nested at most 64 deep, with each key once,
    in UTF-8, UTF-16 or UTF-32; FileNotFoundError and PermissionError as they come.
    """
    name = "standard input" if path == "-" else path
    return parse_config(_bytes_of(path, name), name)


def parse_config(content: bytes, name: str) -> ConfigFile:
    """The config that bytes hold; `name` stands in the messages.  Raises ConfigError as `read_config` does."""
    if len(content) > MOST_BYTES:
        raise ConfigError(f"{name}: larger than {MOST_BYTES // 2**20} MiB, expected a config file in JSON")
    text = _decoded(content, name)
    if not text.strip():
        raise ConfigError(f"{name}: empty, expected a JSON object")
    value = _parsed(text, name)
    if not isinstance(value, dict):
        raise ConfigError(f"{name}: holds {_kind(value)}, expected a JSON object with the keys of a config")
    _require_shallow(value, name)
    return ConfigFile(name, value)


def _bytes_of(path: str, name: str) -> bytes:
    """At most one byte more than is allowed, so that a file without an end is refused too."""
    if path == "-":
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    if os.path.isdir(path):
        raise ConfigError(
            f"{name}: a directory, expected a config file; did you mean {os.path.join(path, 'config.json')}?"
        )
    with Path(path).open("rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size > MOST_BYTES:
            raise ConfigError(
                f"{name}: {status.st_size:,} bytes, expected a config file of at most {MOST_BYTES // 2**20} MiB"
            )
        return file.read(MOST_BYTES + 1)


def _decoded(content: bytes, name: str) -> str:
    mark, encoding = next((pair for pair in _BYTE_ORDER_MARKS if content.startswith(pair[0])), (b"", ""))
    encoding = encoding or json.detect_encoding(content)
    try:
        return content[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{name}: byte {error.start:,} is not {encoding.upper()}, expected JSON in UTF-8, UTF-16 or UTF-32"
        ) from None


def _parsed(text: str, name: str) -> Json:
    def once(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for key, value in pairs:
            if key in found:
                raise refuse(
                    name, key, value, f"the key once, but it also stands there as {json.dumps(found[key])[:40]}"
                )
            found[key] = value
        return found

    try:
        parsed: Json = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ConfigError(f"{name}: not JSON at {place}: {error.msg}") from None
    except RecursionError:
        raise ConfigError(f"{name}: nested too deeply, expected at most {DEEPEST} levels") from None
    except ConfigError:
        raise
    except ValueError as error:  # an integer of more digits than Python converts
        raise ConfigError(f"{name}: {str(error).partition(';')[0]}, expected sizes of a model") from None
    return parsed


def _require_shallow(value: Json, name: str) -> None:
    level: list[Json] = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for parent in level
            if isinstance(parent, (dict, list))
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return
    raise ConfigError(f"{name}: nested too deeply, expected at most {DEEPEST} levels")


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a string", list: "a list"}
    return kinds[type(value)]
