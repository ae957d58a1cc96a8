"""What a traced program costs: exact counts by function and kind, and what the parameters took part in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mha_spec.counting.errors import TraceError
from mha_spec.counting.sizes import Size

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "add": "additions of numbers",
        "sub": "subtractions of numbers",
        "mul": "multiplications of numbers",
        "div": "divisions of numbers",
        "exp": "exponentials",
        "tanh": "hyperbolic tangents",
        "sqrt": "square roots",
        "log": "natural logarithms",
        "pow": "powers other than squares and roots",
        "neg": "changes of sign",
        "abs": "absolute values",
        "cmp": "comparisons of numbers, those of a maximum among them",
        "logic": "operations on booleans, and comparisons of integers",
        "integer": "arithmetic on integer arrays, which hold positions",
        "select": "entries that np.where, np.tril and np.triu choose",
        "out": "entries of the results of matrix products",
    }
)
"""The kinds of work, each counted in scalar operations (`select` and `out` in entries)."""

ZERO = Size()


class Ledger(Mapping[str, Mapping[str, Size]]):
    """{function: {kind: count}}; counts are polynomials in the sizes, exact for all of them.

    `parameters` gives the number of entries of each named parameter, `through[name]` the work of the
    matrix products that the parameter took part in, and `triangles` the arguments of each `np.tri`.
    """

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, Size]] = {}
        self._largest: dict[str, list[Size]] = {}
        self.parameters: dict[str, Size] = {}
        self.through: dict[str, dict[str, Size]] = {}
        self.triangles: list[tuple[Size, Size, Size]] = []

    def __getitem__(self, function: str) -> Mapping[str, Size]:
        return MappingProxyType(self._rows[function])

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"Ledger({self._rows!r})"

    def add(self, function: str, kind: str, count: Size) -> None:
        """Book `count` operations of a kind to a function."""
        row = self._rows.setdefault(function, {})
        row[kind] = row.get(kind, ZERO) + count

    def add_through(self, parameter: str, kind: str, count: Size) -> None:
        """Book work of a product to a parameter that is one of its factors."""
        row = self.through.setdefault(parameter, {})
        row[kind] = row.get(kind, ZERO) + count

    def add_array(self, function: str, entries: Size) -> None:
        """Note that a function made an array of so many entries."""
        known = self._largest.setdefault(function, [])
        if not any(other.is_at_least(entries) for other in known):
            known[:] = [other for other in known if not entries.is_at_least(other)] + [entries]

    def get_count(self, function: str, kind: str) -> Size:
        """The number of operations of a kind in a function, 0 if none was booked."""
        return self._rows.get(function, {}).get(kind, ZERO)

    def total(self, kind: str) -> Size:
        """The number of operations of a kind in the whole program."""
        return sum((row[kind] for row in self._rows.values() if kind in row), ZERO)

    def largest_array(self, function: str) -> Size:
        """The entries of the largest single array that the function makes (not what is alive at once).

        TraceError if it makes none, or if no one of them is the largest for all sizes.
        """
        candidates = self._largest.get(function, [])
        if len(candidates) != 1 or any("#" in name for name in candidates[0].names()):
            raise TraceError(f"{function} makes no array that is the largest for all sizes: {candidates}")
        return candidates[0]
