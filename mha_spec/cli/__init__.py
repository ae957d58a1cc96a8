"""The command line. ``main`` is the console script; ``app`` declares the verbs, which load when called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and leave with its exit status.

    0: what was claimed holds. 1: something claimed does not hold, or could not be decided. 2: bad input.
    3: a fault of mha-spec itself. 130: interrupted.
    """
    from .guard import guarded

    sys.exit(guarded(lambda: _run(arguments)))


def _run(arguments: Sequence[str] | None) -> int:
    """Hand the arguments to typer, which reports wrong usage itself, and return the exit status."""
    from typer.main import get_command

    from .app import app

    try:
        get_command(app).main(args=None if arguments is None else list(arguments), prog_name="mha-spec")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    return 0
