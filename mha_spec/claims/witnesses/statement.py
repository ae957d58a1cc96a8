"""A claim as a statement for any solver: integer variables, named premises and a goal, all of them our own trees.

Printers turn these trees into text; nothing here has passed through SymPy.  What is assumed is what the verdict
used and no more: each size is at least 1, ``h`` is ``kv_heads*group``, `bias` is 0 or 1, and then the hypotheses
and conditions by name.  A claim of independence states the premises of both designs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from mha_spec.claims.cases import CAUSAL_QUANTITIES, length_cases
from mha_spec.claims.certificate import at_least_zero
from mha_spec.claims.counterexample import goal_holds
from mha_spec.claims.equations import ALWAYS, HYPOTHESIS_EQUATIONS, primed, second_design
from mha_spec.claims.printing import claim_text
from mha_spec.claims.question import Question
from mha_spec.claims.terms import (
    Iff,
    IndependentOfH,
    Relation,
    divides,
    goal_relations,
    names,
    relation_holds,
    substitute,
)
from mha_spec.design import SIZES
from mha_spec.sampling.designs import Sizes

# Words that mean something else to Rocq or in SMT-LIB.  A variable of such a name is refused, never renamed.
_RESERVED_BY_ROCQ = "as at cofix else end exists fix for forall fun if in let match mod return then using where with"
_RESERVED_BY_SMT = "abs and assert distinct div exists false forall ite let match mod not or par pop push true xor"
_RESERVED = frozenset(_RESERVED_BY_ROCQ.split()) | frozenset(_RESERVED_BY_SMT.split())
_NAME = re.compile(r"[a-z][a-z0-9_]*'?", re.ASCII)


class StatementError(ValueError):
    """A claim that cannot be stated for another solver; the message names what is in the way."""


@dataclass(frozen=True)
class Premise:
    """A relation that is assumed, if `given` holds; with a name for proofs to call it by."""

    name: str
    relation: Relation
    given: Relation | None = None

    def holds(self, values: Sizes) -> bool:
        """Whether the premise is true at given values of the variables."""
        return not (self.given is None or relation_holds(self.given, values)) or relation_holds(self.relation, values)


@dataclass(frozen=True)
class Statement:
    """For all integer values of the variables that meet the premises, the goal holds."""

    text: str
    variables: tuple[str, ...]
    premises: tuple[Premise, ...]
    goal: Relation | Iff

    def fails_at(self, values: Sizes) -> bool:
        """Whether the values meet the premises and the goal is false of them."""
        undivided_first = sorted(self.premises, key=lambda premise: divides(premise.relation))
        return all(premise.holds(values) for premise in undivided_first) and not goal_holds(self.goal, values)


def statement_of(question: Question, hypotheses: Collection[str], also: Iterable[str] = ()) -> Statement:
    """The statement of a question under some hypotheses; `also` are names that its proof mentions beside it.

    Raises StatementError for a name that is not a plain identifier or that means something to a solver.
    """
    goal = _goal(question)
    stated = [*_hypotheses(question, hypotheses), *_conditions(question)]
    named = {*also}.union(*map(_names, goal_relations(goal)), *(_names(premise.relation) for premise in stated))
    stated = [*_always(question, named), *stated]
    named = named.union(*(_names(premise.relation) for premise in stated))
    causal = [name for name in CAUSAL_QUANTITIES if name in named]
    if causal:
        named |= {"n", "m"}
    variables = tuple(sorted(named, key=lambda name: _rank(name, question)))
    premises = (*map(_least, variables), *_bias(named), *stated, *_causal(causal))
    _require_plain_names(variables, premises)
    return Statement(claim_text(question.claim), variables, premises, goal)


def _goal(question: Question) -> Relation | Iff:
    if isinstance(question.goal, IndependentOfH):
        term = question.goal.term
        return Relation("==", term, substitute(term, primed(question.varying)))
    return question.goal


def _names(relation: Relation) -> frozenset[str]:
    return names(relation.left) | names(relation.right)


def _rank(name: str, question: Question) -> tuple[bool, int, str]:
    order = (*SIZES, "group", *question.extra)
    stem = name.rstrip("'")
    return name != stem, order.index(stem) if stem in order else len(order), name


def _least(variable: str) -> Premise:
    return Premise(f"least_{variable}", Relation("<=", 0 if at_least_zero(variable) else 1, variable))


def _bias(named: Collection[str]) -> Iterator[Premise]:
    if "bias" in named:
        yield Premise("most_bias", Relation("<=", "bias", 1))


def _twice(question: Question, name: str, relation: Relation) -> Iterator[Premise]:
    """A premise, and the same of the second design of a pair if it says something else there."""
    yield Premise(name, relation)
    if isinstance(question.goal, IndependentOfH):
        second = second_design(relation, question.varying)
        if second != relation:
            yield Premise(name + "'", second)


def _hypotheses(question: Question, hypotheses: Collection[str]) -> Iterator[Premise]:
    for label, (left, right) in HYPOTHESIS_EQUATIONS.items():
        if label in hypotheses:
            yield from _twice(question, premise_name(label), Relation("==", left, right))


def _conditions(question: Question) -> Iterator[Premise]:
    for number, relation in enumerate(question.where, 1):
        yield from _twice(question, premise_name(f"where {number}"), relation)


def _always(question: Question, named: Collection[str]) -> Iterator[Premise]:
    """That ``kv_heads*group == h``, of each design that is mentioned."""
    split = Relation("==", *ALWAYS["h"])
    for premise in _twice(question, premise_name("h"), split):
        if not _names(premise.relation).isdisjoint(named):
            yield premise


def _causal(quantities: Collection[str]) -> Iterator[Premise]:
    for case in length_cases():
        for name in quantities:
            relation = Relation("==", *case.equations[name])
            yield Premise(case_premise_name(name, case.condition), relation, given=case.condition)


def premise_name(label: str) -> str:
    """The name of the premise that says the equation of a label: `heads` for ``h``, ``where_1`` for ``where 1``."""
    stem = label.rstrip("'")
    return ("heads" if stem == "h" else stem.replace(" ", "_")) + label[len(stem) :]


def case_premise_name(quantity: str, condition: Relation) -> str:
    """The name of the premise that says what a causal quantity is in a case of the lengths."""
    return f"{quantity}_if_{condition.left}_le_{condition.right}"


def _require_plain_names(variables: Collection[str], premises: Collection[Premise]) -> None:
    for name in variables:
        require_plain(name)
    if clash := sorted({premise.name for premise in premises} & set(variables)):
        raise StatementError(f"the size {clash[0]!a} has the name of a premise")


def require_plain(name: str) -> str:
    """The name itself; StatementError unless it is a lower-case identifier that means nothing to a solver."""
    if not _NAME.fullmatch(name) or name in _RESERVED or name.startswith("slack") or name == "no_bias":
        raise StatementError(f"{name!a} cannot be a name in a statement for another solver")
    return name
