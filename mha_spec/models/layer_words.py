"""What each layer of a model is, as a word for each: listed by the config, or by the rule of its model type."""

from __future__ import annotations

from .aliases import LAYER_TYPES
from .errors import refuse
from .expressions import NotCoveredError, Plain, Value, evaluate
from .resolution import Keys
from .rules import Rule

_LEGACY = {
    "attention": "full_attention",
    "mamba": "linear_attention",
    "deepseek_sparse_attention": "indexed_attention",
    "qwen_sparse_attention": "indexed_attention",
}
"""Old words that the library still reads."""


def list_key(rule: Rule) -> str:
    """The key under which a config lists its layers."""
    return rule.settings.get("list", LAYER_TYPES)


def layer_words(rule: Rule, keys: Keys, layers: int, source: str) -> list[str] | None:
    """A word for each of `layers` layers, or None where the rule tells no layers apart.

    Raises ConfigError for a list that does not fit the number of layers, NotCoveredError for an unknown word.
    """
    _require_uniform(rule, keys)
    if "expand" in rule.settings:
        return _expanded(rule.settings["expand"], keys, layers)
    if "words" not in rule.settings:
        return None
    key = list_key(rule)
    given = keys.raw.get(key) if keys.has(key) else None
    if given is None:
        words = _computed(rule, keys, layers, source)
    else:
        words = _listed(key, given, keys, layers, rule.settings.get("interleaved"))
        if "computed" in rule.settings and words != _computed(rule, keys, layers, source):
            raise NotCoveredError(key, "it is not what the other keys say of each layer")
    known = set(rule.names("skip")).union(*({*line.words, *line.sliding_words} for line in rule.lines))
    for word in words:
        if word not in known:
            raise NotCoveredError(key, f"{word!r} is no kind of layer that is read for this model type")
    return words


def _computed(rule: Rule, keys: Keys, layers: int, source: str) -> list[str]:
    sizes = {"layers": Value(layers, source)}
    return [
        str(evaluate(rule.settings["words"], keys, {**sizes, "i": Value(number, source)}, source).plain)
        for number in range(layers)
    ]


def _listed(key: str, given: Plain, keys: Keys, layers: int, interleaved: str | None) -> list[str]:
    place = keys.place + key
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        raise refuse(keys.file, place, given, "a list with a word for each layer")
    if len(given) != layers:
        raise refuse(keys.file, place, given, f"{layers} words, one for each layer, but it has {len(given)}")
    words = [_LEGACY.get(str(word), str(word)) for word in given]
    return words[::2] if interleaved in words else words


def _require_uniform(rule: Rule, keys: Keys) -> None:
    """Decline a list that names more than the one kind of layer which the rule describes."""
    if "uniform" in rule.settings:
        key, word = rule.names("uniform")
        given = keys.raw.get(key)
        if given is not None and (
            not isinstance(given, list) or {_LEGACY.get(str(w), str(w)) for w in given} != {word}
        ):
            raise NotCoveredError(key, f"it lists other layers than {word}")


def _expanded(key: str, keys: Keys, layers: int) -> list[str]:
    """GPT-Neo's ``[[["global", "local"], 12]]``: each list of words as often as the number beside it says."""
    given = keys.raw.get(key)
    if given is None:
        given = [[["global", "local"], 12]]
    words: list[str] = []
    for item in given if isinstance(given, list) else [None]:
        match item:
            case [[*names], int(times)] if 0 <= times <= layers and all(isinstance(name, str) for name in names):
                words += [str(name) for name in names] * times
            case _:
                raise refuse(keys.file, keys.place + key, given, 'pairs such as [["global", "local"], 12]')
    if len(words) != layers:
        raise refuse(keys.file, keys.place + key, given, f"{layers} words, one for each layer, but it has {len(words)}")
    return words
