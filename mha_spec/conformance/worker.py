"""The child process: reads one request, judges its laws one after the other, and reports each as a line of JSON.

What the target prints goes to the standard error stream, so that it cannot be taken for a report.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import IO

from .contract import Factory
from .declarations import DeclarationError, Declarations
from .judging import Budget, judge
from .laws import catalogue
from .outcome import Json
from .target import TargetError, load_target

Send = Callable[[dict[str, Json]], None]


def main() -> int:
    """Serve the request on the standard input stream; reports go to what was the standard output stream."""
    reports = own_output()
    request = json.loads(sys.stdin.readline())

    def send(message: dict[str, Json]) -> None:
        reports.write(json.dumps(message) + "\n")
        reports.flush()

    try:
        factory = loaded(request)
        declared = Declarations.of(factory, fixed=request["fixed"])
    except (TargetError, DeclarationError) as error:
        send({"refused": str(error), "kind": type(error).__name__})
        return 2
    serve(request, factory, declared, send)
    return 0


def own_output() -> IO[str]:
    """A stream that only this program writes to; the standard output stream becomes that of errors."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own


def loaded(request: dict[str, Json]) -> Factory:
    """The factory of the request, by the loader that it names."""
    for entry in reversed(request["path"]):
        if entry not in sys.path:
            sys.path.insert(0, entry)
    if request["loader"] is None:
        return load_target(request["target"])
    loader: Callable[[str], Factory] = load_target(request["loader"])  # type: ignore[assignment]
    return loader(request["target"])


def serve(request: dict[str, Json], factory: Factory, declared: Declarations, send: Send) -> None:
    """Judge the laws of the request."""
    laws = {law.name: law for law in catalogue()}
    budget = Budget(**request["budget"])
    for name in request["laws"]:
        send({"law": name})
        outcome = judge(
            laws[name],
            factory,
            declared,
            budget=budget,
            seed=request["seed"],
            target=request["target"],
            heard=lambda choices: send({"case": list(choices)}),
        )
        send({"outcome": outcome.as_message()})


if __name__ == "__main__":
    # After this, nothing of the interpreter's end (threads of a framework, say) can hold up the parent.
    status = main()
    sys.stdout.flush()
    os._exit(status)
