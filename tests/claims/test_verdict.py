"""What a verdict says of itself, as the object that is printed as JSON."""

from __future__ import annotations

import json

from mha_spec.claims.prover import prove
from sampling.brute_force import ORDER

KEYS = {"claim", "verdict", "hypotheses_used", "held", "certificate", "counterexample", "confirmed"}


def test_a_proved_claim_gives_its_certificate_and_its_counted_runs() -> None:
    shown = prove("score_multiplications == n**2*d_model", designs=3).as_json()
    assert set(shown) >= KEYS
    assert shown["claim"] == "score_multiplications == n**2*d_model"
    assert (shown["verdict"], shown["hypotheses_used"], shown["held"]) == ("PROVED", ["H1", "H5"], [])
    assert shown["certificate"] == {"h": "d_k*m*n", "H1": "m*n", "H5": "d_model*n"}
    assert shown["counterexample"] is None
    assert shown["confirmed"] == {"designs": 3, "agreed": 3}


def test_equations_of_the_second_design_are_marked() -> None:
    shown = prove("score_multiplications independent of h", designs=0).as_json()
    assert shown["certificate"] == {"h": "d_k*m*n", "h'": "-d_k'*m*n", "H1": "m*n", "H1'": "-m*n"}
    assert shown["held"] == ["n", "m", "d_model", "d_memory", "bias"]
    assert shown["confirmed"] is None


def test_a_refuted_claim_has_one_design_or_two() -> None:
    one = prove("n == m", drop=("H5",), designs=1).as_json()
    assert isinstance(one["counterexample"], dict)
    assert list(one["counterexample"]) == list(ORDER)
    assert (one["certificate"], one["hypotheses_used"]) == (None, [])
    two = prove("score_entries independent of h", designs=1).as_json()
    assert isinstance(two["counterexample"], list)
    assert [design["h"] for design in two["counterexample"]] == [1, 2]


def test_an_undecided_claim_has_neither_and_says_why() -> None:
    shown = prove("n**2 != 2", designs=0).as_json()
    assert (shown["certificate"], shown["counterexample"]) == (None, None)
    assert "no certificate found" in str(shown["reason"])


def test_parts_of_a_proof_are_told_apart_in_its_certificate() -> None:
    certificate = prove("n == m iff n**2 == m**2", drop=("H5",), designs=0).certificate()
    assert {key.partition(":")[0] for key in certificate} == {"left gives right", "right gives left"}
    assert certificate["right gives left: multiplier"] == "m + n"


def test_every_verdict_is_json() -> None:
    for claim in ("parameters independent of h", "score_entries independent of h", "n**2 != 2", "n == 2"):
        shown = prove(claim, designs=1).as_json()
        assert json.loads(json.dumps(shown)) == shown
