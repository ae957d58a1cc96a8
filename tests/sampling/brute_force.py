"""Every design up to a sum of sizes, by plain loops and filters that share nothing with the code under test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache

Design = dict[str, int]

ORDER = ("n", "m", "d_model", "d_memory", "h", "d_k", "d_v", "kv_heads", "bias")
HYPOTHESES: Mapping[str, Callable[[Design], bool]] = {
    "H1": lambda d: d["h"] * d["d_k"] == d["d_model"],
    "H2": lambda d: d["d_v"] == d["d_k"],
    "H3": lambda d: d["kv_heads"] == d["h"],
    "H4": lambda d: d["bias"] == 0,
    "H5": lambda d: d["m"] == d["n"],
    "H6": lambda d: d["d_memory"] == d["d_model"],
}
ALL = tuple(HYPOTHESES)


def every_subset(names: Collection[str] = ALL) -> list[tuple[str, ...]]:
    """Every set of names, the empty one first."""
    return [subset for size in range(len(names) + 1) for subset in itertools.combinations(names, size)]


_ASKED_OF = {
    "H1": {"h", "d_k", "d_model"},
    "H2": {"d_v", "d_k"},
    "H3": {"kv_heads", "h"},
    "H4": {"bias"},
    "H5": {"m", "n"},
    "H6": {"d_memory", "d_model"},
}


def rank(design: Mapping[str, int]) -> tuple[int, ...]:
    """The sum of all sizes, then the sizes in order."""
    sizes = tuple(design[name] for name in ORDER)
    return (sum(sizes), *sizes)


def meets(design: Design, hypotheses: Collection[str]) -> bool:
    """Whether a design meets every one of the hypotheses."""
    return all(HYPOTHESES[name](design) for name in hypotheses)


def _extended(chosen: Design, left: int, hypotheses: tuple[str, ...]) -> Iterator[Design]:
    """One loop inside the other, a size each; a hypothesis is a filter as soon as its sizes are chosen."""
    if len(chosen) == len(ORDER):
        yield chosen
        return
    name = ORDER[len(chosen)]
    to_come = sum(1 for other in ORDER[len(chosen) + 1 :] if other != "bias")
    for size in (0, 1) if name == "bias" else range(1, left - to_come + 1):
        design = {**chosen, name: size}
        asked = [h for h in hypotheses if name in _ASKED_OF[h] and design.keys() >= _ASKED_OF[h]]
        if size <= left and meets(design, asked) and (name != "kv_heads" or design["h"] % size == 0):
            yield from _extended(design, left - size, hypotheses)


@cache
def designs_up_to(most: int, hypotheses: tuple[str, ...] = ()) -> tuple[Design, ...]:
    """Every design whose sizes sum to at most `most` and that meets the hypotheses, smallest first."""
    return tuple(sorted(_extended({}, most, hypotheses), key=rank))
