"""From a claim to a verdict: refute by the smallest counterexample, or prove by an accepted certificate."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from mha_spec.design import SIZES
from mha_spec.sampling.designs import DesignSpace

from .bounds import excess
from .certificate import Equations
from .counterexample import Search, search
from .divisions import require_positive_divisors, without_divisions
from .equations import (
    ALL_HYPOTHESES,
    as_at_most,
    equations_for,
    equations_for_pair,
    primed,
    varying_sizes,
)
from .language import ClaimError, parse_claim
from .printing import relation_text
from .quantities import KNOWN_NAMES, quantity_terms
from .search import find_certificate
from .terms import (
    Claim,
    Goal,
    Iff,
    IndependentOfH,
    Operation,
    Relation,
    goal_terms,
    substitute,
    substitute_in_goal,
    substitute_in_relation,
)
from .verdict import ProvedPart, Verdict

QUICK_DESIGNS = 400  # tried before a certificate is searched for: a false claim mostly fails among the smallest


@dataclass(frozen=True)
class Question:
    """A claim with its quantities bound to traced terms, and the setting it is asked in."""

    claim: Claim
    goal: Goal
    where: tuple[Relation, ...]
    active: tuple[str, ...]
    varying: tuple[str, ...]
    extra: tuple[str, ...] = ()

    def space(self, hypotheses: Collection[str]) -> DesignSpace:
        """The designs that meet some hypotheses and the pins among the claim's conditions."""
        return DesignSpace(hypotheses, pinned=_pins(self.where), extra=self.extra)

    def equations(self, hypotheses: Collection[str], assumed: Sequence[Relation] = ()) -> Equations:
        """What may be used in a certificate under some hypotheses, with further relations assumed."""
        where = (*self.where, *assumed)
        if isinstance(self.goal, IndependentOfH):
            return equations_for_pair(hypotheses, self.varying, where)
        return equations_for(hypotheses, where)

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
    return pins


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
    terms = quantity_terms()
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
    question = Question(parsed, goal, where, active, varying, extra)
    require_positive_divisors(question.goal, where, question.equations(active), claim)
    return question


def prove(
    claim: str,
    *,
    drop: Collection[str] = (),
    hold: Collection[str] = (),
    designs: int = 24,
    extra: tuple[str, ...] = (),
) -> Verdict:
    """The verdict on a claim in the claim language, confirmed on counted runs of `designs` drawn designs.

    `drop` names hypotheses that are not assumed, `hold` sizes that two compared designs share.  Raises
    ClaimError for text outside the language and for conditions that no design meets.
    """
    from .confirmation import confirm

    question = ask(claim, drop, hold, extra)
    verdict = decide(question)
    return verdict.with_confirmation(confirm(question, verdict, designs)) if designs else verdict


def decide(question: Question) -> Verdict:
    """The verdict on a question, without counted runs."""
    space = question.space(question.active)
    quick = search(question.goal, question.where, space, question.varying, QUICK_DESIGNS)
    if not quick.counterexample:
        proof = certify(question, question.active) if quick.met else ()
        if proof:
            used, proof = fewest_hypotheses(question, proof)
            return _verdict(question, "PROVED", quick, used, proof)
        quick = search(question.goal, question.where, space, question.varying)
    if quick.counterexample:
        return _verdict(question, "REFUTED", quick)
    if quick.met:
        reason = f"no certificate found, and no counterexample among {quick.examined:,} designs"
    else:
        _refuse_contradiction(question)
        reason = f"none of the {quick.examined:,} smallest designs meets the conditions"
    return _verdict(question, "UNKNOWN", quick, reason=f"{reason}, up to a sum of sizes of {quick.bound:,}")


