"""The list of mutants: every wrong layer registers itself under the kind of bug that it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, TypeVar

from .layer import CorrectLayer, factory_of

M = TypeVar("M", bound=type[CorrectLayer])
THEMES: Final = (
    "softmax",
    "scores",
    "heads",
    "projections",
    "masks",
    "causality",
    "sizes",
    "calls",
    "decoding",
    "extras",
)


@dataclass(frozen=True)
class Mutant:
    """A wrong layer, and the kind of reported bug that it was built from."""

    layer: type[CorrectLayer]
    kind: str
    declared: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.layer.__name__

    def factory(self) -> Any:
        """A factory of this mutant, new each time, so that nothing is left over from an earlier run."""
        return factory_of(self.layer, **self.declared)


_FOUND: list[Mutant] = []


def mutant(kind: str, **declared: Any) -> Callable[[M], M]:
    """Register a wrong layer; `declared` are declarations that it needs beside those of the correct one."""

    def register(layer: M) -> M:
        _FOUND.append(Mutant(layer, kind, declared))
        return layer

    return register


def mutants() -> tuple[Mutant, ...]:
    """Every mutant, by theme."""
    for theme in THEMES:
        import_module(f"{__package__}.{theme}")
    return tuple(_FOUND)
