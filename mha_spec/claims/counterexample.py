"""The smallest design, or pair of designs, at which a claim fails."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from mha_spec.design import SIZES
from mha_spec.sampling.designs import DesignSpace, Sizes

from .terms import Goal, Iff, IndependentOfH, Relation, Term, evaluate, relation_holds, undivided_first

MAX_DESIGNS = 20_000


@dataclass(frozen=True)
class Search:
    """What a search found: the smallest counterexample, if any, and how far it went."""

    counterexample: tuple[Sizes, ...]
    examined: int  # designs, smallest first
    bound: int  # the largest sum of sizes among them
    met: int  # designs (or pairs) that meet the conditions of the claim


def goal_holds(goal: Goal, sizes: Sizes) -> bool:
    """Whether a goal about one design is true of it."""
    if isinstance(goal, Iff):
        return relation_holds(goal.left, sizes) == relation_holds(goal.right, sizes)
    if isinstance(goal, IndependentOfH):
        raise TypeError("independence is about two designs")
    return relation_holds(goal, sizes)


def search(
    goal: Goal,
    where: Collection[Relation],
    space: DesignSpace,
    varying: Collection[str] = (),
    most: int = MAX_DESIGNS,
    facts: Callable[[Sizes], Sizes] = lambda sizes: sizes,
) -> Search:
    """The smallest counterexample among the first `most` designs of a space.

    `facts` adds to a design what else the claim names.  Small is by the sum over all sizes (of both designs of a
    pair), then lexicographic, the smaller `h` first.
    """
    where = undivided_first(where)
    smallest = space.first(most) if most < MAX_DESIGNS else islice(space.smallest_first(), most)
    designs = map(facts, smallest)
    if isinstance(goal, IndependentOfH):
        return _search_pairs(goal.term, where, space, varying, designs)
    examined = bound = met = 0
    for sizes in designs:
        examined, bound = examined + 1, space.total(sizes)
        if all(relation_holds(condition, sizes) for condition in where):
            met += 1
            if not goal_holds(goal, sizes):
                return Search((sizes,), examined, bound, met)
    return Search((), examined, bound, met)


def pairs(
    where: Collection[Relation], space: DesignSpace, varying: Collection[str], designs: Iterator[Sizes]
) -> Iterator[tuple[Sizes, Sizes]]:
    """Pairs that agree in every size but the varying ones and differ in `h`, in the order of their larger design."""
    held = [name for name in (*SIZES, *space.extra) if name not in varying]
    groups: dict[tuple[int, ...], list[Sizes]] = defaultdict(list)
    where = undivided_first(where)
    for sizes in designs:
        if all(relation_holds(condition, sizes) for condition in where):
            group = groups[tuple(sizes[name] for name in held)]
            for other in group:
                if other["h"] != sizes["h"]:
                    yield other, sizes
            group.append(sizes)


def _search_pairs(
    term: Term,
    where: Collection[Relation],
    space: DesignSpace,
    varying: Collection[str],
    designs: Iterator[Sizes],
) -> Search:
    examined = bound = met = least = 0
    best: tuple[tuple[int, ...], tuple[Sizes, ...]] | None = None

    def counted() -> Iterator[Sizes]:
        nonlocal examined, bound, least
        for sizes in designs:
            examined, bound = examined + 1, space.total(sizes)
            least = least or bound
            if best is not None and bound + least > best[0][0]:
                return  # no later pair has a smaller sum
            yield sizes

    for pair in pairs(where, space, varying, counted()):
        met += 1
        if evaluate(term, pair[0]) != evaluate(term, pair[1]):
            first, second = sorted(pair, key=lambda sizes: sizes["h"])
            a, b = space.rank(first), space.rank(second)
            ranked = (a[0] + b[0], *a[1:], *b[1:])
            if best is None or ranked < best[0]:
                best = ranked, (first, second)
    return Search(best[1] if best else (), examined, bound, met)
