"""Spellings: a library's full name and parameter list for a neutral operator.

A parameter list is written as in the library's documentation, with the neutral name behind a colon
where it differs: ``"input:x, dim:axis, keepdim:keepdims=False, *, dtype=None"``. What stands before
``/`` cannot be passed by keyword. ``*sizes`` collects what is left, as in Python; if the only thing
collected is no integer, it is that thing: the tuple in ``x.view((2, 3))``, the unknown in
``x.view(shape)``. ``**lengths`` collects the keywords that are left, as a mapping.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import TypeVar

from attncheck.operators.call import Operator
from attncheck.record import record
from attncheck.values.value import Int, Mapping, Sequence, Value

_Argument = TypeVar("_Argument")
_NAME = re.compile(r"[A-Za-z_]\w*")
#: Libraries without arrays of their own, and whose they take.
_ARRAYS_OF = {"scipy": "numpy", "flax": "jax", "keras": "tensorflow"}
#: NumPy's names for arguments, which torch's compiled functions take as well
#: (``numpy_compatibility_arg_names`` in torch/csrc/utils/python_arg_parser.cpp).
_AS_IN_NUMPY = {
    "dim": ("axis",),
    "keepdim": ("keepdims",),
    "input": ("x", "a", "x1"),
    "other": ("x2",),
}
#: Functions of torch that do not: most of them are written in Python. And those that give two
#: results where NumPy's give one: who writes ``x - x.max(axis=1)`` has no tensor.
_OF_ITS_OWN = frozenset(
    [
        *("split", "norm", "unique", "unique_consecutive", "unflatten", "tensor_split"),
        *("max", "min", "median", "nanmedian", "cummax", "cummin", "sort", "kthvalue", "topk"),
    ]
)


@record
class ParameterName:
    """One parameter: the library's name, the neutral one, what kind it is, its default as text."""

    spelled: str
    neutral: str
    required: bool
    positional_only: bool
    keyword_only: bool
    collects: bool
    collects_keywords: bool = False
    default: str = ""


@dataclass(slots=True)
class Spelling:
    """How one library function or method is written, and what it does."""

    path: str
    operator: Operator
    signature: str
    fixed: dict[str, Value] = field(default_factory=dict)
    _parameters: tuple[ParameterName, ...] | None = None
    _aliases: dict[str, str] | None = None

    @property
    def library(self) -> str:
        """The library whose arrays it takes: the first part of the path, or what that works on."""
        first = self.path.partition(".")[0]
        return _ARRAYS_OF.get(first, first)

    @property
    def parameters(self) -> tuple[ParameterName, ...]:
        """The parsed parameter list (parsed once, on first use)."""
        if self._parameters is None:
            self._parameters = parse_signature(self.signature)
        return self._parameters

    @property
    def aliases(self) -> dict[str, str]:
        """What parameters may be called besides, with what they are called here."""
        if self._aliases is None:
            native = self.path.startswith("torch.") and not self.path.startswith("torch.nn.")
            native = native and self.path.rpartition(".")[2] not in _OF_ITS_OWN
            spelled = [each.spelled for each in self.parameters if not each.positional_only]
            self._aliases = {
                alias: name
                for name in (spelled if native else ())
                for alias in _AS_IN_NUMPY.get(name, ())
                if alias not in spelled
            }
        return self._aliases

    def as_spelled(self, keywords: dict[str, _Argument]) -> dict[str, _Argument]:
        """Keyword arguments by the names that parameters have here."""
        aliases = self.aliases
        return {aliases.get(name, name): value for name, value in keywords.items()}

    def bind(self, positional: list[Value], keywords: dict[str, Value]) -> dict[str, Value] | None:
        """The arguments by neutral name, or None if the call does not fit the parameter list."""
        bound = dict(self.fixed)
        left = list(positional)
        rest = self.as_spelled(keywords) if keywords else {}
        for parameter in self.parameters:
            if parameter.collects_keywords:
                bound[parameter.neutral] = Mapping(tuple(rest.items()))
                rest = {}
                continue
            if parameter.collects:
                collected = tuple(left)
                if len(collected) == 1 and type(collected[0]) is not Int:
                    bound[parameter.neutral] = collected[0]
                elif collected or parameter.spelled not in rest:
                    bound[parameter.neutral] = Sequence(collected)
                left = []
            elif left and not parameter.keyword_only:
                bound[parameter.neutral] = left.pop(0)
                continue
            if parameter.spelled in rest and not parameter.positional_only:
                bound[parameter.neutral] = rest.pop(parameter.spelled)
            elif parameter.required and parameter.neutral not in bound:
                return None
        return None if left or rest else bound


