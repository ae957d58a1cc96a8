"""Every theorem faces at least 200 drawn designs, counted, with none left out."""

from __future__ import annotations

import pytest

from mha_spec.claims.catalogue import theorems
from mha_spec.claims.prover import prove
from mha_spec.claims.theorem import Theorem

CLAIMS = [
    (theorem, claim) for theorem in theorems() for claim in theorem.claims if " where " not in claim
]


@pytest.mark.parametrize(("theorem", "claim"), CLAIMS, ids=lambda x: x if isinstance(x, str) else x.name)
def test_two_hundred_counted_runs_agree(theorem: Theorem, claim: str) -> None:
    confirmed = prove(claim, drop=theorem.drop, extra=theorem.extra, designs=200).confirmed
    assert confirmed is not None
    assert (confirmed.designs, confirmed.agreed) == (200, 200)
