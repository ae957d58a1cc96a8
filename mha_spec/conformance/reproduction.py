"""Naming a case so that it can be run again: `law:0.3.1`, and a program that does it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields

from mha_spec.design import AttentionDesign

from .cases.case import Case
from .cases.streams import replayed
from .contract import Factory
from .declarations import Declarations
from .failure import Finding
from .laws import Law, catalogue
from .outcome import Example
from .trial import Trial


class ReplayError(ValueError):
    """A text that names no case."""


def replay_text(law: str, choices: tuple[int, ...]) -> str:
    """The name of a case: its law, and its choices without the zeros at the end."""
    last = max((place for place, choice in enumerate(choices) if choice), default=-1)
    return f"{law}:{'.'.join(map(str, choices[: last + 1]))}"


def read_replay(text: str) -> tuple[Law, tuple[int, ...]]:
    """The law and the choices that a text names; raises `ReplayError` where it names none."""
    name, _, numbers = text.partition(":")
    laws = {law.name: law for law in catalogue()}
    if name not in laws:
        raise ReplayError(f"replay {text!r}: {name!r} is not a law; copy the text after --replay as it was printed")
    parts = numbers.split(".") if numbers else []
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise ReplayError(f"replay {text!r}: what follows the law must be integers with points between them, as 0.3.1")
    return laws[name], tuple(map(int, parts))


def snippet(target: str | None, law: str, case: Case) -> str:
    """A program that reproduces a failure; a factory that cannot be imported is named `factory` in it."""
    named = "factory" if target is None else f'"{target}"'
    return (
        f"# {law.replace('_', ' ')}\n"
        "from mha_spec.conformance import reproduce\n\n"
        f'reproduce({named}, "{replay_text(law, case.choices)}")'
    )


def example(target: str | None, law: str, case: Case, finding: Finding) -> Example:
    """The example of a failure."""
    return Example(
        what=finding.what,
        came_out=finding.came_out,
        should_be=finding.should_be,
        design=told(case.design),
        call=case.sizes_text(),
        snippet=snippet(target, law, case),
    )


def told(design: AttentionDesign) -> Mapping[str, object]:
    """The fields of a design that say something: sizes and dtype always, options where they are set."""
    values = {field.name: getattr(design, field.name) for field in fields(design)}
    silent = {"scale", "softcap", "window"}
    shown = {name: value for name, value in values.items() if not (name in silent and value is None)}
    if not design.causal:
        shown.pop("causal_alignment", None)
    assert all(not isinstance(value, float) or math.isfinite(value) for value in shown.values())
    return shown


def reproduce(target: str | Factory, replay: str) -> None:
    """Run one case in this process, under no protection, so that a debugger stops where it fails.

    Raises what the failing law or the layer raises, and nothing where the case passes.
    """
    from .target import load_target

    factory = load_target(target) if isinstance(target, str) else target
    law, choices = read_replay(replay)
    declared = Declarations.of(factory)
    law.check(Trial(law.name, factory, declared, replayed(choices, law.wanted, declared)))
