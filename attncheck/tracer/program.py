"""What the program's text says about shapes, gathered for the tracer.

Strongest first: declarations, annotations, docstrings (SPEC section 2). Names come last: a
hypothesis pins the shapes of one function's parameters for one trace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import libcst as cst

from attncheck.algebra.shape import SCALAR, Shape, open_shape
from attncheck.algebra.size import Symbol, of
from attncheck.evidence.annotations import Annotation, read_annotation
from attncheck.evidence.comments import ClaimText, about_parameter
from attncheck.evidence.conventions import conventional_rank
from attncheck.evidence.declarations import Declarations
from attncheck.evidence.dimensions import counted
from attncheck.evidence.docstrings import DocClaim, DocClaims
from attncheck.evidence.identifiers import names_of_gates
from attncheck.evidence.papers import Paper
from attncheck.evidence.ranks import prose_ranks
from attncheck.evidence.roles import PHRASES, is_mask_name
from attncheck.operators.masking import MASK
from attncheck.record import replace
from attncheck.table import Hypothesis, Scope, table_symbol
from attncheck.tracer.births import born, loosened
from attncheck.tracer.docstrings import claims_of, docstring_of, told_by_class
from attncheck.tracer.ledger import Ledger
from attncheck.tracer.libraries import array_libraries
from attncheck.tracer.sketches import Attributes, Sketch, Sketches, filled
from attncheck.tracer.terms import USUAL, Terms
from attncheck.tree.pairs import parameter_names
from attncheck.values import value as values
from attncheck.values.tensor import Decided, Evidence, Tensor
from attncheck.values.value import NONE, UNKNOWN, Function, Int, Scalar, Unknown, Value, as_tensor

#: What an annotated plain value is.
_SCALARS: Final = {"float": "float", "bool": "bool", "str": "str"}
_WORD: Final = re.compile(r"[A-Za-z_][\w.]*")
#: A line of a signature that holds one parameter and a comment; an assignment has no comma there.
_ONE_PARAMETER: Final = re.compile(r"\s*(\w+)\s*(?:(?::[^#]*)?(?:=[^#]*)?,|(?::[^#=]*)?)\s*#")


def _is_shapeless(value: Value) -> bool:
    """Whether a value may be a tensor, of whatever shape."""
    if type(value) is Unknown:
        return True
    shape = value.shape if type(value) is Tensor else SCALAR
    return shape is None or not (shape.closed or shape.lead or shape.trail)


@dataclass(slots=True)
class ProgramEvidence:
    """The evidence about one file.

    ``pinned`` are the shapes by name for the function being traced.
    """

    scope: Scope
    array_libraries: tuple[str, ...]
    declarations: Declarations
    #: whether there are declarations at all: most files have none
    has_declarations: bool = False
    #: end-of-line shape comments by line
    comments: Mapping[int, ClaimText] = field(default_factory=dict)
    #: shape comments on lines of their own, by line
    standing: Mapping[int, tuple[ClaimText, ...]] = field(default_factory=dict)
    #: the line of a node; asked only where comments may be about it
    lines: Sequence[str] = ()
    line_of: Callable[[cst.CSTNode], int] | None = None
    #: whose attention the settings say that decoders follow
    convention: Paper | None = None
    #: whether names and prose only say how many axes there are: for shapes that are to be stated
    loose: bool = False
    #: what is taken to be so of the arguments of the pinned function
    terms: Terms = USUAL
    pinned_function: Function | None = None
    #: the path of the file, where it is another one than the checked
    file: str = ""
    pinned: Hypothesis | None = None
    #: what calls have shown of the parameters of the project's functions
    sketches: dict[Function, Sketches] = field(default_factory=dict)
    #: what methods have left in attributes for others to use
    attributes: Attributes = field(default_factory=Attributes)
    #: what calls have shown in an earlier version of the file, by qualified name
    shown_before: Mapping[str, Mapping[str, Sketch]] | None = None
    #: what calls of the project's functions have cost so far, and given
    ledger: Ledger = field(default_factory=Ledger)
    #: attributes that were read from unseen arguments: ``config.hidden_size``
    members: dict[tuple[values.Parameter, str], values.Parameter] = field(default_factory=dict)
    #: the symbols of shapes that nothing but comments has said
    claimed: set[Symbol] = field(default_factory=set)
    _commented_names: set[str] | None = None
    _alone: set[str] | None = None
    _gated: set[str] | None = None
    _docstrings: dict[Function, DocClaims] = field(default_factory=dict)
    _counted: dict[Function, dict[str, int]] = field(default_factory=dict)
    _parameters: dict[tuple[Function, str], Value | None] = field(default_factory=dict)

    def elsewhere(self, path: str, text: str) -> ProgramEvidence:
        """The evidence of another file of the project, in which the checked one's code ends up.

        Its functions are called and not traced in general, so that comments say nothing of it, nor
        do hypotheses. What is known of the program as a whole is shared.
        """
        return replace(
            self,
            array_libraries=array_libraries(text),
            has_declarations=False,
            comments={},
            standing={},
            lines=(),
            line_of=None,
            loose=True,
            terms=USUAL,
            pinned=None,
            pinned_function=None,
            file=path,
            _commented_names=None,
            _alone=None,
            _gated=None,
        )

    @property
    def presuming(self) -> bool:
        """Whether numbers of axes are taken to be what is usual, until the code contradicts it."""
        return self.loose and self.terms.conventional

    # -- parameters ----------------------------------------------------------------------------

    @property
    def commented(self) -> set[str]:
        """The names on lines with a claim: a cheap look before any node's line is asked for."""
        if self._commented_names is None:
            self._commented_names = {
                name for line in self.comments for name in _WORD.findall(self.lines[line - 1])
            }
        return self._commented_names

    @property
    def gated(self) -> set[str]:
        """The names of modules that halve their input, by what their classes are called."""
        if self._gated is None:
            self._gated = names_of_gates(self.lines)
        return self._gated

    @property
    def _commented_parameters(self) -> set[str]:
        """The parameters that stand alone on a line with a claim."""
        if self._alone is None:
            lines = (_ONE_PARAMETER.match(self.lines[line - 1]) for line in self.comments)
            self._alone = {found[1] for found in lines if found is not None}
        return self._alone

    def parameter(self, function: Function, parameter: cst.Param) -> Value | None:
        """The value a parameter has by evidence, or None if nothing says anything."""
        name = parameter.name.value
        key = (function, name)
        if function is self.pinned_function:
            for shown, count, library in self.terms.ranks:
                if shown == name:
                    return self._of_rank(function, name, count, library)
        if self.loose or self.terms.unbatched:
            stated = self._stated(function, parameter)
        elif key in self._parameters:
            stated = self._parameters[key]
        else:
            stated = self._parameters[key] = self._stated(function, parameter)
        tensor = None if stated is None else as_tensor(stated)
        if tensor is not None and tensor.shape is not None:
            return stated
        pinned = self._by_name(function, name)
        if pinned is not None and (stated is None or tensor is not None):
            return pinned
        called = self._called(function, name)
        by_name = called is not None and called.evidence is Evidence.NAME
        if by_name and not (self.terms.conventional or self.loose):
            # Names are not asked here: what the function itself shows is stronger.
            called = None
        elif by_name and called is not None and called.items is None:
            called = replace(called, rank=called.rank + self.terms.more)
        if called is not None and (stated is None or tensor is not None):
            # Other calls may leave out what these ones give.
            given = filled(called, name)
            if type(given) is Tensor and function.defaults.get(name) == NONE:
                return replace(given, optional=True)
            return given
        counted = self.counted(function).get(name) if self.presuming else None
        if counted is not None and (stated is None or tensor is not None):
            optional = name in function.defaults
            return filled(Sketch(counted, evidence=Evidence.PROSE, optional=optional), name)
        named = self.terms.conventional and function is self.pinned_function and function.is_forward
        rank = conventional_rank(name) if named else None
        if rank is not None and (stated is None or tensor is not None):
            optional = name in function.defaults
            return filled(
                Sketch(rank + self.terms.more, evidence=Evidence.NAME, optional=optional), name
            )
        if tensor is not None and tensor.shape is None:
            # A tensor by its annotation: its shape is still to be found out, anew in each trace.
            role = MASK if is_mask_name(name) else None
            return replace(tensor, shape=open_shape(name), role=role, evidence=Evidence.FORCED)
        return stated

    def _of_rank(self, function: Function, name: str, rank: int, library: str | None) -> Value:
        """A parameter of which the code itself shows how many axes it has."""
        optional = function.defaults.get(name) == NONE
        sketch = Sketch(rank, library=library, evidence=Evidence.FORCED, optional=optional)
        return filled(sketch, name)

    def hinted_rank(self, function: Function, parameter: cst.Param) -> int | None:
        """How many axes a called function says that an argument has, in prose or by its name."""
        stated = self._stated(function, parameter)
        tensor = None if stated is None else as_tensor(stated)
        if tensor is not None and tensor.shape is not None:
            return tensor.shape.rank
        counted = self.counted(function).get(parameter.name.value)
        if counted is not None:
            return counted
        if not function.is_forward or stated not in (None, tensor):
            return None
        return conventional_rank(parameter.name.value)

    def has_conventional(self, function: Function) -> bool:
        """Whether names say more of the inputs of a module than everything else does."""
        if not function.is_forward:
            return False
        parameters = function.node.params
        names = [each.name.value for each in (*parameters.params, *parameters.kwonly_params)]
        return any(
            called is None or called.evidence is Evidence.NAME
            for called in (
                self._called(function, name)
                for name in names
                if conventional_rank(name) is not None
            )
        )

    def _called(self, function: Function, name: str) -> Sketch | None:
        if self.terms.sparing and function is self.pinned_function:
            return None
        if self.shown_before is not None and not isinstance(function.node, cst.Lambda):
            return self.shown_before.get(function.qualified, {}).get(name)
        return self.sketches.get(function, Sketches()).of(name)

    def seen_of(self, function: Function) -> dict[str, Sketch | None]:
        """What calls have shown of the parameters of one function."""
        sketches = self.sketches.get(function)
        return {} if sketches is None else {name: sketches.of(name) for name in sketches.names()}

    def _by_name(self, function: Function, name: str) -> Tensor | None:
        if self.pinned is None or function is not self.pinned_function:
            return None
        role = self.pinned.roles.get(name)
        shape = self.pinned.shapes.get(name)
        if shape is None:
            return None
        decided = Decided(0, Evidence.NAME.word, f"by its name {PHRASES.get(role or '', role)}")
        shape = loosened(shape, name, numbers=True) if self.loose else shape
        return Tensor(shape, self._library(), role=role, evidence=Evidence.NAME, decided=decided)

    def _stated(self, function: Function, parameter: cst.Param) -> Value | None:
        name = parameter.name.value
        declared = self.declared(function.qualified, name, parameter.name)
        if declared is not None:
            return declared
        annotated = None
        if parameter.annotation is not None:
            annotated = self._of_annotation(parameter.annotation.annotation, name)
            tensor = None if annotated is None else as_tensor(annotated)
            if annotated is not None and (tensor is None or tensor.shape is not None):
                return annotated
        claim = (
            self._commented(parameter)
            or self.docstring(function).parameters.get(name)
            or self._claimed(function, name)
        )
        shape = None if claim is None else claim.read(self.scope.symbol)
        if claim is None or shape is None or shape.row is not None:
            return annotated
        library = self._library()
        if annotated is not None:
            library = getattr(annotated, "library", None) or library
        line, by = (claim.line, "docstring") if isinstance(claim, DocClaim) else (0, "comment")
        decided = Decided(line, by, f"from the {by}: {claim.words}")
        if (
            self.terms.unbatched == name
            and function is self.pinned_function
            and len(shape.lead) > 1
        ):
            shape = Shape(shape.lead[1:])
        shape = loosened(shape, name) if self.loose else born(shape, name)
        return Tensor(shape, library, evidence=Evidence.PROSE, decided=decided)

    def _commented(self, parameter: cst.Param) -> ClaimText | None:
        """The comment behind a parameter that stands on a line of its own."""
        if parameter.name.value not in self._commented_parameters or self.line_of is None:
            return None
        line = self.line_of(parameter.name)
        claim = self.comments.get(line)
        if claim is None:
            return None
        alone = _ONE_PARAMETER.match(self.lines[line - 1])
        return claim if alone is not None and alone[1] == parameter.name.value else None

    def assigned(self, name: str, target: cst.Name, value: Value) -> Value:
        """What is assigned to a name, with the shape of the line's comment if it has none.

        A claim on a line with several targets may be about any of them.
        """
        if name not in self.commented or self.line_of is None or not _is_shapeless(value):
            return value
        line = self.line_of(target)
        claim = self.comments.get(line)
        if claim is None or claim.subject not in (None, name):
            return value
        alone = re.match(rf"\s*{name}\s*(?::[^=]*)?=[^=]", self.lines[line - 1])
        shape = claim.read(self.scope.symbol) if alone else None
        if shape is None or not shape.closed:
            return value
        decided = Decided(line, "comment", f"from the comment: {claim.words}")
        self.claimed.update(each for size in shape.sizes() if size for each in size.symbols())
        shape = loosened(shape, name) if self.loose else born(shape, name)
        given = as_tensor(value) or Tensor(None, self._library())
        return replace(given, shape=shape, evidence=Evidence.PROSE, decided=decided)

    def _claimed(self, function: Function, name: str) -> ClaimText | None:
        """The comment on a line of its own that is about a parameter."""
        if self.line_of is None or not self.standing or not function.is_written:
            return None
        try:
            start = self.line_of(function.node)
        except KeyError:
            return None  # a function that is written nowhere, but made of a class's fields
        return about_parameter(self.standing, self.lines, start, name)

    def shapes_of(self, function: Function) -> dict[str, Shape]:
        """The shapes that evidence stronger than names gives to parameters."""
        shapes: dict[str, Shape] = {}
        parameters = function.node.params
        for parameter in (
            *parameters.posonly_params,
            *parameters.params,
            *parameters.kwonly_params,
        ):
            stated = self._stated(function, parameter)
            tensor = None if stated is None else as_tensor(stated)
            if tensor is not None and tensor.shape is not None:
                shapes[parameter.name.value] = tensor.shape
        return shapes

    def counted(self, function: Function) -> dict[str, int]:
        """How many axes prose gives the parameters of a function."""
        known = self._counted.get(function)
        if known is None:
            known = self._counted[function] = self._count(function)
        return known

    def _count(self, function: Function) -> dict[str, int]:
        if isinstance(function.node, cst.Lambda) or not function.node.body.body:
            return {}  # the making of a dataclass is written nowhere, and nobody remarks on it
        names = parameter_names(function.node)
        told = told_by_class(function)
        of_class = docstring_of(function.owner.node) if told and function.owner else None
        return {
            **prose_ranks(of_class or "", (), told),
            **prose_ranks(docstring_of(function.node) or "", self._remarks(function.node), names),
        }

    def _remarks(self, node: cst.FunctionDef) -> list[str]:
        """The comments of a function: those above it, and those before its first statements."""
        if self.line_of is None:
            return []
        first = self.line_of(node.name) - 1
        above = first
        while above > 0 and self.lines[above - 1].lstrip().startswith("#"):
            above -= 1
        remarks = [line.strip() for line in self.lines[above:first]]
        body = node.body.body
        start = self.line_of(body[0]) - 1
        end = self.line_of(body[1]) if len(body) > 1 else start + 1
        return remarks + [
            line.strip() for line in self.lines[start - 1 : end] if line.lstrip().startswith("#")
        ]

    def docstring(self, function: Function) -> DocClaims:
        """The claims of a function's docstring."""
        known = self._docstrings.get(function)
        if known is None:
            known = self._docstrings[function] = claims_of(function, self.line_of)
            self.scope.tell_apart(claim.shape for claim in known.parameters.values())
        return known

    # -- variables -----------------------------------------------------------------------------

    def declared(self, function: str, name: str, node: cst.CSTNode) -> Tensor | None:
        """The tensor that a declaration makes of a variable, or None.

        `node` is any node of the function: a comment is about the function that it stands in.
        """
        if not self.has_declarations or self.line_of is None:
            return None
        line = self.line_of(node) if function else 0
        statement = self.declarations.of(name, function, line)
        if statement is None:
            return None
        return Tensor(
            statement.shape,
            self._library(),
            evidence=statement.evidence,
            decided=statement.decided,
        )

    def annotated(self, annotation: cst.BaseExpression, value: Value) -> Value | None:
        """`value` with what its annotation adds, or None if that is nothing."""
        known = as_tensor(value)
        if known is not None and known.shape is not None:
            return None
        stated = self._of_annotation(annotation, "")
        tensor = None if stated is None else as_tensor(stated)
        return stated if tensor is not None and tensor.shape is not None else None

    def _of_annotation(self, node: cst.BaseExpression, name: str) -> Value | None:
        return self._value(read_annotation(node, self.scope.symbol), name)

    def _value(self, annotation: Annotation, name: str) -> Value | None:
        if annotation.kind == "tensor":
            shape = None if annotation.shape is None else born(annotation.shape, name)
            decided = Decided(0, Evidence.ANNOTATED.word, "from its annotation")
            return Tensor(
                shape,
                annotation.library or self._library(),
                annotation.dtype,
                evidence=Evidence.ANNOTATED,
                decided=decided if shape is not None else None,
                optional=annotation.optional,
            )
        if annotation.optional and annotation.kind in _SCALARS:
            return values.Choice((Scalar(_SCALARS[annotation.kind]), NONE))
        if annotation.optional:
            return None
        if annotation.kind == "int":
            return Int(of(self.argument(name)) if name else None)
        if annotation.kind in _SCALARS:
            return Scalar(_SCALARS[annotation.kind])
        if annotation.kind == "tuple" and len(annotation.items) > 1:
            items = [self._value(item, "") or UNKNOWN for item in annotation.items]
            return values.Sequence(tuple(items))
        return UNKNOWN if annotation.kind in ("list", "tuple") else None

    def argument(self, name: str) -> Symbol:
        """The symbol of an integer argument: at least 1 only if its name is a size of the table."""
        symbol = self.scope.symbol(name)
        if symbol.table:
            return symbol
        symbol = Symbol(name, positive=False, divides=table_symbol(name) == "n_heads")
        symbol.counts = counted(name)
        return symbol

    def found(self, name: str) -> Symbol:
        """The symbol of a variable that holds an integer of which nothing else is known."""
        symbol = self.argument(name)
        symbol.found, symbol.counts = not symbol.table, None
        return symbol

    def _library(self) -> str | None:
        return self.array_libraries[0] if len(self.array_libraries) == 1 else None
