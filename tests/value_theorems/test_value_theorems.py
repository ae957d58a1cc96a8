"""Every value theorem is derived, rests on no more than it says, and holds where everything is written out."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from mha_spec.claims.theorem import TheoremError
from mha_spec.claims.values.steps import FOR_ALL_SIZES, check, needless_hypotheses
from mha_spec.claims.values.theorem import (
    Chain,
    Hypothesis,
    Keeps,
    Nonnegative,
    Positive,
    ValueStep,
    ValueTheorem,
    Zero,
)

from .theorem_files import FILES, PROOFS, example, load, theorems

BY_NAME = {theorem.name: theorem for theorem in theorems()}
EVERY = pytest.mark.parametrize("theorem", theorems(), ids=lambda theorem: theorem.name)
AT_SIZES = {("scores_of_a_head_have_rank_at_most_d_k", "determinants of d_k + 1 rows and columns vanish")}


def test_each_file_is_named_after_its_theorem() -> None:
    assert [load(path).name for path in FILES] == [path.stem for path in FILES]
    assert len(FILES) == 18


def test_the_reading_order_lists_every_file() -> None:
    listed = (PROOFS / "values" / "reading_order.txt").read_text(encoding="utf-8").split()
    assert sorted(listed) == [path.stem for path in FILES]


@EVERY
def test_every_step_is_decided_and_says_how_far(theorem: ValueTheorem) -> None:
    verdicts = check(theorem)
    assert len(verdicts) == len(theorem.steps) - len(theorem.chains)
    limited = {(theorem.name, verdict.chain.states) for verdict in verdicts if verdict.reach != FOR_ALL_SIZES}
    assert limited == {pair for pair in AT_SIZES if pair[0] == theorem.name}


def test_a_step_at_sizes_lists_them() -> None:
    reaches = {verdict.reach for verdict in check(BY_NAME["scores_of_a_head_have_rank_at_most_d_k"])}
    assert reaches == {FOR_ALL_SIZES, "at sizes d_k=1; d_k=2; d_k=3"}


@EVERY
def test_no_hypothesis_is_needless(theorem: ValueTheorem) -> None:
    assert needless_hypotheses(theorem) == ()


@EVERY
def test_a_missing_second_witness_shows(theorem: ValueTheorem, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert theorem.rocq_witness(tmp_path_factory.mktemp("proofs")) is None
    found = theorem.rocq_witness(PROOFS)
    assert found is None or found.stem == theorem.name


@EVERY
def test_the_sides_agree_where_everything_is_written_out(theorem: ValueTheorem) -> None:
    for seed in range(3):
        values, places = example(theorem, seed)
        for chain in theorem.chains:
            for before, step in zip(chain.steps, chain.steps[1:], strict=False):
                left, right = values.value(before.to, places), values.value(step.to, places)
                agree = left == pytest.approx(right, abs=1e-9) if isinstance(left + right, float) else left == right
                assert agree or (step.sign == "<=" and left <= right), (chain.states, step.to, places)


@EVERY
def test_the_hypotheses_can_be_met(theorem: ValueTheorem) -> None:
    """Hypotheses that nothing meets would prove anything."""
    values, places = example(theorem, 1)
    for entry, formula in theorem.definitions.items():
        at = {**{str(index): 0 for index in entry.indices}, **places}
        for hypothesis in theorem.hypotheses:
            if isinstance(hypothesis.fact, Zero | Nonnegative | Positive) and hypothesis.fact.array == entry.base:
                value = values.value(formula, at)
                assert {Zero: value == 0, Nonnegative: value >= 0, Positive: value > 0}[type(hypothesis.fact)], entry


SUM = BY_NAME["softmax_rows_sum_to_one"]


def chain_with(*steps: ValueStep) -> ValueTheorem:
    (chain,) = SUM.chains
    return replace(SUM, chains=(replace(chain, steps=steps),))


def test_a_step_that_changes_nothing_is_refused() -> None:
    first, *others = SUM.chains[0].steps
    with pytest.raises(TheoremError, match=r"softmax_rows_sum_to_one, .*step 2 .*: the step changes nothing"):
        check(chain_with(first, first, *others))


def test_a_step_that_does_not_follow_is_refused() -> None:
    first, *_, last = SUM.chains[0].steps
    with pytest.raises(TheoremError, match=r"step 2 \(2\): it does not follow from"):
        check(chain_with(first, ValueStep(sympy.Integer(2), "so they say"), last))


@pytest.mark.parametrize("end", [0, -1], ids=["left", "right"])
def test_a_chain_between_other_sides_is_refused(end: int) -> None:
    steps = list(SUM.chains[0].steps)
    del steps[end]
    with pytest.raises(TheoremError, match="side is"):
        check(chain_with(*steps))


def test_a_theorem_without_a_derivation_is_refused() -> None:
    with pytest.raises(TheoremError, match="there are none"):
        check(replace(SUM, chains=()))
    with pytest.raises(TheoremError, match="at least two steps"):
        check(chain_with(SUM.chains[0].steps[0]))


def test_a_chain_from_a_formula_to_itself_is_refused() -> None:
    first, second, *_ = SUM.chains[0].steps
    trivial = Chain("round", first.to, first.to, (first, second, first))
    with pytest.raises(TheoremError, match="both sides are the same"):
        check(replace(SUM, chains=(trivial,)))


def test_an_equation_is_no_bound_and_a_bound_no_equation() -> None:
    bound = BY_NAME["outputs_lie_between_kept_values"]
    (upper, _), (only,) = bound.chains, SUM.chains
    for theorem, chain in ((bound, replace(upper, sign="==")), (SUM, replace(only, sign="<="))):
        with pytest.raises(TheoremError, match="do not add up"):
            check(replace(theorem, chains=(chain,)))


def test_a_gap_must_be_what_the_hypotheses_say_it_is() -> None:
    bound = BY_NAME["outputs_lie_between_kept_values"]
    upper = bound.chains[0]
    steps = [replace(step, gap=step.gap.subs(sympy.Symbol("u", real=True), 0)) for step in upper.steps]
    place = next(number for number, step in enumerate(steps) if step.sign == "<=")
    unsigned = steps[place].to - steps[place - 1].to
    for gap, reason in ((sympy.Integer(0), "does not follow"), (unsigned, "not known to be at least 0")):
        steps[place] = replace(steps[place], gap=gap)
        with pytest.raises(TheoremError, match=reason):
            check(replace(bound, chains=(replace(upper, steps=tuple(steps)),)))


def test_a_gap_that_is_not_zero_is_refused() -> None:
    theorem = BY_NAME["dot_product_variance_is_d_k"]
    chain = theorem.chains[0]
    place = next(number for number, step in enumerate(chain.steps) if step.gap != 0)
    steps = list(chain.steps)
    steps[place] = replace(steps[place], gap=steps[place - 1].to - steps[place].to)
    with pytest.raises(TheoremError, match="is not zero by the hypotheses"):
        check(replace(theorem, chains=(replace(chain, steps=tuple(steps)),)))


def test_a_division_by_what_may_be_zero_is_refused() -> None:
    unkept = tuple(known for known in SUM.hypotheses if not isinstance(known.fact, Keeps))
    with pytest.raises(TheoremError, match="not known to be positive"):
        check(replace(SUM, hypotheses=(*unkept, Hypothesis("Nothing is said of the mask."))))


def test_sizes_at_which_a_step_is_false_are_named() -> None:
    rank = BY_NAME["scores_of_a_head_have_rank_at_most_d_k"]
    chain = rank.chains[1]
    wrong = ValueStep(sympy.Integer(1), "so they say", at=({"d_k": 2},))
    with pytest.raises(TheoremError, match="it is false at d_k=2"):
        check(replace(rank, chains=(replace(chain, right=sympy.Integer(1), steps=(chain.steps[0], wrong)),)))


@EVERY
def test_every_formula_can_be_printed(theorem: ValueTheorem) -> None:
    formulas = [step.to for step in theorem.steps] + [one for pair in theorem.definitions.items() for one in pair]
    texts = [sympy.latex(formula) for formula in formulas]
    assert not any("Below" in text or "Gradient" in text or "Expectation" in text for text in texts)
