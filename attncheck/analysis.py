"""From a parsed file to its diagnoses: trace, try hypotheses, run the rules, weigh the evidence.

What a module's own calls prove goes before what names suggest; a contradiction that rests on names
or on prose is only a candidate here, until `attncheck.findings` has found the edit that resolves
it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from attncheck.algebra.size import Symbol
from attncheck.attention import tolerable
from attncheck.checks.report import Report
from attncheck.checks.run import run_checks
from attncheck.checks.view import View
from attncheck.diagnosed import (
    Diagnosed,
    about_rank,
    about_sizes,
    is_about_steps,
    is_plain,
    settled,
    spoiled,
)
from attncheck.evidence.comments import claims, standing_claims
from attncheck.evidence.declarations import Declarations, declared_in_comments, scope_of
from attncheck.examples import is_out_of_date
from attncheck.finding import Severity
from attncheck.flags import chosen_by_flag
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Fault, NewAxis
from attncheck.settings import Settings
from attncheck.source import Source
from attncheck.suppose import (
    Supposed,
    conventional,
    hints,
    is_known,
    stands_anyway,
    stated,
    suppose,
    with_and_without,
)
from attncheck.tracer.libraries import array_libraries
from attncheck.tracer.program import ProgramEvidence
from attncheck.tracer.terms import Terms
from attncheck.tracer.trace import Traced, Tracer
from attncheck.values.tensor import Evidence
from attncheck.values.value import Function, as_tensor, expanded


@dataclass(slots=True)
class Analysis:
    """Everything found out about one file.

    ``certain`` are the reports to print; ``suspects`` those, function by function, that rest on a
    hypothesis which no consistent one rivals, the most telling first.
    """

    source: Source
    settings: Settings
    tracer: Tracer
    module: Traced
    #: what the examples in docstrings run
    examples: list[Traced] = field(default_factory=list)
    general: list[Traced] = field(default_factory=list)
    shown: list[Traced] = field(default_factory=list)
    certain: list[Diagnosed] = field(default_factory=list)
    suspects: list[list[Diagnosed]] = field(default_factory=list)
    #: the hypothesis that tells most about each function, by qualified name
    labels: dict[str, str] = field(default_factory=dict)

    def running(self, operation: Operation) -> frozenset[str]:
        """The functions whose traces run the expression of an operation."""
        return frozenset(
            traced.function.qualified
            for traced in self.general
            if traced.function is not None
            and any(other.node is operation.node for other in traced.graph.operations)
        )

    def is_example(self, traced: Traced) -> bool:
        """Whether a trace is that of an example in a docstring."""
        return any(traced is each for each in self.examples)

    def told_under(self, traced: Traced) -> None:
        """Show a function under the hypothesis that a finding is told under."""
        self.shown = [
            traced if traced.function is not None and shown.function is traced.function else shown
            for shown in self.shown
        ]


def make_tracer(source: Source, settings: Settings, followed: set[str] | None = None) -> Tracer:
    """A tracer for a file, with the evidence of its text and of the settings.

    `followed` collects the other files of the project that are read.
    """
    declared = declared_in_comments(source.text)
    scope = scope_of(declared, settings.dims, settings.tensors)
    declarations = Declarations(declared, _blocks(source, bool(declared)), scope, settings.tensors)
    evidence = ProgramEvidence(
        scope,
        array_libraries(source.text),
        declarations,
        has_declarations=bool(declared or settings.tensors),
        comments=claims(source.lines),
        standing=standing_claims(source.lines),
        lines=source.lines,
        line_of=source.line,
        convention=settings.convention,
    )
    return Tracer(source, scope, evidence, followed)


def _blocks(source: Source, wanted: bool) -> list[tuple[int, int]]:
    """The functions of a file as (first line, last line): needed only where comments declare."""
    if not wanted:
        return []
    import ast

    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(source.text)) if isinstance(node, functions)]
    return [(node.lineno, node.end_lineno or node.lineno) for node in nodes]


def analyse(source: Source, settings: Settings) -> Analysis:
    """Trace a file and diagnose it."""
    tracer = make_tracer(source, settings)
    analysis = Analysis(source, settings, tracer, tracer.run_module())
    found: dict[tuple[str, object], Diagnosed] = {}
    analysis.shown.append(analysis.module)
    analysis.examples = tracer.run_examples()
    for traced in (analysis.module, *analysis.examples):
        _take(found, diagnose(analysis, traced, {}))
    # What calls a function is mostly defined after it, and shows what it is called with.
    for function in reversed(tracer.functions):
        _function(analysis, function, found)
    for listed in (analysis.general, analysis.shown, analysis.suspects):
        listed.reverse()
    traces = (analysis.module, *analysis.examples, *analysis.general)
    views = [_view(analysis, traced, {}) for traced in traces]
    told = (each for each in found.values() if not _is_out_of_date(analysis, each))
    analysis.certain = settled(list(told), views)
    _leave_out_spoiled(analysis)
    return analysis


def _is_out_of_date(analysis: Analysis, told: Diagnosed) -> bool:
    """Whether an example fails that is to blame for it itself."""
    return analysis.is_example(told.traced) and is_out_of_date(told, analysis.general)


def _leave_out_spoiled(analysis: Analysis) -> None:
    """Leave out what is found in tensors with axes too many, as is told where they got them."""
    nodes = spoiled(analysis.certain)
    if nodes:
        groups = [analysis.certain, *analysis.suspects]
        for group in groups:
            group[:] = [each for each in group if each.report.operation.node not in nodes]
        analysis.suspects = [group for group in analysis.suspects if group]


def traces_to_show(source: Source, settings: Settings) -> list[Traced]:
    """The traces whose shapes can be stated: of the module, and of each of its functions."""
    tracer = make_tracer(source, settings)
    tracer.evidence.ledger.saving = False
    module = tracer.run_module()
    tracer.run_examples()
    shown: dict[Function, Traced] = {}
    known: dict[Function, object] = {}
    # A second time where functions that were traced later have shown more of the arguments.
    for _ in range(2):
        for function in reversed(tracer.functions):
            seen = tracer.evidence.seen_of(function)
            if function not in shown or seen != known[function]:
                shown[function] = stated(tracer, function, contradictions)
                known[function] = seen
    return [module, *(shown[function] for function in tracer.functions)]


def _function(
    analysis: Analysis, function: Function, found: dict[tuple[str, object], Diagnosed]
) -> None:
    """Trace one function in general and under its hypotheses."""
    tracer = analysis.tracer
    named, unnamed = conventional(tracer, function)
    told = [] if named is None else diagnose(analysis, named, {})
    contradicted: list[Diagnosed] = []
    if named is not None and contradictions(named):
        first = stands_anyway(named)
        contradicted = [each for each in told if each.report.operation is first]
        named, told = None, []
    # What is found in nobody's inputs is not found in inputs of which less is known.
    if unnamed is not None:
        general = unnamed
    else:
        general = named if named is not None and not told else tracer.run_function(function)
    analysis.general.append(general)
    analysis.shown.append(general if named is None else named)
    numbers = {} if general is named else _numbers(analysis, function, general)
    reports = [] if general is named else diagnose(analysis, general, numbers)
    unsure = _shown_without_flag(analysis, function, reports or told)
    reports = [report for report in reports if report.key not in unsure]
    told = [report for report in told if report.key not in unsure]
    _take(found, [r for r in reports if r.evidence < Evidence.PROSE or is_about_steps(r)])
    sure = {report.key for report in reports}
    _take(found, _of_any_rank(analysis, function, told or contradicted, sure))
    known = unsure | {key for key, report in found.items() if report.traced.function is None}
    for traced in with_and_without(tracer, function, general):
        plain = diagnose(analysis, traced, {}, shapes_only=True)
        _take(found, [each for each in plain if is_plain(each) and each.key not in known])
    # Where the code wants another rank than the prose says, the prose is taken to be loose.
    weak = [r for r in reports if r.evidence >= Evidence.PROSE and not is_about_steps(r)]
    prose = [r for r in weak if not about_rank(r)]
    if prose and _is_of_one_item(analysis, function, general, prose):
        prose = []
    names = _by_hypotheses(analysis, function, general)
    _take(found, [report for report in names.agreed if report.key not in unsure])
    _settle(analysis, found, [*([prose] if prose else []), *names.groups])


def _is_of_one_item(
    analysis: Analysis, function: Function, general: Traced, reports: list[Diagnosed]
) -> bool:
    """Whether a function gives an argument an axis in front, and is right if it had none before.

    Its docstring then speaks of a batch, of which the argument is one item.
    """
    keys = {report.key for report in reports}
    for made in general.graph.operations:
        if not isinstance(made.event, NewAxis) or made.event.axes != (0,):
            continue
        name = getattr(next((each.node for each, _ in made.tensors()), None), "value", None)
        if name not in analysis.tracer.evidence.docstring(function).parameters:
            continue
        traced = analysis.tracer.run_function(function, Terms(unbatched=name))
        if not traced.complete or contradictions(traced):
            continue
        if keys.isdisjoint(report.key for report in diagnose(analysis, traced, {})):
            return True
    return False


@dataclass(slots=True)
class _ByHypotheses:
    """What all consistent hypotheses tell, and what each of the inconsistent ones does."""

    agreed: list[Diagnosed]
    groups: list[list[Diagnosed]]


def _by_hypotheses(analysis: Analysis, function: Function, general: Traced) -> _ByHypotheses:
    """What is found in a function whose parameters are what their names may mean."""
    supposed = suppose(analysis.tracer, function, general, contradictions)
    telling = (*supposed.consistent, *supposed.suspects)
    if telling and telling[0].hypothesis is not None:
        analysis.labels[function.qualified] = telling[0].hypothesis.label
    adopted = supposed.adopted
    if adopted is not None:
        analysis.shown[-1] = adopted
    numbers = {
        id(traced): _numbers(analysis, function, traced)
        for traced in (*supposed.consistent, *supposed.suspects[:4])
    }
    groups = [
        [r for r in diagnose(analysis, traced, numbers[id(traced)]) if about_sizes(r)]
        for traced in supposed.suspects[:4]
    ]
    return _ByHypotheses(_agreed(analysis, supposed, numbers), groups)


def _shown_without_flag(
    analysis: Analysis, function: Function, reports: list[Diagnosed]
) -> set[tuple[str, object]]:
    """What only callers show to be wrong that leave out the flag of the branch it stands in.

    With one such finding all others go that rest on what these callers give.
    """
    doubtful = {each.key for each in reports if _is_chosen(each, analysis.source)}
    shown = analysis.tracer.evidence.seen_of(function)
    if not doubtful or not any(shown.values()):
        return set()
    terms = Terms(conventional=reports[0].traced.terms.conventional, sparing=True)
    spared = analysis.tracer.run_function(function, terms)
    unsure = {each.key for each in reports} - {each.key for each in diagnose(analysis, spared, {})}
    return unsure if unsure & doubtful else set()


def _is_chosen(report: Diagnosed, source: Source) -> bool:
    """Whether a flag decides about what was found, or about a call that leads there."""
    calls = (call.node for call in report.report.operation.place.calls)
    return any(chosen_by_flag(node, source) for node in (report.report.node, *calls))


def _of_any_rank(
    analysis: Analysis,
    function: Function,
    told: list[Diagnosed],
    sure: set[tuple[str, object]],
) -> list[Diagnosed]:
    """What is `told` of inputs with the ranks of their names, but for what only that rank makes.

    Sizes that do not fit tell of a wrong rank where the code works with an axis more or less.
    """

    def doubtful(report: Diagnosed) -> bool:
        named = report.evidence is Evidence.NAME and report.key not in sure
        return named and report.report.rule.code < "ATN3"

    for more in (-1, 1) if any(map(doubtful, told)) else ():
        other = analysis.tracer.run_function(function, Terms(conventional=True, more=more))
        if other.complete and not contradictions(other):
            working = {each.node for each in other.graph.operations if _works(each)}
            working -= {report.report.node for report in diagnose(analysis, other, {})}
            told = [r for r in told if r.report.node not in working or not doubtful(r)]
    return told


def _works(operation: Operation) -> bool:
    """Whether an operation fits what it is given, as far as that is known."""
    tensor, event = as_tensor(operation.output), operation.event
    if operation.clash is not None or tensor is None:
        return False
    lined_up = isinstance(event, Elementwise) and event.broadcast is not None
    return lined_up or is_known(tensor.shape)


def _agreed(
    analysis: Analysis, supposed: Supposed, numbers: dict[int, dict[Symbol, int]]
) -> list[Diagnosed]:
    """What is reported under every consistent hypothesis."""
    traces = sorted(supposed.consistent, key=_doubled)
    lists = [diagnose(analysis, traced, numbers[id(traced)]) for traced in traces]
    if not lists:
        return []
    first, *rest = lists
    keys = [{report.key for report in other} for other in rest]
    return [report for report in first if all(report.key in other for other in keys)]


def _doubled(traced: Traced) -> int:
    """How many tensors have one size on several axes; the reading with the fewest is told."""
    shapes = (expanded(each.output, traced.facts) for each in traced.graph.operations)
    sizes = [[axis.size for axis in shape.lead if not axis.is_one] for shape in shapes if shape]
    return sum(len(set(each)) < len(each) for each in sizes)


def _settle(
    analysis: Analysis,
    found: dict[tuple[str, object], Diagnosed],
    groups: list[list[Diagnosed]],
) -> None:
    """Put the suspects aside, unless the program's own calls have already proved one of them.

    A place that is proved wrong is told in the symbols of the hypothesis that fails there.
    """
    groups = [group for group in groups if group]
    proved = {report.report.node: report for report in found.values()}
    for group in groups:
        told = [suspect for suspect in group if suspect.report.node in proved]
        if told:
            best = told[0]
            before = proved[best.report.node]
            del found[before.key]
            best.severity = before.severity
            found[best.key] = best
            return
    if groups:
        analysis.suspects.append([group[0] for group in groups])


def _take(found: dict[tuple[str, object], Diagnosed], reports: list[Diagnosed]) -> None:
    """Add reports; of two about one thing that in symbols stays, with the stronger severity."""
    for report in reports:
        known = found.get(report.key)
        if known is None:
            found[report.key] = report
            continue
        severity = known.severity if known.severity == "error" else report.severity
        kept = report if _telling(report.traced) >= _telling(known.traced) else known
        kept.severity = severity
        found[report.key] = kept


def _telling(traced: Traced) -> int:
    """How well a trace's sizes read: names of the table, else those of a function, else numbers."""
    return 0 if traced.function is None else 1 if traced.hypothesis is None else 2


