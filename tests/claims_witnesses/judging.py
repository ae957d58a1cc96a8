"""Claims with their verdicts, true ones and forged ones; and which tools there are."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from functools import cache

import pytest

from mha_spec.claims.catalogue import theorems
from mha_spec.claims.certificate import Certificate
from mha_spec.claims.equations import ALL_HYPOTHESES
from mha_spec.claims.prover import decide
from mha_spec.claims.question import ask
from mha_spec.claims.terms import Operation, Relation, Term
from mha_spec.claims.verdict import ProvedPart, Verdict
from mha_spec.claims.witnesses.coqc import coqc_path
from mha_spec.claims.witnesses.outcome import Judged

needs_coqc = pytest.mark.skipif(coqc_path() is None, reason="coqc is not installed (Debian package coq)")
needs_z3 = pytest.mark.skipif(not importlib.util.find_spec("z3"), reason="z3 is not installed: pip install '.[smt]'")
needs_cvc5 = pytest.mark.skipif(
    not importlib.util.find_spec("cvc5"), reason="cvc5 is not installed: pip install '.[smt]'"
)

# Every kind of goal, of condition and of proof: divisions, bounds, squares, cases, pairs.
PROVED = (
    "1 == 1",
    "-n*-m == n*m",
    "n**0 + n**3 == 1 + n*n*n",
    "projection_weights == 4*d_model**2",
    "multiplications independent of h",
    "multiplications independent of h where n <= m, d_k <= 5",
    "d_model // h == d_k",
    "(h*d_k // d_k) // h == 1",
    "n*h % h + d_model // d_k == h",
    "d_model // h != 0",
    "parameters >= 4*d_model**2 iff bias <= 1",
    "d_model == h iff d_k == 1",
    "n**2 + h**2 >= 2*n*h",
    "n == h where n <= h, h <= n",
    "bias**2 <= 1",
    "n != h + n",
    "3*h < 4*d_model where d_k >= 1",
    "kept_pairs <= n*m",
    "2*kept_pairs >= n + m",
    "bottom_right_empty_rows == 0",
    "bottom_right_kept_pairs == kept_pairs iff n == m",
)
REFUTED = (
    "parameters == 4*d_model**2 + 1",
    "exponentials independent of h",
    "n*h % (n + 1) == 0",
    "d_model // h == d_k + 1",
    "kept_pairs == n*m",
    "h == 1 iff n == 1",
    "n >= 2 where h >= 2",
)
UNDECIDED = "n // h * h == n where n % h == 0"


@cache
def judged(claim: str, drop: tuple[str, ...] = (), identifier: str = "claim_1", extra: tuple[str, ...] = ()) -> Judged:
    """A claim with its verdict."""
    question = ask(claim, drop, (), extra)
    return Judged(identifier, question, decide(question))


def all_judged(claims: tuple[str, ...], drop: tuple[str, ...] = ()) -> tuple[Judged, ...]:
    """Claims with their verdicts, numbered."""
    return tuple(judged(claim, drop, f"claim_{number}") for number, claim in enumerate(claims, 1))


@cache
def catalogue() -> tuple[Judged, ...]:
    """Every claim of every cost theorem, with its verdict."""
    return tuple(
        judged(claim, theorem.drop, f"{theorem.name}_claim_{number}", theorem.extra)
        for theorem in theorems()
        for number, claim in enumerate(theorem.claims, 1)
    )


def forged(
    claim: str, certificate: Certificate | None = None, identifier: str = "forged", using: tuple[str, ...] = ()
) -> Judged:
    """A claim of an ``==`` or ``<=``, as if a certificate had proved it; the checker has not been asked."""
    question = ask(claim, [name for name in ALL_HYPOTHESES if name not in using])
    assert isinstance(question.goal, Relation)
    part = ProvedPart(question.goal, certificate or Certificate(), question.equations(using))
    return Judged(identifier, question, Verdict(question.claim, "PROVED", using, proof=(part,)))


def with_wrong_cofactors(one: Judged) -> Judged:
    """The same claim and verdict, each cofactor one too large."""

    def enlarged(part: ProvedPart) -> ProvedPart:
        cofactors: dict[str, Term] = {
            label: Operation("+", term, 1) for label, term in part.certificate.cofactors.items()
        }
        return replace(part, certificate=replace(part.certificate, cofactors=cofactors))

    return replace(one, verdict=replace(one.verdict, proof=tuple(map(enlarged, one.verdict.proof))))
