"""The model types whose modules take ``d_model // h`` as it comes; all others refuse a remainder."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def _types() -> frozenset[str]:
    text = files(__package__).joinpath("floors.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() for word in line.partition("#")[0].split())


def may_floor(model_type: str) -> bool:
    """Whether the library builds this model type where the heads do not divide the width."""
    return model_type in _types()
