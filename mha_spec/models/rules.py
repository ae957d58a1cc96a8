"""The table of model-type rules (`model_types.txt`), read into lines of layers.

A section stands for some model types::

    [qwen3_next qwen3_5_text]
    why    three of four layers are no softmax attention; q also makes a gate
    words  full_attention if (i + 1) % 4 == 0 else linear_attention
    skip   linear_attention
    self   on full_attention; gate; biases = qkvo if 'attention_bias' else none; other = q_norm: d_k, k_norm: d_k

``words`` says what each layer is where the config's own list (`layer_types`, unless ``list`` names another key) is
missing; ``i`` is the number of the layer, ``layers`` their count.  ``skip`` names the words that are no softmax
attention.  ``guard`` names keys that change something which the rule does not describe: a config that sets one is
not covered; ``declines`` does so under a condition.  ``reads`` names keys that the code reads although the config
class does not declare them.  ``computed`` declines a list that differs from ``words``; ``uniform`` names a list that
must consist of one word.  ``towers`` names the parts of the config that describe a tower each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from .expressions import RuleError, keys_of

KINDS = ("self", "cross", "latent")
SIDES = ("encoder", "decoder")
_SIZES = ("d_model", "d_memory", "h", "kv_heads", "d_k", "d_v")
_FIELDS = frozenset((*_SIZES, "q", "k", "v", "o", "modules", "applied", "biases", "window", "cache", "if"))


@dataclass(frozen=True)
class Layers:
    """One line of a rule: a kind of attention layer, and expressions for what differs from the usual."""

    kind: str
    side: str | None = None
    words: tuple[str, ...] = ()  # the layers it stands for, by their words; all layers where there are none
    sliding_words: tuple[str, ...] = ()
    sliding: bool = False
    gate: bool = False
    expressions: Mapping[str, str] = field(default_factory=dict)
    other: Mapping[str, str] = field(default_factory=dict)
    factored: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def texts(self) -> Iterator[str]:
        """Every expression of the line."""
        for name, text in self.expressions.items():
            yield from text.split("+") if name == "biases" else (text,)
        yield from self.other.values()
        for rows, columns in self.factored.values():
            yield from (rows, columns)


@dataclass(frozen=True)
class Rule:
    """What is known of some model types, and why."""

    types: tuple[str, ...]
    why: str = ""
    lines: tuple[Layers, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)

    def names(self, setting: str) -> tuple[str, ...]:
        """The names that a setting such as ``skip`` or ``guard`` lists."""
        return tuple(self.settings.get(setting, "").split())

    def mentioned(self) -> frozenset[str]:
        """Every key of a config that the rule mentions."""
        texts = [text for line in self.lines for text in line.texts()]
        texts += [self.settings[name] for name in ("words", "layers") if name in self.settings]
        mentioned = {key for text in texts for key in keys_of(text)}
        for key, condition in self.declines():
            mentioned |= {key, *keys_of(condition)}
        named = (self.names(name) for name in ("guard", "list", "reads", "expand"))
        return frozenset(mentioned.union(*named, self.names("uniform")[:1]))

    def declines(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a key and a condition under which it is not covered: ``declines key if condition``."""
        items = filter(None, self.settings.get("declines", "").split(";"))
        pairs = (item.partition(" if ") for item in items)
        return tuple((key.strip(), condition.strip()) for key, _, condition in pairs)


@cache
def _sections() -> Mapping[str, tuple[str, ...]]:
    """The lines of each section, by its header."""
    text = files(__package__).joinpath("model_types.txt").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    header = ""
    for line in _joined(text):
        if line.startswith("["):
            header = line
            found[header] = []
        else:
            found[header].append(line)
    return {header: tuple(lines) for header, lines in found.items()}


def _joined(text: str) -> Iterator[str]:
    """The lines without comments; a line goes on where the next is indented."""
    whole = ""
    for line in text.splitlines():
        bare = line.partition("#")[0].rstrip()
        if bare.startswith(" "):
            whole += " " + bare.strip()
        elif bare:
            if whole:
                yield whole
            whole = bare
    if whole:
        yield whole


@cache
def _headers() -> Mapping[str, str]:
    """The section of each model type."""
    found: dict[str, str] = {}
    for header in _sections():
        for model_type in header.strip("[]").split():
            if model_type in found:
                raise RuleError(f"model_types.txt: {model_type} stands in two sections")
            found[model_type] = header
    return found


def known_types() -> tuple[str, ...]:
    """The model types that have a rule, in the order of the table."""
    return tuple(_headers())


@cache
def rule_for(model_type: str) -> Rule | None:
    """The rule of a model type, or None where there is none.  Raises RuleError for a section that cannot be read."""
    header = _headers().get(model_type)
    return None if header is None else _read(header.strip("[]").split(), _sections()[header])


def _read(types: list[str], lines: tuple[str, ...]) -> Rule:
    settings: dict[str, str] = {}
    layers: list[Layers] = []
    for line in lines:
        first, _, rest = line.partition(" ")
        first = first.rstrip(";")
        if first in KINDS or first in SIDES:
            layers.append(_read_layers(line))
        else:
            settings[first] = f"{settings[first]} {rest.strip()}" if first in settings else rest.strip()
    return Rule(tuple(types), settings.pop("why", ""), tuple(layers), settings)


def _read_layers(line: str) -> Layers:
    head, *parts = (part.strip() for part in line.split(";"))
    words = head.split()
    side = words.pop(0) if words[0] in SIDES else None
    kind = words.pop(0)
    if kind not in KINDS or (words and words.pop(0) != "on"):
        raise RuleError(f"model_types.txt: {line!r} does not begin with a kind of layer")
    expressions: dict[str, str] = {}
    other: dict[str, str] = {}
    factored: dict[str, tuple[str, str]] = {}
    for part in parts:
        name, _, text = (piece.strip() for piece in part.partition("="))
        if name == "other":
            other.update(_pairs(text))
        elif name == "factored":
            for factor, shape in _pairs(text):
                rows, _, columns = shape.partition(" x ")
                factored[factor] = (rows, columns)
        elif name in _FIELDS:
            expressions[name] = text
        elif name not in {"sliding", "gate"} or (text and name == "gate"):
            raise RuleError(f"model_types.txt: {name!r} in {line!r} is no field of a layer")
        elif text:
            expressions[name] = text
    plain = tuple(word for word in words if not word.startswith("~"))
    slides = tuple(word[1:] for word in words if word.startswith("~"))
    return Layers(kind, side, plain, slides, "sliding" in parts, "gate" in parts, expressions, other, factored)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """``q_norm: d_k, k_norm: d_k`` as pairs."""
    for item in text.split(","):
        name, _, expression = item.partition(":")
        yield name.strip(), expression.strip()
