"""A lesson: everything there is to say about one theorem, computed once for every form of output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mha_spec.claims.certificate import Certificate
from mha_spec.claims.equations import ALL_HYPOTHESES
from mha_spec.claims.terms import (
    RELATIONS,
    Claim,
    Goal,
    IndependentOfH,
    RelationSign,
    Term,
    evaluate,
    goal_terms,
    substitute,
)
from mha_spec.claims.theorem import (
    Theorem,
    certified_steps,
    counterexamples,
    parsed_steps,
    refuted_expectations,
    verdicts,
)
from mha_spec.claims.verdict import Confirmation, Design, Verdict

from .numbers import Substitution, facts_at, substitution
from .sources import Origin, origin

Standing: TypeAlias = Literal["used", "assumed, not used", "not assumed"]


@dataclass(frozen=True)
class LessonStep:
    """One step of a derivation: a term and how it relates to the one before, why, and what it is in numbers.

    `certificate` is the one that was accepted, None for the first step, which follows from nothing; `numbers` is
    the term with a number for every name, and `value` the integer that it is.
    """

    number: int
    sign: RelationSign
    term: Term
    because: str
    using: tuple[str, ...]
    certificate: Certificate | None
    numbers: Term
    value: int


@dataclass(frozen=True)
class Point:
    """A design at which a claim fails, and what each side of the claim is there."""

    design: Design
    values: tuple[tuple[Term, int], ...]


@dataclass(frozen=True)
class Refutation:
    """A claim that fails without a hypothesis, or with no hypothesis named that fails as it stands, and where."""

    hypothesis: str
    verdict: Verdict
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Lesson:
    """One theorem, proved again, with what a reader may want to know of it.

    `standing` says of each hypothesis whether the proofs of the claims use it; `needs` are the claims that fail
    without one, `expectations` those that people may expect and that are false.
    """

    theorem: Theorem
    origin: Origin
    claims: tuple[Verdict, ...]
    standing: Mapping[str, Standing]
    steps: tuple[LessonStep, ...]
    substitution: Substitution
    needs: tuple[Refutation, ...]
    expectations: tuple[Refutation, ...]

    @property
    def runs(self) -> Confirmation:
        """The counted runs of all claims together."""
        made = [verdict.confirmed for verdict in self.claims if verdict.confirmed]
        return Confirmation(sum(one.designs for one in made), sum(one.agreed for one in made))

    @property
    def needs_by_hypothesis(self) -> Mapping[str, tuple[Refutation, ...]]:
        """What fails without each hypothesis, in the order of the hypotheses."""
        named = {refutation.hypothesis for refutation in self.needs}
        return {
            name: tuple(refutation for refutation in self.needs if refutation.hypothesis == name)
            for name in ALL_HYPOTHESES
            if name in named
        }

    @property
    def commands(self) -> tuple[str, ...]:
        """Commands that prove the claims and find the counterexamples; none where a claim has sizes of its own."""
        if self.theorem.extra:
            return ()
        asked: list[tuple[tuple[str, ...], Claim]] = [((), verdict.claim) for verdict in self.claims]
        asked += [((refutation.hypothesis,), refutation.verdict.claim) for refutation in self.needs]
        asked += [((), refutation.verdict.claim) for refutation in self.expectations]
        return tuple(_command((*self.theorem.drop, *dropped), claim) for dropped, claim in asked)


def _command(dropped: tuple[str, ...], claim: Claim) -> str:
    return " ".join(["mha-spec prove", *(f"--drop {name}" for name in dropped), f"'{claim.text}'"])


def lesson(theorem: Theorem, given: Mapping[str, int] | None = None, designs: int = 12) -> Lesson:
    """The lesson of a theorem, with numbers for the sizes that are given and defaults for the others.

    `designs` is the number of counted runs by which each claim is confirmed.  Raises ExplainError if the given
    sizes contradict a hypothesis that the derivation uses, and TheoremError if the theorem does not prove what it
    says.
    """
    used = {name for step in theorem.steps for name in step.using}
    chosen = substitution(given or {}, used, theorem.drop, theorem.extra)
    claims = tuple(verdicts(theorem, designs))
    return Lesson(
        theorem,
        origin(theorem.name, "costs"),
        claims,
        _standing(theorem, used.union(*(verdict.hypotheses_used for verdict in claims))),
        tuple(_steps(theorem, chosen.facts())),
        chosen,
        tuple(Refutation(name, verdict, _points(verdict)) for name, verdict in counterexamples(theorem)),
        tuple(Refutation("", verdict, _points(verdict)) for verdict in refuted_expectations(theorem)),
    )


def _standing(theorem: Theorem, used: set[str]) -> dict[str, Standing]:
    return {
        name: "used" if name in used else "not assumed" if name in theorem.drop else "assumed, not used"
        for name in ALL_HYPOTHESES
    }


def _steps(theorem: Theorem, facts: Mapping[str, int]) -> Iterator[LessonStep]:
    """The steps in numbers; TheoremError if the numbers do not relate as the terms are certified to."""
    certificates = (None, *(link.certificate for link in certified_steps(theorem)))
    before: int | None = None
    for number, (step, term, certificate) in enumerate(
        zip(theorem.steps, parsed_steps(theorem), certificates, strict=True), 1
    ):
        value = evaluate(term, facts)
        if before is not None and not RELATIONS[step.sign](before, value):
            raise theorem.refuse(f"step {number} ({step.to})", f"in numbers {before} {step.sign} {value} is false")
        # a quantity by itself has no numbers to be replaced by but its value
        numbers = term if isinstance(term, str) else substitute(term, facts)
        yield LessonStep(number, step.sign, term, step.because, step.using, certificate, numbers, value)
        before = value


def _points(verdict: Verdict) -> tuple[Point, ...]:
    return tuple(Point(design, _values(verdict.claim.goal, design)) for design in verdict.counterexample)


def _values(goal: Goal, design: Design) -> tuple[tuple[Term, int], ...]:
    """What each side of a goal is at a design; of a claim of independence the one term it has."""
    facts = facts_at(design)
    sides = (goal.term,) if isinstance(goal, IndependentOfH) else goal_terms(goal)
    return tuple((side, evaluate(side, facts)) for side in sides)
