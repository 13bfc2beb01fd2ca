"""One function of a changed file traced again: what is found in it then, and how much is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from attncheck.algebra.broadcast import How, Pairing
from attncheck.algebra.contract import Contracted
from attncheck.algebra.facts import Verdict
from attncheck.analysis import Analysis, diagnose, make_tracer
from attncheck.diagnosed import Diagnosed
from attncheck.graph import Graph, Operation
from attncheck.operators.events import Contraction, Elementwise
from attncheck.record import record
from attncheck.settings import Settings
from attncheck.source import Source
from attncheck.suppose import hints, parameter_names, run_under
from attncheck.table import hypotheses
from attncheck.tracer.machine import ShapeSite
from attncheck.tracer.sketches import Sketch
from attncheck.tracer.terms import USUAL, Terms
from attncheck.tracer.trace import Traced, Tracer
from attncheck.values.value import Function, Unknown, as_tensor


@dataclass(slots=True)
class Retraced:
    """A file traced again for one function: what is found in it, and how much is known.

    ``keys`` are (rule, line); ``clashing`` the lines with an operation that cannot work; ``lost``
    counts by root the operations after which nothing is known that was known before;
    ``stretched`` counts axes stretched on both sides of an operation at once, ``assumed`` by root
    pairs of sizes that have to be equal though nothing says that they are.
    """

    source: Source
    traces: list[Traced]
    diagnosed: list[Diagnosed]
    keys: set[tuple[str, int]]
    clashing: set[int]
    lost: dict[str, int]
    stretched: int
    assumed: dict[str, int]

    def operations(self) -> Iterator[Operation]:
        """All operations of all traces."""
        for traced in self.traces:
            yield from traced.graph.operations

    def sites_of(self, function: str) -> Iterator[tuple[list[ShapeSite], Traced]]:
        """The sites of a function: of the trace in names first, then of its latest call."""
        for traced in reversed(self.traces):
            if traced.function is not None or not function:
                yield traced.sites, traced
            elif function in traced.inner:
                yield traced.inner[function], traced

    def loses(self, diagnosed: Diagnosed) -> int:
        """How much is lost in the trace in which something was found."""
        return self.lost.get(_root_name(diagnosed.traced), 0)

    def assumes(self, diagnosed: Diagnosed) -> int:
        """How many equal sizes are assumed by what knows no less than the trace of a finding.

        The function that it stands in, if that is another one, knows less of its arguments.
        """
        root = _root_name(diagnosed.traced)
        less = diagnosed.report.place if root else root
        return sum(count for name, count in self.assumed.items() if name == root or name != less)

    def graph_of(self, operation: Operation) -> Graph:
        """The graph that an operation belongs to."""
        for traced in self.traces:
            if traced.graph.has(operation):
                return traced.graph
        raise ValueError("an operation of another trace")

    def line(self, operation: Operation) -> int:
        """The line of an operation."""
        return self.source.span(operation.node).line

    def code(self, operation: Operation) -> str:
        """An operation as written."""
        return " ".join(self.source.code(operation.node).split())


@record
class Root:
    """What to trace again: a function, and what is taken to be so of its parameters.

    ``also`` are functions that are traced again of which nothing is supposed; ``examples`` says
    that the examples in docstrings are run again too.
    """

    function: str
    label: str | None = None
    terms: Terms = USUAL
    also: frozenset[str] = frozenset()
    examples: bool = False


def retrace(
    source: Source,
    settings: Settings,
    root: Root,
    followed: set[str],
    shown: Mapping[str, Mapping[str, Sketch]] | None = None,
) -> Retraced:
    """Trace the module and one function again.

    `followed` collects the other files of the project that are read; `shown` is what calls have
    shown of parameters: the callers are not traced again.
    """
    tracer = make_tracer(source, settings, followed)
    tracer.evidence.shown_before = shown
    module = tracer.run_module()
    analysis = Analysis(source, settings, tracer, module)
    traces = [module, *(tracer.run_examples() if root.examples else ())]
    for other in tracer.functions:
        if other.qualified == root.function:
            traces.append(_run_under(tracer, other, root))
        elif other.qualified in root.also:
            traces.append(tracer.run_function(other))
    diagnosed = [report for traced in traces for report in diagnose(analysis, traced, {})]
    operations = [operation for traced in traces for operation in traced.graph.operations]
    return Retraced(
        source,
        traces,
        diagnosed,
        {report.line_key for report in diagnosed},
        {source.span(operation.node).line for operation in operations if operation.clash},
        _counted(traces, _loses),
        sum(_stretches_both(operation) for operation in operations),
        _counted(traces, _assumes),
    )


def _counted(traces: list[Traced], count: Callable[[Operation], int]) -> dict[str, int]:
    """What is counted of all operations, by root: the module and its examples are one."""
    counted: Counter[str] = Counter()
    for traced in traces:
        counted[_root_name(traced)] += sum(map(count, traced.graph.operations))
    return counted


def _root_name(traced: Traced) -> str:
    return "" if traced.function is None else traced.function.qualified


def _run_under(tracer: Tracer, function: Function, root: Root) -> Traced:
    if root.label is not None:
        names = parameter_names(function)
        for hypothesis in hypotheses(names, tracer.scope, hints=hints(tracer, function)):
            if hypothesis.label == root.label:
                return run_under(tracer, function, hypothesis)
    return tracer.run_function(function, root.terms)


def _loses(operation: Operation) -> bool:
    """Whether an operation gives a tensor of unknown shape although its operands are known."""
    tensor = as_tensor(operation.output)
    if tensor is None or tensor.shape is not None:
        return False
    if any(isinstance(operand.value, Unknown) for operand in operation.operands):
        return False
    return all(operand.shape is not None for _, operand in operation.tensors())


def _assumes(operation: Operation) -> int:
    """How many pairs of sizes an operation needs to be equal that nothing says are equal."""
    event = operation.event
    pairs: tuple[Contracted | Pairing, ...] = ()
    if isinstance(event, Contraction):
        pairs = event.pairs
    elif isinstance(event, Elementwise) and event.broadcast is not None:
        pairs = event.broadcast.pairings
    return sum(
        pair.verdict is Verdict.UNKNOWN
        and all(axis is not None and axis.size is not None for axis in (pair.left, pair.right))
        for pair in pairs
    )


def _stretches_both(operation: Operation) -> bool:
    """Whether an elementwise operation repeats an axis on either side: an outer product."""
    event = operation.event
    if not isinstance(event, Elementwise) or event.broadcast is None:
        return False
    hows = {pairing.how for pairing in event.broadcast.pairings}
    return {How.LEFT_STRETCHED, How.RIGHT_STRETCHED} <= hows
