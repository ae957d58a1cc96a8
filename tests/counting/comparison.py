"""One program run twice, on symbolic sizes and on counting scalars, and the two costs compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mha_spec.counting.counting_scalar import KINDS
from mha_spec.counting.ledger import Ledger
from mha_spec.counting.scalars import ScalarCount, count_scalars
from mha_spec.counting.sizes import Size
from mha_spec.counting.symbolic.array import SymbolicArray
from mha_spec.counting.trace import trace

from .operation_cases import Array, Case

DTYPES = {"f": np.float64, "b": np.bool_, "i": np.int64}


def traced(case: Case) -> tuple[Ledger, Any]:
    """The ledger of the case and the array that it gives."""
    results: list[Any] = []
    arguments = [
        SymbolicArray(one.shape, DTYPES[one.kind]) if isinstance(one, Array) else Size.of(one) for one in case.arguments
    ]
    ledger = trace(lambda: results.append(case.program(*arguments)))
    return ledger, results[0]


def counted(case: Case, sizes: Mapping[str, int]) -> ScalarCount:
    """What NumPy executes at the given sizes."""
    generator = np.random.default_rng(0)
    arguments: list[object] = []
    for one in case.arguments:
        if isinstance(one, Array):
            shape = tuple(Size.of(size).at(sizes) for size in one.shape)
            arguments.append(_drawn(generator, shape, one.kind))
        else:
            arguments.append(sizes[one])
    return count_scalars(case.program, *arguments)


def _drawn(generator: np.random.Generator, shape: tuple[int, ...], kind: str) -> object:
    if kind == "b":
        return generator.random(shape) < 0.5
    if kind == "i":
        return generator.integers(0, 5, shape)
    return generator.random(shape) + 0.5


def require_same_cost(ledger: Ledger, count: ScalarCount, sizes: Mapping[str, int]) -> None:
    """Every kind of scalar operation has the same count in both runs."""
    for kind in KINDS:
        expected = ledger.total(kind).at(sizes)
        assert expected == count.total(kind), f"{kind}: traced {expected}, counted {count.total(kind)} at {sizes}"


def compare(case: Case, sizes: Mapping[str, int]) -> None:
    """Cost, shape and type of the result are the same in both runs."""
    ledger, result = traced(case)
    count = counted(case, sizes)
    require_same_cost(ledger, count, sizes)
    assert tuple(Size.of(size).at(sizes) for size in result.shape) == count.result.shape
    assert result.dtype.kind == count.result.dtype.kind
