"""The parameters of a layer, from the arguments that it was made with.

Their shapes are written as text over the neutral names of the constructor, an axis a word:

* ``out_features in_features``: two axes; ``3*width`` a multiple, ``channels//groups`` a quotient
* ``*sizes``: as many axes as the tuple has items, one if it is a number
* ``*kernel:2``: the same, but a number counts for two axes
* ``width if affine and has_bias``: there is such a parameter only if both flags are set

A name that the program left out has the default of the constructor's parameter list.
"""

from __future__ import annotations

from collections.abc import Mapping

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import ONE, Size, const
from attncheck.evidence.roles import Role
from attncheck.frameworks.spelling import LayerSpelling
from attncheck.operators.call import Call
from attncheck.values.tensor import Tensor
from attncheck.values.value import NONE, Const, Int, Sequence, Value


def weight_of(
    layer: LayerSpelling, name: str, settings: Mapping[str, Value], facts: Facts
) -> Value | None:
    """The parameter ``name`` of a layer made with ``settings`` (by neutral name).

    A tensor; the constant None where a flag says that the layer has it not; None if layers of this
    class have no parameter of this name. What is not known of a size is left unknown, and a tensor
    that a flag of unknown value decides on is ``optional``.
    """
    text = layer.weights.get(name)
    if text is None:
        return None
    axes, _, flags = text.partition(" if ")
    call = Call(facts, _defaults(layer) | dict(settings), layer.library, layer.path)
    set_ = [call.flag(flag) for flag in flags.split(" and ") if flag]
    if False in set_:
        return NONE
    shape = _shape(axes.split(), call)
    return Tensor(shape, layer.library, "float", Role.PARAMETER, optional=None in set_)


def _defaults(layer: LayerSpelling) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for parameter in layer.making.parameters:
        if parameter.default in ("True", "False"):
            found[parameter.neutral] = Const(parameter.default == "True")
        elif parameter.default.isdecimal():
            found[parameter.neutral] = Int(const(int(parameter.default)))
    return found


def _shape(words: list[str], call: Call) -> Shape | None:
    axes: list[Axis] = []
    for word in words:
        if not word.startswith("*"):
            axes.append(Axis(_size(word, call)))
            continue
        name, _, count = word[1:].partition(":")
        sizes = _sizes(call, name, int(count) if count else None)
        if sizes is None:
            return None
        axes += map(Axis, sizes)
    return Shape(tuple(axes))


def _sizes(call: Call, name: str, count: int | None) -> list[Size | None] | None:
    sizes = call.sizes(name)
    if count is None:
        return sizes
    if type(call.value(name)) is Sequence and sizes is not None:
        return sizes
    return [sizes[0] if sizes else None] * count


def _size(word: str, call: Call) -> Size | None:
    dividend, _, divisor = word.partition("//")
    size = ONE
    for factor in dividend.split("*"):
        found = _factor(factor, call)
        if found is None:
            return None
        size = size * found
    if not divisor:
        return size
    by = _factor(divisor, call)
    return None if by is None or by.number == 0 else call.facts.resolve(size // by)


def _factor(word: str, call: Call) -> Size | None:
    return const(int(word)) if word.isdecimal() else call.size(word)
