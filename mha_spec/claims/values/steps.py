"""Decides the steps of a value theorem and says how far each decision reaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import sympy

from .explicit import agree_at
from .sums.facts import Facts
from .sums.notation import Gradient
from .sums.polynomials import ZERO, Polynomial, vanishes
from .sums.reading import Definitions, Reader, UnknownFormulaError
from .theorem import (
    Chain,
    Equal,
    Keeps,
    Nonnegative,
    Permutes,
    Positive,
    ValueStep,
    ValueTheorem,
    Zero,
)

F = TypeVar("F")
FOR_ALL_SIZES = "for all sizes"


@dataclass(frozen=True)
class StepVerdict:
    """An accepted step: its chain and number, counted from 1, and how far the decision reaches.

    `reach` is "for all sizes", or "at sizes ..." with every combination that was decided.
    """

    chain: Chain
    number: int
    step: ValueStep
    reach: str


def check(theorem: ValueTheorem) -> tuple[StepVerdict, ...]:
    """The verdict on every step after the first of every chain.

    Raises TheoremError, with theorem, chain, step and reason, where a step changes nothing, is not decided, or is
    false, and where a chain does not run between the sides of its statement.
    """
    if not theorem.chains:
        raise theorem.refuse("its chains", "there are none")
    return tuple(verdict for chain in theorem.chains for verdict in _checked(theorem, chain))


def needless_hypotheses(theorem: ValueTheorem) -> tuple[str, ...]:
    """The sentences of hypotheses whose fact may be left out without a chain being refused."""
    needless = []
    for hypothesis in theorem.hypotheses:
        others = tuple(other for other in theorem.hypotheses if other != hypothesis)
        if hypothesis.fact is not None and _holds(replace(theorem, hypotheses=others)):
            needless.append(hypothesis.sentence)
    return tuple(needless)


def _holds(theorem: ValueTheorem) -> bool:
    try:
        check(theorem)
    except ValueError:
        return False
    return True


def _checked(theorem: ValueTheorem, chain: Chain) -> Iterator[StepVerdict]:
    _require_ends(theorem, chain)
    knowledge = Knowledge(theorem)
    for number in range(2, len(chain.steps) + 1):
        before, step = chain.steps[number - 2].to, chain.steps[number - 1]
        place = f"{chain.states}, step {number} ({step.to})"
        if before == step.to:
            raise theorem.refuse(place, "the step changes nothing")
        try:
            reason = knowledge.objection(before, step)
        except (UnknownFormulaError, ValueError) as unknown:
            reason = str(unknown)
        if reason is None:
            yield StepVerdict(chain, number, step, FOR_ALL_SIZES)
        elif not step.at:
            raise theorem.refuse(place, reason)
        else:
            yield StepVerdict(chain, number, step, _decided_at(theorem, place, before, step))


def _require_ends(theorem: ValueTheorem, chain: Chain) -> None:
    if len(chain.steps) < 2:
        raise theorem.refuse(chain.states, "a derivation has at least two steps")
    for end, step, side in (("left", chain.steps[0], chain.left), ("right", chain.steps[-1], chain.right)):
        if step.to != side:
            raise theorem.refuse(chain.states, f"the {end} side is {side}, but the chain has {step.to} there")
    if chain.left == chain.right:
        raise theorem.refuse(chain.states, "both sides are the same formula")
    first = chain.steps[0]
    if first.sign != "==" or first.gap != 0 or first.at:
        raise theorem.refuse(f"{chain.states}, step 1", "it is where the chain begins, and follows from nothing")
    if {step.sign for step in chain.steps} - {"=="} != {chain.sign} - {"=="}:
        raise theorem.refuse(chain.states, f"the relations of its steps do not add up to {chain.sign}")


def _decided_at(theorem: ValueTheorem, place: str, before: sympy.Expr, step: ValueStep) -> str:
    if step.sign != "==" or step.gap != 0:
        raise theorem.refuse(place, "only an equation without a gap is decided at sizes")
    for values in step.at:
        if not agree_at(before, step.to, values, theorem.definitions, {}):
            raise theorem.refuse(place, f"it is false at {_listed(values)}")
    return "at sizes " + "; ".join(map(_listed, step.at))


def _listed(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


class Knowledge:
    """What a theorem's definitions and hypotheses let the checker conclude."""

    def __init__(self, theorem: ValueTheorem) -> None:
        self.theorem = theorem
        self._read: dict[sympy.Expr, Polynomial] = {}

    def objection(self, before: sympy.Expr, step: ValueStep) -> str | None:
        """Why the step is not decided for all sizes, or None if it is.

        Raises UnknownFormulaError where a formula cannot be read, or divides by what is not known to be positive.
        """
        difference = self._normal(before) - self._normal(step.to)
        gap = self._normal(step.gap)
        if step.gap.has(Gradient):
            return f"the gap {step.gap} has a derivative, which a fact about values says nothing of"
        if not vanishes(difference - gap if step.sign == "==" else difference + gap):
            return f"it does not follow from {before}" + ("" if step.gap == 0 else f" with the gap {step.gap}")
        if step.sign == "==" and step.gap != 0 and not vanishes(self._without_zeros.read(step.gap)):
            return f"the gap {step.gap} is not zero by the hypotheses"
        signed = self._with_signs
        if step.sign == "<=" and not signed.facts.is_nonnegative(signed.read(step.gap)):
            return f"the gap {step.gap} is not known to be at least 0"
        return None

    def _normal(self, formula: sympy.Expr) -> Polynomial:
        if formula not in self._read:
            self._read[formula] = self._plain.read(formula)
        return self._read[formula]

    @cached_property
    def _plain(self) -> Reader:
        return self._reader(self.theorem.definitions, ())

    @cached_property
    def _without_zeros(self) -> Reader:
        """Where arrays that are zero by hypothesis are zero, and no longer what they are short for."""
        zeros = {str(fact.array.label) for fact in self._facts(Zero)}
        changed = {
            entry: sympy.Integer(0) if str(entry.base.label) in zeros else formula
            for entry, formula in self.theorem.definitions.items()
        }
        return self._reader(changed, ())

    @cached_property
    def _with_signs(self) -> Reader:
        """Where arrays that are not negative by hypothesis stand for themselves."""
        return self._reader(self.theorem.definitions, [str(fact.array.label) for fact in self._facts(Nonnegative)])

    def _reader(self, definitions: Definitions, kept: tuple[str, ...] | list[str]) -> Reader:
        theorem = self.theorem
        reader = Reader(self._assumed(), definitions, {*kept, *(str(base.label) for base in theorem.kept)})
        facts = reader.facts
        facts.ranges |= {str(index.name): (ZERO, reader.read(size)) for index, size in theorem.indices.items()}
        facts.layouts = {
            reader.read(blocks * entries).key: (reader.read(blocks), reader.read(entries))
            for blocks, entries in theorem.layouts
        }
        facts.permutations = {str(fact.function): reader.read(fact.size) for fact in self._facts(Permutes)}
        facts.keeping = {str(fact.mask.label): reader.read(fact.keys) for fact in self._facts(Keeps)}
        facts.values = {
            atom.key: reader.read(fact.value) for fact in self._facts(Equal) for atom in reader.read(fact.entry).atoms()
        }
        for fact in self._facts(Positive):
            for entry in definitions:
                if entry.base == fact.array and str(entry.base.label) not in kept:
                    facts.positive_sums.add(reader.read(entry).key)
        return reader

    def _facts(self, kind: type[F]) -> Iterator[F]:
        return (known.fact for known in self.theorem.hypotheses if isinstance(known.fact, kind))

    def _assumed(self) -> Facts:
        return Facts(
            positive=frozenset(str(fact.array.label) for fact in self._facts(Positive)),
            nonnegative=frozenset(str(fact.array.label) for fact in self._facts(Nonnegative)),
            random=frozenset(str(base.label) for base in self.theorem.random),
        )
