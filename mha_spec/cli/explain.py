"""``mha-spec explain``: the lesson of one theorem, or the list of all."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from typing import Literal

from rich.console import Console

from mha_spec.claims.theorem import Theorem
from mha_spec.design import SIZES
from mha_spec.explain.entries import entries, find
from mha_spec.explain.errors import ExplainError
from mha_spec.explain.json_form import index_as_json, lesson_as_json, value_lesson_as_json
from mha_spec.explain.latex import latex_index, latex_lesson
from mha_spec.explain.lesson import Lesson, lesson
from mha_spec.explain.markdown import markdown_index, markdown_lesson
from mha_spec.explain.numbers import read_sizes
from mha_spec.explain.text import print_index, print_lesson
from mha_spec.explain.value_latex import latex_value_lesson
from mha_spec.explain.value_lesson import ValueLesson, value_lesson
from mha_spec.explain.value_markdown import markdown_value_lesson
from mha_spec.explain.value_text import print_value_lesson

Form = Literal["text", "markdown", "latex", "json"]


def run(name: str | None, *, settings: Sequence[str] = (), output: Form = "text", designs: int = 12) -> int:
    """Print a lesson, or the list of theorems where no name is given, and return the exit status 0.

    Raises ExplainError for a name or a size that does not exist and for sizes that contradict the theorem.
    """
    if name is None:
        if settings:
            raise ExplainError("--set is for one theorem; give its name, as in mha-spec explain parameters")
        _print_index(output)
        return 0
    theorem = find(name)
    if isinstance(theorem, Theorem):
        given = read_sizes(settings, (*SIZES, *theorem.extra))
        _print_lesson(lesson(theorem, given, designs), output)
    elif settings:
        raise ExplainError(f"--set is for theorems about costs, and {theorem.name} is about values")
    else:
        _print_value_lesson(value_lesson(theorem, designs), output)
    return 0


def _print_lesson(taught: Lesson, output: Form) -> None:
    if output == "text":
        print_lesson(Console(), taught)
    elif output == "json":
        print(json.dumps(lesson_as_json(taught), indent=2))
    else:
        _print_document(markdown_lesson(taught) if output == "markdown" else latex_lesson(taught))


def _print_value_lesson(taught: ValueLesson, output: Form) -> None:
    if output == "text":
        print_value_lesson(Console(), taught)
    elif output == "json":
        print(json.dumps(value_lesson_as_json(taught), indent=2))
    else:
        _print_document(markdown_value_lesson(taught) if output == "markdown" else latex_value_lesson(taught))


def _print_index(output: Form) -> None:
    if output == "text":
        print_index(Console(), entries())
    elif output == "json":
        print(json.dumps(index_as_json(entries()), indent=2))
    else:
        _print_document(markdown_index(entries()) if output == "markdown" else latex_index(entries()))


def _print_document(document: str) -> None:
    """Print what goes into a file, and so is UTF-8 whatever the terminal can show."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    print(document, end="")