def contradictions(traced: Traced) -> int:
    """How many operations of a trace cannot work."""
    return sum(
        operation.clash is not None and not tolerable(operation, traced.graph)
        for operation in traced.graph.operations
    )


def diagnose(
    analysis: Analysis,
    traced: Traced,
    numbers: dict[Symbol, int],
    *,
    shapes_only: bool = False,
) -> list[Diagnosed]:
    """What the rules report of one trace; `numbers` are what calls give for its symbols."""
    view = _view(analysis, traced, numbers)
    diagnosed = []
    for report in run_checks(view, analysis.settings, shapes_only=shapes_only):
        if _is_elsewhere(report) or _on_nothing(report) or _on_another_path(traced, report):
            continue
        evidence = _evidence(report)
        diagnosed.append(Diagnosed(report, traced, view, _severity(report, evidence), evidence))
    return diagnosed


def _view(analysis: Analysis, traced: Traced, numbers: dict[Symbol, int]) -> View:
    making = analysis.tracer.making(traced)

    def general() -> list[View]:
        return [_view(analysis, other, {}) for other in (analysis.module, *analysis.general)]

    evidence = analysis.tracer.evidence
    return View(traced, analysis.source, evidence, numbers, making, general)


def _is_elsewhere(report: Report) -> bool:
    """Whether a report is about what code of another file does: its own check tells that."""
    return report.operation.elsewhere and report.node is report.operation.node


