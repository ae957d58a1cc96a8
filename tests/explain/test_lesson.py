"""A lesson says of its theorem what is so: the steps in numbers, what fails without a hypothesis, and where."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pytest

from explain.lessons import NAMES, taught
from mha_spec.claims.catalogue import theorems
from mha_spec.claims.printing import text
from mha_spec.claims.prover import prove
from mha_spec.claims.terms import IndependentOfH
from mha_spec.claims.theorem import TheoremError
from mha_spec.design import AttentionDesign, Parameters
from mha_spec.explain.lesson import Lesson, lesson
from mha_spec.explain.sources import origin, title


def by_hand(sizes: Mapping[str, int]) -> dict[str, int]:
    """The quantities of a layer, from the shapes of its arrays and from going through its products."""
    n, m, h, d_k, d_v = (sizes[name] for name in ("n", "m", "h", "d_k", "d_v"))
    layer = AttentionDesign(
        d_model=sizes["d_model"],
        d_memory=sizes["d_memory"],
        h=h,
        kv_heads=sizes["kv_heads"],
        d_k=d_k,
        d_v=d_v,
        bias=bool(sizes["bias"]),
    )
    parameters = Parameters.draw(layer, np.random.default_rng(0))
    from_inputs, from_memory = parameters.w_q.size + parameters.w_o.size, parameters.w_k.size + parameters.w_v.size
    projections = n * from_inputs + m * from_memory
    scores, mixing = sum(n * m * d_k for _ in range(h)), sum(n * m * d_v for _ in range(h))
    entries = sum(n * m for _ in range(h))
    sees = np.tril(np.ones((n, m)))
    late = np.tril(np.ones((n, m)), m - n)
    return {
        **sizes,
        "batched_weights_alive": np.zeros((h, n, m)).size,
        "per_head_weights_alive": np.zeros((n, m)).size,
        "streamed_weights_alive": np.zeros((n, sizes.get("block", 1))).size,
        "projection_weights": from_inputs + from_memory,
        "parameters": parameters.count(),
        "projection_multiplications": projections,
        "score_multiplications": scores,
        "mixing_multiplications": mixing,
        "multiplications": projections + scores + mixing,
        "exponentials": entries,
        "softmax_divisions": entries,
        "comparisons": entries - h * n,
        "attention_matrices": h,
        "score_entries": entries,
        "kv_cache_entries": m * (sizes["kv_heads"] * d_k + sizes["kv_heads"] * d_v),
        "kept_pairs": int(sees.sum()),
        "bottom_right_kept_pairs": int(late.sum()),
        "bottom_right_empty_rows": int((late.sum(axis=1) == 0).sum()),
    }


def by_python(expression: str, facts: Mapping[str, int]) -> object:
    """An expression of the claim language as Python reads it."""
    return eval(expression, {"__builtins__": {}}, dict(facts))


# Sizes apart from each other and from the defaults, that every theorem can have.
OTHER_SIZES = {"n": 6, "d_model": 24, "h": 4}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("given", [{}, OTHER_SIZES], ids=["default", "given"])
def test_the_numbers_are_what_python_computes(name: str, given: Mapping[str, int]) -> None:
    shown = lesson(taught(name).theorem, given, designs=1) if given else taught(name)
    facts = by_hand(shown.substitution.sizes)
    for step in shown.steps:
        assert by_python(text(step.term), facts) == step.value
        assert by_python(text(step.numbers), facts) == step.value
    signs = {step.sign for step in shown.steps}
    assert len({step.value for step in shown.steps}) == 1 or "<=" in signs


@pytest.mark.parametrize("name", NAMES)
def test_a_counterexample_shows_two_sides_that_refute_the_claim(name: str) -> None:
    shown = taught(name)
    assert [one.hypothesis for one in shown.needs] == [hypothesis for hypothesis, _ in shown.theorem.needs]
    assert len(shown.expectations) == len(shown.theorem.false)
    for one in (*shown.needs, *shown.expectations):
        goal = one.verdict.claim.goal
        for point in one.points:
            facts = by_hand(point.design)
            assert [by_python(text(term), facts) for term, _ in point.values] == [value for _, value in point.values]
        if isinstance(goal, IndependentOfH):
            first, second = one.points
            assert first.values[0][1] != second.values[0][1]
        else:
            (point,) = one.points
            claim = one.verdict.claim.text
            halves = [by_python(half, by_hand(point.design)) for half in claim.split(" where ")[0].split(" iff ")]
            assert halves in ([False], [True, False], [False, True])


@pytest.mark.parametrize("name", NAMES)
def test_a_hypothesis_that_is_used_is_one_that_a_claim_or_a_step_uses(name: str) -> None:
    shown = taught(name)
    claimed = {used for claim in shown.theorem.claims for used in _used(shown, claim)}
    stepped = {used for step in shown.steps for used in step.using}
    assert {used for used, standing in shown.standing.items() if standing == "used"} == claimed | stepped
    for name_of, standing in shown.standing.items():
        if standing == "not assumed":
            assert name_of in shown.theorem.drop


def _used(shown: Lesson, claim: str) -> tuple[str, ...]:
    return prove(claim, drop=shown.theorem.drop, designs=0, extra=shown.theorem.extra).hypotheses_used


def test_every_step_but_the_first_has_an_accepted_certificate() -> None:
    shown = taught("parameters")
    assert [step.certificate is None for step in shown.steps] == [True] + 6 * [False]
    assert shown.steps[1].certificate is not None
    assert "H4" in shown.steps[1].certificate.cofactors


def test_a_lesson_names_its_file_its_remark_and_how_to_cite_it() -> None:
    shown = taught("score_multiplications")
    assert shown.origin.location == "proofs/costs/score_multiplications.py"
    assert shown.origin.cite == "mha-spec 0.1.0, theorem score_multiplications, proofs/costs/score_multiplications.py"
    assert shown.origin.remark.startswith("Each of h heads multiplies n queries by m keys")
    assert "\n" not in shown.origin.remark
    assert title("score_multiplications") == "Score multiplications"
    assert origin("nowhere", "costs").cite == "mha-spec 0.1.0, theorem nowhere"


def test_the_runs_are_those_of_all_claims() -> None:
    shown = lesson(taught("parameters").theorem, designs=3)
    assert (shown.runs.designs, shown.runs.agreed) == (6, 6)


def test_the_commands_ask_for_what_the_lesson_shows() -> None:
    shown = taught("weights_of_heads_of_any_width")
    assert shown.commands[0] == "mha-spec prove --drop H1 'projection_weights == 4*h*d_k*d_model'"
    assert "mha-spec prove --drop H1 --drop H2 'projection_weights == 4*h*d_k*d_model'" in shown.commands
    assert taught("transformer_body").commands == ()


def test_a_theorem_that_proves_nothing_has_no_lesson() -> None:
    right = next(theorem for theorem in theorems() if theorem.name == "score_multiplications")
    wrong = dataclasses.replace(right, claims=("score_multiplications == 2*n**2*d_model",))
    with pytest.raises(TheoremError, match="score_multiplications"):
        lesson(wrong, designs=1)
