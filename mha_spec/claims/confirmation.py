"""Counted runs: the layer is run on counting scalars at drawn designs, and the counts face trace and claim."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

import numpy as np

from mha_spec.counting.counted_run import counted_causality, counted_quantities
from mha_spec.counting.memory import counted_memory
from mha_spec.counting.quantities import Form
from mha_spec.design import SIZES
from mha_spec.sampling.designs import Sizes, draw_pair

from .cases import causal_values
from .counterexample import MAX_DESIGNS, goal_holds, pairs
from .quantities import memory_terms, quantity_terms, traced_counts
from .question import Question
from .terms import IndependentOfH, evaluate, relation_holds, undivided_first
from .verdict import Confirmation, Design, Verdict

MAX_MULTIPLICATIONS = 100_000  # of one counted run; a run of more takes longer than a second
_FORMS: tuple[Form, ...] = ("batched", "per-head")


def confirm(question: Question, verdict: Verdict, designs: int, seed: int = 0) -> Confirmation:
    """Counted runs that agree with the trace and with the verdict, out of those made.

    A proved claim is run under the hypotheses its certificate used, an undecided one under all that are active.
    A refuted claim is run at its counterexample, where agreement means that it does fail.  Runs of more than
    `MAX_MULTIPLICATIONS` are not made, so fewer designs may be reported than were asked for.
    """
    if verdict.outcome == "REFUTED":
        points: Iterator[Sequence[Sizes]] = iter([[_with_group(design) for design in verdict.counterexample]])
    else:
        under = verdict.hypotheses_used if verdict.outcome == "PROVED" else question.active
        points = _points(question, under, designs, random.Random(seed))
    made = agreed = 0
    for number, point in enumerate(points):
        if any(_multiplications(sizes) > MAX_MULTIPLICATIONS for sizes in point):
            continue
        made += 1
        counted = [{**counted_run(sizes, number), **_counted_besides(question, sizes)} for sizes in point]
        traced = [{**traced_counts(sizes), **_traced_besides(question, sizes)} for sizes in point]
        facts = [{**sizes, **counts} for sizes, counts in zip(point, counted, strict=True)]
        agreed += counted == traced and _claim_holds(question, facts) == (verdict.outcome != "REFUTED")
    return Confirmation(made, agreed)


def counted_run(sizes: Sizes, number: int) -> dict[str, int]:
    """What NumPy executed in a run of the layer; `number` chooses the form, the mask and the random values."""
    form = _FORMS[number % 2]
    return dict(_counted(tuple(sizes[name] for name in SIZES), form, masked=number % 3 == 2, seed=number))


@lru_cache(maxsize=4096)
def _counted(values: tuple[int, ...], form: Form, *, masked: bool, seed: int) -> dict[str, int]:
    sizes = dict(zip(SIZES, values, strict=True))
    mask = np.random.default_rng(seed).random((sizes["n"], sizes["m"])) < 0.6 if masked else None
    return counted_quantities(sizes, form=form, mask=mask, seed=seed)


def _traced_besides(question: Question, sizes: Sizes) -> dict[str, int]:
    """What a claim names beside the quantities of every layer, from the trace."""
    memory = {name: evaluate(memory_terms()[name], sizes) for name in question.memory}
    return {**causal_values(question.causal, sizes), **memory}


def _counted_besides(question: Question, sizes: Sizes) -> dict[str, int]:
    """The same by runs of its own: of a causal layer, of both forms, of the streamed program."""
    found: dict[str, int] = {}
    if "kept_pairs" in question.causal:
        found["kept_pairs"] = counted_causality(sizes, "top-left")[0]
    if not {"bottom_right_kept_pairs", "bottom_right_empty_rows"}.isdisjoint(question.causal):
        kept, empty = counted_causality(sizes, "bottom-right")
        bottom_right = {"bottom_right_kept_pairs": kept, "bottom_right_empty_rows": empty}
        found |= {name: count for name, count in bottom_right.items() if name in question.causal}
    return found | {name: counted_memory(name, sizes) for name in question.memory}


def _multiplications(sizes: Sizes) -> int:
    return evaluate(quantity_terms()["multiplications"], sizes)


def _with_group(design: Design) -> Sizes:
    return {**design, "group": design["h"] // design["kv_heads"]}


def _claim_holds(question: Question, facts: Sequence[dict[str, int]]) -> bool:
    goal = question.claim.goal  # names its quantities, which are looked up among what was counted
    if isinstance(goal, IndependentOfH):
        return evaluate(goal.term, facts[0]) == evaluate(goal.term, facts[1])
    return all(goal_holds(goal, fact) for fact in facts)


def _points(
    question: Question, under: Sequence[str], most: int, generator: random.Random
) -> Iterator[Sequence[Sizes]]:
    """Designs (or pairs) to run: drawn where nothing is asked of them, else the smallest that meet the conditions."""
    pick: Callable[[int, int], int] = generator.randint
    independent = isinstance(question.goal, IndependentOfH)
    space = question.space(under)
    if not question.where and not question.extra:
        for _ in range(most):
            yield draw_pair(under, question.varying, pick) if independent else [space.draw(pick)]
        return
    smallest = map(question.facts, islice(space.smallest_first(), MAX_DESIGNS))
    if independent:
        yield from islice(pairs(question.where, space, question.varying, smallest), most)
        return
    where = undivided_first(question.where)
    meeting = (sizes for sizes in smallest if all(relation_holds(condition, sizes) for condition in where))
    yield from ([sizes] for sizes in islice(meeting, most))
