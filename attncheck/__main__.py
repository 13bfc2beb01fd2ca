"""Lets ``python -m attncheck`` stand in for the console script."""

from attncheck.cli import main

main()
