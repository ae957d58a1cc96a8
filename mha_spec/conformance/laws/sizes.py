"""That a layer runs at sizes where some do not: well above 64, and at none at all where it says so."""

from __future__ import annotations

from ..cases.wanted import Wanted
from ..trial import Trial
from .law import law
from .running import run_or_break


@law("relation", None, Wanted(long=True, batches=(1, 2)))
def it_runs_on_long_sequences(t: Trial) -> None:
    """Up to 129 tokens, around powers of two, give an output of the right shape and dtype, and no error."""
    run_or_break(t)


@law("relation", None, Wanted(empty_size=True))
def it_accepts_sizes_of_zero(t: Trial) -> None:
    """No entry, no query or no key, where the factory declares `allows_empty`: an output of the right shape."""
    run_or_break(t)
