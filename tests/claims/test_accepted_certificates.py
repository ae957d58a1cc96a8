"""Every certificate that the catalogue rests on is true when it is read again, and refused once it is spoiled."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from mha_spec.claims.cases import length_cases
from mha_spec.claims.catalogue import load, theorem_files
from mha_spec.claims.certificate import Certificate, Equations, accepts, at_least_zero
from mha_spec.claims.printing import relation_text, text
from mha_spec.claims.prover import decide
from mha_spec.claims.question import Question, ask
from mha_spec.claims.terms import Iff, Operation, Relation, Term, names
from mha_spec.claims.verdict import ProvedPart

from .proved_catalogue import certified_chain, proved_claims

CLAIMS = (
    "d_model // h == d_k",
    "d_model % h == 0",
    "n <= n*m",
    "score_entries >= attention_matrices",
    "n == m iff n**2 == m**2",
    "n*m >= 6 where n >= 2, m >= 3",
    "kv_cache_entries <= 2*m*d_model",
    "comparisons < exponentials",
    "h*d_k independent of h",
    "parameters independent of h",
    "n**2 + m**2 >= 2*n*m where n >= m",
    "bias**3 == bias",
    "kept_pairs <= n*m",
    "2*kept_pairs == n*(n + 1)",
)
FILES = theorem_files()


class Accepted(NamedTuple):
    """A certificate that was accepted, with what it proves and under which equations."""

    place: str
    relation: Relation
    equations: Equations
    certificate: Certificate


def require_assumable(part: ProvedPart, question: Question, hypotheses: tuple[str, ...]) -> None:
    """What a part uses is what may be assumed: hypotheses, conditions, the other side of an iff, and its case."""
    assumed: list[tuple[Relation, ...]] = [()]
    if isinstance(question.goal, Iff):
        assumed = [(question.goal.left if "left gives right" in part.label else question.goal.right,)]
    allowed = dict(question.equations(hypotheses, *assumed))
    for case in length_cases():
        if f"where {relation_text(case.condition)}" in part.label:
            allowed |= case.equations
    assert part.equations.items() <= allowed.items(), part.label


@cache
def of_claim(claim: str) -> tuple[Accepted, ...]:
    question = ask(claim)
    verdict = decide(question)
    assert verdict.outcome == "PROVED"
    for part in verdict.proof:
        require_assumable(part, question, verdict.hypotheses_used)
    return tuple(
        Accepted(f"{claim}, part {number}", part.relation, part.equations, part.certificate)
        for number, part in enumerate(verdict.proof, 1)
    )


@cache
def of_theorem(path: Path) -> tuple[Accepted, ...]:
    theorem = load(path)
    found = [
        Accepted(f"{verdict.claim.text}, part {number}", part.relation, part.equations, part.certificate)
        for verdict in proved_claims(path)
        for number, part in enumerate(verdict.proof, 1)
    ]
    for number, link in enumerate(certified_chain(path), 2):
        place = f"{theorem.name}, step {number}"
        found.append(Accepted(place, link.proved.relation, link.proved.equations, link.certificate))
    return tuple(found)


def at(term: Term, sizes: Mapping[str, int]) -> int:
    """Python's own reading of a term; a prime is no part of a Python name."""
    known = {name.replace("'", "_2"): size for name, size in sizes.items()}
    return int(eval(text(term).replace("'", "_2"), {"__builtins__": {}}, known))


def rest_at(case: Accepted, sizes: Mapping[str, int]) -> int:
    """What the certificate leaves of its goal at given sizes: 0 for an equality, at least 0 for an inequality."""
    goal = case.relation
    high, low = (goal.left, goal.right) if goal.sign == "==" else (goal.right, goal.left)
    rest = at(case.certificate.multiplier, sizes) * (at(high, sizes) - at(low, sizes))
    for label, cofactor in case.certificate.cofactors.items():
        left, right = case.equations[label]
        rest -= at(cofactor, sizes) * (at(left, sizes) - at(right, sizes))
    return rest


def names_of(case: Accepted) -> list[str]:
    certificate = case.certificate
    sides = [side for label in certificate.cofactors for side in case.equations[label]]
    ours = (case.relation.left, case.relation.right, certificate.multiplier, *certificate.cofactors.values())
    return sorted(frozenset().union(*map(names, (*ours, *sides))))


def require_true_at_random_integers(case: Accepted) -> None:
    assert accepts(case.relation, case.equations, case.certificate), case.place
    generator = random.Random(case.place)
    for _ in range(25):
        if case.relation.sign == "==":  # an identity of polynomials holds at every integer, not only at sizes
            sizes = {name: generator.randint(-50, 50) for name in names_of(case)}
            assert rest_at(case, sizes) == 0, case.place
        sizes = {name: generator.randint(0 if at_least_zero(name) else 1, 40) for name in names_of(case)}
        assert rest_at(case, sizes) >= 0, case.place
        assert at(case.certificate.multiplier, sizes) >= 1, case.place


def spoiled(case: Accepted) -> Iterator[tuple[str, Certificate]]:
    """Every cofactor of an equality changed, dropped and multiplied, and its multiplier made wrong."""
    certificate = case.certificate
    for label, cofactor in certificate.cofactors.items():
        others = {name: other for name, other in certificate.cofactors.items() if name != label}
        yield f"{label} dropped", replace(certificate, cofactors=others)
        for how, changed in [
            ("plus 1", Operation("+", cofactor, 1)),
            ("minus n", Operation("-", cofactor, "n")),
            ("doubled", Operation("*", 2, cofactor)),
            ("times n", Operation("*", "n", cofactor)),
            ("negated", Operation("-", 0, cofactor)),
        ]:
            yield f"{label} {how}", replace(certificate, cofactors={**others, label: changed})
    wrong: list[Term] = [0, Operation("-", 0, 1), Operation("-", 0, "n"), "bias", Operation("-", "n", 1)]
    if certificate.cofactors:
        wrong += [Operation("*", 2, certificate.multiplier), Operation("+", certificate.multiplier, 1)]
    for multiplier in wrong:
        yield f"multiplier {text(multiplier)}", replace(certificate, multiplier=multiplier)


def require_refused_once_spoiled(cases: tuple[Accepted, ...]) -> None:
    equalities = [case for case in cases if case.relation.sign == "=="]
    assert [
        f"{case.place}: {how}"
        for case in equalities
        for how, wrong in spoiled(case)
        if accepts(case.relation, case.equations, wrong)
    ] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_certificates_of_a_theorem_are_true_at_random_integers(path: Path) -> None:
    for case in of_theorem(path):
        require_true_at_random_integers(case)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_spoiled_certificate_of_a_theorem_is_refused(path: Path) -> None:
    require_refused_once_spoiled(of_theorem(path))


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_certificates_of_a_claim_are_true_at_random_integers(claim: str) -> None:
    for case in of_claim(claim):
        require_true_at_random_integers(case)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_spoiled_certificate_of_a_claim_is_refused(claim: str) -> None:
    require_refused_once_spoiled(of_claim(claim))


def test_there_are_certificates_with_several_cofactors_to_spoil() -> None:
    equalities = [case.certificate for claim in CLAIMS for case in of_claim(claim) if case.relation.sign == "=="]
    assert max(len(certificate.cofactors) for certificate in equalities) >= 5
    assert {label for certificate in equalities for label in certificate.cofactors} >= {
        "h",
        "h'",
        "H1",
        "H1'",
        "H2",
        "H3",
    }
