"""What happens to the scores between `Q K^T` and the softmax."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import SupportsIndex, get_args

from .shapes import Alignment


class DesignError(ValueError):
    """Sizes, options or arrays that do not make an attention layer."""


def positive(name: str, value: SupportsIndex) -> int:
    """The value as an `int`; raises `DesignError` unless it is an integer of at least 1."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise DesignError(f"{name} is {value!r}, but a size is an integer")
    if (size := operator.index(value)) < 1:
        raise DesignError(f"{name} is {size}, but a size is at least 1")
    return size


@dataclass(frozen=True)
class ScoreRule:
    """What happens to the scores before the softmax, in this order: scale, softcap, causality.

    `scale` None is `1/sqrt(d_k)`. `softcap` c is `c tanh(s/c)`. `causal` hides later keys, with the alignment
    that `mha_spec.shapes.visible` defines; `window` w, with `causal` only, also hides the keys that are w or
    more positions back. Raises `DesignError` for options without a meaning.
    """

    causal: bool = False
    causal_alignment: Alignment = "top-left"
    window: int | None = None
    scale: float | None = None
    softcap: float | None = None

    def __post_init__(self) -> None:
        if self.causal_alignment not in get_args(Alignment):
            known = " or ".join(repr(word) for word in get_args(Alignment))
            raise DesignError(f"causal_alignment is {self.causal_alignment!r}, not {known}")
        object.__setattr__(self, "causal", bool(self.causal))
        if self.window is not None:
            object.__setattr__(self, "window", positive("window", self.window))
            if not self.causal:
                raise DesignError(f"window={self.window} without causal: a window needs causal=True")
        for name in ("scale", "softcap"):  # Python floats, since a np.float64 would widen float32 scores
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, float(value))
                if not math.isfinite(value):
                    raise DesignError(f"{name} is {value}, but must be finite")
        if self.softcap is not None and self.softcap <= 0:
            raise DesignError(f"softcap is {self.softcap}, but must be above 0 (None for no cap)")


DEFAULT_RULE = ScoreRule()
"""Section 3.2.1 of the paper: scores over `sqrt(d_k)` and nothing else."""
