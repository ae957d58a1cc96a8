"""The traced quantities at many designs at once: in 64-bit integers where the results fit, else exactly."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mha_spec.design import DesignError

from .quantity_formulas import FORMULAS, Monomials

Integers = npt.NDArray[np.int64] | npt.NDArray[np.object_]

SIZES = ("n", "m", "d_model", "d_memory", "kv_heads", "group", "d_k", "d_v", "bias")
_LARGEST = 2**63 - 1


def at_sizes(name: str, sizes: Mapping[str, int]) -> int:
    """A quantity at given sizes, `group` (or `h`) among them, exactly."""
    known = {**sizes, "group": sizes["group"] if "group" in sizes else sizes["h"] // sizes["kv_heads"]}
    return sum(coefficient * math.prod(known[factor] for factor in factors) for coefficient, factors in FORMULAS[name])


def at_designs(
    columns: Mapping[str, Sequence[int] | npt.NDArray[np.integer[Any]]],
    quantities: Collection[str] = ("parameters", "multiplications", "kv_cache_entries"),
) -> dict[str, Integers]:
    """Each quantity at every design, as an array; the designs are columns of equal length, one a size.

    The sizes are those of `SIZES`, with `h` in place of `group` if it is given.  An array has dtype int64 where no
    intermediate result can leave it, else it holds Python integers: nothing overflows.  Raises DesignError for a
    column that is missing, not of integers, or of another length, and for heads that do not divide.
    """
    exact = {name: _column(name, column) for name, column in columns.items()}
    if "group" not in exact:
        exact["group"] = _groups(exact)
    for name in SIZES:
        if name not in exact:
            raise DesignError(f"no column {name}: a design needs {', '.join(SIZES)}, with h or group")
    if len({len(exact[name]) for name in SIZES}) > 1:
        lengths = ", ".join(f"{name} {len(exact[name])}" for name in SIZES)
        raise DesignError(f"columns of different lengths: {lengths}")
    return {name: _evaluate(FORMULAS[name], exact) for name in quantities}


def _column(name: str, column: Sequence[int] | npt.NDArray[np.integer[Any]]) -> Integers:
    values = np.asarray(column)
    if values.dtype.kind == "u" and values.size and int(values.max()) > _LARGEST:
        values = values.astype(object)
    if values.dtype.kind in "iu":
        return values.astype(np.int64, copy=False)
    if values.dtype.kind == "O" and all(isinstance(value, int) for value in values.tolist()):
        return values
    if not values.size:
        return values.astype(np.int64)
    raise DesignError(f"column {name} has dtype {values.dtype.name}, but a size is an integer")


def _groups(columns: Mapping[str, Integers]) -> Integers:
    if "h" not in columns or "kv_heads" not in columns:
        raise DesignError("no column group: give it, or h and kv_heads")
    h, kv_heads = columns["h"], columns["kv_heads"]
    if kv_heads.size and int(kv_heads.min()) < 1:
        raise DesignError(f"kv_heads is {int(kv_heads.min())}, but a size is at least 1")
    wrong = np.flatnonzero(np.asarray(h % kv_heads != 0))
    if wrong.size:
        first = int(wrong[0])
        raise DesignError(f"design {first}: kv_heads={kv_heads[first]} does not divide h={h[first]}")
    return h // kv_heads


def _evaluate(formula: Monomials, columns: Mapping[str, Integers]) -> Integers:
    used = {factor for _, factors in formula for factor in factors}
    largest = {name: _magnitude(columns[name]) for name in used}
    bound = sum(abs(coefficient) * math.prod(largest[factor] for factor in factors) for coefficient, factors in formula)
    fits = bound <= _LARGEST and all(value.dtype != object for value in (columns[name] for name in used))
    chosen = columns if fits else {name: columns[name].astype(object) for name in used}
    total: Integers = np.zeros(len(columns["n"]), dtype=np.int64 if fits else object)
    for coefficient, factors in formula:
        product: Integers = chosen[factors[0]] * coefficient
        for factor in factors[1:]:
            product = product * chosen[factor]
        total = total + product
    return total


def _magnitude(column: Integers) -> int:
    return max(abs(int(column.max())), abs(int(column.min())), 1) if column.size else 1
