"""The proofs of the catalogue's theorems, made once for all tests that look at them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from mha_spec.claims.catalogue import load
from mha_spec.claims.theorem import CertifiedStep, certified_steps, verdicts
from mha_spec.claims.verdict import Verdict


@cache
def proved_claims(path: Path) -> tuple[Verdict, ...]:
    """The verdict on each claim of a theorem file, confirmed on a few counted runs; TheoremError if one fails."""
    return tuple(verdicts(load(path), designs=4))


@cache
def certified_chain(path: Path) -> tuple[CertifiedStep, ...]:
    """The certified steps of a theorem file; TheoremError if one is refused."""
    return certified_steps(load(path))
