"""A theorem: a sentence, its claims, a chain of certified steps, and what fails without each hypothesis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mha_spec.sampling.designs import DesignSpace

from .cases import CAUSAL_QUANTITIES, causal_values
from .certificate import Certificate, equations_used
from .equations import ALL_HYPOTHESES, as_at_most, equations_for
from .language import ClaimError, parse_claim
from .printing import text
from .prover import needed_cases, prove
from .quantities import KNOWN_NAMES, memory_terms, quantity_terms
from .search import find_certificate
from .terms import Relation, RelationSign, Term, names, relation_holds, substitute
from .verdict import ProvedPart, Verdict

_QUICK_DESIGNS = 60  # a false step mostly fails among the smallest, without a search for its certificate


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
    `source` is the paper and section.  `drop` names hypotheses that no claim of the theorem assumes, `extra`
    free sizes of its own beside those of the layer, and `false` claims that people may expect and that fail.
    """

    name: str
    sentence: str
    claims: tuple[str, ...]
    steps: tuple[Step, ...]
    needs: tuple[tuple[str, str], ...]
    source: str
    drop: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()

    def refuse(self, place: str, reason: str) -> TheoremError:
        """The error for something wrong at a place of this theorem."""
        return TheoremError(f"theorem {self.name}, {place}: {reason}")


@dataclass(frozen=True)
class CertifiedStep:
    """A step of a chain with the terms it relates, as written, and the accepted certificate."""

    before: Term
    step: Step
    term: Term
    proved: ProvedPart

    @property
    def certificate(self) -> Certificate:
        """The certificate of the step's relation, its quantities written out."""
        return self.proved.certificate


def parsed_steps(theorem: Theorem) -> tuple[Term, ...]:
    """The term of each step, as written.  Raises ClaimError for text outside the claim language."""
    known = (*KNOWN_NAMES, *theorem.extra)
    return tuple(_left_side(f"{step.to} == 0", known) for step in theorem.steps)


def _left_side(claim: str, known: tuple[str, ...]) -> Term:
    read = parse_claim(claim, known)
    if not isinstance(read.goal, Relation) or read.where:
        raise ClaimError("a step is one sum", claim)
    return read.goal.left


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
    proved = _follows(before, after, step.sign, step.using)
    if proved is None:
        under = " ".join(step.using) or "no hypothesis"
        raise theorem.refuse(place, f"it does not follow from {text(before)} under {under}")
    for name in step.using:
        if _follows(before, after, step.sign, tuple(other for other in step.using if other != name)):
            raise theorem.refuse(place, f"{name} is not needed")
    return CertifiedStep(before, step, after, proved)


def _follows(before: Term, after: Term, sign: RelationSign, using: tuple[str, ...]) -> ProvedPart | None:
    quantities = {**quantity_terms(), **memory_terms()}
    relation = Relation(sign, substitute(before, quantities), substitute(after, quantities))
    named = names(before) | names(after)
    causal = named & CAUSAL_QUANTITIES.keys()
    space = DesignSpace(using, extra=tuple(sorted(named - set(KNOWN_NAMES))))
    smallest = ({**sizes, **causal_values(causal, sizes)} for sizes in space.first(_QUICK_DESIGNS))
    if not all(relation_holds(relation, sizes) for sizes in smallest):
        return None
    equations = equations_for(using)
    cases = needed_cases(equations)[0] if causal else ()
    if len(cases) > 1:
        return None  # one step has one certificate
    equations |= cases[0].equations if cases else {}
    certificate = find_certificate(as_at_most(relation), equations)
    if certificate is None:
        return None
    return ProvedPart(as_at_most(relation), certificate, equations_used(equations, certificate))


def _require_chain_of_claim(theorem: Theorem, terms: tuple[Term, ...]) -> None:
    claim = parse_claim(theorem.claims[0], (*KNOWN_NAMES, *theorem.extra))
    if not isinstance(claim.goal, Relation) or claim.where:
        raise theorem.refuse("its first claim", "a chain of steps derives one relation, without conditions")
    if len(terms) < 2:
        raise theorem.refuse("its steps", "a derivation has at least two")
    if theorem.steps[0].using or theorem.steps[0].sign != "==":
        raise theorem.refuse("step 1", "it is where the chain begins, and follows from nothing")
    if (terms[0], terms[-1]) != (claim.goal.left, claim.goal.right):
        ends = f"{text(terms[0])} and {text(terms[-1])}"
        raise theorem.refuse("its steps", f"they run between {ends}, which are not the sides of {claim.text}")
    signs = {step.sign for step in theorem.steps[1:]} - {"=="}
    if signs != ({claim.goal.sign} - {"=="}):
        raise theorem.refuse("its steps", f"their relations do not add up to {claim.goal.sign}")


def verdicts(theorem: Theorem, designs: int = 12) -> Iterator[Verdict]:
    """The verdict on each claim; TheoremError for one that is not proved."""
    for claim in theorem.claims:
        verdict = prove(claim, drop=theorem.drop, designs=designs, extra=theorem.extra)
        if verdict.outcome != "PROVED":
            raise theorem.refuse(f"claim {claim}", f"{verdict.outcome} {verdict.reason}".strip())
        yield verdict


def counterexamples(theorem: Theorem, designs: int = 1) -> Iterator[tuple[str, Verdict]]:
    """Each hypothesis that is needed, with the refutation of its claim without it; TheoremError if it stands."""
    for hypothesis, claim in theorem.needs:
        verdict = prove(claim, drop=(*theorem.drop, hypothesis), designs=designs, extra=theorem.extra)
        if verdict.outcome != "REFUTED":
            raise theorem.refuse(f"claim {claim} without {hypothesis}", f"it is {verdict.outcome}, not refuted")
        yield hypothesis, verdict


def refuted_expectations(theorem: Theorem, designs: int = 1) -> Iterator[Verdict]:
    """The refutation of each claim that the theorem calls false; TheoremError if one stands."""
    for claim in theorem.false:
        verdict = prove(claim, drop=theorem.drop, designs=designs, extra=theorem.extra)
        if verdict.outcome != "REFUTED":
            raise theorem.refuse(f"claim {claim}", f"it is {verdict.outcome}, not refuted")
        yield verdict
