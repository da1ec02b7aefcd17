"""Settings that hold for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# The same examples in every run, and no judgement of a busy machine's speed.
settings.register_profile(
    "reproducible", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("reproducible")
