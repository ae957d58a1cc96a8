"""Lessons as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from mha_spec.claims.printing import latex, text
from mha_spec.claims.theorem import Theorem
from mha_spec.design import HYPOTHESES

from .entries import Entry
from .lesson import Lesson, LessonStep, Refutation
from .value_lesson import ValueLesson


def lesson_as_json(lesson: Lesson) -> dict[str, object]:
    """The object that ``mha-spec explain NAME --format json`` prints.

    Its `claims` are as ``mha-spec prove --format json`` prints them; a refutation is a claim with the values of its
    sides at its counterexample.  A `term` reads back in the claim language.
    """
    theorem = lesson.theorem
    return {
        "schema": 1,
        "theorem": {
            "name": theorem.name,
            "sentence": theorem.sentence,
            "remark": lesson.origin.remark,
            "claims": [verdict.as_json() for verdict in lesson.claims],
            "hypotheses": [
                {"name": name, "equation": HYPOTHESES[name], "standing": standing}
                for name, standing in lesson.standing.items()
            ],
            "sizes": [
                {"name": name, "value": value, "from": lesson.substitution.origin[name]}
                for name, value in lesson.substitution.sizes.items()
            ],
            "steps": [_step(step) for step in lesson.steps],
            "needs": [{"without": one.hypothesis, **_refutation(one)} for one in lesson.needs],
            "false": [_refutation(one) for one in lesson.expectations],
            "runs": {"designs": lesson.runs.designs, "agreed": lesson.runs.agreed},
            "source": theorem.source,
            "cite": lesson.origin.cite,
        },
    }


def _step(step: LessonStep) -> dict[str, object]:
    certificate = step.certificate
    return {
        "number": step.number,
        "sign": step.sign,
        "term": text(step.term),
        "latex": latex(step.term),
        "because": step.because,
        "using": list(step.using),
        "certificate": certificate
        and {
            "multiplier": text(certificate.multiplier),
            "cofactors": {label: text(cofactor) for label, cofactor in certificate.cofactors.items()},
        },
        "numbers": text(step.numbers),
        "value": step.value,
    }


def _refutation(refutation: Refutation) -> dict[str, object]:
    values = [{text(term): value for term, value in point.values} for point in refutation.points]
    return {**refutation.verdict.as_json(), "values": values if len(values) > 1 else values[0]}


def value_lesson_as_json(lesson: ValueLesson) -> dict[str, object]:
    """The object that ``mha-spec explain NAME --format json`` prints for a value theorem."""
    theorem = lesson.theorem
    return {
        "schema": 1,
        "theorem": {
            "name": theorem.name,
            "sentence": theorem.sentence,
            "remark": lesson.origin.remark,
            "hypotheses": list(lesson.hypotheses),
            "definitions": list(map(asdict, lesson.definitions)),
            "results": [
                {
                    "states": chain.states,
                    "result": asdict(chain.result),
                    "reach": chain.reach,
                    "steps": list(map(asdict, chain.steps)),
                }
                for chain in lesson.chains
            ],
            "comparisons": list(map(asdict, lesson.comparisons)),
            "second_proof": lesson.witness,
            "source": theorem.source,
            "cite": lesson.origin.cite,
        },
    }


def index_as_json(theorems: Sequence[Entry]) -> dict[str, object]:
    """The object that ``mha-spec explain --format json`` prints: each theorem with its sentence and what it states."""
    rows = []
    for theorem in theorems:
        kind, states = (
            ("cost", list(theorem.claims))
            if isinstance(theorem, Theorem)
            else ("value", [chain.states for chain in theorem.chains])
        )
        rows.append({"name": theorem.name, "kind": kind, "sentence": theorem.sentence, "states": states})
    return {"schema": 1, "theorems": rows}
