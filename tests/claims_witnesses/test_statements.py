"""What a statement says: all that was assumed, nothing else, in words that no solver takes for its own."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from mha_spec.claims.cases import CAUSAL_QUANTITIES, causal_values
from mha_spec.claims.counterexample import pairs
from mha_spec.claims.printing import goal_text, relation_text
from mha_spec.claims.quantities import all_traced_values
from mha_spec.claims.terms import IndependentOfH, Relation, relation_holds
from mha_spec.claims.witnesses.outcome import Judged
from mha_spec.claims.witnesses.rocq import theorem_for
from mha_spec.claims.witnesses.smt import script
from mha_spec.claims.witnesses.smt_run import stated
from mha_spec.claims.witnesses.statement import Statement, StatementError, require_plain, statement_of
from mha_spec.sampling.designs import Sizes

from .judging import PROVED, REFUTED, catalogue, judged

HOSTILE = (
    "n) (assert false",
    "n|",
    "N",
    "n. Admitted",
    "n*)",
    "n\n",
    "n''",
    "forall",
    "let",
    "mod",
    "slack1",
    "no_bias",
    "",
    "ñ",
    "n;",
)


def statement(one: Judged) -> Statement:
    told = stated(one)
    assert isinstance(told, Statement), told
    return told


def premises(told: Statement) -> list[str]:
    return [
        (f"{relation_text(premise.given)} -> " if premise.given else "") + relation_text(premise.relation)
        for premise in told.premises
    ]


def test_a_statement_has_the_sizes_the_hypotheses_that_were_used_and_no_others() -> None:
    told = statement(judged("score_multiplications == n**2*d_model"))
    assert told.text == "score_multiplications == n**2*d_model"
    assert told.variables == ("n", "m", "d_model", "h", "d_k", "kv_heads", "group")
    least = [f"1 <= {name}" for name in told.variables]
    assert premises(told) == [*least, "kv_heads*group == h", "h*d_k == d_model", "m == n"]
    assert goal_text(told.goal) == "d_k*group*kv_heads*m*n == n**2*d_model"


def test_bias_is_0_or_1() -> None:
    assert premises(statement(judged("bias <= 1"))) == ["0 <= bias", "bias <= 1"]


def test_a_claim_of_independence_states_the_premises_of_both_designs() -> None:
    told = statement(judged("score_multiplications independent of h where d_k <= n"))
    assert [line for line in premises(told) if not line.startswith("1 <=")] == [
        "kv_heads*group == h",
        "kv_heads'*group' == h'",
        "h*d_k == d_model",
        "h'*d_k' == d_model",
        "d_k <= n",
        "d_k' <= n",
    ]
    assert goal_text(told.goal) == "d_k*group*kv_heads*m*n == d_k'*group'*kv_heads'*m*n"


def test_conditions_stay_as_they_were_written_also_those_that_no_certificate_can_use() -> None:
    told = statement(judged("n >= 1 where n > 2, n != 3, n % h == 0"))
    assert premises(told)[-3:] == ["n > 2", "n != 3", "n%h == 0"]


def test_a_causal_quantity_is_what_its_case_says() -> None:
    told = statement(judged("kept_pairs <= n*m", ("H5",)))
    assert premises(told)[-2:] == [
        "n <= m -> 2*kept_pairs == n**2 + n",
        "m <= n -> 2*kept_pairs == -m**2 + m + 2*m*n",
    ]


def points(one: Judged) -> list[dict[str, int]]:
    """The smallest designs, or pairs of designs, that meet the hypotheses and conditions of a proved claim."""
    question, used = one.question, one.verdict.hypotheses_used

    def facts(sizes: Sizes) -> Sizes:
        return {**sizes, **all_traced_values(sizes), **causal_values(CAUSAL_QUANTITIES, sizes)}

    designs = islice(question.space(used).smallest_first(), 3000)
    if isinstance(question.goal, IndependentOfH):
        found = pairs(question.where, question.space(used), question.varying, designs)
        return [{**facts(a), **{f"{name}'": size for name, size in facts(b).items()}} for a, b in islice(found, 3)]
    meeting = (
        fact for fact in map(facts, designs) if all(relation_holds(condition, fact) for condition in question.where)
    )
    return list(islice(meeting, 3))


def require_that_designs_meet_it(one: Judged) -> None:
    """Real designs meet all premises, so a statement holds because of its goal."""
    assert one.verdict.outcome == "PROVED"
    told, found = statement(one), points(one)
    assert found
    for values in found:
        assert [premise.name for premise in told.premises if not premise.holds(values)] == []
        assert not told.fails_at(values)


@pytest.mark.parametrize("claim", PROVED)
def test_no_statement_is_vacuous(claim: str) -> None:
    require_that_designs_meet_it(judged(claim))


def test_no_statement_of_a_theorem_is_vacuous() -> None:
    for one in catalogue():
        require_that_designs_meet_it(one)


@pytest.mark.parametrize("claim", REFUTED)
def test_the_statement_of_a_refuted_claim_fails_at_its_counterexample(claim: str) -> None:
    one = judged(claim)
    values: dict[str, int] = {}
    for design, prime in zip(one.verdict.counterexample, ("", "'"), strict=False):
        sizes = {**design, "group": design["h"] // design["kv_heads"]}
        values |= {name + prime: size for name, size in (sizes | causal_values(CAUSAL_QUANTITIES, sizes)).items()}
    assert one.verdict.outcome == "REFUTED"
    assert statement(one).fails_at(values)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_a_solver_could_take_for_something_else_is_refused(name: str) -> None:
    with pytest.raises(StatementError, match="cannot be a name"):
        require_plain(name)


@pytest.mark.parametrize("name", ["forall", "n) (assert false", "Z", "n. Admitted. Theorem x : True", "|n|"])
def test_hostile_names_in_a_claim_reach_no_solver(name: str) -> None:
    """A theorem file chooses names of its own; one that is no plain identifier goes into no text."""
    one = judged("n + h >= 2")
    question = replace(one.question, goal=Relation("<=", name, "n"), extra=(name,))
    with pytest.raises(StatementError, match="cannot be a name"):
        statement_of(question, ())
    hostile = replace(one, question=question)
    assert isinstance(stated(hostile), StatementError)
    with pytest.raises(StatementError):
        theorem_for(hostile)


def test_a_size_that_is_called_like_a_premise_is_refused() -> None:
    with pytest.raises(StatementError, match="'heads' has the name of a premise"):
        statement_of(judged("heads + h >= 2", extra=("heads",)).question, ())


def test_an_identifier_is_checked_too() -> None:
    with pytest.raises(StatementError, match="cannot be a name"):
        theorem_for(replace(judged("n >= 1"), identifier="x : False. Admitted. Theorem y"))


def test_a_comment_cannot_be_left() -> None:
    """The text above a theorem is printed from the tree of the claim, which has no way to say ``*)``."""
    one = judged("n*(m)*(h) == h*n*m")
    assert theorem_for(one).text.splitlines()[0] == "(* n*m*h == h*n*m *)"
    assert script(statement(one)).splitlines()[0] == "; n*m*h == h*n*m"
