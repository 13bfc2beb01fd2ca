"""Settings of the property tests: no time limit on an example, a slow machine is no failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("algebra", deadline=None)
settings.load_profile("algebra")