def parse_signature(text: str) -> tuple[ParameterName, ...]:
    """The parameters of a signature in this module's notation."""
    parameters: list[ParameterName] = []
    keyword_only = False
    parts = [piece.strip() for piece in text.split(",") if piece.strip()]
    positional = parts.index("/") if "/" in parts else 0
    for part in parts:
        if part == "/":
            continue
        if part == "*":
            keyword_only = True
            continue
        collects_keywords = part.startswith("**")
        collects = part.startswith("*") and not collects_keywords
        name, _, default = part.lstrip("*").partition("=")
        spelled, _, neutral = name.partition(":")
        parameters.append(
            ParameterName(
                spelled,
                neutral or spelled,
                required=not default and not part.startswith("*"),
                positional_only=len(parameters) < positional,
                keyword_only=keyword_only,
                collects=collects,
                collects_keywords=collects_keywords,
                default=default,
            )
        )
        keyword_only = keyword_only or collects
    return tuple(parameters)


@dataclass
class LayerSpelling:
    """How a layer class is written: its constructor, its call, and the weights that it has.

    ``making`` and ``calling`` are spellings of one operator, which is given the arguments of both
    by their neutral names. ``weights`` has the shape of each parameter of the layer as text over
    the constructor's neutral names, in the notation of `attncheck.frameworks.weights`:
    ``"out_features in_features"``, ``"width if has_bias"``.
    """

    path: str
    making: Spelling
    calling: Spelling
    weights: dict[str, str]
    #: what else of the constructor's arguments is a size of something that the layer has
    features: str = ""

    @functools.cached_property
    def sizes(self) -> frozenset[str]:
        """The constructor's arguments, by neutral name, that are sizes of what it has."""
        axes = (text.partition(" if ")[0] for text in (*self.weights.values(), self.features))
        return frozenset(name for text in axes for name in _NAME.findall(text))

    @functools.cached_property
    def shapes(self) -> frozenset[str]:
        """Those of them that may be several sizes as well, each of an axis of its own."""
        words = (word for text in self.weights.values() for word in text.split())
        return frozenset(word[1:] for word in words if word.startswith("*") and ":" not in word)

    @property
    def operator(self) -> Operator:
        """What calling the layer does."""
        return self.calling.operator

    @property
    def library(self) -> str:
        """The library whose arrays it takes."""
        return self.calling.library


class Table:
    """The spellings of one library, by full name."""

    def __init__(self, library: str) -> None:
        self.library = library
        self.spellings: dict[str, Spelling] = {}
        self.layers: dict[str, LayerSpelling] = {}
        #: the full names that are read like attributes: ``torch.Tensor.mT``
        self.properties: set[str] = set()

    def add(self, names: str, operator: Operator, signature: str, **fixed: Value) -> None:
        """Register `operator` under each of the space-separated full names."""
        for path in names.split():
            self.spellings[path] = Spelling(path, operator, signature, dict(fixed))

    def add_property(
        self, names: str, operator: Operator, signature: str = "self:x", **fixed: Value
    ) -> None:
        """Register `operator` under names that are read without being called."""
        self.add(names, operator, signature, **fixed)
        self.properties.update(names.split())

    def add_layer(
        self,
        names: str,
        operator: Operator,
        making: str,
        calling: str = "input:x",
        weights: dict[str, str] | None = None,
        **fixed: Value,
    ) -> None:
        """Register a layer class: `operator` is given the arguments of `making` and `calling`."""
        for path in names.split():
            self.layers[path] = LayerSpelling(
                path,
                Spelling(path, operator, making, dict(fixed)),
                Spelling(path, operator, calling),
                weights or {},
            )

    def add_features(self, names: str, features: str) -> None:
        """Say which arguments of layers' constructors are sizes, beside those of their weights."""
        for path in names.split():
            self.layers[path].features = features
