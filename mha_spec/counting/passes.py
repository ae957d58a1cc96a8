"""Loops over a symbolic size, run as three passes: the first, the others, and a check of the others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from mha_spec.counting.comparisons import OPEN_INDICES, IndexRange
from mha_spec.counting.errors import TraceError
from mha_spec.counting.recording import Loop, Pass, Recording, current_recording
from mha_spec.counting.sizes import Size

_numbers = itertools.count(1)


def passes_over(trip: Size) -> Iterator[Size]:
    """The indices of the passes of a loop with `trip` passes.

    The work of the second pass counts trip - 1 times, that of the check pass not at all. TraceError if
    `trip` is not proved at least 1, if the check pass books other work than the second, or if no pass does
    anything; leaving the loop early makes the whole trace fail.
    """
    if trip.constant is not None:
        yield from (Size.of(index) for index in range(trip.constant))
        return
    if not trip.is_at_least(1):
        raise TraceError(f"a loop over {trip}, which is not proved to have a pass", "loop over a size")
    run, loop = current_recording(), Loop(trip)
    done: list[Pass] = []
    try:
        for weight in (Size.of(1), trip - 1, Size.of(0)):
            # No name that a user can write has the sign #, so an index is never taken for a size.
            index = Size({((f"i#{next(_numbers)}", 1),): 1}) if done else Size.of(0)
            one = Pass(loop, index, weight)
            done.append(one)
            yield from _one_pass(run, one)
        loop.finished = True
    finally:
        if not loop.finished and run.broken is None:
            run.broken = TraceError(
                f"a loop over {trip} was left early: how many passes it takes is not known",
                "let the loop run to its end, without break, return or an error",
            )
    _check(done)


def _one_pass(run: Recording, one: Pass) -> Iterator[Size]:
    outer_passes, outer_indices = run.open_passes, OPEN_INDICES.get()
    run.open_passes = (*outer_passes, one)
    if one.name:
        trip = dict(one.loop.trip.monomials)
        OPEN_INDICES.set((*outer_indices, IndexRange(one.name, trip)))
    try:
        yield one.index
    finally:
        run.open_passes, one.closed = outer_passes, True
        OPEN_INDICES.set(outer_indices)


def _check(done: list[Pass]) -> None:
    _, others, check = done
    for key in others.booked.keys() | check.booked.keys():
        second, third = others.booked.get(key), check.booked.get(key)
        if second is None or third is None or not second.same_as(third):
            function, kind, _ = key
            raise TraceError(
                f"the passes of the loop over {check.loop.trip} do different work after the first: "
                f"{function} books {second or 0} {kind} in one and {third or 0} in the next",
                "only the first pass may differ from the others",
            )
    if not any(one.active for one in done):
        raise TraceError(
            f"the loop over {check.loop.trip} did nothing to any array; if its indices were collected to be "
            "used later, work would be miscounted",
            "loop over each(h) directly: for i in each(h): ...",
        )
