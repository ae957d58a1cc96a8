"""The run that is being traced: its ledger, the passes of loops that are open, and what broke it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from mha_spec.counting.errors import TraceError
from mha_spec.counting.ledger import ZERO, Ledger
from mha_spec.counting.places import current_function
from mha_spec.counting.sizes import Size


class Loop:
    """One execution of a loop over a symbolic size."""

    __slots__ = ("finished", "trip")

    def __init__(self, trip: Size) -> None:
        self.trip, self.finished = trip, False


class Pass:
    """One pass of a loop: it stands for `weight` passes, and remembers what was booked in it."""

    __slots__ = ("active", "booked", "closed", "index", "loop", "weight")

    def __init__(self, loop: Loop, index: Size, weight: Size) -> None:
        self.loop, self.index, self.weight = loop, index, weight
        self.booked: dict[tuple[str, str, str], Size] = {}
        self.active = self.closed = False

    @property
    def name(self) -> str:
        """The name of the index, "" in the first pass, whose index is 0."""
        return next(iter(self.index.names()), "")


class Recording:
    """The state of one traced run."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.open_passes: tuple[Pass, ...] = ()
        self.broken: TraceError | None = None
        self.refused: TraceError | None = None

    def book(self, kind: str, count: Size, parameters: tuple[str, ...] = ()) -> None:
        """Book work to the user's function that is running, once for each pass that is stood for."""
        function = current_function()
        for one in reversed(self.open_passes):
            if one.name and one.name in count.names():
                raise TraceError(
                    f"in a loop over {one.loop.trip} the work depends on the pass: {count} {kind}",
                    "give every pass the same work, or pass an integer for the size that is looped over",
                )
            for key in ((function, kind, ""), *((function, kind, name) for name in parameters)):
                one.booked[key] = one.booked.get(key, ZERO) + count
            one.active = True
            count = count * one.weight
        self.ledger.add(function, kind, count)
        for name in parameters:
            self.ledger.add_through(name, kind, count)

    def made(self, entries: Size) -> None:
        """Note that the running function made an array."""
        self.touch()
        self.ledger.add_array(current_function(), entries)

    def touch(self) -> None:
        """Note that the open passes do something."""
        for one in self.open_passes:
            one.active = True

    def finish(self) -> Ledger:
        """The ledger of the run that has ended. Raises TraceError if a loop was left early."""
        if self.broken is not None:
            raise self.broken
        if self.open_passes:
            raise TraceError(
                f"a loop over {self.open_passes[-1].loop.trip} was never finished",
                "loop with for over each(h)",
            )
        return self.ledger


_CURRENT: ContextVar[Recording | None] = ContextVar("_CURRENT", default=None)


def current_recording() -> Recording:
    """The run that is being traced. TraceError if there is none."""
    recording = _CURRENT.get()
    if recording is None:
        raise TraceError("a symbolic array was used outside a trace", "call the function through trace(...)")
    return recording


def open_passes() -> tuple[Pass, ...]:
    """The passes of loops that are running, outermost first; none outside a trace."""
    recording = _CURRENT.get()
    return () if recording is None else recording.open_passes


def note_refusal(error: TraceError) -> None:
    """Keep the latest refusal of the run that is being traced, if there is one."""
    recording = _CURRENT.get()
    if recording is not None:
        recording.refused = error


@contextmanager
def recording() -> Iterator[Recording]:
    """Trace what is done to symbolic arrays in the block."""
    run = Recording()
    token = _CURRENT.set(run)
    try:
        yield run
    finally:
        _CURRENT.reset(token)
