"""A target that raises when it is imported."""

raise RuntimeError("no such device")
