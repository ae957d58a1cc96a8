"""The parameters of one attention module, from its sizes and its line in the rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from .designs import MATRICES, Weights
from .expressions import NotCoveredError, Value, evaluate
from .resolution import Keys
from .rules import Layers

_LETTERS = frozenset(
    "".join(letter for letter, on in zip("qkvo", f"{bits:04b}", strict=True) if on == "1") for bits in range(1, 16)
)


def module_weights(
    line: Layers, keys: Keys, sizes: Mapping[str, Value], source: str, decline: Callable[[NotCoveredError], None]
) -> Weights:
    """The parameters of a module; what is not covered is None, and `decline` is told the key."""
    number = {name: integer(value) for name, value in sizes.items()}
    queries = product(number.get("h"), number.get("d_k"), 2 if line.gate else 1)
    widths = {
        "q": queries,
        "k": product(number.get("kv_heads"), number.get("d_k")),
        "v": product(number.get("kv_heads"), number.get("d_v")),
        "o": number.get("d_model"),
    }
    matrices = {
        "q": product(number.get("d_model"), widths["q"]),
        "k": product(number.get("d_memory"), widths["k"]),
        "v": product(number.get("d_memory"), widths["v"]),
        "o": product(number.get("h"), number.get("d_v"), number.get("d_model")),
    }

    def found(expression: str) -> int | None:
        try:
            return integer(evaluate(expression, keys, sizes, source))
        except NotCoveredError as error:
            decline(error)
            return None

    for name in MATRICES:
        if name in line.expressions:
            matrices[name] = None if line.expressions[name] == "null" else found(line.expressions[name])
    factored: dict[str, tuple[int, ...]] = {}
    other: dict[str, int] | None = {}
    for name, sides in line.factored.items():
        rows, columns = (found(side) for side in sides)
        if rows is None or columns is None or other is None:
            other = None
        else:
            factored[name] = (rows, columns)
            other[name] = math.prod(factored[name])
    for name, expression in line.other.items():
        entries = found(expression)
        if entries is None or other is None:
            other = None
        elif entries:
            other[name] = entries
    return Weights(matrices, _biases(line, keys, sizes, source, widths, decline), other, factored)


def _biases(
    line: Layers,
    keys: Keys,
    sizes: Mapping[str, Value],
    source: str,
    widths: Mapping[str, int | None],
    decline: Callable[[NotCoveredError], None],
) -> dict[str, int] | None:
    letters = ""
    for part in line.expressions.get("biases", "none").split("+"):
        try:
            word = str(evaluate(part, keys, sizes, source).plain)
        except NotCoveredError as error:
            decline(error)
            return None
        if word != "none" and word not in _LETTERS:
            decline(NotCoveredError(part.strip(), f"{word!r} names no projections"))
            return None
        letters += "" if word == "none" else word
    found = {letter: widths[letter] for letter in MATRICES if letter in letters}
    known = {letter: width for letter, width in found.items() if width is not None}
    return known if len(known) == len(found) else None


def integer(value: Value | None) -> int | None:
    """The integer that a value is, or None."""
    return value.plain if value and isinstance(value.plain, int) and not isinstance(value.plain, bool) else None


def product(*factors: int | None) -> int | None:
    """The product, or None where a factor is not known."""
    known = [factor for factor in factors if factor is not None]
    return math.prod(known) if len(known) == len(factors) else None
