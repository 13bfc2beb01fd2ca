"""Tracing a file: its module code, then every function in general and under its hypotheses.

The module body is run first, on the concrete sizes of its demo; what it calls shows which shapes
the functions are really given. Then each function, and each method on an object made from unknown
arguments, is traced in general. Where the names of the parameters say what their shapes may be,
every joint hypothesis is traced as well (see `attncheck.tracer.hypotheses`).
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Collection
from collections.abc import Sequence as Statements
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import libcst as cst

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import expand
from attncheck.algebra.size import of
from attncheck.frameworks.lookup import find_layer
from attncheck.graph import Graph, Place
from attncheck.record import replace
from attncheck.source import Source
from attncheck.table import Hypothesis, Scope
from attncheck.tracer import flax, keras, targets
from attncheck.tracer.defaults import asked_for
from attncheck.tracer.expressions import EXPRESSIONS
from attncheck.tracer.functions import general_arguments, run_body
from attncheck.tracer.layers import SEQUENCES
from attncheck.tracer.machine import (
    CHECK_STEPS,
    MAKING,
    ROOT_STEPS,
    Environment,
    Frame,
    Machine,
    OutOfBudget,
    ShapeSite,
)
from attncheck.tracer.program import ProgramEvidence
from attncheck.tracer.project import Project
from attncheck.tracer.sketches import Sketches
from attncheck.tracer.statements import STATEMENTS
from attncheck.tracer.switches import switches
from attncheck.tracer.terms import USUAL, Terms
from attncheck.tree.pairs import parameters_of
from attncheck.values.tensor import Evidence
from attncheck.values.value import (
    ALIKE,
    NONE,
    UNKNOWN,
    Chain,
    Class,
    Const,
    Function,
    Instance,
    Layer,
    Unknown,
    Value,
    as_size,
    as_tensor,
)

_DEFINING: Final = (cst.ClassDef, cst.FunctionDef)
#: A name in a shape as prose writes it.
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


@dataclass(slots=True)
class Traced:
    """One trace of one root: the module body (function None) or a function.

    ``complete`` is False if the budget or the stack ran out on the way.
    """

    function: Function | None
    graph: Graph
    facts: Facts
    sites: list[ShapeSite]
    unmodelled: dict[str, int]
    hypothesis: Hypothesis | None = None
    result: Value | None = None
    complete: bool = True
    terms: Terms = USUAL
    #: for the module body: the sites of the latest call of each function, by qualified name
    inner: dict[str, list[ShapeSite]] = field(default_factory=dict)
    #: the sites of each call of what makes an object
    made: dict[str, list[list[ShapeSite]]] = field(default_factory=dict)


class Tracer:
    """Traces the roots of one file."""

    def __init__(
        self,
        source: Source,
        scope: Scope,
        evidence: ProgramEvidence,
        followed: set[str] | None = None,
    ) -> None:
        self.scope = scope
        self.evidence = evidence
        self.module = source.module
        self._source = source
        self.steps = FILE_STEPS
        self._environment = Environment()
        self._environment.names["__name__"] = Const("__main__")
        #: the files of the project that were read
        self.followed = set[str]() if followed is None else followed
        self._project = Project(
            source.path if os.path.isfile(source.path) else "",
            len(source.text),
            self._environment,
            self._machine,
            self.followed,
        )
        self._home = self._machine()
        self._home.observe_calls = True
        self._instances: dict[tuple[Class, bool], Instance] = {}
        self._builders: dict[tuple[Class, bool], tuple[Machine, bool]] = {}
        self._left_out: dict[Function, frozenset[str]] = {}
        self._switches: dict[Function, frozenset[str]] = {}
        #: the graphs of the module body and of the objects' making, for where a tensor comes from
        self.made_in: list[Graph] = [self._home.graph]

    def _machine(self) -> Machine:
        machine = Machine(self.scope, self.evidence, EXPRESSIONS, STATEMENTS, self._project)
        most = CHECK_STEPS if self.evidence.ledger.saving else ROOT_STEPS
        machine.steps = min(most, max(self.steps, 0))
        return machine

    def run_module(self) -> Traced:
        """Run the module body."""
        machine = self._home
        frame = Frame(self._environment, Place("", None))
        complete = self._guarded(
            machine, partial(self._run_block, machine, frame, self.module.body)
        )
        self._learn_calls(machine)
        return self._traced(machine, None, None, complete)

    @staticmethod
    def _run_block(machine: Machine, frame: Frame, body: Statements[cst.CSTNode]) -> None:
        with machine.running(frame):
            machine.execute(body)

    def run_examples(self) -> list[Traced]:
        """Run the examples in docstrings that use what the file defines, each by itself.

        What they import from the file is its own. Their calls count as those of the module.
        """
        defined = (each for each in self.module.body if isinstance(each, _DEFINING))
        own = {each.name.value for each in defined}
        traces = []
        for example in self._source.read_examples():
            if own.isdisjoint(example.reads):
                continue
            machine = self._machine()
            machine.observe_calls = True
            frame = Frame(Environment(self._environment), Place("", None))
            body = [each for each in example.body if not _imports(each, own)]
            complete = self._guarded(machine, partial(self._run_block, machine, frame, body))
            self._learn_calls(machine)
            for function, calls in machine.calls_seen.items():
                self._home.calls_seen.setdefault(function, []).extend(calls)
            traces.append(self._traced(machine, None, None, complete))
        return traces

    @property
    def functions(self) -> list[Function]:
        """The functions to trace in general, in the order of their definition."""
        return self._home.functions

    def calls_of(self, function: Function) -> list[dict[str, Value]]:
        """The arguments that module code has called `function` with."""
        return self._home.calls_seen.get(function, [])

    @property
    def home_facts(self) -> Facts:
        """The facts of the module body."""
        return self._home.facts

    @property
    def missed(self) -> set[str]:
        """Files that imports would have led to, had they been there."""
        return self._project.missed

    def run_function(
        self,
        function: Function,
        terms: Terms = USUAL,
        hypothesis: Hypothesis | None = None,
        *,
        open_pair: bool = False,
    ) -> Traced:
        """Trace a function in general, on other terms, or under a hypothesis about its parameters.

        `open_pair` says that ``d_s`` and ``d_h`` may be one size, as in dot attention. What a later
        line shows of the number of an argument's axes is known from the first one on.
        """
        traced = self._run(function, terms, hypothesis, open_pair=open_pair)
        ranks = _ranks_shown(traced) if traced.complete and function.name != "__init__" else ()
        if ranks:
            told = replace(terms, ranks=(*terms.ranks, *ranks))
            again = self._run(function, told, hypothesis, open_pair=open_pair)
            wrong = {operation.node for operation in traced.graph.clashes()}
            if again.complete and all(each.node in wrong for each in again.graph.clashes()):
                again.terms = terms
                return again
        return traced

    def _run(
        self, function: Function, terms: Terms, hypothesis: Hypothesis | None, *, open_pair: bool
    ) -> Traced:
        """Trace a function once."""
        if hypothesis is None and function.owner is not None and function.name == "__init__":
            return self._built(function, function.owner)
        machine = self._machine()
        if open_pair:
            machine.facts.leave_open("d_s", "d_h")
        machine.graph.by_name = hypothesis is not None
        self._suppose(function, terms, hypothesis)
        receiver = None
        if function.owner is not None:
            receiver = self._instance(function.owner, terms.configured)
            builder, _ = self._builders[function.owner, terms.configured]
            # What making the object has shown holds for its methods.
            machine.facts.keep(builder.facts.learned(0))
            machine.implied += builder.implied
            self._name_arguments(machine, builder)
            if self.evidence.presuming:
                self.evidence.attributes.recall(receiver)
        names = frozenset[str]() if terms.optional is None else self.may_leave_out(function)
        said = dict.fromkeys(names, bool(terms.optional))
        if terms.configured:
            said = dict.fromkeys(self._switches_of(function), False) | said
        complete, result = self._in_general(machine, function, receiver, said)
        if receiver is not None and complete and terms.usual:
            self.evidence.attributes.note(function, receiver, machine.facts)
        machine.roll_back(0)
        self._suppose(function)
        if hypothesis is None and terms.usual:
            self._learn_calls(machine)
        traced = self._traced(machine, function, hypothesis, complete)
        traced.result, traced.terms = result, terms
        return traced

    def _suppose(
        self, function: Function, terms: Terms = USUAL, hypothesis: Hypothesis | None = None
    ) -> None:
        """Say what is taken to be so of a function's parameters: nothing, once it has run."""
        evidence = self.evidence
        evidence.pinned, evidence.pinned_function, evidence.terms = hypothesis, function, terms

    def may_leave_out(self, function: Function) -> frozenset[str]:
        """The arguments that are None by default and of which the function asks whether they are.

        If there are none, a call that leaves out what it can is like any other.
        """
        known = self._left_out.get(function)
        if known is None:
            names = frozenset(name for name, value in function.defaults.items() if value == NONE)
            node = function.node
            whole = self._project.whole(node) if names and type(node) is cst.FunctionDef else None
            known = frozenset() if whole is None else names & asked_for(whole.body)
            self._left_out[function] = known
        return known

    def _name_arguments(self, machine: Machine, builder: Machine) -> None:
        """Take sizes that comments on inputs name for the constructor's arguments so called.

        They count an axis, then, which an argument need not do that nobody says that of. Docstrings
        stand further from the code, and have the wrong expression over the right names at times.
        """
        claims = itertools.chain.from_iterable(self.evidence.standing.values())
        named = {name for claim in claims for name in _NAME.findall(claim.shape)}
        for site in builder.sites if named else ():
            size = as_size(site.value)
            symbol = None if size is None else size.symbol
            if symbol is not None and symbol.name == site.name and site.name in named:
                own = of(self.evidence.scope.symbol(site.name))
                machine.facts.equate(of(symbol), own, f"{site.name} of the constructor")

    def _learn_calls(self, machine: Machine) -> None:
        """Keep what calls have shown of parameters, unless the trace went wrong somewhere."""
        if not machine.graph.clashes():
            for called, sketches in machine.sketches.items():
                self.evidence.sketches.setdefault(called, Sketches()).merge(sketches)

    def _in_general(
        self,
        machine: Machine,
        function: Function,
        receiver: Instance | None,
        said: dict[str, bool] | None = None,
    ) -> tuple[bool, Value | None]:
        """Run a function on unknown arguments; whether it ended, and its result."""
        frame = Frame(self._closure(function), Place(function.qualified, function.node), function)
        result: list[Value] = []

        def run() -> None:
            with machine.running(frame):
                listed: list[tuple[str, Value]] = []
                arguments = general_arguments(machine, function, receiver, said)
                for parameter, value in arguments:
                    targets.parameter_site(machine, parameter, value)
                    listed.append((parameter.name.value, value))
                if receiver is not None:
                    keras.build_for(machine, receiver, function, listed)
            result.append(run_body(machine, frame))

        return self._guarded(machine, run), result[0] if result else None

    def _built(self, function: Function, owner: Class, configured: bool = False) -> Traced:
        """The trace of an ``__init__``: the one in which the object of its class was made."""
        self._instance(owner, configured)
        builder, complete = self._builders[owner, configured]
        return self._traced(builder, function, None, complete)

    def making(self, traced: Traced) -> Traced | None:
        """The trace in which the object was made that a method is traced on; None for others."""
        owner = None if traced.function is None else traced.function.owner
        maker = None if owner is None else owner.lookup("__init__")
        if owner is None or (owner, False) not in self._builders or type(maker) is not Function:
            return None
        return self._built(maker, owner, traced.terms.configured)

    def _closure(self, function: Function) -> Environment:
        assert isinstance(function.closure, Environment)
        return Environment(function.closure)

    def _instance(self, owner: Class, configured: bool = False) -> Instance:
        """The object that methods of `owner` are traced on: made once, from unknown arguments.

        Of one that is `configured` those have their default that are None or a flag by default.
        """
        made = self._instances.get((owner, configured))
        if made is None:
            made = Instance(owner)
            self._instances[owner, configured] = made
            builder = self._machine()
            initialiser = owner.lookup("__init__")
            complete = True
            if type(initialiser) is Function:
                if self._closure(initialiser).file is None:
                    self.made_in.append(builder.graph)
                left_out = self._switches_of(initialiser) if configured else frozenset[str]()
                said = dict.fromkeys(left_out, False)
                complete, _ = self._in_general(builder, initialiser, made, said)
            elif flax.is_module(builder, owner):
                self.made_in.append(builder.graph)
                complete = self._guarded(builder, lambda: self._filled(builder, made))
            elif owner.fields and type(initialiser) is Unknown:
                # Whatever makes the object of the annotated names may give them other values.
                self._guarded(builder, lambda: self._given_fields(builder, made))
            builds = keras.builder(builder, made)
            if builds is not None:
                self._in_general(builder, builds, made)
            self._builders[owner, configured] = builder, complete
            _forget_replaced(made, owner)
        return made

    def has_switches(self, function: Function) -> bool:
        """Whether a function works in several ways by arguments that need not be given.

        They may be those of the constructor that has made a method's object.
        """
        maker = None if function.owner is None else function.owner.lookup("__init__")
        asked = (each for each in (function, maker) if type(each) is Function)
        return any(map(self._switches_of, asked))

    def _switches_of(self, function: Function) -> frozenset[str]:
        """The arguments of a function that choose its way, and need not be given."""
        if function not in self._switches:
            self._switches[function] = switches(function)
        return self._switches[function]

    def has_sequences(self, function: Function) -> bool:
        """Whether the object of a method has a layer over sequences: recurrent, or attention."""
        if function.owner is None or function.name in MAKING:
            return False
        values = self._instance(function.owner).attributes.values()
        spellings = (find_layer(value.path) for value in values if type(value) is Layer)
        return any(each and each.operator.__name__ in SEQUENCES for each in spellings)

    def _filled(self, machine: Machine, made: Instance) -> None:
        """Make an object from the fields of its class, and set it up."""
        with machine.running(Frame(self._environment, Place(made.of.qualified, made.of.node))):
            flax.fill_in_general(machine, made)
            machine.initialised(made)

    def _given_fields(self, machine: Machine, made: Instance) -> None:
        with machine.running(Frame(self._environment, Place(made.of.qualified, made.of.node))):
            flax.fill_fields(machine, made)

    def _guarded(self, machine: Machine, run: object) -> bool:
        """Run until done, out of budget or out of stack; whether it was done."""
        assert callable(run)
        before = machine.steps
        try:
            run()
        except (OutOfBudget, RecursionError):
            machine.frames.clear()
            return False
        finally:
            self.steps -= before - max(machine.steps, 0)
            self.evidence.ledger.steps = FILE_STEPS - self.steps
        return True

    def _traced(
        self,
        machine: Machine,
        function: Function | None,
        hypothesis: Hypothesis | None,
        complete: bool,
    ) -> Traced:
        return Traced(
            function,
            machine.graph,
            machine.facts,
            machine.sites,
            machine.unmodelled,
            hypothesis,
            complete=complete,
            inner=machine.inner,
            made=machine.made,
        )


