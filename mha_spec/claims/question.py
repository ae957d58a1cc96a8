"""A claim in its setting: quantities bound to traced terms, hypotheses chosen, what makes no sense refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mha_spec.counting.memory import MEMORY_QUANTITIES
from mha_spec.design import SIZES
from mha_spec.sampling.designs import DesignSpace, Sizes

from .bounds import excess
from .cases import CAUSAL_QUANTITIES, causal_values
from .certificate import Equations
from .counterexample import MAX_DESIGNS, Search, search
from .divisions import require_positive_divisors
from .equations import ALL_HYPOTHESES, conditions_as_equations, equations_for, equations_for_pair, varying_sizes
from .language import ClaimError, parse_claim
from .quantities import KNOWN_NAMES, memory_terms, quantity_terms
from .terms import (
    Claim,
    Goal,
    IndependentOfH,
    Relation,
    goal_terms,
    names,
    substitute_in_goal,
    substitute_in_relation,
)


@dataclass(frozen=True)
class Question:
    """A claim with its quantities bound to traced terms, and the setting it is asked in."""

    claim: Claim
    goal: Goal
    where: tuple[Relation, ...]
    active: tuple[str, ...]
    varying: tuple[str, ...]
    extra: tuple[str, ...] = ()
    causal: tuple[str, ...] = ()  # the causal quantities it names
    memory: tuple[str, ...] = ()  # the memory quantities it names

    def space(self, hypotheses: Collection[str]) -> DesignSpace:
        """The designs that meet some hypotheses and the pins among the claim's conditions."""
        return DesignSpace(hypotheses, pinned=_pins(self.where), extra=self.extra)

    def equations(self, hypotheses: Collection[str], assumed: Sequence[Relation] = ()) -> Equations:
        """What may be used in a certificate under some hypotheses, with the other side of an `iff` assumed."""
        if isinstance(self.goal, IndependentOfH):
            return equations_for_pair(hypotheses, self.varying, self.where)
        return {**equations_for(hypotheses, self.where), **conditions_as_equations(assumed, "assumed")}

    def facts(self, sizes: Sizes) -> Sizes:
        """The sizes of a design, with the causal quantities that the claim names."""
        return {**sizes, **causal_values(self.causal, sizes)} if self.causal else sizes

    def search(self, hypotheses: Collection[str], most: int = MAX_DESIGNS) -> Search:
        """The smallest counterexample among the first `most` designs that meet some hypotheses."""
        return search(self.goal, self.where, self.space(hypotheses), self.varying, most, self.facts)

    @property
    def held(self) -> tuple[str, ...]:
        """The sizes that the two designs of a claim of independence share."""
        if not isinstance(self.goal, IndependentOfH):
            return ()
        return tuple(size for size in SIZES if size not in self.varying)


def _pins(where: Collection[Relation]) -> dict[str, int]:
    """Sizes that a condition sets to a number; a second, different number is left for the search to fail on."""
    pins: dict[str, int] = {}
    for relation in where:
        for name, number in ((relation.left, relation.right), (relation.right, relation.left)):
            if relation.sign == "==" and isinstance(name, str) and isinstance(number, int):
                pins.setdefault(name, number)
    return {name: number for name, number in pins.items() if name not in CAUSAL_QUANTITIES}


def active_hypotheses(drop: Collection[str]) -> tuple[str, ...]:
    """The hypotheses that are left; ClaimError for a name that is not one of H1 to H6."""
    for name in drop:
        if name not in ALL_HYPOTHESES:
            raise ClaimError(f"no hypothesis is called that; there are {', '.join(ALL_HYPOTHESES)}", name)
    return tuple(name for name in ALL_HYPOTHESES if name not in drop)


def ask(
    claim: str, drop: Collection[str] = (), hold: Collection[str] = (), extra: tuple[str, ...] = ()
) -> Question:
    """A claim's text as a question under the hypotheses that are not dropped; ClaimError if it makes no sense.

    Quantities are bound before independence is expanded: afterwards ``q == q`` would prove anything.
    """
    active = active_hypotheses(drop)
    for size in hold:
        if size not in SIZES:
            raise ClaimError(f"no size is called that; there are {', '.join(SIZES)}", size)
    parsed = parse_claim(claim, (*KNOWN_NAMES, *extra))
    memory = _named_in(parsed.goal, parsed.where, MEMORY_QUANTITIES)
    terms = {**quantity_terms(), **(memory_terms() if memory else {})}
    goal = substitute_in_goal(parsed.goal, terms)
    where = tuple(substitute_in_relation(relation, terms) for relation in parsed.where)
    for term in (*goal_terms(goal), *(side for relation in where for side in (relation.left, relation.right))):
        if problem := excess(term):
            raise ClaimError(f"with its quantities written out the claim reaches {problem}", claim)
    independent = isinstance(goal, IndependentOfH)
    if hold and not independent:
        raise ClaimError("holding sizes is for claims of independence", claim)
    if independent and "h" in _pins(where):
        raise ClaimError("independence compares two head counts, and a condition fixes h", claim)
    varying = varying_sizes(active, hold, claim) if independent else ()
    question = Question(parsed, goal, where, active, varying, extra, _named_in(goal, where, CAUSAL_QUANTITIES), memory)
    require_positive_divisors(question.goal, where, question.equations(active), claim)
    return question


def _named_in(goal: Goal, where: Collection[Relation], among: Collection[str]) -> tuple[str, ...]:
    sides = (side for relation in where for side in (relation.left, relation.right))
    named = frozenset().union(*map(names, (*goal_terms(goal), *sides)))
    return tuple(name for name in among if name in named)
