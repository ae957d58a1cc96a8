"""Lessons that several tests look at, each made once, with few counted runs."""

from __future__ import annotations

from functools import cache

from mha_spec.claims.catalogue import theorems
from mha_spec.explain.lesson import Lesson, lesson

NAMES = tuple(theorem.name for theorem in theorems())


@cache
def taught(name: str) -> Lesson:
    """The lesson of a theorem at the default sizes."""
    return lesson(next(theorem for theorem in theorems() if theorem.name == name), designs=1)
