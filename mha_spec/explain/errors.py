"""What a reader asked for and cannot have."""

from __future__ import annotations


class ExplainError(ValueError):
    """A theorem or a size that does not exist, or numbers that no layer has; the message says which, and the fix."""
