"""Applying an operator: bind the arguments, run it, record the operation, finish the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from attncheck.algebra.bounds import take_positive
from attncheck.algebra.shape import Axis, Shape, Tag
from attncheck.frameworks.spelling import Spelling
from attncheck.graph import Operand, Operation
from attncheck.operators.call import Call, Operator
from attncheck.operators.events import Creation
from attncheck.operators.masking import MASK
from attncheck.record import replace
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.choices import over
from attncheck.tracer.containers import holds_lists
from attncheck.tracer.machine import Machine
from attncheck.tracer.presumed import presume_operands, presumed
from attncheck.values.join import is_text
from attncheck.values.tensor import Tensor
from attncheck.values.value import UNKNOWN, Choice, Const, Scalar, Sequence, Value, as_tensor

if TYPE_CHECKING:
    import libcst as cst

#: The expressions that arguments were written as, by neutral parameter name; a list where several
#: arguments were collected into one.
Written = Mapping[str, "cst.CSTNode | list[cst.CSTNode | None]"]


def apply_spelling(
    machine: Machine,
    spelling: Spelling,
    given: Arguments,
    node: cst.CSTNode,
) -> Value | None:
    """Call a library function; None if the call does not fit the parameter list."""
    for index, value in enumerate(given.positional):
        if type(value) is Choice and all(map(is_text, value.options)):

            def of(option: Value, index: int = index) -> Value:
                positional = [*given.positional[:index], option, *given.positional[index + 1 :]]
                chosen = replace(given, positional=positional)
                return apply_spelling(machine, spelling, chosen, node) or UNKNOWN

            return over(machine, value, of)
    arguments = spelling.bind(given.positional, given.keywords)
    if arguments is None:
        return None
    for name, value in arguments.items():
        if type(value) is Choice and holds_lists(value):

            def on(option: Value, name: str = name) -> Value:
                return _applied(machine, spelling, arguments | {name: option}, given, node)

            return over(machine, value, on)
    return _applied(machine, spelling, arguments, given, node)


def _applied(
    machine: Machine,
    spelling: Spelling,
    arguments: dict[str, Value],
    given: Arguments,
    node: cst.CSTNode,
) -> Value:
    return apply(
        machine,
        spelling.operator,
        arguments,
        written_arguments(spelling, given),
        node,
        spelling.path,
        spelling.library,
    )


def written_arguments(spelling: Spelling, given: Arguments) -> Written:
    """The expressions of a call's arguments by the neutral names of the parameters."""
    written: dict[str, cst.CSTNode | list[cst.CSTNode | None]] = {}
    for index, (parameter, expression) in enumerate(
        zip(spelling.parameters, given.nodes, strict=False)
    ):
        if parameter.collects and len(given.nodes) > index + 1:
            written[parameter.neutral] = given.nodes[index:]
        elif expression is not None:
            written[parameter.neutral] = expression
    keywords = spelling.as_spelled(given.written) if given.written else {}
    for parameter in spelling.parameters if keywords else ():
        if parameter.spelled in keywords:
            written[parameter.neutral] = keywords[parameter.spelled]
    return written


def apply(
    machine: Machine,
    operator: Operator,
    arguments: dict[str, Value],
    written: Written,
    node: cst.CSTNode,
    spelling: str,
    library: str,
) -> Value:
    """Run `operator` and record it; the value, with its origin filled in."""
    presume_operands(machine, operator.__name__, arguments)
    number = machine.graph.next_number
    call = Call(machine.facts, arguments, library, spelling, serial=number)
    mark = machine.facts.mark()
    outcome = operator(call)
    operation = Operation(
        number,
        operator.__name__,
        spelling,
        _operands(arguments, written),
        outcome.value,
        node,
        machine.statement,
        machine.frame.place,
        outcome.event,
        outcome.clash,
        machine.branches,
        bound=machine.facts.bound_since(mark),
    )
    value = presumed(machine, operator.__name__, arguments, outcome.value)
    value = _stamp(_still_mask(value, arguments), number)
    if type(value) is Scalar and value.powers is not None:
        value = replace(value, node=machine.shown(node))
    operation.output = value
    machine.record(operation)
    if type(outcome.event) is Creation and machine.making:
        _take_to_be_there(value)
    return value


