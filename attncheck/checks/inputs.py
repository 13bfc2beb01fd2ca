"""How what a layer is given came to have its size, and what else could have been given to it."""

from __future__ import annotations

from attncheck.algebra.facts import Verdict
from attncheck.algebra.quotients import cancel_quotients
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import ONE, ZERO, Size
from attncheck.checks.constructed import Declared, output_size
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Joining, Permutation, Rearranging, Reshaping
from attncheck.values.tensor import Tensor
from attncheck.values.value import Parameter, Sequence, as_tensor

_MOST_STEPS = 12
#: What leaves the features of a tensor as they are, be they on another axis.
KEEPING = (Elementwise, Permutation, Rearranging, Reshaping)


def maker_layer(
    view: View, tensor: Tensor, through: tuple[type, ...] = (Elementwise,)
) -> Declared | None:
    """The size of what a layer puts out that a tensor is, whatever kept it on the way."""
    for _ in range(_MOST_STEPS):
        maker = view.graph.maker(tensor)
        made = None if maker is None else output_size(view, maker)
        if maker is None or made is not None:
            return made
        if not isinstance(maker.event, through):
            return None
        sizes = view.sizes(tensor)
        tensors = [other for _, other in maker.tensors()]
        inputs = [other for other in tensors if view.sizes(other) == sizes]
        if len(tensors) > 1 and len(inputs) != 1:
            return None
        tensor = (inputs or tensors)[0]
    return None


def joined_otherwise(view: View, tensor: Tensor, wanted: Size) -> bool:
    """Whether a tensor is joined along another axis than the one that would have this size."""
    made = view.graph.maker(tensor)
    rank = None if tensor.shape is None else tensor.shape.rank
    if made is None or not isinstance(made.event, Joining) or rank is None:
        return False
    if made.event.kind != "cat" or made.event.axis is None or made.event.axis % rank == rank - 1:
        return False
    total = _joined_along_last(view, made)
    if total is None:
        return False
    unseen = any(each.flexible or each.found for each in view.facts.resolve(total).symbols())
    fits = view.facts.compare(total, wanted)
    return fits is Verdict.EQUAL or (unseen and fits is Verdict.UNKNOWN)


def joined_here(view: View, tensor: Tensor, wanted: Size) -> Operation | None:
    """What the traced function joins along another axis than the one that would have this size."""
    made = view.graph.maker(tensor)
    if made is None or made.elsewhere or not joined_otherwise(view, tensor, wanted):
        return None
    return made


def _joined_along_last(view: View, made: Operation) -> Size | None:
    """How many features tensors would have that are joined along their last axis."""
    listed = next((each.value for each in made.operands if each.name == "xs"), None)
    if type(listed) is Sequence and listed.items is None:
        # One for each head, of which only the number is known.
        element = as_tensor(listed.element)
        last = None if element is None else last_axis(view.shape(element))
        if last is None or last.size is None or listed.length is None:
            return None
        return cancel_quotients(view.facts.resolve(last.size * listed.length))
    total = ZERO
    for _, part in made.tensors():
        last = last_axis(view.shape(part))
        if last is None or last.size is None:
            return None
        total += last.size
    return total


def joined_sizes(view: View, tensor: Tensor, axis: int) -> list[Size] | None:
    """The sizes along an axis of the tensors that one was joined of along it; None if of none."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        rank = len(view.sizes(tensor) or ())
        if made is None or not rank:
            return None
        parts = [view.sizes(part) for _, part in made.tensors()]
        if isinstance(made.event, Joining):
            if made.event.kind != "cat" or made.event.axis is None:
                return None
            sizes = [part[axis] if part and len(part) == rank else None for part in parts]
            known = [size for size in sizes if size is not None]
            return known if made.event.axis % rank == axis % rank and known == sizes else None
        if not isinstance(made.event, Elementwise) or len(parts) != 1 or made.source is None:
            return None
        tensor = made.source
    return None


def merges_to(view: View, sizes: Sizes, wanted: Size) -> bool:
    """Whether axes of these sizes, merged into one, have the size that is wanted."""
    total = ONE
    for size in sizes:
        if size is None:
            return False
        total = total * size
    return view.facts.compare(total, wanted) is Verdict.EQUAL


def unused_parameter(view: View, operation: Operation) -> str | None:
    """The one parameter of the traced function that may be a tensor and is in no operation."""
    if view.traced.function is None or operation.place.calls:
        return None
    used = [tensor for other in view.graph.operations for _, tensor in other.tensors()]
    spare = [
        site.name
        for site in view.traced.sites
        if type(site.value) is Parameter
        and not site.value.tensor.optional
        and site.node in view.parameters
        and not any(tensor is site.value.tensor for tensor in used)
    ]
    return spare[0] if len(spare) == 1 else None


def last_axis(shape: Shape | None) -> Axis | None:
    """The last axis of a shape, as far as it is known."""
    axes = () if shape is None else (shape.trail or (shape.lead if shape.row is None else ()))
    return axes[-1] if axes else None
