"""Exceptions become exit statuses here, and nowhere else: no traceback reaches a user for bad input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

# By name, so that no verb imports the errors of another.
BAD_INPUT_ERRORS = frozenset(
    {
        "mha_spec.claims.language.ClaimError",
        "mha_spec.score_rule.DesignError",
        "mha_spec.explain.errors.ExplainError",
        "mha_spec.conformance.target.TargetError",
        "mha_spec.conformance.declarations.DeclarationError",
        "mha_spec.conformance.selection.SelectionError",
        "mha_spec.conformance.reproduction.ReplayError",
    }
)

BAD_INPUT, INTERNAL_ERROR, INTERRUPTED, BROKEN_PIPE = 2, 3, 130, 141


def guarded(action: Callable[[], int]) -> int:
    """The status that ``action`` returns, or the one that belongs to the exception it raises.

    Bad input is told in one message on standard error; a fault of mha-spec in two lines that say how to
    report it, with the traceback only if ``MHA_SPEC_DEBUG=1`` is set.
    """
    try:
        status = action()
        sys.stdout.flush()  # a reader that has gone is noticed here, not by the interpreter on its way out
    except KeyboardInterrupt:
        print("mha-spec: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (`head`, a closed pager) has what it wanted. Without this the interpreter would
        # complain once more when it flushes the dead stream at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:
        if _debugging():
            import traceback

            traceback.print_exc()
        if _is_bad_input(error):
            print(f"mha-spec: {_sentence(error)}", file=sys.stderr)
            return BAD_INPUT
        print(_report(error), file=sys.stderr)
        return INTERNAL_ERROR
    return status


def _is_bad_input(error: Exception) -> bool:
    """Is the user, and not mha-spec, the one who can mend this?"""
    if isinstance(error, (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)):
        return True
    return any(f"{type_.__module__}.{type_.__qualname__}" in BAD_INPUT_ERRORS for type_ in type(error).__mro__)


def _sentence(error: Exception) -> str:
    """The message of an error, for a file with the name of the file first."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _report(error: Exception) -> str:
    """What a user needs in order to report a fault of mha-spec, in two lines."""
    told = str(error).strip().splitlines()
    what = f"{type(error).__name__}: {told[-1]}" if told else type(error).__name__
    return (
        f"mha-spec: internal error: {what}\n"
        "This is a fault of mha-spec. Please report it to its authors with the command you typed\n"
        "and what it prints when MHA_SPEC_DEBUG=1 is set."
    )


def _debugging() -> bool:
    """Did the user ask for tracebacks?"""
    return os.environ.get("MHA_SPEC_DEBUG", "0") not in {"", "0"}
