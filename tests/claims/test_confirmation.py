"""Counted runs of the layer agree with the trace and with the claim, and would show it if they did not."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_spec.claims import confirmation, quantities
from mha_spec.claims.confirmation import confirm, counted_run
from mha_spec.claims.prover import prove
from mha_spec.claims.quantities import quantity_terms, traced_counts
from mha_spec.claims.question import ask
from mha_spec.claims.terms import Operation, Term
from mha_spec.claims.verdict import Confirmation, Verdict
from mha_spec.counting.counted_run import counted_quantities
from mha_spec.counting.quantities import Form
from mha_spec.sampling.designs import Sizes
from mha_spec.sampling.strategies import designs, pairs_of_designs
from sampling.brute_force import ALL, meets

from .reading_by_python import QUANTITY_FORMULAS, value

HEADLINES = (
    "parameters == 4*d_model**2",
    "parameters independent of h",
    "score_multiplications == n**2*d_model",
    "score_multiplications independent of h",
    "multiplications independent of h",
    "mixing_multiplications == n**2*d_model",
)
SIZES = ("n", "m", "d_model", "d_memory", "h", "d_k", "d_v", "kv_heads", "bias")
VARYING = ("h", "d_k", "d_v", "kv_heads", "group")
TermsOf = Mapping[str, Term]


@pytest.fixture
def with_terms(monkeypatch: pytest.MonkeyPatch) -> Callable[[TermsOf], None]:
    """Puts other traced terms in the place of those that counted runs are compared with."""
    return lambda terms: monkeypatch.setattr(quantities, "quantity_terms", lambda: terms)


@pytest.mark.parametrize("claim", HEADLINES)
def test_at_least_200_counted_designs_agree_and_none_is_skipped(claim: str) -> None:
    verdict = prove(claim, designs=200)
    assert verdict.outcome == "PROVED"
    assert verdict.confirmed == Confirmation(designs=200, agreed=200)


@pytest.mark.parametrize("claim", HEADLINES)
def test_the_designs_that_are_run_meet_the_hypotheses_used_and_not_the_others(
    claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Sizes] = []

    def recorded(sizes: Sizes, number: int) -> dict[str, int]:
        seen.append(sizes)
        return counted_run(sizes, number)

    monkeypatch.setattr(confirmation, "counted_run", recorded)
    verdict = prove(claim, designs=40)
    assert len(seen) == (80 if "independent" in claim else 40)
    assert len({tuple(sizes.items()) for sizes in seen}) > 20
    assert all(meets(sizes, verdict.hypotheses_used) for sizes in seen)
    if "independent" not in claim:
        for name in set(ALL) - set(verdict.hypotheses_used):
            assert not all(meets(sizes, (name,)) for sizes in seen)


@pytest.mark.parametrize("name", list(QUANTITY_FORMULAS))
def test_a_wrong_trace_of_any_quantity_is_seen_in_every_run(name: str, with_terms: Callable[[TermsOf], None]) -> None:
    """Also of one that the claim does not name: a trace that is wrong anywhere is not to be trusted."""
    terms = dict(quantity_terms())
    with_terms({**terms, name: Operation("+", terms[name], 1)})
    assert prove("score_multiplications == n**2*d_model", designs=10).confirmed == Confirmation(10, 0)


def test_a_trace_that_is_wrong_from_three_heads_on_is_seen_in_some_runs(with_terms: Callable[[TermsOf], None]) -> None:
    terms = dict(quantity_terms())
    heads = Operation("*", "kv_heads", "group")
    from_three: Term = Operation("*", Operation("-", heads, 1), Operation("-", heads, 2))
    with_terms({**terms, "score_entries": Operation("+", terms["score_entries"], from_three)})
    confirmed = prove("score_multiplications == n**2*d_model", designs=40).confirmed
    assert confirmed is not None
    assert 0 < confirmed.agreed < confirmed.designs == 40


@pytest.mark.parametrize("name", list(QUANTITY_FORMULAS))
def test_a_wrong_count_of_any_quantity_is_seen_in_every_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_too_many(sizes: Sizes, number: int) -> dict[str, int]:
        counts = counted_run(sizes, number)
        return {**counts, name: counts[name] + 1}

    monkeypatch.setattr(confirmation, "counted_run", one_too_many)
    assert prove("parameters independent of h", designs=5).confirmed == Confirmation(5, 0)


@pytest.mark.parametrize(
    "claim", ["score_entries independent of h", "exponentials independent of h", "attention_matrices independent of h"]
)
def test_a_false_claim_that_passed_for_proved_would_be_seen_in_every_pair(claim: str) -> None:
    question = ask(claim)
    wrong = Verdict(question.claim, "PROVED", ("H1", "H2", "H3"))
    assert confirm(question, wrong, 20) == Confirmation(20, 0)


def test_a_claim_proved_with_too_few_hypotheses_would_be_seen() -> None:
    question = ask("parameters == 4*d_model**2")
    wrong = Verdict(question.claim, "PROVED", ("H1", "H2", "H3", "H4"))
    confirmed = confirm(question, wrong, 40)
    assert confirmed.designs == 40
    assert confirmed.agreed < 20


def test_a_counterexample_at_which_the_claim_holds_would_be_seen() -> None:
    question = ask("parameters == 4*d_model**2")
    ones = {**dict.fromkeys(SIZES, 1), "bias": 0}
    assert confirm(question, Verdict(question.claim, "REFUTED", counterexample=(ones,)), 1) == Confirmation(1, 0)
    real = {**ones, "bias": 1}
    assert confirm(question, Verdict(question.claim, "REFUTED", counterexample=(real,)), 1) == Confirmation(1, 1)


def test_an_undecided_claim_is_run_under_all_active_hypotheses_and_stays_undecided() -> None:
    verdict = prove("n**2 != 2", designs=6)
    assert (verdict.outcome, verdict.confirmed) == ("UNKNOWN", Confirmation(6, 6))


def test_conditions_choose_the_designs_that_are_run() -> None:
    assert prove("n*m >= 6 where n >= 2, m >= 3", drop=ALL, designs=8).confirmed == Confirmation(8, 8)
    assert prove("parameters == 4*d_model**2 where n >= 9", designs=2).confirmed == Confirmation(2, 2)
    assert prove("h*d_k independent of h where d_model == 4", designs=3).confirmed == Confirmation(3, 3)


def test_a_design_too_large_to_be_counted_is_left_out_and_not_called_an_agreement() -> None:
    verdict = prove("d_model == 512 where h == 8, d_k == 64", designs=4)
    assert (verdict.outcome, verdict.confirmed) == ("PROVED", Confirmation(0, 0))


def test_without_designs_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirmation, "counted_run", None)
    assert prove("n == n", designs=0).confirmed is None


def test_runs_take_both_forms_with_and_without_a_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()

    def recorded(sizes: Sizes, *, form: str, mask: object, seed: int) -> dict[str, int]:
        seen.add((form, mask is not None))
        return {}

    monkeypatch.setattr(confirmation, "counted_quantities", recorded)
    for number in range(6):
        counted_run({**dict.fromkeys(SIZES, 97), "bias": 0}, number)  # no other test asks for these sizes
    assert seen == {("batched", False), ("batched", True), ("per-head", False), ("per-head", True)}


@settings(max_examples=60)
@given(st.data(), st.sampled_from([(), ALL, ("H1",), ("H1", "H2", "H3"), ("H3", "H5")]))
def test_counted_and_traced_and_known_quantities_are_equal_at_drawn_designs(
    data: st.DataObject, hypotheses: tuple[str, ...]
) -> None:
    sizes = data.draw(designs(hypotheses, largest=3))
    forms: tuple[Form, ...] = ("batched", "per-head")
    form = data.draw(st.sampled_from(forms))
    counted = counted_quantities(sizes, form=form)
    assert counted == traced_counts(sizes)
    assert counted == {name: value(formula, sizes) for name, formula in QUANTITY_FORMULAS.items()}


@settings(max_examples=60)
@given(designs(ALL, largest=3))
def test_counted_weights_and_score_multiplications_are_those_of_the_paper(sizes: Sizes) -> None:
    counted = counted_quantities(sizes)
    assert counted["parameters"] == 4 * sizes["d_model"] ** 2
    assert counted["score_multiplications"] == sizes["n"] ** 2 * sizes["d_model"]


@settings(max_examples=60)
@given(pairs_of_designs(("H1", "H2", "H3"), VARYING))
def test_of_two_drawn_designs_the_counts_of_multiplications_are_equal_and_of_exponentials_are_not(
    pair: tuple[Sizes, Sizes],
) -> None:
    first, second = (counted_quantities(sizes) for sizes in pair)
    for name in ("parameters", "score_multiplications", "mixing_multiplications", "multiplications"):
        assert first[name] == second[name]
    for name in ("exponentials", "softmax_divisions", "score_entries", "attention_matrices"):
        assert first[name] * pair[1]["h"] == second[name] * pair[0]["h"]
        assert first[name] != second[name]
