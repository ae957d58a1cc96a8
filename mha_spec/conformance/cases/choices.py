"""Choices: every random decision of a case as one small integer, 0 being the most informative.

A case is built from a source of choices, which records them. So a case is replayed from a short list of integers,
and made simpler by making the integers smaller.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Below: TypeAlias = Callable[[int], int]


class Choices:
    """A source of choices that records what it chose; `below(count)` gives an integer from 0 to `count - 1`."""

    def __init__(self, below: Below) -> None:
        self._below = below
        self.made: list[int] = []

    @staticmethod
    def random(rng: random.Random) -> Choices:
        """Independent choices, every value as likely as another."""
        return Choices(rng.randrange)

    @staticmethod
    def replayed(recorded: Iterable[int]) -> Choices:
        """The recorded choices, then zeros; a choice that is too large for its place becomes the largest one."""
        rest = iter(recorded)
        return Choices(lambda count: min(max(next(rest, 0), 0), count - 1))

    def below(self, count: int) -> int:
        """An integer from 0 to `count - 1`."""
        choice = self._below(count)
        self.made.append(choice)
        return choice

    def one_of(self, values: Sequence[T]) -> T:
        """One of the values, of which the first is the most informative."""
        return values[self.below(len(values))]

    def flag(self, wanted: bool | None = None) -> bool:
        """True or False, False being simpler; no choice is made where the answer is given."""
        return bool(self.below(2)) if wanted is None else wanted
