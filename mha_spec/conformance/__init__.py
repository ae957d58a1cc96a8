"""Any attention layer put under test: the contract it fulfils, the laws it must obey, and running them.

The names below are loaded when they are first used; importing this package loads neither NumPy nor Hypothesis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .contract import Call as Call
    from .contract import Factory as Factory
    from .contract import Layer as Layer
    from .contract import Unsupported as Unsupported
    from .declarations import DeclarationError as DeclarationError
    from .declarations import Declarations as Declarations
    from .declarations import KnownFailure as KnownFailure
    from .laws import catalogue as catalogue
    from .reproduction import reproduce as reproduce
    from .target import TargetError as TargetError
    from .target import load_target as load_target
    from .verification import Report as Report
    from .verification import verify as verify

__all__ = [
    "Call",
    "DeclarationError",
    "Declarations",
    "Factory",
    "KnownFailure",
    "Layer",
    "Report",
    "TargetError",
    "Unsupported",
    "catalogue",
    "load_target",
    "reproduce",
    "verify",
]

_HOME = {
    "Call": "contract",
    "DeclarationError": "declarations",
    "Declarations": "declarations",
    "Factory": "contract",
    "KnownFailure": "declarations",
    "Layer": "contract",
    "Report": "verification",
    "TargetError": "target",
    "Unsupported": "contract",
    "catalogue": "laws",
    "load_target": "target",
    "reproduce": "reproduction",
    "verify": "verification",
}


def __dir__() -> list[str]:
    """The public names, before any of them is loaded."""
    return sorted({*globals(), *__all__})


# A type checker must not see this: with it, every misspelt name would be taken for an attribute.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load a public name on first use and keep it; AttributeError for any other name."""
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value
