"""The laws, by theme. `catalogue()` gives all of them in the order in which they are run."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Final

from .law import Law as Law

THEMES: Final = (
    "running",
    "values",
    "sizes",
    "scaling",
    "attention_weights",
    "permutations",
    "masking",
    "empty_rows",
    "hidden_keys",
    "batches",
    "causality",
    "decoding",
    "linearity",
    "influence",
    "head_structure",
    "statelessness",
    "gradients",
    "costs",
)
"""The modules of this package that hold laws."""


@lru_cache(maxsize=1)
def catalogue() -> tuple[Law, ...]:
    """Every law, in the order of the themes and, in a theme, of the file."""
    modules = [import_module(f"{__name__}.{theme}") for theme in THEMES]
    return tuple(entry for module in modules for entry in vars(module).values() if isinstance(entry, Law))
