"""Fixes: one-line candidates, tried by tracing the patched file again, and the asserts."""