def _verdict(
    question: Question,
    outcome: str,
    found: Search,
    used: tuple[str, ...] = (),
    proof: tuple[ProvedPart, ...] = (),
    reason: str = "",
) -> Verdict:
    designs = tuple(
        {name: sizes[name] for name in (*SIZES, *question.extra)} for sizes in found.counterexample
    )
    return Verdict(
        question.claim,
        "PROVED" if outcome == "PROVED" else "REFUTED" if outcome == "REFUTED" else "UNKNOWN",
        used,
        question.held,
        proof,
        designs,
        found.examined,
        found.bound,
        reason,
    )


def certify(question: Question, hypotheses: Collection[str]) -> tuple[ProvedPart, ...]:
    """The parts of a proof under some hypotheses, each with an accepted certificate; empty if none is found."""
    for parts in _ways(question):
        proof: list[ProvedPart] = []
        for relation, assumed, label in parts:
            proved = certify_relation(relation, question.equations(hypotheses, assumed), label)
            if not proved:
                break
            proof.extend(proved)
        else:
            return tuple(proof)
    return ()


def certify_relation(relation: Relation, equations: Equations, label: str = "") -> tuple[ProvedPart, ...]:
    """The parts that prove one relation: its divisions carried out, each with a certificate, and the rest."""
    plain, divisions = without_divisions(as_at_most(relation), equations)
    certificate = find_certificate(plain, equations) if plain else None
    if plain is None or certificate is None:
        return ()
    return (*divisions, ProvedPart(plain, certificate, label))


def _ways(question: Question) -> Iterator[tuple[tuple[Relation, tuple[Relation, ...], str], ...]]:
    """Ways to prove a goal: each is a list of relations to certify, what is assumed for each, and a label."""
    goal = question.goal
    if isinstance(goal, IndependentOfH):
        yield ((Relation("==", goal.term, substitute(goal.term, primed(question.varying))), (), ""),)
    elif isinstance(goal, Iff):
        for forth, back in product(_strengthened(goal.right), _strengthened(goal.left)):
            yield (forth, (goal.left,), "left gives right"), (back, (goal.right,), "right gives left")
    else:
        for relation in _strengthened(goal):
            yield ((relation, (), ""),)


def _strengthened(relation: Relation) -> tuple[Relation, ...]:
    """A relation itself, or for ``!=`` the two strict inequalities either of which is enough."""
    if relation.sign != "!=":
        return (relation,)
    return Relation("<", relation.left, relation.right), Relation(">", relation.left, relation.right)


def fewest_hypotheses(
    question: Question, proof: tuple[ProvedPart, ...]
) -> tuple[tuple[str, ...], tuple[ProvedPart, ...]]:
    """A minimal set of hypotheses and its proof: H6 to H1 are tried in turn, and left out where a proof remains."""
    used = question.active
    for name in reversed(question.active):
        fewer = tuple(other for other in used if other != name)
        space = question.space(fewer)
        if search(question.goal, question.where, space, question.varying, QUICK_DESIGNS).counterexample:
            continue
        if shorter := certify(question, fewer):
            used, proof = fewer, shorter
    return used, proof


def _refuse_contradiction(question: Question) -> None:
    """Raise ClaimError if one of the conditions is certified to fail wherever the others hold."""
    for relation in question.where:
        others = tuple(other for other in question.where if other is not relation)
        equations = equations_for(question.active, others)
        for opposite in _opposites(relation):
            if find_certificate(as_at_most(opposite), equations):
                held = " ".join(question.active) or "no hypothesis"
                beside = f" and {', '.join(map(relation_text, others))}" if others else ""
                shown = relation_text(relation)
                raise ClaimError(f"no design meets {shown} (under {held}{beside})", question.claim.text)


def _opposites(relation: Relation) -> tuple[Relation, ...]:
    left, right = relation.left, relation.right
    if relation.sign == "==":
        return Relation("<", left, right), Relation(">", left, right)
    if relation.sign == "!=":
        return (Relation("==", left, right),)
    at_most = as_at_most(relation)
    return (Relation("<=", Operation("+", at_most.right, 1), at_most.left),)
