"""Settings that hold for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# The same cases on every machine and every run: a red test is a change in the code. No database is written.
settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# New cases each time, and more of them: `pytest --hypothesis-profile=search`, run on a schedule.
settings.register_profile(
    "search", parent=settings.get_profile("steady"), derandomize=False, max_examples=500
)
settings.load_profile("steady")
