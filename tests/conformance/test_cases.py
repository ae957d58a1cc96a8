"""Drawn cases: they reach where faults hide, replay from their choices, and lie inside what is declared."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from mha_spec.conformance.cases.building import build
from mha_spec.conformance.cases.case import Case
from mha_spec.conformance.cases.choices import Choices
from mha_spec.conformance.cases.streams import replayed
from mha_spec.conformance.cases.wanted import ALL_DTYPES, ALL_OPTIONS, Wanted
from mha_spec.conformance.contract import Unsupported
from mha_spec.conformance.declarations import Declarations
from mha_spec.conformance.laws import Law, catalogue
from mha_spec.design import AttentionDesign

from .drawn import ANYTHING, cases

CORNERS: dict[str, Callable[[Case], bool]] = {
    "one head": lambda c: c.design.h == 1,
    "one query": lambda c: c.n == 1,
    "one key in a memory": lambda c: c.m == 1,
    "one entry": lambda c: c.batch == 1,
    "d_k = 1": lambda c: c.design.d_k == 1,
    "d_k = 4": lambda c: c.design.d_k == 4,
    "a memory as long as x": lambda c: c.m == c.n,
    "a memory of the shape of x": lambda c: c.m == c.n and c.design.d_memory == c.design.d_model,
    "d_k = d_v": lambda c: c.design.d_k == c.design.d_v,
    "as many entries as heads": lambda c: c.batch == c.design.h > 1,
    "grouped heads": lambda c: 1 < c.design.kv_heads < c.design.h,
    "one key/value head for several": lambda c: c.design.kv_heads == 1 < c.design.h,
    "biases": lambda c: c.design.bias == 1,
    "causal": lambda c: c.design.causal,
    "causal with a memory of another length": lambda c: c.design.causal and c.m not in (None, c.n),
    "a mask in self-attention": lambda c: c.m is None and c.hidden is not None,
    "a mask with a memory": lambda c: c.m is not None and c.hidden is not None,
    "masks that differ in the batch": lambda c: c.hidden is not None and len(set(c.hidden)) > 1,
}


def in_a_corner(case: Case) -> bool:
    names = ("one head", "one query", "one entry", "d_k = 1", "d_k = 4", "d_k = d_v", "as many entries as heads")
    return case.n == case.keys or any(CORNERS[name](case) for name in names)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("corner", CORNERS)
def test_each_corner_is_drawn_within_the_default_examples(corner: str, seed: int) -> None:
    assert any(map(CORNERS[corner], cases(seed=seed)))


@pytest.mark.parametrize("seed", range(5))
def test_cases_away_from_every_corner_are_drawn(seed: int) -> None:
    assert sum(not in_a_corner(case) for case in cases(seed=seed)) >= 4


@pytest.mark.parametrize("seed", range(5))
def test_drawn_designs_are_distinct(seed: int) -> None:
    drawn = cases(seed=seed)
    assert len({case.design for case in drawn[:75]}) >= 70
    assert len({case.design for case in drawn}) >= 80


@pytest.mark.parametrize("seed", range(3))
def test_long_sequences_reach_beyond_sixty_four(seed: int) -> None:
    drawn = cases(Wanted(long=True), seed=seed)
    assert any(case.n > 64 for case in drawn)
    assert any(case.keys > 64 and case.n < 10 for case in drawn)
    assert {16, 17, 64, 65} <= {case.keys for case in drawn}


def test_the_simplest_case_is_away_from_every_corner() -> None:
    simplest = replayed((), replace(Wanted(), memory=True), ANYTHING)
    sizes = (simplest.design.d_k, simplest.design.d_v, simplest.design.d_model, simplest.design.d_memory)
    assert len(set(sizes)) == 4
    assert (simplest.n, simplest.m, simplest.design.h) == (2, 3, 2)


@pytest.mark.parametrize("wanted", [Wanted(), Wanted(options=ALL_OPTIONS, dtypes=ALL_DTYPES), Wanted(empty_row=True)])
def test_a_case_replays_from_its_choices(wanted: Wanted) -> None:
    for case in cases(wanted):
        assert replayed(case.choices, wanted, ANYTHING) == case
        assert len(case.choices) < 60


def test_arrays_come_from_the_seed() -> None:
    case = cases()[5]
    one, other = case.inputs(), case.inputs()
    assert np.array_equal(one.x, other.x)
    for name, array in one.given.arrays().items():
        assert np.array_equal(array, other.given.arrays()[name])


@pytest.mark.parametrize("alignment", ["top-left", "bottom-right"])
@pytest.mark.parametrize("law", catalogue(), ids=lambda law: law.name)
def test_only_laws_about_empty_rows_draw_them(law: Law, alignment: str) -> None:
    declared = Declarations.of(_declaring(causal_alignment=alignment, allows_empty=("batch", "n")))
    for case in cases(law.wanted, declared, 40):
        empty = (~case.inputs().seen.any(-1)).any()
        assert empty == law.wanted.empty_row


def _declaring(**attributes: object) -> object:
    factory = type("Factory", (), attributes)
    return factory


@pytest.mark.parametrize(
    "requires", [{"H1"}, {"H1", "H2", "H3"}, {"H1", "H2", "H3", "H4", "H6"}, {"H2", "H6"}, {"H3", "H4"}]
)
def test_designs_meet_what_is_required(requires: set[str]) -> None:
    every = frozenset({"batch", "n", "m"})
    declared = Declarations(requires=frozenset(requires), causal_alignment="top-left", allows_empty=every)
    for law in catalogue():
        try:
            drawn = cases(law.wanted, declared, 10)
        except Unsupported:
            assert law.wanted.grouped or law.wanted.bias
            continue
        assert all(case.design.satisfies(name) for case in drawn for name in requires)


def test_what_is_drawn_is_what_is_declared() -> None:
    wanted = Wanted(options=ALL_OPTIONS, dtypes=ALL_DTYPES)
    drawn = cases(wanted, Declarations(causal=False, options=frozenset({"scale"}), dtypes=("float32",)))
    assert not any(case.design.causal or case.design.softcap for case in drawn)
    assert any(case.design.scale for case in drawn)
    assert {case.design.dtype for case in drawn} == {"float32"}
    assert all(case.design.causal for case in cases(wanted, Declarations(causal="only")))


def test_without_a_declared_alignment_causal_designs_have_no_memory() -> None:
    drawn = cases(declared=Declarations())
    assert any(case.design.causal for case in drawn)
    assert not any(case.design.causal and case.m is not None for case in drawn)


def test_a_wish_that_nothing_fulfils_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="does no causal designs"):
        replayed((), Wanted(causal=True), Declarations(causal=False))
    with pytest.raises(Unsupported, match="does not do the option window"):
        replayed((), Wanted(set_option="window"), Declarations(options=frozenset()))
    with pytest.raises(Unsupported, match="requires kv_heads == h"):
        replayed((), Wanted(grouped=True), Declarations(requires=frozenset({"H3"})))


def test_layers_that_compile_see_few_shapes() -> None:
    declared = Declarations(slow_shapes=True, causal_alignment="top-left")
    shapes = {
        (case.design.sizes(case.n, case.keys).values().__repr__(), case.batch)
        for law in catalogue()
        if not law.wanted.empty_size
        for case in cases(law.wanted, declared, 30)
    }
    assert len(shapes) <= 24


def test_a_fixed_design_is_the_only_one() -> None:
    design = AttentionDesign(d_model=6, h=3, d_memory=4)
    drawn = cases(declared=Declarations.of(_declaring(fixed_design=design)), examples=30)
    assert {case.design for case in drawn} == {design}
    assert all(case.m is not None for case in drawn), "self-attention needs d_memory == d_model"


def test_any_choices_make_a_case() -> None:
    rng = random.Random(0)
    for _ in range(300):
        recorded = [rng.randrange(100_000) for _ in range(rng.randrange(60))]
        wanted = Wanted(options=ALL_OPTIONS, dtypes=ALL_DTYPES, long=True)
        case = build(Choices.replayed(recorded), wanted, ANYTHING)
        assert case.inputs().seen.any(-1).all()
