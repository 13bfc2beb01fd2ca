"""Steps: what gives back what it is given, with as many axes, though nobody knows how.

A step that a model may leave out, ``if self.f is not None: x = self.f(x)``, must leave the number
of axes as it is; and rotary embeddings, norms and dropouts are such steps wherever they stand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from attncheck.tracer.unseen import called_name
from attncheck.values.join import alike
from attncheck.values.value import Sequence, Unknown, Value, as_tensor

if TYPE_CHECKING:
    from attncheck.tracer.machine import Machine

#: Callables that leave the axes as they are wherever they are called.
_KEEPING = re.compile(r".*(?:rotary|rope|rotate|norm|drop|pos_?emb|position).*")
#: Callables that give other axes than they are given, though a flag decides whether they do.
_CHANGING = re.compile(
    r".*(?:pool|head|classif|flatten|reduc|embed|patch|token|encod|decod|mean|sum|squeeze|view|"
    r"reshape|transpose|permute|rearrange|repeat|stack|chunk|split|merge|expand|dense|proj|linear|"
    r"fc).*"
)


def as_step(machine: Machine, node: cst.Assign, value: Value) -> Value:
    """What an assignment gives, where it is unknown and the call in it is a step."""
    call, target = node.value, node.targets[0].target
    if type(call) is not cst.Call or len(node.targets) > 1 or not _is_unknown(value):
        return value
    if machine.evidence.array_libraries != ("torch",):
        return value
    name = called_name(call).lower()
    if not _KEEPING.fullmatch(name) and (not machine.supposing or _CHANGING.fullmatch(name)):
        return value
    parts = target.elements if type(target) is cst.Tuple else None
    targets = [target] if parts is None else [part.value for part in parts]
    given = [argument.value for argument in call.args if argument.star == ""]
    if len(given) < len(targets):
        return value
    made: list[Value] = []
    for each, argument in zip(targets, given, strict=False):
        if type(each) is not cst.Name or type(argument) is not cst.Name:
            return value
        if each.value != argument.value:
            return value
        before = machine.environment.lookup(each.value)
        made.append(value if before is None else alike(before))
    return made[0] if parts is None else Sequence(tuple(made))


def _is_unknown(value: Value) -> bool:
    if type(value) is Sequence:
        return value.items is not None and all(map(_is_unknown, value.items))
    tensor = as_tensor(value)
    return type(value) is Unknown or (tensor is not None and tensor.shape is None)
