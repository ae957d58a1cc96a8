"""From a claim to a verdict: refute by the smallest counterexample, or prove by an accepted certificate."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from mha_spec.design import SIZES

from .cases import Case, length_cases
from .certificate import Equations, equations_used
from .counterexample import Search
from .divisions import divisors_are_positive, without_divisions
from .equations import as_at_most, equations_for, primed
from .language import ClaimError
from .printing import relation_text
from .question import Question, ask
from .search import find_certificate
from .terms import Iff, IndependentOfH, Operation, Relation, substitute
from .verdict import ProvedPart, Verdict

QUICK_DESIGNS = 100  # tried before a certificate is searched for: a false claim mostly fails among the smallest


def prove(
    claim: str,
    *,
    drop: Collection[str] = (),
    hold: Collection[str] = (),
    designs: int = 12,
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
    quick = question.search(question.active, QUICK_DESIGNS)
    if quick.met and not quick.counterexample and (proof := certify(question, question.active)):
        return _verdict(question, "PROVED", quick, *fewest_hypotheses(question, proof))
    # Also after a quick hit: of pairs, one with a larger second design can have the smaller sum.
    found = question.search(question.active)
    if found.counterexample:
        return _verdict(question, "REFUTED", found)
    if found.met and not quick.met and (proof := certify(question, question.active)):
        return _verdict(question, "PROVED", found, *fewest_hypotheses(question, proof))
    if found.met:
        reason = f"no certificate found, and no counterexample among {found.examined:,} designs"
    else:
        _refuse_contradiction(question)
        reason = f"none of the {found.examined:,} smallest designs meets the conditions"
    return _verdict(question, "UNKNOWN", found, reason=f"{reason}, up to a sum of sizes of {found.bound:,}")


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
    if not question.causal:
        return _certify_case(question, hypotheses, {}, "")
    cases, proof = needed_cases(question.equations(hypotheses))
    for case in cases:
        shown = f"where {relation_text(case.condition)}"
        proved = _certify_case(question, hypotheses, case.equations, shown)
        if not proved:
            return ()
        proof += proved
    return proof


def needed_cases(equations: Equations) -> tuple[tuple[Case, ...], tuple[ProvedPart, ...]]:
    """The cases to certify a claim about causal quantities in: one alone where its condition is certified.

    That certificate is part of the proof, and comes with the case; both cases cover all sizes without one.
    """
    for case in length_cases():
        certificate = find_certificate(case.condition, equations)
        if certificate:
            label = f"{relation_text(case.condition)} always"
            used = equations_used(equations, certificate)
            return (case,), (ProvedPart(case.condition, certificate, used, label),)
    return length_cases(), ()


def _certify_case(
    question: Question, hypotheses: Collection[str], given: Equations, shown: str
) -> tuple[ProvedPart, ...]:
    for parts in _ways(question):
        proof: list[ProvedPart] = []
        for relation, assumed, label in parts:
            equations = {**question.equations(hypotheses, assumed), **given}
            proved = certify_relation(relation, equations, ", ".join(filter(None, (shown, label))))
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
    return (*divisions, ProvedPart(plain, certificate, equations_used(equations, certificate), label))


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
        if goal.sign == "==" and any(relation.sign not in ("==", "!=") for relation in question.where):
            bounds = Relation("<=", goal.left, goal.right), Relation(">=", goal.left, goal.right)
            yield (bounds[0], (), "at most"), (bounds[1], (), "at least")


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
        if not divisors_are_positive(question.goal, question.where, question.equations(fewer)):
            continue
        if not any(part.uses(name) for part in proof):
            used = fewer  # the certificate in hand does without it
            continue
        if question.search(fewer, QUICK_DESIGNS).counterexample:
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
