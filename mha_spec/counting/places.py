"""The place in the user's code that is running now: where work is booked and where errors point."""

from __future__ import annotations

import linecache
import sys
from types import FrameType
from typing import NamedTuple

OWN_MODULES = ("mha_spec.counting", "mha_spec.shapes", "mha_spec.signatures", "numpy", "contextlib")
"""Modules whose frames are passed over: they work on behalf of the function that called them."""


class Place(NamedTuple):
    """A line of the user's code."""

    function: str
    file: str
    line: int
    text: str


def _is_own(module: str) -> bool:
    return module.startswith(OWN_MODULES) and any(module == own or module.startswith(own + ".") for own in OWN_MODULES)


def _user_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_own(str(frame.f_globals.get("__name__", ""))):
        frame = frame.f_back
    return frame


def _function_name(frame: FrameType) -> str:
    """The name of the innermost named function; a comprehension or a lambda belongs to the one around it."""
    name = frame.f_code.co_name
    if name[0] != "<" or name == "<module>":
        return name
    named = [part for part in frame.f_code.co_qualname.split(".") if part[0] != "<"]
    return named[-1] if named else name


def current_function() -> str:
    """The name of the user's function that is running, "?" if there is none."""
    frame = _user_frame()
    return "?" if frame is None else _function_name(frame)


def current_place() -> Place:
    """The user's line that is running, with its text where the source can be read."""
    frame = _user_frame()
    if frame is None:
        return Place("?", "?", 0, "")
    file = frame.f_code.co_filename
    text = linecache.getline(file, frame.f_lineno).strip()
    return Place(_function_name(frame), file, frame.f_lineno, text)
