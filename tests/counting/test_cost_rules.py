"""Every cost rule of the symbolic array against what NumPy executes on counting scalars."""

from __future__ import annotations

import pytest

from mha_spec.counting.counting_scalar import KINDS
from mha_spec.counting.recording import Recording
from mha_spec.counting.sizes import Size
from mha_spec.counting.symbolic import elementwise, products, reductions
from mha_spec.counting.symbolic.broadcasting import book
from mha_spec.counting.symbolic.operations import OPERATIONS

from .comparison import compare, traced
from .operation_cases import CASES

SIZES = [
    dict(zip(("n", "m", "d", "h"), values, strict=True))
    for values in ((1, 1, 1, 1), (2, 3, 4, 2), (3, 1, 2, 1), (1, 4, 1, 3), (5, 2, 3, 4))
]
WITH_A_COST = sorted(
    name for name, cases in CASES.items() if any(not traced(cases[0])[0].total(kind).same_as(0) for kind in KINDS)
)


def test_every_operation_is_compared() -> None:
    assert set(CASES) == set(OPERATIONS)


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_traced_cost_is_what_numpy_executes(name: str) -> None:
    for case in CASES[name]:
        for sizes in SIZES:
            compare(case, sizes)


def _every_comparison_passes(name: str) -> bool:
    try:
        for sizes in SIZES:
            compare(CASES[name][0], sizes)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("name", WITH_A_COST)
def test_an_operation_too_many_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Recording.book

    def one_more(self: Recording, kind: str, count: Size, parameters: tuple[str, ...] = ()) -> None:
        honest(self, kind, count + 1, parameters)

    monkeypatch.setattr(Recording, "book", one_more)
    assert not _every_comparison_passes(name)


@pytest.mark.parametrize("name", WITH_A_COST)
def test_a_wrong_kind_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Recording.book
    following = dict(zip(KINDS, (*KINDS[1:], KINDS[0]), strict=True))

    def other_kind(self: Recording, kind: str, count: Size, parameters: tuple[str, ...] = ()) -> None:
        honest(self, following.get(kind, kind), count, parameters)

    monkeypatch.setattr(Recording, "book", other_kind)
    assert not _every_comparison_passes(name)


def test_a_matmul_that_adds_k_times_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = products.book_product

    def as_many_additions(operands: list[object], multiplications: Size, additions: Size, out: Size) -> None:
        honest(operands, multiplications, multiplications, out)

    monkeypatch.setattr(products, "book_product", as_many_additions)
    assert not _every_comparison_passes("ufunc matmul")


def test_a_reduction_that_counts_every_entry_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reductions, "book", lambda kind, count: book(kind, count + Size.of("n")))
    assert not _every_comparison_passes("np.max")


def test_an_exponential_booked_as_a_power_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(elementwise.ARITHMETIC, "exp", "pow")
    assert not _every_comparison_passes("ufunc exp")
