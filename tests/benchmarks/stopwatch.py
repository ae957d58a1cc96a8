"""Two things timed in turn in one run: wall time alone says more about the machine than about the code."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

Action = Callable[[], object]


@dataclass(frozen=True)
class Benchmark:
    """An action with the time it should stay below, and a yardstick: another action, timed by turns.

    The bar is in seconds, or in multiples of the yardstick if ``relative``.
    """

    name: str
    action: Action
    bar: float
    yardstick_name: str
    yardstick: Action
    relative: bool = False
    repeats: int = 5
    warm: bool = False


@dataclass(frozen=True)
class Measurement:
    """The median times of an action and its yardstick, in seconds."""

    benchmark: Benchmark
    seconds: float
    yardstick_seconds: float

    @property
    def ratio(self) -> float:
        """How many yardsticks long the action is."""
        return self.seconds / self.yardstick_seconds

    @property
    def within(self) -> bool:
        """Is the action below its bar?"""
        return (self.ratio if self.benchmark.relative else self.seconds) < self.benchmark.bar


def seconds_of(action: Action) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def measure(benchmark: Benchmark) -> Measurement:
    """Time the action and its yardstick by turns, so that a slow moment of the machine meets both."""
    if benchmark.warm:
        benchmark.action()
        benchmark.yardstick()
    pairs = [(seconds_of(benchmark.action), seconds_of(benchmark.yardstick)) for _ in range(benchmark.repeats)]
    times, yardsticks = zip(*pairs, strict=True)
    return Measurement(benchmark, statistics.median(times), statistics.median(yardsticks))
