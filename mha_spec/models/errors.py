"""What is said of a config that cannot be read: one line with the file, the key, the value and what was expected."""

from __future__ import annotations

import json

from mha_spec.design import DesignError

_LONGEST_VALUE = 60


class ConfigError(DesignError):
    """A config that is not one: the message names the file, the key, the value and what was expected."""


def shown(value: object) -> str:
    """A value as JSON writes it, cut where it is long."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."


def refuse(file: str, key: str, value: object, expected: str) -> ConfigError:
    """The error for a key whose value is not what was expected."""
    return ConfigError(f"{file}: {key} is {shown(value)}, expected {expected}")
