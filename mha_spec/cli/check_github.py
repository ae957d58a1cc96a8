"""Checked models as annotations of a GitHub workflow: at most ten, and everything in the step's summary."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from mha_spec.models.checking import CheckedModel

from .check_tables import print_markdown

MOST_ANNOTATIONS = 10  # GitHub shows no more of a step


def print_annotations(models: Sequence[CheckedModel], *, strict: bool) -> None:
    """Print an annotation for each claim that does not hold, and append the tables to ``GITHUB_STEP_SUMMARY``."""
    found = list(_annotations(models, strict))
    for line in found[:MOST_ANNOTATIONS]:
        print(line)
    if len(found) > MOST_ANNOTATIONS:
        print(f"{len(found) - MOST_ANNOTATIONS} more stand in the summary of the step")
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        print_markdown(models)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text.getvalue())
    else:
        print(text.getvalue(), end="")


def _annotations(models: Sequence[CheckedModel], strict: bool) -> Iterator[str]:
    for model in models:
        name = _escaped(model.reading.file, for_property=True)
        for checked in model.designs:
            told = [("error", one) for one in checked.claims]
            told += [("error" if strict else "notice", one) for one in checked.textbook]
            for level, verdict in told:
                if verdict.outcome in {"FAILS", "NOT COVERED"}:
                    message = f"{verdict.claim} {verdict.outcome}: {verdict.why}"
                    yield f"::{level} file={name},title=mha-spec::{_escaped(message)}"
        for claim in model.unread_claims:
            yield f"::error file={name},title=mha-spec::{_escaped(claim)} NOT COVERED: no layer was read"
        for one in model.reading.not_covered:
            level = "error" if strict else "warning"
            yield f"::{level} file={name},title=mha-spec::NOT COVERED {_escaped(f'{one.key}: {one.reason}')}"


def _escaped(text: str, for_property: bool = False) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C") if for_property else escaped
