"""A theorem that does not prove what it says is refused, and the place is named: each way to spoil one is tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mha_spec.claims.catalogue import load, theorem_files
from mha_spec.claims.language import ClaimError
from mha_spec.claims.theorem import (
    Step,
    Theorem,
    TheoremError,
    certified_steps,
    counterexamples,
    parsed_steps,
    refuted_expectations,
    verdicts,
)
from sampling.brute_force import ALL

from .proved_catalogue import proved_claims

FILES = theorem_files()
THEOREM = Theorem(
    name="heads_share_the_width",
    sentence="The heads share the width.",
    claims=("score_multiplications == n**2*d_model", "score_multiplications independent of h"),
    steps=(
        Step("score_multiplications", "as traced"),
        Step("h*n*m*d_k", "n*m products of d_k pairs a head"),
        Step("n*m*d_model", "the heads share the width", ("H1",)),
        Step("n**2*d_model", "self-attention", ("H5",)),
    ),
    needs=(("H1", "score_multiplications independent of h"), ("H5", "score_multiplications == n**2*d_model")),
    source="section 3.2",
)


def links(theorem: Theorem) -> Iterator[Theorem]:
    """Each step of a theorem as a theorem of its own: a chain of two that states what the step does."""
    for before, step in zip(theorem.steps, theorem.steps[1:], strict=False):
        claim = f"{before.to} {step.sign} {step.to}"
        start = Step(before.to, before.because)
        yield replace(theorem, claims=(claim,), steps=(start, step), needs=(), false=())


def respelled(link: Theorem, to: str) -> Theorem:
    """The link with another term at its end, the claim changed with it, so that the chain still ends there."""
    start, step = link.steps
    return replace(link, claims=(f"{start.to} {step.sign} {to}",), steps=(start, replace(step, to=to)))


def with_using(link: Theorem, using: tuple[str, ...]) -> Theorem:
    start, step = link.steps
    return replace(link, steps=(start, replace(step, using=using)))


def refusal(theorem: Theorem) -> str:
    with pytest.raises(TheoremError) as raised:
        certified_steps(theorem)
    message = str(raised.value)
    assert message.startswith(f"theorem {theorem.name}, ")
    return message


def test_a_sound_theorem_is_certified_step_by_step() -> None:
    steps = certified_steps(THEOREM)
    assert [link.step.to for link in steps] == [step.to for step in THEOREM.steps[1:]]
    assert [link.before for link in steps] == list(parsed_steps(THEOREM)[:-1])
    assert [set(link.certificate.cofactors) & set(ALL) for link in steps] == [set(), {"H1"}, {"H5"}]
    assert [verdict.outcome for verdict in verdicts(THEOREM, designs=2)] == ["PROVED", "PROVED"]
    assert [name for name, _ in counterexamples(THEOREM)] == ["H1", "H5"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_step_of_the_catalogue_with_a_changed_term_is_refused(path: Path) -> None:
    for link in links(load(path)):
        step = link.steps[1]
        worse = {"==": ("+ 1", "- 1"), "<=": ("- parameters**2*n**2",), "<": ("- parameters**2*n**2",)}
        for change in worse.get(step.sign, ("+ parameters**2*n**2",)):
            message = refusal(respelled(link, f"{step.to} {change}"))
            assert "step 2" in message
            assert "it does not follow from" in message


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_step_of_the_catalogue_with_a_hypothesis_too_many_is_refused(path: Path) -> None:
    for link in links(load(path)):
        using = link.steps[1].using
        for name in set(ALL) - set(using):
            assert "is not needed" in refusal(with_using(link, (*using, name)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_step_of_the_catalogue_without_a_hypothesis_it_needs_is_refused(path: Path) -> None:
    for link in links(load(path)):
        using = link.steps[1].using
        for name in using:
            message = refusal(with_using(link, tuple(other for other in using if other != name)))
            assert "step 2" in message
            assert "it does not follow from" in message


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_step_of_the_catalogue_that_is_made_to_change_nothing_is_refused(path: Path) -> None:
    for link in links(load(path)):
        start, step = link.steps
        message = refusal(replace(link, steps=(start, Step(start.to, "nothing happens"), step)))
        assert "step 2" in message
        assert "the step changes nothing" in message


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_chain_of_the_catalogue_that_does_not_run_between_the_sides_of_its_claim_is_refused(path: Path) -> None:
    theorem = load(path)
    for steps in (theorem.steps[:-1], theorem.steps[1:], theorem.steps[::-1], theorem.steps[:1], ()):
        assert "its steps" in refusal(replace(theorem, steps=tuple(replace(s, using=(), sign="==") for s in steps)))
    other_end = replace(theorem.steps[-1], to=f"{theorem.steps[-1].to} + 1")
    assert "which are not the sides of" in refusal(replace(theorem, steps=(*theorem.steps[:-1], other_end)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_need_of_the_catalogue_that_is_none_is_refused(path: Path) -> None:
    theorem = load(path)
    verdict = proved_claims(path)[0]
    unused = [name for name in ALL if name not in (*verdict.hypotheses_used, *theorem.drop)]
    for name in unused[:2]:
        wrong = replace(theorem, needs=((name, theorem.claims[0]),))
        with pytest.raises(TheoremError, match=f"without {name}: it is PROVED, not refuted"):
            list(counterexamples(wrong))


SPOILED = [
    ("step 3", {2: Step("n*m*d_model", "", ())}, "does not follow from h*n*m*d_k under no hypothesis"),
    ("step 3", {2: Step("n*m*d_model", "", ("H2",))}, "does not follow from h*n*m*d_k under H2"),
    ("step 3", {2: Step("n*m*d_model", "", ("H1", "H2"))}, "H2 is not needed"),
    ("step 3", {2: Step("2*n*m*d_model", "", ("H1",))}, "does not follow"),
    ("step 3", {2: Step("h*n*m*d_k", "", ())}, "the step changes nothing"),
    ("step 3", {2: Step("n*m*d_model", "", ("H7",))}, "H7 is no hypothesis; there are H1, H2"),
    ("step 2", {1: Step("h*n*m*d_k", "", ("H3",))}, "H3 is not needed"),
    ("step 2", {1: Step("h*n*m*d_v", "", ())}, "does not follow"),
    ("step 4", {3: Step("n**2*d_model", "", ())}, "does not follow from n*m*d_model under no hypothesis"),
    ("its steps", {3: Step("n**2*d_model + 0", "", ("H5",))}, "which are not the sides of"),
    ("its steps", {0: Step("mixing_multiplications", "")}, "which are not the sides of"),
    ("its steps", {3: Step("n**2*d_model", "", ("H5",), "<=")}, "their relations do not add up to =="),
    ("step 1", {0: Step("score_multiplications", "", ("H6",))}, "where the chain begins"),
    ("step 1", {0: Step("score_multiplications", "", (), "<=")}, "where the chain begins"),
]


@pytest.mark.parametrize(("place", "changes", "said"), SPOILED, ids=[f"{place}: {said}" for place, _, said in SPOILED])
def test_a_spoiled_theorem_is_refused_with_the_place_and_the_reason(
    place: str, changes: dict[int, Step], said: str
) -> None:
    steps = tuple(changes.get(number, step) for number, step in enumerate(THEOREM.steps))
    message = refusal(replace(THEOREM, steps=steps))
    assert f", {place}" in message
    assert said in message


@pytest.mark.parametrize(
    "claim",
    [
        "score_multiplications independent of h",
        "score_multiplications == n**2*d_model where n == 1",
        "n == 1 iff m == 1",
    ],
)
def test_a_chain_derives_one_relation_without_conditions(claim: str) -> None:
    assert "its first claim: a chain of steps derives one relation" in refusal(replace(THEOREM, claims=(claim,)))


@pytest.mark.parametrize("text", ["n == 0 where m", "0 == 0 iff n", "__import__('os')", "n/m", "", "n; m", "n == m"])
def test_a_step_is_one_sum_of_the_claim_language(text: str) -> None:
    steps = (THEOREM.steps[0], Step(text, ""), *THEOREM.steps[1:])
    with pytest.raises(ClaimError):
        certified_steps(replace(THEOREM, steps=steps))


def test_the_tree_of_a_step_is_what_counts_not_its_value() -> None:
    """Equal values are no step if the trees are equal, and are one if they differ."""
    reordered = Step("n*h*m*d_k", "reordered")
    steps = (*THEOREM.steps[:2], reordered, *THEOREM.steps[2:])
    assert len(certified_steps(replace(THEOREM, steps=steps))) == 4
    spaced = Step("h * n*m*(d_k)", "only typed differently")
    assert "changes nothing" in refusal(replace(THEOREM, steps=(*THEOREM.steps[:2], spaced, *THEOREM.steps[2:])))


def test_steps_of_an_inequality_add_up_to_its_sign() -> None:
    steps = (
        Step("score_entries", "as traced"),
        Step("h*n*m", "one a pair and head"),
        Step("h*n*m*d_k", "a width is at least 1", (), "<="),
        Step("n*m*d_model", "the heads share the width", ("H1",)),
    )
    theorem = replace(THEOREM, claims=("score_entries <= n*m*d_model",), steps=steps)
    assert len(certified_steps(theorem)) == 3
    assert "do not add up to ==" in refusal(replace(theorem, claims=("score_entries == n*m*d_model",)))
    assert "do not add up to >=" in refusal(replace(theorem, claims=("score_entries >= n*m*d_model",)))
    backwards = (*steps[:2], replace(steps[2], sign=">="), steps[3])
    claim = "score_entries >= n*m*d_model"
    assert "step 3" in refusal(replace(theorem, claims=(claim,), steps=backwards))


def test_a_claim_that_is_not_proved_is_refused() -> None:
    for claim, said in [("score_entries independent of h", "REFUTED"), ("n**2 != 2", "UNKNOWN no certificate found")]:
        with pytest.raises(TheoremError, match=f"claim .*: {said}"):
            list(verdicts(replace(THEOREM, claims=(claim,)), designs=0))


def test_an_expectation_that_is_called_false_and_is_true_is_refused() -> None:
    wrong = replace(THEOREM, false=("score_multiplications independent of h",))
    with pytest.raises(TheoremError, match="it is PROVED, not refuted"):
        list(refuted_expectations(wrong))
    right = replace(THEOREM, false=("score_entries independent of h",))
    assert [verdict.outcome for verdict in refuted_expectations(right)] == ["REFUTED"]


def test_a_need_that_is_undecided_without_its_hypothesis_is_refused() -> None:
    with pytest.raises(TheoremError, match="without H5: it is UNKNOWN, not refuted"):
        list(counterexamples(replace(THEOREM, needs=(("H5", "n**2 != 2*m**2"),))))
