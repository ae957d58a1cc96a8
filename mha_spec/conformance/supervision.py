"""The parent of the child process: it waits a limited time for each law, and replaces a child that hangs or dies."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import IO, Final

from .declarations import DeclarationError
from .judging import Budget
from .laws import Law
from .outcome import Json, Outcome
from .reproduction import replay_text
from .target import TargetError

MOST_LOST_CHILDREN: Final = 2
SECONDS_TO_START: Final = 120.0


@dataclass(frozen=True)
class Request:
    """What a child is asked: the laws of a target, by the loader that finds it (the default one if None)."""

    target: str
    laws: Sequence[Law]
    budget: Budget
    seed: int
    time_limit: float
    loader: str | None = None
    fixed: bool = False


@dataclass
class Progress:
    """How far a child came: the law that it is at, the last case, and the laws that are done."""

    law: str | None = None
    case: tuple[int, ...] = ()
    done: set[str] = field(default_factory=set)


def supervised(request: Request) -> Iterator[Outcome]:
    """The outcomes in the order of the laws; a law that hangs, or that ends the child, is UNKNOWN.

    After two lost children the laws that are left are UNKNOWN. Raises `TargetError` and `DeclarationError` as they
    are found in the child.
    """
    progress, lost = Progress(), 0
    while left := [law.name for law in request.laws if law.name not in progress.done]:
        if lost == MOST_LOST_CHILDREN:
            yield from (Outcome(name, "UNKNOWN", f"not run: {lost} laws before it hung or crashed") for name in left)
            return
        with Child(request, left) as child:
            reason = yield from child.outcomes(progress)
        if reason is None:
            continue
        lost += 1
        stuck = progress.law if progress.law in left else left[0]
        progress.done.add(stuck)
        replay = replay_text(stuck, progress.case) if progress.case else None
        yield Outcome(stuck, "UNKNOWN", reason, replay=replay)


class Child:
    """One child process; on leaving the context it is ended."""

    def __init__(self, request: Request, laws: list[str]) -> None:
        self._request = request
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed on leaving the context
        self._caches = tempfile.TemporaryDirectory()  # Hypothesis would keep its own in the user's folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mha_spec.conformance.worker"],
            env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": self._caches.name},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()
        self._process.stdin.write(json.dumps(self._asked(laws)) + "\n")
        self._process.stdin.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *raised: object) -> None:
        self._process.kill()
        self._process.wait()
        self._errors.close()
        self._caches.cleanup()

    def _asked(self, laws: list[str]) -> dict[str, Json]:
        request = self._request
        return {
            "target": request.target,
            "loader": request.loader,
            "fixed": request.fixed,
            "laws": laws,
            "budget": asdict(request.budget),
            "seed": request.seed,
            "path": sys.path,
        }

    def outcomes(self, progress: Progress) -> Generator[Outcome, None, str | None]:
        """The outcomes as they come; the value of the generator is why it ended early, or None."""
        progress.law, progress.case = None, ()
        ends = monotonic() + SECONDS_TO_START
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, ends - monotonic()))
            except queue.Empty:
                return self._hangs(progress)
            if line is None:
                return self._ended(progress)
            message = json.loads(line)
            if "refused" in message:
                error = TargetError if message["kind"] == "TargetError" else DeclarationError
                raise error(message["refused"])
            if "law" in message:
                progress.law, progress.case = message["law"], ()
                ends = monotonic() + self._request.time_limit
            elif "case" in message:
                progress.case = tuple(message["case"])
            else:
                outcome = Outcome.from_message(message["outcome"])
                progress.done.add(outcome.law)
                progress.law = None
                yield outcome

    def _hangs(self, progress: Progress) -> str:
        if progress.law is None:
            return f"the target was not loaded within {SECONDS_TO_START:g} s"
        return f"time ran out: no end after {self._request.time_limit:g} s"

    def _ended(self, progress: Progress) -> str | None:
        status = self._process.wait()
        if status == 0 and progress.law is None:
            return None
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        how = f"signal {-status}" if status < 0 else f"status {status}"
        return f"the process of the target ended with {how}" + (f": {said[-1][:200]}" if said else "")


def _read(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    """Put every line of a stream into a queue, and None at its end."""
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(None)
