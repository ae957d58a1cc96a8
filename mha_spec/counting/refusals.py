"""Symbolic sizes refused to code that demands machine integers."""

from __future__ import annotations

from mha_spec.counting.errors import TraceError
from mha_spec.counting.line_fixes import fix_of_conversion
from mha_spec.counting.recording import note_refusal


def refused_integer(size: str) -> TraceError:
    """The error for a symbolic size of which C code or Python demanded a concrete int.

    It is noted in the running trace as well, since NumPy's C code may put an error of its own in its place.
    """
    error = TraceError(
        f"a concrete int was demanded for the size {size}, which has no value in a symbolic run",
        fix_of_conversion("give shapes to array functions only (reshape, np.full with like=x)"),
    )
    note_refusal(error)
    return error
