"""Every step of every value theorem is spoiled in turn, and refused.

A step is spoiled by a sign, a factor that is dropped, or two indices that change places.  A spoiled step counts only if
it has another value where everything is written out: what is still true need not be refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
import sympy

from mha_spec.claims.values.steps import Knowledge
from mha_spec.claims.values.theorem import Chain, ValueStep, ValueTheorem

from .theorem_files import example, theorems

MOST_OF_A_KIND = 2
STEPS = [
    pytest.param(theorem, chain, place, id=f"{theorem.name}-{number}-{place + 1}")
    for theorem in theorems()
    for number, chain in enumerate(theorem.chains, 1)
    for place in range(len(chain.steps))
]


def changed_sign(formula: sympy.Expr) -> Iterator[sympy.Expr]:
    """The formula with the sign of the whole, or of one term, turned; another number for a number."""
    yield -formula if formula != 0 else sympy.Integer(1)
    for part in sympy.preorder_traversal(formula):
        if part.is_Add:
            yield formula.xreplace({part: part - 2 * part.args[-1]})


def dropped_factor(formula: sympy.Expr) -> Iterator[sympy.Expr]:
    """The formula without one factor of one of its products."""
    for part in sympy.preorder_traversal(formula):
        if part.is_Mul:
            for factor in part.args[::-1]:
                yield formula.xreplace({part: sympy.Mul(*(other for other in part.args if other != factor))})


def swapped_indices(formula: sympy.Expr) -> Iterator[sympy.Expr]:
    """The formula with two indices of one entry in each other's place, or one moved on by one."""
    for part in sympy.preorder_traversal(formula):
        if isinstance(part, sympy.Indexed):
            at = tuple(part.indices)
            if len(at) > 1 and at[-2] != at[-1]:
                yield formula.xreplace({part: part.base[(*at[:-2], at[-1], at[-2])]})
            yield formula.xreplace({part: part.base[(*at[:-1], at[-1] + 1)]})


@cache
def knowledge(theorem: ValueTheorem) -> Knowledge:
    return Knowledge(theorem)


def differs(theorem: ValueTheorem, right: sympy.Expr, wrong: sympy.Expr) -> bool:
    """Whether two formulas have different values at one of the theorem's examples."""
    for seed in range(4):
        values, places = example(theorem, seed)
        try:
            if abs(values.value(right, places) - values.value(wrong, places)) > 1e-9:
                return True
        except (ArithmeticError, AssertionError, TypeError, IndexError):
            continue  # a spoiled formula may have no exact value here
    return False


def spoiled(theorem: ValueTheorem, formula: sympy.Expr) -> Iterator[sympy.Expr]:
    """A few formulas of each kind that are really different from this one."""
    for kind in (changed_sign, dropped_factor, swapped_indices):
        found = 0
        for wrong in kind(formula):
            if found < MOST_OF_A_KIND and wrong != formula and differs(theorem, formula, wrong):
                found += 1
                yield wrong


def refused(theorem: ValueTheorem, before: sympy.Expr, step: ValueStep) -> bool:
    try:
        return knowledge(theorem).objection(before, step) is not None
    except ValueError:
        return True


@pytest.mark.parametrize(("theorem", "chain", "place"), STEPS)
def test_a_spoiled_step_is_refused(theorem: ValueTheorem, chain: Chain, place: int) -> None:
    """The first step is spoiled as what the second follows from, the others as what follows."""
    before, step = chain.steps[max(place, 1) - 1], chain.steps[max(place, 1)]
    assert step.at or not refused(theorem, before.to, step)
    count = 0
    for wrong in spoiled(theorem, chain.steps[place].to):
        count += 1
        if place == 0:
            assert refused(theorem, wrong, step), wrong
        else:
            assert refused(theorem, before.to, ValueStep(wrong, step.because, step.sign, step.gap)), wrong
    assert count > 0, "no change of this step made a difference, so nothing was tested"