def _imports(statement: cst.CSTNode, names: Collection[str]) -> bool:
    """Whether a line does nothing but import some of these names."""
    parts = statement.body if type(statement) is cst.SimpleStatementLine else ()
    imported = [part.names for part in parts if type(part) is cst.ImportFrom]
    return len(imported) == len(parts) > 0 and all(
        not isinstance(listed, cst.ImportStar)
        and all(type(each.name) is cst.Name and each.name.value in names for each in listed)
        for listed in imported
    )


def _ranks_shown(traced: Traced) -> tuple[tuple[str, int, str | None], ...]:
    """The number of axes of each parameter that has some, and had any at first.

    None if nothing is unknown. What has no axes may be a number.
    """
    outputs = (as_tensor(each.output) for each in traced.graph.operations if not each.elsewhere)
    if traced.function is None or all(
        tensor is None or (tensor.shape is not None and expand(tensor.shape, traced.facts).closed)
        for tensor in outputs
    ):
        return ()
    nodes = {parameter.name for parameter in parameters_of(traced.function.node)}
    found: dict[str, tuple[str, int, str | None]] = {}
    for site in traced.sites:
        tensor = as_tensor(site.value) if site.node in nodes else None
        if tensor is None or tensor.shape is None or tensor.shape.closed:
            continue
        rank = expand(tensor.shape, traced.facts).rank
        if rank and tensor.evidence is Evidence.FORCED:
            found[site.name] = site.name, rank, tensor.library
    return tuple(found.values())


def _forget_replaced(made: Instance, owner: Class) -> None:
    """Forget what methods may have replaced before the one that is traced is called."""
    for name in owner.replaced & made.attributes.keys():
        made.attributes[name] = ALIKE
    for name in owner.given & made.attributes.keys():
        # A part of a module is exchanged for one like it.
        if type(made.attributes[name]) not in (Layer, Chain, Instance):
            made.attributes[name] = UNKNOWN
    for base in owner.bases:
        if isinstance(base, Class):
            _forget_replaced(made, base)


#: How many statements and calls all traces of one file may take together.
FILE_STEPS = 60_000