def _on_nothing(report: Report) -> bool:
    """Whether an operand has no elements: a placeholder that the code around it treats apart.

    What is joined for certain is not treated apart: libraries join nothing of other sizes, not even
    if it is empty (torch's one exception is no clash).
    """
    operation = report.operation
    if (
        operation.clash is not None
        and operation.clash.fault is Fault.JOIN
        and not operation.supposed
    ):
        return False
    shapes = (tensor.shape for _, tensor in operation.tensors())
    return any(
        axis.size is not None and axis.size.number == 0
        for shape in shapes
        if shape is not None
        for axis in (*shape.lead, *shape.trail)
    )


def _on_another_path(traced: Traced, report: Report) -> bool:
    """Whether a contradiction stands in a branch of a function that was called from another one.

    The caller may be one that never takes that branch; the function's own trace decides.
    """
    operation = report.operation
    if report.local:
        return False
    return operation.supposed > 0 and bool(operation.place.calls)


def _evidence(report: Report) -> Evidence:
    """The weakest evidence that a report rests on."""
    kinds = [tensor.evidence for _, tensor in report.operation.tensors()]
    return max(kinds, default=Evidence.CODE)


def _severity(report: Report, evidence: Evidence) -> Severity:
    """What rests on the names of tensors is a warning; all stronger evidence makes an error."""
    if report.rule.severity != "error":
        return report.rule.severity
    return "warning" if evidence is Evidence.NAME or report.named else "error"


def _numbers(analysis: Analysis, function: Function, traced: Traced) -> dict[Symbol, int]:
    """The numbers that call sites give to the symbols of a function's parameters."""
    seen = hints(analysis.tracer, function).sizes
    numbers: dict[Symbol, int] = {}
    for site in traced.sites:
        sizes = seen.get(site.name)
        shape = None if sizes is None else expanded(site.value, traced.facts)
        if sizes is None or shape is None or not shape.closed or len(shape.axes) != len(sizes):
            continue
        for axis, number in zip(shape.axes, sizes, strict=True):
            symbol = None if axis.size is None else axis.size.symbol
            if symbol is not None and number is not None:
                numbers.setdefault(symbol, number)
    return numbers
