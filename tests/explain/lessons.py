"""Lessons that several tests look at, each made once, with few counted runs."""

from __future__ import annotations

from functools import cache

from mha_spec.claims.catalogue import theorems, value_theorems
from mha_spec.explain.lesson import Lesson, lesson
from mha_spec.explain.value_lesson import ValueLesson, value_lesson

NAMES = tuple(theorem.name for theorem in theorems())
VALUE_NAMES = tuple(theorem.name for theorem in value_theorems())
ALL_NAMES = (*NAMES, *VALUE_NAMES)


@cache
def taught(name: str) -> Lesson:
    """The lesson of a theorem at the default sizes."""
    return lesson(next(theorem for theorem in theorems() if theorem.name == name), designs=1)


@cache
def valued(name: str) -> ValueLesson:
    """The lesson of a value theorem."""
    return value_lesson(next(theorem for theorem in value_theorems() if theorem.name == name), calls=2)