def _take_to_be_there(value: Value) -> None:
    """Take what an object is made with to have elements: no axis of it is empty."""
    tensor = as_tensor(value)
    for axis in tensor.shape.lead if tensor is not None and tensor.shape is not None else ():
        if axis.size is not None:
            take_positive(axis.size)


def _still_mask(value: Value, arguments: Mapping[str, Value]) -> Value:
    """What is made of masks alone is a mask."""
    if type(value) is not Tensor or value.role is not None:
        return value
    masks = False
    for item in arguments.values():
        tensor = as_tensor(item)
        if tensor is not None:
            if tensor.role != MASK:
                return value
            masks = True
    return replace(value, role=MASK) if masks else value


def _stamp(value: Value, number: int) -> Value:
    """`value` with the number of the operation that made it in each of its tensors.

    Axes that were born in this operation are tagged with it.
    """
    if type(value) is Tensor:
        # Spelled out: this runs for every operation, and `replace` is five times as dear.
        return Tensor(
            _tagged(value.shape, number),
            value.library,
            value.dtype,
            value.role,
            value.evidence,
            value.decided,
            number,
            value.optional,
        )
    if type(value) is Sequence and value.items is not None:
        return replace(value, items=tuple(_stamp(item, number) for item in value.items))
    if type(value) is Sequence:
        return replace(value, element=_stamp(value.element, number))
    return value


def _tagged(shape: Shape | None, number: int) -> Shape | None:
    if shape is None or all(axis.tag is not None for axis in shape.lead):
        return shape
    lead = tuple(
        axis
        if axis.tag is not None
        else Axis(
            axis.size,
            Tag(f"#{number}", index),
            axis.normalised,
            axis.parts,
            axis.made,
            piece=axis.piece,
        )
        for index, axis in enumerate(shape.lead)
    )
    return Shape(lead, shape.row, shape.trail)


def _operands(arguments: Mapping[str, Value], written: Written) -> tuple[Operand, ...]:
    operands: list[Operand] = []
    for name, value in arguments.items():
        node = written.get(name)
        if type(value) is Tensor:
            operands.append(Operand(name, value, None if isinstance(node, list) else node))
            continue
        listed = list(_listed(value, node))
        if listed:
            operands += (Operand(name, tensor, element) for tensor, element in listed)
        else:
            plain = None if isinstance(node, list) else node
            operands.append(Operand(name, as_tensor(value) or value, plain))
    return tuple(operands)


def _listed(
    value: Value, node: cst.CSTNode | list[cst.CSTNode | None] | None
) -> Iterator[tuple[Tensor, cst.CSTNode | None]]:
    """The tensors of a tuple or list, or of that behind a text: ``einsum(equation, [x, y])``."""
    if type(value) is not Sequence or not value.items:
        return
    elements = written_items(node, len(value.items))
    pairs = [(as_tensor(item), each) for item, each in zip(value.items, elements, strict=True)]
    listed = [(tensor, element) for tensor, element in pairs if tensor is not None]
    if type(value.items[0]) is Const and not listed:
        yield from _listed(value.items[-1], elements[-1])
    yield from listed


def written_items(
    node: cst.CSTNode | list[cst.CSTNode | None] | None, count: int
) -> list[cst.CSTNode | None]:
    """The expressions of a written list or tuple of `count` items; None for each otherwise."""
    if isinstance(node, list):
        return node[-count:] if len(node) >= count else [None] * count
    elements = getattr(node, "elements", None)
    if elements is None or len(elements) != count:
        return [None] * count
    return [element.value for element in elements]
