"""The state of one trace: names, facts, the graph so far, and the way to the current statement.

`Machine` knows nothing of Python's syntax: what to do with a node is looked up by its type in the
tables that `attncheck.tracer.expressions` and `attncheck.tracer.statements` fill. The one invariant
kept here: whatever runs, it ends; every statement and every call takes a step from the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from attncheck.algebra.facts import Facts
from attncheck.algebra.size import Size
from attncheck.graph import Graph, Operation, Place
from attncheck.record import record
from attncheck.table import Scope
from attncheck.tracer.repeats import Repeats
from attncheck.tracer.sketches import Sketches
from attncheck.values.value import UNKNOWN, Class, Function, Imported, Instance, Value

if TYPE_CHECKING:
    import libcst as cst

    from attncheck.tracer.program import ProgramEvidence
    from attncheck.tracer.project import Project

#: What one traced root (a function in general, the module body) may cost.
ROOT_STEPS = 6_000
#: The same where a file is checked: what takes longer has run its layers many times over.
CHECK_STEPS = 2_000
#: How deep calls of the project's functions are followed.
CALL_DEPTH = 12


#: The methods that make an object: what they are given are sizes and settings, not tensors.
MAKING = frozenset(["__init__", "__post_init__", "setup"])

#: How control leaves a statement: None goes on; "return", "raise", "break", "continue".
Exit: TypeAlias = str | None


class OutOfBudget(Exception):
    """The trace has taken all its steps; what was recorded so far stands."""


class Environment:
    """Names of one scope, and the scope around it."""

    __slots__ = ("elsewhere", "file", "names", "outer", "supply", "transparent")

    def __init__(self, outer: Environment | None = None, *, transparent: bool = False) -> None:
        self.names: dict[str, Value] = {}
        self.outer = outer
        #: the evidence of the file that the scope is of, where that is not the checked one
        self.file: ProgramEvidence | None = None if outer is None else outer.file
        #: gives the names of a module whose statements are only run when they are asked for
        self.supply: Callable[[str], Value | None] | None = None
        #: whether ``:=`` in here names something in the scope around: that of a comprehension
        self.transparent = transparent
        #: names that ``global`` or ``nonlocal`` declares
        self.elsewhere: set[str] = set()

    def lookup(self, name: str) -> Value | None:
        """The value of `name` here or in a scope around, or None."""
        environment = self
        while True:
            value = environment.names.get(name)
            if value is not None:
                return value
            if environment.outer is None:
                return None if environment.supply is None else environment.supply(name)
            environment = environment.outer

    def assign(self, name: str, value: Value) -> None:
        """Give `name` a value: here, or where ``global`` or ``nonlocal`` says that it lives."""
        if name not in self.elsewhere:
            self.names[name] = value
            return
        environment = self.outer
        while environment is not None:
            if name in environment.names or environment.outer is None:
                environment.names[name] = value
                return
            environment = environment.outer

    def module(self) -> Environment:
        """The outermost scope."""
        environment = self
        while environment.outer is not None:
            environment = environment.outer
        return environment


@dataclass(slots=True)
class Way:
    """What one way left behind: its names, attributes and facts, and how it ended."""

    names: dict[str, Value]
    attributes: dict[tuple[Instance, str], Value]
    learned: list[tuple[object, object]]
    left: Exit


@dataclass(slots=True)
class Frame:
    """One activation of a function (or of the module body)."""

    environment: Environment
    place: Place
    function: Function | None = None
    returned: list[Value] = field(default_factory=list)
    #: ways that ended in ``break`` or ``continue``, for the loop to take up
    strays: list[Way] = field(default_factory=list)
    #: in how many branches, one in the other, the call stands
    supposing: int = 0
    #: whether a branch has returned that may be the one taken: what follows need not run
    may_have_left: bool = False


@record
class ShapeSite:
    """A place whose value `attncheck shapes` shows: an assignment target, parameter or return."""

    function: str
    name: str
    node: cst.CSTNode
    value: Value


#: A flag's value, its truth, and two sizes that are one if that is what it is.
Implied: TypeAlias = tuple[Value, bool, Size, Size]
#: An attribute that was set: the object, the name, and what it was before (None: nothing).
Change: TypeAlias = tuple[Instance, str, Value | None]
Evaluator: TypeAlias = Callable[["Machine", Any], Value]
Executor: TypeAlias = Callable[["Machine", Any], Exit]


class Machine:
    """One trace of one file, or what runs in another file for it."""

    def __init__(
        self,
        scope: Scope,
        evidence: ProgramEvidence,
        expressions: dict[type, Evaluator],
        statements: dict[type, Executor],
        project: Project,
    ) -> None:
        self.scope = scope
        self.project = project
        #: the evidence of the checked file
        self.own = evidence
        self.facts = Facts()
        self.graph = Graph()
        self.sites: list[ShapeSite] = []
        #: the sites of the latest call of each function, where calls are observed
        self.inner: dict[str, list[ShapeSite]] = {}
        #: the sites of each call of what makes an object, wherever it runs
        self.made: dict[str, list[list[ShapeSite]]] = {}
        self.unmodelled: dict[str, int] = {}
        #: arguments that calls on concrete values gave to the project's functions
        self.calls_seen: dict[Function, list[dict[str, Value]]] = {}
        self.observe_calls = False
        #: what calls of the project's functions have shown of their parameters
        self.sketches: dict[Function, Sketches] = {}
        #: the functions and classes that running the module has defined, in order
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.repeats = Repeats()
        #: what guards say of flags: each with its truth and two sizes that are one then
        self.implied: list[Implied] = []
        self.frames: list[Frame] = []
        self.statement: cst.CSTNode | None = None
        self.journal: list[Change] = []
        #: how many branches are being run of which it is not known that they are taken
        self.supposing = 0
        self.steps = ROOT_STEPS
        self._expressions = expressions
        self._statements = statements

    # -- where we are --------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """The running activation."""
        return self.frames[-1]

    @property
    def environment(self) -> Environment:
        """The scope that names are read from and written to."""
        return self.frames[-1].environment

    @property
    def evidence(self) -> ProgramEvidence:
        """The evidence of the file whose code is running."""
        return (self.frames[-1].environment.file if self.frames else None) or self.own

    @property
    def is_elsewhere(self) -> bool:
        """Whether code of another file than the checked one is running."""
        return bool(self.frames) and self.frames[-1].environment.file is not None

    def shown(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """An expression that is running, or None if another file's code is."""
        return None if self.is_elsewhere else node

    @property
    def is_inside(self) -> bool:
        """Whether a function runs that the traced root has made: it is seen by its calls only."""
        root, own = self.frames[0].function, self.frame.function
        if root is None or own is None or own is root or not self.evidence.loose:
            return False
        return own.qualified.startswith(f"{root.qualified}.")

    @contextmanager
    def running(self, frame: Frame) -> Iterator[Frame]:
        """Run in `frame`."""
        statement = self.statement
        frame.supposing = self.supposing
        self.frames.append(frame)
        try:
            yield frame
        finally:
            self.frames.pop()
            self.statement = statement

    def step(self) -> None:
        """Take one step; raises OutOfBudget when there is none left."""
        self.steps -= 1
        if self.steps < 0:
            raise OutOfBudget

    @property
    def branches(self) -> int:
        """In how many branches what runs stands: of a function that the root calls, if any runs.

        What stands behind a way that has left its function stands in one more.
        """
        own = self.supposing - (self.frames[1].supposing if len(self.frames) > 1 else 0)
        return own + any(frame.may_have_left for frame in self.frames[1:])

    @property
    def making(self) -> bool:
        """Whether an object is being made: an ``__init__`` runs."""
        return any(
            frame.function is not None and frame.function.name in MAKING for frame in self.frames
        )

    # -- doing ---------------------------------------------------------------------------------

    def evaluate(self, node: cst.CSTNode) -> Value:
        """The value of an expression."""
        evaluator = self._expressions.get(type(node))
        return UNKNOWN if evaluator is None else evaluator(self, node)

    def execute(self, statements: Sequence[cst.CSTNode]) -> Exit:
        """Run statements in order until one leaves."""
        for node in statements:
            executor = self._statements.get(type(node))
            if executor is None:
                continue
            left = executor(self, node)
            if left is not None:
                return left
        return None

    def record(self, operation: Operation) -> None:
        """Put an operation into the graph."""
        if self.is_elsewhere:
            operation.seen_from_call()
        self.graph.add(operation)

    def show(self, name: str, node: cst.CSTNode, value: Value) -> None:
        """Note a site: of the traced root's own code, or of a function whose calls are observed.

        What the root makes inside of itself is its own code.
        """
        if self.is_elsewhere:
            return
        function = self.frame.place.function
        if len(self.frames) == 1 or (self.own.loose and self.is_inside):
            self.sites.append(ShapeSite(function, name, node, value))
            return
        site = ShapeSite(function, name, node, value)
        if self.observe_calls:
            self.inner.setdefault(function, []).append(site)
        if function in self.made:
            self.made[function][-1].append(site)

    def defined(self, function: Function) -> None:
        """Note a function to be traced in general: of the module or of a class, no closure."""
        if self.frame.function is None:
            self.functions.append(function)

    def resolved(self, value: Value) -> Value:
        """`value`, looked up in the file that it was imported from if it was imported."""
        return self.project.resolved(value) if type(value) is Imported else value

    def not_modelled(self, name: str) -> Value:
        """An unknown value, with the call that gave it counted for the coverage line."""
        self.unmodelled[name] = self.unmodelled.get(name, 0) + 1
        return UNKNOWN

    # -- objects -------------------------------------------------------------------------------

    def initialised(self, instance: Instance) -> Instance:
        """`instance` with its ``__init__`` run: objects are made when they are first looked into.

        What ``__init__`` sets is not undone with the branch that happened to look first.
        """
        if instance.pending is not None:
            run, instance.pending = instance.pending, None
            mark = len(self.journal)
            run(self)
            del self.journal[mark:]
        return instance

    def set_attribute(self, instance: Instance, name: str, value: Value) -> None:
        """Set an attribute so that `roll_back` can take it back."""
        self.journal.append((instance, name, instance.attributes.get(name)))
        instance.attributes[name] = value

    def roll_back(self, mark: int) -> dict[tuple[Instance, str], Value]:
        """Undo the attributes set since the journal was `mark` long; what they were set to."""
        changed: dict[tuple[Instance, str], Value] = {}
        while len(self.journal) > mark:
            instance, name, before = self.journal.pop()
            changed.setdefault((instance, name), instance.attributes.get(name, UNKNOWN))
            if before is None:
                instance.attributes.pop(name, None)
            else:
                instance.attributes[name] = before
        return changed
