"""Lets ``python -m attncheck`` stand in for the console script.

Python puts the working folder in front of the path for ``-m``, so that a checked file would be run
that is called like a module that something here imports. Where the tool itself is, it stays.
"""

import os
import sys

# pathlib would already import what a file there may be called like.
_HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != _HERE:
    del sys.path[0]

from attncheck.cli import main  # noqa: E402

main()
