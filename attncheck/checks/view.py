"""What a rule sees of a trace: its operations, its attention sites, and how things are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar, cast

from attncheck.algebra.shape import Shape
from attncheck.algebra.size import Size, Symbol
from attncheck.attention import Site, find_sites
from attncheck.checks.report import Sizes, sizes_of, text_of
from attncheck.finding import line_text
from attncheck.meaning.reading import Meanings
from attncheck.meaning.uses import Use, find_uses
from attncheck.source import Source
from attncheck.tree.pairs import parameters_of
from attncheck.values.tensor import Tensor
from attncheck.values.value import expanded

if TYPE_CHECKING:
    import libcst as cst

    from attncheck.algebra.facts import Facts
    from attncheck.graph import Operation
    from attncheck.tracer.machine import ShapeSite
    from attncheck.tracer.program import ProgramEvidence
    from attncheck.tracer.trace import Traced


_Found = TypeVar("_Found")

#: Expressions that are about the name they start with.
_AROUND = frozenset({"Attribute", "Subscript", "Call"})


class View:
    """One trace as rules see it."""

    def __init__(
        self,
        traced: Traced,
        source: Source,
        evidence: ProgramEvidence,
        numbers: dict[Symbol, int] | None = None,
        making: Traced | None = None,
        general: Callable[[], list[View]] = list,
    ) -> None:
        self.traced = traced
        #: the trace in which the object was made whose method is traced
        self.making = making
        self._general = general
        self.evidence = evidence
        self.graph = traced.graph
        #: the numbers that call sites give to the symbols of the function's parameters
        self.numbers = numbers or {}
        self.facts = traced.facts
        self.source = source
        self._sites: list[Site] | None = None
        self._meanings: Meanings | None = None
        self._uses: list[Use] | None = None
        self._quoted: list[cst.CSTNode | None] = []
        self._diagnoses: dict[tuple[object, int], object] = {}
        self._parameters: set[cst.CSTNode] | None = None

    @property
    def sites(self) -> list[Site]:
        """The attention sites of the graph (found once)."""
        if self._sites is None:
            self._sites = find_sites(self.graph)
        return self._sites

    @property
    def meanings(self) -> Meanings:
        """What masks of the trace mean (each read once)."""
        if self._meanings is None:
            making = None if self.making is None else self.making.graph
            self._meanings = Meanings(self.graph, self.facts, making)
        return self._meanings

    @property
    def mask_uses(self) -> list[Use]:
        """The uses of masks in the trace (found once)."""
        if self._uses is None:
            self._uses = list(find_uses(self.graph, self.sites, self.meanings))
        return self._uses

    @property
    def parameters(self) -> set[cst.CSTNode]:
        """The names of the traced function's parameters, where they are declared."""
        if self._parameters is None:
            function = self.traced.function
            listed = [] if function is None else parameters_of(function.node)
            self._parameters = {parameter.name for parameter in listed}
        return self._parameters

    def remembered(
        self, diagnose: Callable[[Operation, View], _Found | None], operation: Operation
    ) -> _Found | None:
        """What `diagnose` says of an operation: worked out once for all rules that ask."""
        key = (diagnose, operation.number)
        if key not in self._diagnoses:
            self._diagnoses[key] = diagnose(operation, self)
        return cast("_Found | None", self._diagnoses[key])

    def once(self, find: Callable[[View], _Found]) -> _Found:
        """What `find` finds in the whole trace: worked out once for all that ask."""
        key = (find, 0)  # no operation's number
        if key not in self._diagnoses:
            self._diagnoses[key] = find(self)
        return cast("_Found", self._diagnoses[key])

    def sites_in(self, function: str) -> Iterator[tuple[list[ShapeSite], Facts]]:
        """What is known of the names of a function, from each trace that ran it."""
        for traced in (self.traced, self.making):
            if traced is None:
                continue
            own = "" if traced.function is None else traced.function.qualified
            sites = traced.sites if own == function else traced.inner.get(function)
            if sites:
                yield sites, traced.facts

    def constructions(self, function: str) -> Iterator[list[ShapeSite]]:
        """What is known of the names of a function that makes an object, call by call."""
        for traced in (self.traced, self.making):
            if traced is not None:
                yield from traced.made.get(function, [])

    def in_general(self, operation: Operation) -> Iterator[tuple[Operation, View]]:
        """The same operation in the trace of its own function on unknown arguments, with its view.

        That trace knows sizes as what they are made of where a call shows numbers.
        """
        for view in self._general():
            function = view.traced.function
            if function is not None and function.qualified == operation.place.function:
                for other in view.graph.operations:
                    if other.node is operation.node and not other.place.calls:
                        yield other, view

    def site_of(self, number: int) -> Site | None:
        """The site whose weights an operation makes, or None."""
        for site in self.sites:
            if site.softmax.number == number:
                return site
        return None

    def maker(self, tensor: Tensor) -> Operation | None:
        """The operation that made a tensor, if this trace has it and its expression is here."""
        made = self.graph.maker(tensor)
        return None if made is None or made.elsewhere else made

    def others(self) -> list[View]:
        """The views of the module's trace, and of those of the functions traced so far."""
        return self._general()

    def line(self, node: cst.CSTNode) -> int:
        """The line that an expression starts in (from 1)."""
        return self.source.span(node).line

    def place(self, node: cst.CSTNode) -> str:
        """The line that an expression starts in, in words; in a notebook with the cell."""
        return line_text(self.source.cells, self.line(node))

    def code(self, node: cst.CSTNode | None) -> str:
        """An expression as written, on one line."""
        if node is None:
            return "?"
        return " ".join(self.source.code(node).split())

    def quote(self, node: cst.CSTNode | None) -> str:
        """A mark that stands for an expression in a report's words, until `written` fills it in.

        Where expressions stand is only worked out for reports that are printed.
        """
        self._quoted.append(node)
        return f"\0{len(self._quoted) - 1}\0"

    def written(self, text: str) -> str:
        """A report's words with the expressions put in as they are written."""
        parts = text.split("\0")
        for index in range(1, len(parts), 2):
            parts[index] = self.code(self._quoted[int(parts[index])])
        return "".join(parts)

    def base_name(self, node: cst.CSTNode | None) -> str | None:
        """The name that an expression starts with: ``K`` of ``K.T`` and of ``K[:, None]``."""
        while node is not None and type(node).__name__ != "Name":
            inner = getattr(node, "func", None) or getattr(node, "value", None)
            node = inner if type(node).__name__ in _AROUND else None
        return None if node is None else node.value  # type: ignore[attr-defined]

    def shape(self, tensor: Tensor | None) -> Shape | None:
        """A tensor's shape with all that the trace found out put in."""
        return expanded(tensor, self.facts)

    def sizes(self, tensor: Tensor | None) -> Sizes | None:
        """A tensor's sizes, or None if not all its axes are known."""
        return sizes_of(self.shape(tensor))

    def text(self, tensor: Tensor | None) -> str:
        """A tensor's shape as a person writes it."""
        return text_of(self.sizes(tensor))

    def equal(self, left: Size | None, right: Size | None) -> bool:
        """Whether two sizes certainly are one."""
        if left is None or right is None:
            return False
        return self.facts.equal(left, right)

    def coincide(self, left: Size | None, right: Size | None) -> bool:
        """Whether two sizes have one number in the program's own calls."""
        if left is None or right is None:
            return False
        a, b = left.evaluate(self.numbers), right.evaluate(self.numbers)
        return a is not None and a == b
