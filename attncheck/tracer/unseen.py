"""Calls of things that nobody has seen, as far as their names tell what they do to shapes.

A callable that comes out of a registry, a config or a library that is not modelled is unknown. But
what model code calls an activation, a dropout or a norm keeps the shape of what it is given; a
registry that is asked with one of the project's functions as the default holds functions like it;
a cache of keys and values gives back both with more positions; what model code calls a maker of
attention masks gives one that has an axis for heads. All of this rests on names.
"""

from __future__ import annotations

import re

import libcst as cst

from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.algebra.size import Symbol, of
from attncheck.frameworks.lookup import find
from attncheck.operators.axes import append, split_trailing
from attncheck.operators.masking import MASK
from attncheck.record import replace
from attncheck.tracer.arguments import Arguments
from attncheck.tracer.defaults import presume_rank
from attncheck.tracer.machine import Machine
from attncheck.tracer.recorder import apply_spelling
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import (
    ALIKE,
    UNKNOWN,
    Function,
    Int,
    Method,
    Sequence,
    Value,
    as_tensor,
)

#: Callables that give back a tensor like the one they are given.
_SAME_SHAPE = re.compile(
    r"(?:\w+_)?(?:drop(?:out)?|act|activ|activation|non_?lin(?:earity)?|relu|gelu|silu|swish|"
    r"(?:layer_?|rms_?|batch_?|group_?)?norm|ln)\d*(?:_?(?:fn|func|function|layer))?\d*"
)
#: What is used in the place of a softmax, of a tensor and an axis.
_SOFTMAX = re.compile(r"(?:\w+_)?(?:sparse_?max|entmax(?:15|_bisect)?|sparse_?softmax)")
#: Modules hold their tables of functions under names in capitals.
_REGISTRY = re.compile(r"[A-Z][A-Z0-9_]+")
#: What counts the positions that a cache holds, or may hold.
_LENGTH = re.compile(r"get_(?:\w+_)?(?:length|len)")
#: Callables that give their input other features.
_PROJECTION = re.compile(r"(?:\w+_)?(?:proj|projection|linear|fc|dense|mlp|ffn|feed_forward)\d*")
#: Functions that make the masks of transformers' models, (batch, heads or 1, queries, keys).
_MASK_MAKER = re.compile(r"create_(?:\w+_)?(?:causal|bidirectional)_(?:\w+_)?mask")
#: By what they take they are told from makers of the same names that make a mask of positions.
_MASK_SOURCES = frozenset(["attention_mask", "config"])
#: What holds the keys and values of positions that were seen before.
_CACHE = re.compile(r"(?:\w+_)?(?:cache|past|past_key_values?|kv_cache|past_kv)s?(?:_\w+)?")


def call_unseen(
    machine: Machine, arguments: Arguments, node: cst.CSTNode, name: str
) -> Value | None:
    """What a call of something unknown gives, by its name; None if that tells nothing."""
    if _SAME_SHAPE.fullmatch(name.lower()) and _one_tensor(arguments):
        gated = name in machine.evidence.gated
        return None if gated else _like_its_input(machine, arguments, node)
    if _SOFTMAX.fullmatch(name.lower()) and arguments.positional:
        first = replace(arguments, positional=arguments.positional[:1], nodes=arguments.nodes[:1])
        return _like_its_input(machine, first, node) if _one_tensor(first) else None
    in_torch = machine.evidence.array_libraries == ("torch",)
    if in_torch and _PROJECTION.fullmatch(name.lower()) and _one_tensor(arguments):
        return _projected(machine, arguments)
    if _LENGTH.fullmatch(name):
        return Int(None)
    if name.startswith("get") and arguments.positional:
        default = arguments.positional[-1]
        return default if type(default) in (Function, Method) else None
    if name == "update" and type(node) is cst.Call and _CACHE.fullmatch(_receiver(node)):
        return _with_more_positions(machine, arguments)
    return None


def mask_of_heads(machine: Machine, arguments: Arguments, name: str) -> Value | None:
    """What a call gives that, by its name and arguments, makes the mask of all heads; else None.

    It is made of a mask of tokens, (batch, keys), and may be None where attention needs none.
    """
    if not arguments.keywords.keys() >= _MASK_SOURCES or not _MASK_MAKER.fullmatch(name):
        return None
    tokens = arguments.keywords["attention_mask"]
    if machine.evidence.presuming:
        presume_rank(machine, tokens, 2)
    axes = Shape((Axis(None),) * 4)
    return Tensor(axes, "torch", role=MASK, evidence=Evidence.NAME, optional=True)


def item_of_unseen(owner: str) -> Value:
    """``cache.layers[i]`` or ``FUNCTIONS[name]``, of something nobody has seen, by its name."""
    first, _, _ = owner.partition(".")
    held = _REGISTRY.fullmatch(owner) or _CACHE.fullmatch(first)
    return UNKNOWN if held is None else ALIKE


def called_name(node: cst.CSTNode) -> str:
    """The last name of what is called: ``act_fn`` of ``self.act_fn(x)``."""
    callee = node.func if type(node) is cst.Call else node
    if type(callee) is cst.Attribute:
        return callee.attr.value
    return callee.value if type(callee) is cst.Name else ""


def _receiver(node: cst.Call) -> str:
    """The name of the object whose method is called."""
    return called_name(node.func.value) if type(node.func) is cst.Attribute else ""


def _one_tensor(arguments: Arguments) -> bool:
    return len(arguments.positional) == 1 and as_tensor(arguments.positional[0]) is not None


def _like_its_input(machine: Machine, arguments: Arguments, node: cst.CSTNode) -> Value | None:
    spelling = find("torch.nn.functional.dropout")
    assert spelling is not None
    only = replace(arguments, keywords={}, written={})
    value = apply_spelling(machine, spelling, only, node)
    return replace(value, evidence=Evidence.NAME) if type(value) is Tensor else value


def _projected(machine: Machine, arguments: Arguments) -> Value | None:
    """The input with another last axis."""
    tensor = as_tensor(arguments.positional[0])
    shape = None if tensor is None or tensor.shape is None else expand(tensor.shape, machine.facts)
    if tensor is None or shape is None or shape.rank in (None, 0):
        return None
    made = Shape((*shape.axes[:-1], Axis(None)))
    return replace(tensor, shape=made, operation=None, evidence=Evidence.NAME, optional=False)


def _with_more_positions(machine: Machine, arguments: Arguments) -> Value | None:
    """Keys and values, (..., positions, features), with one unknown number of positions."""
    total = Axis(of(Symbol("kv_len", found=True)))
    made: list[Value] = []
    for tensor in arguments.positional[:2]:
        if type(tensor) is not Tensor or tensor.shape is None:
            return None
        taken = split_trailing(expand(tensor.shape, machine.facts), 2, machine.facts)
        if taken is None:
            return None
        shape = append(taken[0], (total, taken[1][1]))
        made.append(replace(tensor, shape=shape, operation=None, either=(), evidence=Evidence.NAME))
    return Sequence(tuple(made)) if len(made) == 2 else None
