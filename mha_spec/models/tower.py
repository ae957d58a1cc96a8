"""The designs of one tower: its rule applied to its keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from .designs import SIZES, LayerDesign, Uncovered
from .errors import ConfigError, refuse
from .expressions import DERIVED, NotCoveredError, Value, WrongValueError, evaluate, keys_of
from .floors import may_floor
from .layer_words import layer_words, list_key
from .resolution import Keys
from .rules import Layers, Rule
from .tower_weights import integer, module_weights

MOST_LAYERS = 100_000
WINDOW = "sliding_window"
_USUAL = {"d_model": "", "d_memory": "d_model", "h": "", "kv_heads": "h", "d_k": "d_model // h", "d_v": "d_k"}
_SIZE_NAMES = re.compile(rf"\b({'|'.join(SIZES)})\b")


@dataclass
class Tower:
    """A tower that is being read: its keys, its rule, and what turned out not to be covered."""

    keys: Keys
    rule: Rule
    place: str
    assumed: tuple[str, ...] = ()
    uncovered: list[Uncovered] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.source = f"rule of {self.keys.known.model_type}"

    def designs(self) -> tuple[LayerDesign, ...]:
        """The designs of the tower; none where what its layers are is not covered.

        Raises ConfigError for values that make no attention layer.
        """
        try:
            self._require_understood()
            layers = self._layers()
            words = layer_words(self.rule, self.keys, integer(layers) or 0, self.source)
            return tuple(design for line in self.rule.lines for design in self._of_line(line, layers, words))
        except WrongValueError as error:
            raise self._refused(error) from None
        except NotCoveredError as error:
            self._decline(error)
            return ()

    def _require_understood(self) -> None:
        """Raise NotCoveredError where the config changes the layers in a way that the rule does not describe."""
        for key in self.rule.names("guard"):
            usual = self.keys.known.defaults.get(key)
            for name in self.keys.known.names_of(key):
                if self.keys.raw.get(name, usual) not in ((None, False) if usual in (None, False) else (usual,)):
                    raise NotCoveredError(name, "it changes this model's layers in a way that is not read")
        for key, condition in self.rule.declines():
            if self._evaluate(condition, {}).plain:
                raise NotCoveredError(key, "with it the layers hold more than is read")

    def _layers(self) -> Value:
        """How many layers there are; null for a rule whose lines all have counts of their own."""
        expression = self.rule.settings.get("layers")
        if expression is None:
            key = self.keys.alias("layers")
            if key is None:
                return Value(None, self.source)
            expression = f"'{key}'"
        return self._counted("layers", expression, {}, least=1)

    def _of_line(self, line: Layers, layers: Value, words: list[str] | None) -> Iterator[LayerDesign]:
        sizes = {"layers": layers}
        condition = line.expressions.get("if")
        if condition and not self._evaluate(condition, sizes).plain:
            return
        slides: bool | None = None
        if "sliding" in line.expressions:
            slides = bool(self._evaluate(line.expressions["sliding"], sizes).plain)
        if words is None or not (line.words or line.sliding_words):
            modules = self._counted("modules", line.expressions.get("modules", "layers"), sizes, least=0)
            yield from self._designs(line, modules, line.sliding if slides is None else slides, sizes)
            return
        plain = line.sliding if slides is None or line.sliding_words else slides
        for chosen, sliding in ((line.words, plain), (line.sliding_words, True)):
            count = sum(word in chosen for word in words)
            if count and chosen is line.sliding_words and (slides is False or self._has_no_window()):
                raise NotCoveredError(list_key(self.rule), "it lists layers with a window, but no window is set")
            yield from self._designs(line, Value(count, f"{DERIVED}{list_key(self.rule)}"), sliding, sizes)

    def _has_no_window(self) -> bool:
        return self.keys.has(WINDOW) and self.keys.written(WINDOW) is None

    def _designs(
        self, line: Layers, modules: Value, sliding: bool, start: Mapping[str, Value]
    ) -> Iterator[LayerDesign]:
        """The design of some modules of a line, if there are any."""
        if modules.plain == 0:
            return
        sizes = dict(start)
        for name in SIZES:
            if line.kind == "latent" and name in {"kv_heads", "d_memory"} and name not in line.expressions:
                continue
            found = self._known(name, line.expressions.get(name) or self._usual(name), sizes)
            if found is not None:
                sizes[name] = found
        self._require_divisors(sizes)
        get = partial(self._optional, line, {**sizes, "modules": modules})
        yield LayerDesign(
            line.kind,
            sliding,
            line.side,
            self.place,
            integer(modules),
            get("applied", "modules"),
            {name: integer(sizes.get(name)) for name in SIZES},
            line.gate,
            module_weights(line, self.keys, sizes, self.source, self._decline),
            {name: sizes[name].source for name in SIZES if name in sizes},
            self.assumed,
            window=get("window") if sliding else None,
            cache=get("cache"),
            causal="both-ways" not in self.rule.settings and line.side != "encoder" and line.kind != "cross",
            reads_tokens="patches" not in self.rule.settings,
            rule=self.rule.why,
        )

    def _optional(self, line: Layers, sizes: Mapping[str, Value], name: str, usual: str = "null") -> int | None:
        return integer(self._known(name, line.expressions.get(name, usual), sizes))

    def _usual(self, name: str) -> str:
        """The expression of a size that the line says nothing about."""
        key = self.keys.alias(name) if name not in {"d_memory", "d_v"} else None
        if name == "d_k" and key is None and "head_dim" in self.rule.names("reads"):
            key = "head_dim"
        if key is None and not _USUAL[name]:
            raise NotCoveredError(name, f"the config of {self.keys.known.model_type} has no key for it")
        if not _USUAL[name]:
            return f"'{key}'"
        return f"first('{key}', {_USUAL[name]})" if key else _USUAL[name]

    def _known(self, name: str, expression: str, sizes: Mapping[str, Value]) -> Value | None:
        """The value of a size, at least 1; None if it is null by the rule, or not covered, which is then listed."""
        if expression == "null":
            return None
        if any(size not in sizes for size in _SIZE_NAMES.findall(re.sub(r"'[^']*'", "", expression))):
            return None
        try:
            return self._positive(name, expression, self._evaluate(expression, sizes), least=1)
        except NotCoveredError as error:
            self._decline(error)
            return None

    def _counted(self, name: str, expression: str, sizes: Mapping[str, Value], least: int) -> Value:
        found = self._positive(name, expression, self._evaluate(expression, sizes), least)
        if (integer(found) or 0) > MOST_LAYERS:
            raise WrongValueError(_key(found, expression, name), found.plain, f"at most {MOST_LAYERS:,} layers")
        return found

    def _positive(self, name: str, expression: str, found: Value, least: int) -> Value:
        key = _key(found, expression, name)
        if found.plain is None:
            raise NotCoveredError(key, f"null, and nothing says what {name} is then")
        number = integer(found)
        if number is None or number < least:
            raise WrongValueError(key, found.plain, f"an integer of at least {least}")
        return found

    def _require_divisors(self, sizes: Mapping[str, Value]) -> None:
        """Refuse head counts that do not divide what the library divides by them."""
        h, kv_heads, width, d_k = (sizes.get(name) for name in ("h", "kv_heads", "d_model", "d_k"))
        if h is None:
            return
        heads, of_keys = integer(h) or 0, integer(kv_heads)
        if kv_heads and of_keys and heads % of_keys:
            raise WrongValueError(
                kv_heads.key or "kv_heads", kv_heads.plain, f"a divisor of {h.key or 'h'} = {h.plain}"
            )
        floors = d_k and d_k.source.startswith(f"{DERIVED}floor(")
        if width and floors and not may_floor(self.keys.known.model_type):
            raise WrongValueError(width.key or "d_model", width.plain, f"a multiple of {h.key or 'h'} = {h.plain}")

    def _evaluate(self, expression: str, sizes: Mapping[str, Value]) -> Value:
        return evaluate(expression, self.keys, sizes, self.source)

    def _decline(self, error: NotCoveredError) -> None:
        uncovered = Uncovered(self.keys.place + error.key, error.reason)
        if uncovered not in self.uncovered:
            self.uncovered.append(uncovered)

    def _refused(self, error: WrongValueError) -> ConfigError:
        return refuse(self.keys.file, self.keys.place + error.key, error.value, error.expected)


def _key(found: Value, expression: str, name: str) -> str:
    """The key to name in a message about a value."""
    return found.key or next(iter(keys_of(expression)), name)
