"""A config's keys as the library resolves them: published, an alias, the class's default, or what a null stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .aliases import ALIASES
from .class_defaults import ConfigClass
from .errors import refuse
from .expressions import DERIVED, NotCoveredError, Plain, Value, WrongValueError

PUBLISHED = "published"
FLAG = "flag"


@dataclass(frozen=True)
class Keys:
    """The keys of one tower of a config.

    `place` goes before a key in messages, such as ``text_config.``; `reads` are keys that the model's code reads
    although its config class does not declare them; `given_by` is the source of a value that stands in `raw`.
    """

    file: str
    place: str
    raw: Mapping[str, Plain]
    known: ConfigClass
    reads: frozenset[str] = frozenset()
    given_by: str = PUBLISHED
    used: set[str] = field(default_factory=set)

    def has(self, key: str) -> bool:
        """Whether the class has this key, or the model's code reads it where it is set."""
        return key in self.known.defaults or (key in self.reads and key in self.raw)

    def alias(self, quantity: str) -> str | None:
        """The key under which this class gives a quantity, if it does."""
        return next((key for key in ALIASES[quantity] if key in self.known.defaults), None)

    def value(self, key: str) -> Value:
        """The value of a key.

        Raises NotCoveredError for a key that the class does not have or computes in a way that is not read,
        ConfigError where two names of the key contradict each other, WrongValueError for a value of the wrong kind.
        """
        self.used.add(key)
        written = [name for name in self.known.names_of(key) if name in self.raw]
        if not written and key not in self.known.defaults:
            if key in self.reads:
                return Value(None, self._default_source, key)
            raise NotCoveredError(key, f"the config of {self.known.model_type} has no such key")
        if not written:
            default = self.known.defaults[key]
            return Value(default, self._default_source, key) if default is not None else self._null(key)
        value = self.raw[written[0]]
        for other in written[1:]:
            if self.raw[other] != value:
                raise refuse(
                    self.file,
                    self.place + other,
                    self.raw[other],
                    f"the same as {self.place}{written[0]} = {value}, which means the same",
                )
        if value is None:
            return self._null(key)
        self._require_kind(key, written[0], value)
        return Value(value, self.given_by, written[0])

    def written(self, key: str) -> Plain:
        """What is written under a key or an alias of it, or else the class's default, null as it stands."""
        self.used.add(key)
        for name in self.known.names_of(key):
            if name in self.raw:
                return self.raw[name]
        return self.known.defaults.get(key)

    def names(self) -> frozenset[str]:
        """The keys that are written in the config, by the names the class uses."""
        return frozenset(self.known.aliases.get(key, key) for key in self.raw)

    @property
    def _default_source(self) -> str:
        return f"class default of {self.known.model_type}"

    def _null(self, key: str) -> Value:
        meaning = self.known.meaning_of_null(key)
        if isinstance(meaning, dict):
            if "follows" in meaning:
                followed = self.value(str(meaning["follows"]))
                return Value(followed.plain, f"{DERIVED}{meaning['follows']}", followed.key)
            over, under = (self.value(str(name)) for name in _pair(meaning["floor"]))
            for one in (over, under):
                if not isinstance(one.plain, int) or isinstance(one.plain, bool) or one.plain < 1:
                    raise WrongValueError(one.key or key, one.plain, "an integer of at least 1")
            assert isinstance(over.plain, int)
            assert isinstance(under.plain, int)
            shown = f"{over.plain}/{under.plain}"
            return Value(
                over.plain // under.plain,
                f"{DERIVED}floor({shown})" if over.plain % under.plain else f"{DERIVED}{shown}",
            )
        if meaning == "refused" and key in self.raw:
            raise WrongValueError(key, None, "a value: this model type takes no null here")
        if meaning == "computed":
            raise NotCoveredError(key, f"null, and the config class of {self.known.model_type} computes what it means")
        return Value(None, self._default_source if key not in self.raw else self.given_by, key)

    def _require_kind(self, key: str, written: str, value: Plain) -> None:
        default = self.known.defaults.get(key)
        if isinstance(default, bool) and not isinstance(value, bool):
            raise WrongValueError(written, value, "true or false")
        if not isinstance(default, int) or isinstance(default, bool):
            return
        if isinstance(value, list):
            raise NotCoveredError(written, "a list, where one number for all layers is read")
        if isinstance(value, bool) or not isinstance(value, int):
            raise WrongValueError(written, value, "an integer")


def _pair(value: Plain) -> tuple[str, str]:
    assert isinstance(value, list)
    first, second = value
    return str(first), str(second)
