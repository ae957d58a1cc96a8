"""A factory whose framework does not exist."""

import no_such_framework  # type: ignore[import-not-found]  # noqa: F401
