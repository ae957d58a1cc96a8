"""Sizes of a layer from the few that are free: one construction for drawing, for Hypothesis and for searching.

A hypothesis fixes one size by others (H1 makes ``d_model = h*d_k``, H3 makes ``group = 1``), so a design that
meets it is built, never drawn and thrown away.  `h` is always ``kv_heads*group``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import count, islice
from typing import TypeAlias

from mha_spec.design import SIZES

Sizes: TypeAlias = dict[str, int]
Pick: TypeAlias = Callable[[int, int], int]

_FREE_IN_ORDER = ("kv_heads", "group", "d_k", "d_v", "d_model", "d_memory", "n", "m", "bias")
_FIXED_BY = {"H1": "d_model", "H2": "d_v", "H3": "group", "H4": "bias", "H5": "m", "H6": "d_memory"}
_EQUAL_UNDER = {"H2": ("d_k", "d_v"), "H3": ("kv_heads", "h"), "H5": ("n", "m"), "H6": ("d_model", "d_memory")}


class DesignSpace:
    """All sizes that meet some hypotheses, with some sizes pinned to numbers, and extra free sizes if a claim has any.

    A design is a dict of the sizes in `mha_spec.design.SIZES`, of `group`, and of the extra names.
    """

    def __init__(
        self,
        hypotheses: Collection[str],
        *,
        pinned: Mapping[str, int] | None = None,
        extra: tuple[str, ...] = (),
    ) -> None:
        self.hypotheses = frozenset(hypotheses)
        self.extra = extra
        fixed = {_FIXED_BY[name] for name in self.hypotheses}
        self.free = tuple(name for name in (*_FREE_IN_ORDER, *extra) if name not in fixed)
        self.pinned, self.contradictory = _propagate(pinned or {}, self.hypotheses)

    def complete(self, free: Mapping[str, int]) -> Sizes:
        """The one design with these free sizes, in the order of `SIZES`, then `group` and the extra names."""
        under = self.hypotheses
        sizes = dict(free)
        group = 1 if "H3" in under else sizes["group"]
        sizes["h"] = sizes["kv_heads"] * group
        if "H2" in under:
            sizes["d_v"] = sizes["d_k"]
        if "H1" in under:
            sizes["d_model"] = sizes["h"] * sizes["d_k"]
        if "H6" in under:
            sizes["d_memory"] = sizes["d_model"]
        if "H5" in under:
            sizes["m"] = sizes["n"]
        if "H4" in under:
            sizes["bias"] = 0
        return {**{name: sizes[name] for name in SIZES}, "group": group, **{x: sizes[x] for x in self.extra}}

    def total(self, sizes: Mapping[str, int]) -> int:
        """The sum by which designs are called small: over all sizes, `group` aside."""
        return sum(sizes[name] for name in (*SIZES, *self.extra))

    def draw(self, pick: Pick, largest: int = 4) -> Sizes:
        """A design whose free sizes are picked from 1 to `largest`; pinned sizes keep their value.

        Raises ValueError if no design has the pinned sizes.
        """
        if self.contradictory:
            raise ValueError(f"no design has {self.pinned}")
        free: Sizes = {}
        for name in self.free:
            choices = self._choices(name, free)
            if choices is None:
                free[name] = pick(0, 1) if name == "bias" else pick(1, largest)
            elif choices:
                free[name] = choices[pick(0, len(choices) - 1)]
            else:
                raise ValueError(f"no design has {name} with {self.pinned}")
        sizes = self.complete(free)
        if any(sizes[name] != value for name, value in self.pinned.items()):
            raise ValueError(f"no design has {self.pinned}")
        return sizes

    def smallest_first(self) -> Iterator[Sizes]:
        """Every design, by the sum of its sizes and then lexicographically in the order of `SIZES`.

        Endless, unless conditions pin so many sizes that only finitely many designs are left.
        """
        least = min(map(self.total, self._extend({}, self.free, None)), default=None)
        if least is None or self.contradictory:
            return
        if not self._endless:
            yield from sorted(self._extend({}, self.free, math.inf), key=self.rank)
            return
        done, bound, step, known = 0, least, 1, 0
        while True:
            band = [sizes for sizes in self._extend({}, self.free, bound) if self.total(sizes) > done]
            yield from sorted(band, key=self.rank)
            # each band walks through the smaller designs again, so bands must not stay small beside them
            known += len(band)
            step = 2 * step if 4 * len(band) < known else step
            done, bound = bound, bound + step

    def first(self, most: int) -> tuple[Sizes, ...]:
        """The `most` smallest designs, remembered: every claim begins with them."""
        return _first_designs(self.hypotheses, tuple(sorted(self.pinned.items())), self.extra, most)

    def rank(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """What designs are ordered by: their sum, then their sizes in order."""
        return (self.total(sizes), *(sizes[name] for name in (*SIZES, *self.extra)))

    def _extend(self, chosen: Sizes, rest: tuple[str, ...], bound: float | None) -> Iterator[Sizes]:
        """The designs of at most `bound`; without one, those with every size that nothing limits at its least."""
        if not rest:
            sizes = self.complete(chosen)
            if all(sizes[name] == value for name, value in self.pinned.items()):
                yield sizes
            return
        name, later = rest[0], rest[1:]
        least = {other: self.pinned.get(other, 0 if other == "bias" else 1) for other in later}
        choices = self._choices(name, chosen)
        values: Iterable[int] = (0, 1) if name == "bias" else count(1)
        for value in values if choices is None else choices:
            if bound is not None and self.total(self.complete({**chosen, name: value, **least})) > bound:
                break
            yield from self._extend({**chosen, name: value}, later, bound)
            if bound is None and choices is None:
                break

    def _choices(self, name: str, chosen: Sizes) -> list[int] | None:
        """The values a free size may take beside those chosen before it, rising; None if any."""
        if name in self.pinned:
            value = self.pinned[name]
            allowed = value in (0, 1) if name == "bias" else value >= 1
            return [value] if allowed else []
        whole = self._product_of_heads
        if name == "d_k" and "H1" in self.hypotheses and "d_model" in self.pinned:
            quotient, rest = divmod(self.pinned["d_model"], chosen["kv_heads"] * chosen.get("group", 1))
            return [quotient] if rest == 0 and quotient else []
        if whole is None or name not in ("kv_heads", "group"):
            return None
        quotient, rest = divmod(whole, chosen.get("kv_heads", 1))
        if name == "group" and "h" in self.pinned:
            return [quotient] if rest == 0 and quotient else []
        return divisors(quotient) if rest == 0 else []

    @cached_property
    def _endless(self) -> bool:
        limited = {"bias", *self.pinned}
        if self._product_of_heads is not None:
            limited |= {"kv_heads", "group"}
        if "H1" in self.hypotheses and "d_model" in self.pinned:
            limited.add("d_k")
        return not limited.issuperset(self.free)

    @cached_property
    def _product_of_heads(self) -> int | None:
        """A number that `kv_heads*group` must divide because of a pinned size."""
        if "h" in self.pinned:
            return self.pinned["h"]
        return self.pinned.get("d_model") if "H1" in self.hypotheses else None


@lru_cache(maxsize=512)
def _first_designs(
    hypotheses: frozenset[str], pinned: tuple[tuple[str, int], ...], extra: tuple[str, ...], most: int
) -> tuple[Sizes, ...]:
    return tuple(islice(DesignSpace(hypotheses, pinned=dict(pinned), extra=extra).smallest_first(), most))


def divisors(number: int) -> list[int]:
    """The divisors of a number, rising; none for a number below 1."""
    low = [d for d in range(1, math.isqrt(max(number, 0)) + 1) if number % d == 0]
    return sorted({*low, *(number // d for d in low)})


def _propagate(pinned: Mapping[str, int], hypotheses: Collection[str]) -> tuple[Sizes, bool]:
    """The pinned sizes and those that follow from them; and whether two of them contradict."""
    known, contradictory = dict(pinned), False
    for _ in range(2):
        for name in sorted(hypotheses & _EQUAL_UNDER.keys()):
            a, b = _EQUAL_UNDER[name]
            if a in known or b in known:
                value = known.get(a, known.get(b, 0))
                contradictory |= known.get(b, value) != value
                known.setdefault(a, value)
                known.setdefault(b, value)
        if "H1" in hypotheses and known.get("d_k", 0) > 0 and "d_model" in known:
            heads, rest = divmod(known["d_model"], known["d_k"])
            contradictory |= rest != 0 or known.setdefault("h", heads) != heads
    return known, contradictory


def draw_pair(hypotheses: Collection[str], varying: Collection[str], pick: Pick) -> tuple[Sizes, Sizes]:
    """Two designs that differ in `h`, and of the rest only in the sizes that vary with it.

    Both meet the hypotheses; a shared `d_model` is a common multiple of the two head counts.
    """
    kv_heads = 1 if "kv_heads" in varying else pick(1, 2)
    first = pick(1, 4)
    second = (first + pick(0, 2)) % 4 + 1
    heads = (kv_heads * first, kv_heads * second)
    shared = {name: pick(1, 3) for name in ("n", "m", "d_k", "d_v", "d_model", "d_memory")} | {"bias": pick(0, 1)}
    if "d_k" in varying:
        shared["d_model"] = math.lcm(*heads) * pick(1, 2)
    space = DesignSpace(hypotheses)

    def design(h: int) -> Sizes:
        own = {"kv_heads": h if "kv_heads" in varying else kv_heads}
        own["group"] = h // own["kv_heads"]
        if "d_k" in varying:
            own["d_k"] = shared["d_model"] // h
        return space.complete({**shared, **own})

    return design(heads[0]), design(heads[1])
