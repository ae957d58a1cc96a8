"""A failing case made simpler: the same choices with smaller integers, while it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import TypeAlias

Made: TypeAlias = tuple[int, ...]
StillFails: TypeAlias = Callable[[Made], Made | None]


def shrink(choices: Made, still_fails: StillFails, seconds: float) -> Made:
    """The simplest failing choices found in this time: fewest choices, then the smallest integers.

    `still_fails` gives the choices that were made in a replay if it failed, else None.
    """
    best, ends, known = choices, monotonic() + seconds, {choices}
    improved = True
    while improved:
        improved = False
        for candidate in simpler(best):
            if monotonic() > ends:
                return best
            if candidate in known:
                continue
            known.add(candidate)
            made = still_fails(candidate)
            if made is not None and rank(made) < rank(best):
                best, improved = made, True
                break
    return best


def rank(choices: Sequence[int]) -> tuple[int, int, Sequence[int]]:
    """What choices are ordered by: how many are not zero, how many there are, then the integers."""
    return sum(choice != 0 for choice in choices), len(choices), choices


def simpler(choices: Made) -> Iterator[Made]:
    """Simpler choices, the boldest first: runs of zeros, then single integers made smaller."""
    for width in (16, 8, 4, 2, 1):
        for start in range(0, len(choices), max(1, width // 2)):
            run = choices[start : start + width]
            if any(run):
                yield choices[:start] + (0,) * len(run) + choices[start + width :]
    for place, value in enumerate(choices):
        for smaller in smaller_integers(value):
            yield (*choices[:place], smaller, *choices[place + 1 :])


def smaller_integers(value: int) -> Iterator[int]:
    """Integers from 1 below `value`: small ones, halves, and the value with one bit cleared."""
    tried = {0, value}
    bits = [value & ~(1 << bit) for bit in range(value.bit_length())]
    for smaller in (*range(1, min(value, 9)), *bits, value // 2, value - 1):
        if 0 < smaller < value and smaller not in tried:
            tried.add(smaller)
            yield smaller
