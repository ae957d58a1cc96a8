"""The arithmetic and the comparisons of sizes against Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_spec.counting.comparisons import witnesses
from mha_spec.counting.sizes import Size, TraceError, UndecidedBranch

NAMES = ("n", "m", "d_k", "bias")


def monomials() -> st.SearchStrategy[Size]:
    factors = st.lists(st.sampled_from(NAMES), max_size=3)
    return st.builds(lambda coefficient, names: _product(coefficient, names), st.integers(-4, 4), factors)


def _product(coefficient: int, names: list[str]) -> Size:
    total = Size.of(coefficient)
    for name in names:
        total = total * Size.of(name)
    return total


def sizes() -> st.SearchStrategy[Size]:
    return st.lists(monomials(), max_size=4).map(lambda terms: sum(terms, Size()))


def points() -> st.SearchStrategy[dict[str, int]]:
    return st.fixed_dictionaries(
        {"n": st.integers(1, 9), "m": st.integers(1, 9), "d_k": st.integers(1, 9), "bias": st.integers(0, 1)}
    )


@given(sizes(), sizes(), points())
def test_sums_and_products_are_those_of_integers(a: Size, b: Size, at: dict[str, int]) -> None:
    assert (a + b).at(at) == a.at(at) + b.at(at)
    assert (a - b).at(at) == a.at(at) - b.at(at)
    assert (a * b).at(at) == a.at(at) * b.at(at)
    assert (-a).at(at) == -a.at(at)
    assert (3 - a).at(at) == 3 - a.at(at)


@given(sizes(), st.integers(0, 3), points())
def test_powers_are_those_of_integers(a: Size, exponent: int, at: dict[str, int]) -> None:
    assert (a**exponent).at(at) == a.at(at) ** exponent


@given(sizes(), sizes(), points())
def test_a_floor_division_is_that_of_integers_or_refused(a: Size, b: Size, at: dict[str, int]) -> None:
    try:
        quotient, remainder = divmod(a, b)
    except TraceError:
        return
    assert (quotient.at(at), remainder.at(at)) == divmod(a.at(at), b.at(at))


@given(sizes(), monomials(), points())
def test_a_product_divides_by_its_factor(a: Size, factor: Size, at: dict[str, int]) -> None:
    divisor = factor * factor + Size.of("n")
    if "bias" in divisor.names():
        return
    assert (a * divisor // divisor).same_as(a)
    assert (a * divisor % divisor).same_as(0)


RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
}


@given(sizes(), sizes(), points(), st.sampled_from(sorted(RELATIONS)))
def test_a_decided_comparison_holds_at_all_sizes(a: Size, b: Size, at: dict[str, int], sign: str) -> None:
    relation = RELATIONS[sign]
    try:
        decided = relation(a, b)
    except UndecidedBranch:
        return
    assert decided == relation(a.at(at), b.at(at))


@given(sizes(), sizes())
def test_witnesses_differ_in_the_way_that_is_said(a: Size, b: Size) -> None:
    found = witnesses(dict(a.monomials), "<=", dict(b.monomials))
    for answer, point in found.items():
        full = {**dict.fromkeys(NAMES, 1), **point}
        assert (a.at(full) <= b.at(full)) is answer


@given(sizes(), sizes())
def test_equal_sizes_have_equal_hashes(a: Size, b: Size) -> None:
    if a.same_as(b):
        assert hash(a) == hash(b)
    assert hash(a + b) == hash(b + a)


@given(sizes(), points())
def test_the_text_of_a_size_reads_as_the_size(a: Size, at: dict[str, int]) -> None:
    assert eval(str(a), {}, at) == a.at(at)
    assert Size.of(str(a)).same_as(a) if not str(a).startswith("-") else True


@given(sizes(), sizes(), points())
def test_substitution_is_evaluation_in_two_steps(a: Size, b: Size, at: dict[str, int]) -> None:
    assert a.substitute({"n": b}).at(at) == a.at({**at, "n": b.at(at)})


@pytest.mark.parametrize(
    ("text", "shown"),
    [("h*d_k", "d_k*h"), ("n**2*d", "d*n**2"), ("2*n + 3", "2*n + 3"), ("n - n", "0"), ("bias*bias", "bias")],
)
def test_sizes_read_from_text(text: str, shown: str) -> None:
    assert str(Size.of(text)) == shown


@pytest.mark.parametrize("text", ["d_model/h", "f(n)", "n.m", "n[0]", "", "n**m", "n**99", "1.5", "lambda", "n;m"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(TraceError, match="size"):
        Size.of(text)


def test_a_long_text_is_refused_before_it_is_read() -> None:
    with pytest.raises(TraceError, match="more than 200 characters"):
        Size.of("n*" * 200 + "n")


@pytest.mark.parametrize(
    ("dividend", "divisor", "quotient", "remainder"),
    [
        ("h*d_k", "h", "d_k", "0"),
        ("6*n*m", "2*n", "3*m", "0"),
        ("n**2 - m**2", "n + m", "n - m", "0"),
        ("2*n + 1", "2", "n", "1"),
        ("7", "2", "3", "1"),
        ("h*d_k + d_k - 1", "d_k", "h", "d_k - 1"),
    ],
)
def test_divisions_that_are_exact(dividend: str, divisor: str, quotient: str, remainder: str) -> None:
    a, b = Size.of(dividend), Size.of(divisor)
    assert str(a // b) == str(Size.of(quotient))
    assert str(a % b) == str(Size.of(remainder))


@pytest.mark.parametrize(
    ("dividend", "divisor"),
    [("d_model", "h"), ("n", "2"), ("n*m", "n + m"), ("n", "bias"), ("n", "0"), ("n", "n - 1")],
)
def test_a_division_that_is_not_proved_exact_is_refused(dividend: str, divisor: str) -> None:
    with pytest.raises(TraceError, match=r"declare the product|at least 1"):
        Size.of(dividend) // Size.of(divisor)


def test_a_refused_division_names_the_declaration_that_mends_it() -> None:
    with pytest.raises(TraceError, match=r"declare=\{'d_model': 'h\*width'\}"):
        Size.of("d_model") // Size.of("h")


@pytest.mark.parametrize(
    ("left", "sign", "right", "answer"),
    [
        ("n", ">=", "1", True),
        ("n*m", ">=", "n", True),
        ("n", "==", "0", False),
        ("n + 1", ">", "n", True),
        ("bias", "<=", "1", True),
        ("bias", "==", "2", False),
        ("bias*n", "<=", "n", True),
        ("h*d_k", "!=", "d_k*h", False),
    ],
)
def test_comparisons_that_are_decided(left: str, sign: str, right: str, answer: bool) -> None:
    assert RELATIONS[sign](Size.of(left), Size.of(right)) is answer


@pytest.mark.parametrize(
    ("left", "sign", "right", "true_at", "false_at"),
    [
        ("n", "<", "8", "n=1", "n=8"),
        ("n", "==", "m", "m=1, n=1", "m=1, n=2"),
        ("h", ">", "1", "h=2", "h=1"),
        ("bias", "==", "0", "bias=0", "bias=1"),
        ("n", ">=", "4096", "n=4096", "n=1"),
        ("d_k", "!=", "d_v", "d_k=1, d_v=2", "d_k=1, d_v=1"),
    ],
)
def test_an_undecided_branch_shows_sizes_of_both_kinds(
    left: str, sign: str, right: str, true_at: str, false_at: str
) -> None:
    with pytest.raises(UndecidedBranch) as raised:
        RELATIONS[sign](Size.of(left), Size.of(right))
    message = str(raised.value)
    assert f"{left} {sign} {right} is not the same for all sizes" in message
    assert f"true at {true_at}; false at {false_at}" in message


def test_a_size_is_neither_a_text_nor_nothing() -> None:
    size = Size.of("n")
    assert size != "n"
    assert size is not None
    assert size != [1]


def test_a_constant_size_is_an_integer() -> None:
    assert int(Size.of(3)) == 3
    assert float(Size.of(3)) == 3.0
    assert hash(Size.of(3)) == hash(3)
    assert list(range(Size.of(3))) == [0, 1, 2]


def test_sizes_cannot_be_changed() -> None:
    size = Size.of("n")
    with pytest.raises(TypeError):
        size.monomials[()] = 1  # type: ignore[index]
    with pytest.raises(AttributeError):
        size.other = 1  # type: ignore[attr-defined]


def test_a_size_without_a_value_is_named() -> None:
    with pytest.raises(KeyError, match="m"):
        Size.of("n*m").at({"n": 1})
