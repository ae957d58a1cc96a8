"""Count the scalar operations that NumPy really executes when it runs a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mha_spec.counting.counting_array import CURRENT_RUN, CountingRun, lift, to_floats
from mha_spec.counting.counting_scalar import KINDS, TALLY

ELSEWHERE = "(elsewhere)"
"""Where operations are counted that Python executed between calls of NumPy, such as `x[0] * 2`."""


@dataclass(frozen=True)
class ScalarCount:
    """What a run executed: `counts[function][kind]` in scalar operations, and its result as floats."""

    counts: Mapping[str, Mapping[str, int]]
    result: npt.NDArray[Any]

    def total(self, kind: str) -> int:
        """The number of operations of one kind (`add sub mul div exp tanh sqrt log pow neg abs cmp`)."""
        if kind not in KINDS:
            raise ValueError(f"kind {kind!r} is not counted: the kinds are {', '.join(KINDS)}")
        return sum(row.get(kind, 0) for row in self.counts.values())


def count_scalars(function: Callable[..., object], *arrays: object, **keywords: object) -> ScalarCount:
    """Run `function` in real NumPy and count every scalar operation on the entries of its arrays.

    Arrays of floats among the arguments, also inside dicts, lists and tuples, become object arrays of
    counting scalars; masks stay boolean. Numbers and other objects are passed on. Operations are counted by
    the function that called NumPy. Raises TypeError where a counted number is turned into a plain
    float, because what happens to it then could not be counted.

    >>> import numpy as np
    >>> count_scalars(lambda x, w: x @ w, np.ones((2, 3)), np.ones((3, 4))).total("mul")
    24
    """
    run = CountingRun()
    start = TALLY[:]
    result = counted_call(run, function, [_lifted(x) for x in arrays], {k: _lifted(v) for k, v in keywords.items()})
    counts = {name: dict(row) for name, row in run.counts.items()}
    for kind, before, after in zip(KINDS, start, TALLY, strict=True):
        missing = after - before - sum(row.get(kind, 0) for row in run.counts.values())
        if missing:
            counts.setdefault(ELSEWHERE, {})[kind] = missing
    return ScalarCount(counts, to_floats(result))


def counted_call(
    run: CountingRun, function: Callable[..., object], positional: list[object], named: Mapping[str, object]
) -> object:
    """The result of the function on counting arrays, with what NumPy executes booked to `run`."""
    token = CURRENT_RUN.set(run)
    try:
        return function(*positional, **named)
    finally:
        CURRENT_RUN.reset(token)


def _lifted(argument: object) -> object:
    if isinstance(argument, np.ndarray):
        return lift(argument)
    if isinstance(argument, dict):
        return {key: _lifted(value) for key, value in argument.items()}
    if type(argument) in (list, tuple):
        return type(argument)(_lifted(value) for value in argument)  # type: ignore[call-arg, attr-defined]
    return argument
