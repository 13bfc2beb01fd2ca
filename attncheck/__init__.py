"""Symbolic shape checking for attention code, without running it."""

__version__ = "0.1.0"
