"""What a law wants of the cases that are drawn for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Option: TypeAlias = Literal["scale", "softcap", "window"]

LENGTHS: Final = (2, 3, 1, 4, 5, 7, 8, 9)
LONG_LENGTHS: Final = (65, 17, 64, 16, 70, 129)
BATCHES: Final = (2, 1, 3)
ALL_DTYPES: Final = ("float64", "float32", "float16")
ALL_OPTIONS: Final[tuple[Option, ...]] = ("scale", "softcap", "window")


@dataclass(frozen=True)
class Wanted:
    """What a law wants of a case; None leaves the choice to the draw.

    - `memory`: cross-attention or self-attention; `causal`; `masked`; `bias`: 0 or 1.
    - `grouped`: fewer key/value heads than heads.
    - `least_n`, `least_m`, `least_h`, `least_kv_heads`: the smallest sizes with which the law says something.
    - `n`, `m`, `batches`: lists to pick from, the most informative first; `long`: sequences of more than 64 as well.
    - `dtypes`; `options`: which may be set; `set_option`: one that must be.
    - `empty_row`: at least one query that may attend to nothing, which else is never drawn.
    - `empty_size`: the batch, the queries or the keys are none at all.
    """

    memory: bool | None = None
    causal: bool | None = None
    masked: bool | None = None
    bias: int | None = None
    grouped: bool = False
    least_n: int = 1
    least_m: int = 1
    least_h: int = 1
    least_kv_heads: int = 1
    n: tuple[int, ...] = LENGTHS
    m: tuple[int, ...] = (3, 2, 1, 4, 5, 7, 8, 9)
    batches: tuple[int, ...] = BATCHES
    long: bool = False
    dtypes: tuple[str, ...] = ("float64",)
    options: tuple[Option, ...] = ()
    set_option: Option | None = None
    empty_row: bool = False
    empty_size: bool = False

    def lengths_of_both(self) -> tuple[int, ...]:
        """The lengths that may be that of the queries and that of the keys at once."""
        least = max(self.least_n, self.least_m)
        return tuple(length for length in self.n if length in self.m and length >= least)
