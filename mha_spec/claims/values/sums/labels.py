"""The order in which the indices of a sum are named, so that sums that differ in names alone have the same key.

Nothing rests on it but that equal sums are found equal: any order gives a correct name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, permutations, product
from typing import Protocol

from .polynomials import Polynomial, symbol

_MOST_ORDERS_TRIED = 720
_ROUNDS = 3

Indices = Sequence[tuple[str, Polynomial]]


class Renaming(Protocol):
    """What renames symbols in a polynomial and brings it to normal form."""

    def rename(self, polynomial: Polynomial, mapping: Mapping[str, Polynomial]) -> Polynomial:
        """The polynomial with symbols, by name, replaced."""


def ordered(sums: Renaming, indices: Indices, body: Polynomial) -> Indices:
    """The indices by the role that each plays in the body; among equal roles, the order with the least key."""
    if len(indices) == 1:
        return indices
    ranks = _ranks(sums, indices, body)
    by_rank = sorted(indices, key=lambda index: ranks[index[0]])
    ties = [list(tied) for _, tied in groupby(by_rank, key=lambda index: ranks[index[0]])]
    if len(ties) == len(indices):
        return by_rank
    orders = list(_first(_orders(ties), _MOST_ORDERS_TRIED))
    return min(orders, key=lambda order: _key(sums, order, body))


def _ranks(sums: Renaming, indices: Indices, body: Polynomial) -> dict[str, int]:
    """A number for each index from the parts it occurs in, refined by the numbers of the indices beside it."""
    ranks = {name: 0 for name, _ in indices}
    for _ in range(_ROUNDS):
        roles = {name: f"{ranks[name]} {_role(sums, name, ranks, indices, body)}" for name in ranks}
        order = sorted(set(roles.values()))
        refined = {name: order.index(role) for name, role in roles.items()}
        if len(order) == len(indices) or refined == ranks:
            return refined
        ranks = refined
    return ranks


def _role(sums: Renaming, name: str, ranks: Mapping[str, int], indices: Indices, body: Polynomial) -> str:
    seen = {other: symbol("@" if other == name else f"?{rank}") for other, rank in ranks.items()}
    parts = [Polynomial.of((power,)) for monomial in body.terms for power in monomial if name in power[0].free]
    highs = [
        f"{other == name} {sums.rename(high, seen).key}"
        for other, high in indices
        if other == name or name in high.free
    ]
    return " | ".join((*sorted(sums.rename(part, seen).key for part in parts), *sorted(highs)))


def _orders(ties: Sequence[Sequence[tuple[str, Polynomial]]]) -> Iterator[Indices]:
    for choice in product(*(permutations(tied) for tied in ties)):
        yield [index for tied in choice for index in tied]


def _first(orders: Iterator[Indices], most: int) -> Iterator[Indices]:
    return (order for order, _ in zip(orders, range(most), strict=False))


def _key(sums: Renaming, order: Indices, body: Polynomial) -> str:
    names = {name: symbol(f"?{place}") for place, (name, _) in enumerate(order)}
    return " | ".join(sums.rename(part, names).key for part in (body, *(high for _, high in order)))
