"""The small language in which a rule says how a size follows from the keys of a config.

``'hidden_size' // 'num_attention_heads'``: a string is a key of the config, a bare name is a size that was found
before (``d_model``, ``h`` ...) or else a word. Beside integer arithmetic there are comparisons, ``and``, ``or``,
``not``, ``a if c else b``, ``first(a, b, ...)`` (the first that is not null), ``min``, ``max``, and of a key ``given``
(whether it is neither missing from the class nor null) and, for layer ``i`` and a key that holds a list, ``at`` (its
entry for the layer), ``listed`` (whether the layer's number is in it) and ``cycled`` (its entry, the list repeated).

Every value carries where it came from.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol, TypeAlias

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"

DERIVED = "derived: "


class NotCoveredError(Exception):
    """A key that is not understood, with the reason; what depends on it is unknown."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key}: {reason}")
        self.key = key
        self.reason = reason


@dataclass(frozen=True)
class Value:
    """A value and where it came from, such as ``published`` or ``derived: floor(4096/96)``."""

    plain: Plain
    source: str
    key: str | None = None  # the key it was read from, if it is the value of one


class WrongValueError(Exception):
    """A key whose value is of the wrong kind; whoever knows the file makes a ConfigError of it."""

    def __init__(self, key: str, value: Plain, expected: str) -> None:
        super().__init__(f"{key} is {value!r}, expected {expected}")
        self.key = key
        self.value = value
        self.expected = expected


class Keys(Protocol):
    """Where an expression finds the keys of a config."""

    def value(self, key: str) -> Value:
        """The value of a key; NotCoveredError for one that the config does not decide."""

    def written(self, key: str) -> Plain:
        """What is written under a key, or else its default; null where neither is there."""


class RuleError(ValueError):
    """A rule that is not written in the language."""


@cache
def parsed(text: str) -> ast.expr:
    """The tree of an expression; RuleError for what Python does not read."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise RuleError(f"{text!r}: {error.msg}") from None


def keys_of(text: str) -> tuple[str, ...]:
    """The keys that an expression mentions, in the order in which they are written."""
    return tuple(
        dict.fromkeys(
            node.value
            for node in ast.walk(parsed(text))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
    )


def evaluate(text: str, keys: Keys, sizes: Mapping[str, Value], rule: str) -> Value:
    """The value of an expression; `rule` names the source of the numbers that the rule itself writes down."""
    return _Evaluation(keys, sizes, rule).of(parsed(text))


_OPERATORS: Mapping[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("+", lambda a, b: a + b),
    ast.Sub: ("-", lambda a, b: a - b),
    ast.Mult: ("*", lambda a, b: a * b),
    ast.FloorDiv: ("/", lambda a, b: a // b),
    ast.Mod: ("%", lambda a, b: a % b),
    ast.Pow: ("**", lambda a, b: a**b),
}


@dataclass(frozen=True)
class _Evaluation:
    keys: Keys
    sizes: Mapping[str, Value]
    rule: str

    def of(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            size = self.sizes.get(node.id)
            return Value(size.plain, f"{DERIVED}{node.id}", size.key) if size else Value(node.id, self.rule)
        if isinstance(node, ast.IfExp):
            return self.of(node.body if self.truth(node.test) else node.orelse)
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node.func.id, node.args)
        if isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
            return Value(self.truth(node), self.rule)
        raise RuleError(f"{ast.unparse(node)} is not in the language of rules")

    def _constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, str):
            return self.keys.value(node.value)
        if node.value is None or isinstance(node.value, int):
            return Value(node.value, self.rule)
        raise RuleError(f"{node.value!r} is not in the language of rules")

    def truth(self, node: ast.expr) -> bool:
        """Whether a condition holds; null counts as no, as it does in the library."""
        if isinstance(node, ast.BoolOp):
            decide = all if isinstance(node.op, ast.And) else any
            return decide(self.truth(value) for value in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self.truth(node.operand)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return _compare(node.ops[0], self.of(node.left).plain, self.of(node.comparators[0]).plain)
        return bool(self.of(node).plain)

    def number(self, node: ast.expr) -> int:
        """The integer that an operand is; NotCoveredError where a key decides otherwise."""
        value = self.of(node)
        if isinstance(value.plain, bool) or not isinstance(value.plain, int):
            if value.key is not None and value.plain is not None:
                raise WrongValueError(value.key, value.plain, "an integer")
            raise NotCoveredError(value.key or ast.unparse(node), f"it is {value.plain!r}, and the rule needs a number")
        return value.plain

    def _operation(self, node: ast.BinOp) -> Value:
        if type(node.op) not in _OPERATORS:
            raise RuleError(f"{ast.unparse(node)} is not in the language of rules")
        sign, operation = _OPERATORS[type(node.op)]
        left, right = self.number(node.left), self.number(node.right)
        if sign in {"/", "%"} and right == 0:
            raise NotCoveredError(ast.unparse(node.right).strip("'"), "it is 0, and divides")
        shown = f"floor({left}/{right})" if sign == "/" and left % right else f"{left}{sign}{right}"
        return Value(operation(left, right), f"{DERIVED}{shown}")

    def _call(self, name: str, arguments: list[ast.expr]) -> Value:
        if name == "first":
            values = (self.of(argument) for argument in arguments)
            return next((value for value in values if value.plain is not None), Value(None, self.rule))
        if name in {"min", "max"}:
            numbers = [self.number(argument) for argument in arguments]
            chosen = min(numbers) if name == "min" else max(numbers)
            return Value(chosen, f"{DERIVED}{name}({', '.join(map(str, numbers))})")
        if name in {"given", "at", "listed", "cycled"} and isinstance(arguments[0], ast.Constant):
            return self._of_key(name, str(arguments[0].value))
        raise RuleError(f"{name}() is not in the language of rules")

    def _of_key(self, name: str, key: str) -> Value:
        """What is asked of a key as a whole, or of its entry for a layer."""
        plain = self.keys.written(key)
        if name == "given":
            return Value(plain is not None, self.rule)
        if plain is not None and not isinstance(plain, list):
            raise WrongValueError(key, plain, "a list with an entry for each layer")
        layer, entries = self.number(ast.Name("i")), plain or []
        if name == "listed":
            return Value(layer in entries, self.rule)
        if name == "cycled" and entries:
            return Value(entries[layer % len(entries)], self.rule)
        return Value(entries[layer] if layer < len(entries) else None, self.rule)


def _compare(operator: ast.cmpop, left: Plain, right: Plain) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        left, right = left.replace("-", "_"), right.replace("-", "_")  # a word of the language has no hyphens
    if isinstance(operator, ast.Eq):
        return left == right
    if isinstance(operator, ast.NotEq):
        return left != right
    if isinstance(left, int) and isinstance(right, int):
        if isinstance(operator, ast.Lt):
            return left < right
        if isinstance(operator, ast.LtE):
            return left <= right
        if isinstance(operator, ast.Gt):
            return left > right
        if isinstance(operator, ast.GtE):
            return left >= right
    raise RuleError(f"{left!r} and {right!r} do not compare in the language of rules")
