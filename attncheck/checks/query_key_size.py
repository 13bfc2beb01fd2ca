"""Dot-product scores need a query and keys of one size (Luong et al. 2015, section 3.1, "dot")."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.products import Kind, report
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault
from attncheck.rule import Rule

RULE = Rule(
    "ATN109",
    "query-key-size",
    "dot-product scores over a query and a key of different sizes",
    fix="unsafe",
)
ON = (Fault.CONTRACTION, Fault.EINSUM)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a dot product of a query and keys whose sizes differ."""
    yield from report(
        RULE,
        Kind.QUERY_KEY,
        operation,
        view,
        "`{code}` is a dot product of a query and keys of different sizes, {left} and {right}",
        "; dot scores are defined for equal sizes only: project the states to one size, never cut"
        " them",
    )
