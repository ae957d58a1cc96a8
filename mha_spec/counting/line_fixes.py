"""The fix for a line that meets a symbolic size where it cannot, found from what the line calls."""

from __future__ import annotations

import re

from mha_spec.counting.places import current_place

_CREATION = (
    (r"\b(zeros|empty)\(", "np.zeros and np.empty read it in C: use np.zeros_like or np.full(..., like=x)"),
    (r"\b(ones|full|eye|tri|arange|identity)\(", "add like=x, where x is a traced array"),
)
_CONVERSION = (
    (r"\brange\(", "loop with `for i in mha_spec.shapes.each(h)` in place of range(h)"),
    (r"\bint\(", "drop int(): a size is an integer already; divide sizes with //"),
    (r"\blen\(", "use x.shape[0] in place of len(x)"),
    (r"\bsplit\(", "reshape to (h, d_k) and swap axes, or loop with each(h) over slices"),
    (r"\*\s*\[|\]\s*\*", "append to an empty list in a loop over each(h)"),
    (r"\brandom\b|\brng\b", "draw arrays outside the traced function and pass their shapes"),
)


def _found(table: tuple[tuple[str, str], ...], otherwise: str) -> str:
    text = current_place().text
    return "; ".join(fix for pattern, fix in table if re.search(pattern, text)) or otherwise


def fix_of_creation(otherwise: str) -> str:
    """The fix if the running line makes an array from sizes, else `otherwise`."""
    return _found(_CREATION, otherwise)


def fix_of_conversion(otherwise: str) -> str:
    """The fix if the running line asks for a machine integer in a way that is known, else `otherwise`."""
    return _found((*_CONVERSION, *_CREATION), otherwise)
