"""A theorem: a sentence, its claims, a chain of certified steps, and what fails without each hypothesis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .certificate import Certificate
from .equations import ALL_HYPOTHESES, as_at_most, equations_for
from .language import parse_claim
from .printing import text
from .prover import prove
from .quantities import KNOWN_NAMES, quantity_terms
from .search import find_certificate
from .terms import Relation, RelationSign, Term, substitute
from .verdict import Verdict


class TheoremError(ValueError):
    """A theorem file that does not prove what it says; the message names the theorem, the place and the reason."""


@dataclass(frozen=True)
class Step:
    """One link of a chain: the next term, why it may stand there, and exactly the hypotheses that are needed.

    `sign` relates the term before to this one: ``==``, or in an inequality ``<=`` or ``>=``.
    """

    to: str
    because: str
    using: tuple[str, ...] = ()
    sign: RelationSign = "=="


@dataclass(frozen=True)
class Theorem:
    """A statement about the traced layer, with its derivation.

    `claims` are in the claim language, the first being the one that `steps` derives, from its left side to its
    right.  `needs` pairs a hypothesis with a claim that is false once that hypothesis alone is dropped.
    `extra` names free sizes of this theorem beside those of the layer.  `source` is the paper and section.
    """

    name: str
    sentence: str
    claims: tuple[str, ...]
    steps: tuple[Step, ...]
    needs: tuple[tuple[str, str], ...]
    source: str
    extra: tuple[str, ...] = ()

    def refuse(self, place: str, reason: str) -> TheoremError:
        """The error for something wrong at a place of this theorem."""
        return TheoremError(f"theorem {self.name}, {place}: {reason}")


@dataclass(frozen=True)
class CertifiedStep:
    """A step of a chain with the terms it relates, as written, and its accepted certificate."""

    before: Term
    step: Step
    term: Term
    certificate: Certificate


def parsed_steps(theorem: Theorem) -> tuple[Term, ...]:
    """The term of each step, as written.  Raises ClaimError for text outside the claim language."""
    known = (*KNOWN_NAMES, *theorem.extra)
    return tuple(_left_side(f"{step.to} == 0", known) for step in theorem.steps)


def _left_side(claim: str, known: tuple[str, ...]) -> Term:
    goal = parse_claim(claim, known).goal
    assert isinstance(goal, Relation)  # "... == 0" reads as nothing else
    return goal.left


def certified_steps(theorem: Theorem) -> tuple[CertifiedStep, ...]:
    """Every step after the first with its certificate.

    Raises TheoremError where a step changes nothing, does not follow under the hypotheses it names, names one
    it does not need, or where the chain does not run from the left to the right side of the first claim.
    """
    terms = parsed_steps(theorem)
    _require_chain_of_claim(theorem, terms)
    return tuple(_certify(theorem, number, *terms[number - 1 : number + 1]) for number in range(1, len(terms)))


def _certify(theorem: Theorem, number: int, before: Term, after: Term) -> CertifiedStep:
    step = theorem.steps[number]
    place = f"step {number + 1} ({step.to})"
    if before == after:
        raise theorem.refuse(place, "the step changes nothing")
    for name in step.using:
        if name not in ALL_HYPOTHESES:
            raise theorem.refuse(place, f"{name} is no hypothesis; there are {', '.join(ALL_HYPOTHESES)}")
    certificate = _follows(before, after, step.sign, step.using)
    if certificate is None:
        under = " ".join(step.using) or "no hypothesis"
        raise theorem.refuse(place, f"it does not follow from {text(before)} under {under}")
    for name in step.using:
        if _follows(before, after, step.sign, tuple(other for other in step.using if other != name)):
            raise theorem.refuse(place, f"{name} is not needed")
    return CertifiedStep(before, step, after, certificate)


def _follows(before: Term, after: Term, sign: RelationSign, using: tuple[str, ...]) -> Certificate | None:
    quantities = quantity_terms()
    relation = Relation(sign, substitute(before, quantities), substitute(after, quantities))
    return find_certificate(as_at_most(relation), equations_for(using))


def _require_chain_of_claim(theorem: Theorem, terms: tuple[Term, ...]) -> None:
    claim = parse_claim(theorem.claims[0], (*KNOWN_NAMES, *theorem.extra))
    if not isinstance(claim.goal, Relation) or claim.where:
        raise theorem.refuse("its first claim", "a chain of steps derives one relation, without conditions")
    if len(terms) < 2:
        raise theorem.refuse("its steps", "a derivation has at least two")
    if (terms[0], terms[-1]) != (claim.goal.left, claim.goal.right):
        ends = f"{text(terms[0])} and {text(terms[-1])}"
        raise theorem.refuse("its steps", f"they run between {ends}, which are not the sides of {claim.text}")
    signs = {step.sign for step in theorem.steps[1:]} - {"=="}
    if signs != ({claim.goal.sign} - {"=="}):
        raise theorem.refuse("its steps", f"their relations do not add up to {claim.goal.sign}")


def verdicts(theorem: Theorem, designs: int = 24) -> Iterator[Verdict]:
    """The verdict on each claim; TheoremError for one that is not proved."""
    for claim in theorem.claims:
        verdict = prove(claim, designs=designs, extra=theorem.extra)
        if verdict.outcome != "PROVED":
            raise theorem.refuse(f"claim {claim}", f"{verdict.outcome} {verdict.reason}".strip())
        yield verdict


def counterexamples(theorem: Theorem, designs: int = 1) -> Iterator[tuple[str, Verdict]]:
    """Each hypothesis that is needed, with the refutation of its claim without it; TheoremError if it stands."""
    for hypothesis, claim in theorem.needs:
        verdict = prove(claim, drop=(hypothesis,), designs=designs, extra=theorem.extra)
        if verdict.outcome != "REFUTED":
            raise theorem.refuse(f"claim {claim} without {hypothesis}", f"it is {verdict.outcome}, not refuted")
        yield hypothesis, verdict
