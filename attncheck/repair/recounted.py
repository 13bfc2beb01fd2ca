"""A mask counted over the keys: ``arange(key.shape[1])`` for ``arange(query.shape[1])``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from attncheck.algebra.size import Size
from attncheck.attention import behind
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Creation
from attncheck.repair.asserts import names_before
from attncheck.repair.candidate import Candidate, edit
from attncheck.values.value import as_size

_NEAR = 10


def recounted(report: Report, view: View) -> Iterator[Candidate]:
    """What a mask was counted up to, as another size of what it is put on."""
    culprit = report.culprit
    if culprit is None:
        return
    met = [view.sizes(tensor) or () for _, tensor in report.operation.tensors()]
    others = dict.fromkeys(size for sizes in met for size in sizes if size is not None)
    for made in islice(behind(view.graph, culprit.tensor), _NEAR):
        if made.elsewhere or not isinstance(made.event, Creation):
            continue
        for operand in made.operands:
            size = as_size(operand.value)
            if operand.node is None or size is None or size.number is not None:
                continue
            for other in others:
                text = None if other == size else _written(other, made, view)
                if text is not None:
                    yield edit(operand.node, text, f"count up to {text}", safe=False)


def _written(size: Size, made: Operation, view: View) -> str | None:
    """How a size is written where an operation stands."""
    for sites, _ in view.sites_in(made.place.function):
        line = view.line(made.node)
        text = names_before(sites, view.traced, view.source, line - 1).write(size)
        if text is not None:
            return text
    return None
