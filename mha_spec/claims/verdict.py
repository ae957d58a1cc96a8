"""What is said of a claim: proved with a certificate, refuted with a counterexample, or unknown with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from .certificate import Certificate, Equations
from .printing import text
from .terms import Claim, Relation

Outcome: TypeAlias = Literal["PROVED", "REFUTED", "UNKNOWN"]
Design: TypeAlias = Mapping[str, int]


@dataclass(frozen=True)
class ProvedPart:
    """One relation with the certificate that was accepted for it and the equations that the certificate uses.

    Most claims have one part, an `iff` has two.  `certificate.accepts(relation, equations, certificate)` can be
    asked again by anyone.
    """

    relation: Relation
    certificate: Certificate
    equations: Equations
    label: str = ""

    def uses(self, equation: str) -> bool:
        """Whether an equation, of the first design or the second, has a cofactor."""
        return not {equation, equation + "'"}.isdisjoint(self.certificate.cofactors)

    def entries(self) -> dict[str, str]:
        """The multiplier, if it is not 1, each equation's cofactor, and each square's factor, as text."""
        multiplier = {} if self.certificate.multiplier == 1 else {"multiplier": text(self.certificate.multiplier)}
        cofactors = {label: text(cofactor) for label, cofactor in self.certificate.cofactors.items()}
        squares = {f"({text(base)})**2": text(factor) for factor, base in self.certificate.squares}
        return multiplier | cofactors | squares


@dataclass(frozen=True)
class Confirmation:
    """On how many drawn designs the counted run, the trace and the claim agreed."""

    designs: int
    agreed: int


@dataclass(frozen=True)
class Verdict:
    """The outcome for one claim and what it rests on.

    `hypotheses_used` is a minimal set; `held` are the sizes that two compared designs share; `counterexample`
    has one design, or two for a claim of independence; `examined` and `bound` say how far was searched, as the
    number of designs and the largest sum of sizes.
    """

    claim: Claim
    outcome: Outcome
    hypotheses_used: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    proof: tuple[ProvedPart, ...] = ()
    counterexample: tuple[Design, ...] = ()
    examined: int = 0
    bound: int = 0
    reason: str = ""
    confirmed: Confirmation | None = None

    @property
    def stands(self) -> bool:
        """Whether the claim is proved and no counted run disagrees."""
        return self.outcome == "PROVED" and (self.confirmed is None or self.confirmed.agreed == self.confirmed.designs)

    def certificate(self) -> dict[str, str]:
        """Equation to cofactor; a key begins with the label of its part of the proof, if it has one."""
        return {
            f"{part.label}: {label}" if part.label else label: cofactor
            for part in self.proof
            for label, cofactor in part.entries().items()
        }

    def with_confirmation(self, confirmed: Confirmation | None) -> Verdict:
        """The same verdict with its counted runs."""
        return replace(self, confirmed=confirmed)

    def as_json(self) -> dict[str, object]:
        """The object that ``mha-spec prove --format json`` prints for a claim."""
        designs = [dict(design) for design in self.counterexample]
        confirmed = self.confirmed and {"designs": self.confirmed.designs, "agreed": self.confirmed.agreed}
        return {
            "claim": self.claim.text,
            "verdict": self.outcome,
            "hypotheses_used": list(self.hypotheses_used),
            "held": list(self.held),
            "certificate": self.certificate() if self.outcome == "PROVED" else None,
            "counterexample": designs if len(designs) > 1 else designs[0] if designs else None,
            "searched": {"designs": self.examined, "largest_sum": self.bound},
            "reason": self.reason,
            "confirmed": confirmed,
        }
