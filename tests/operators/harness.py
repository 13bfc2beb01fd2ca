"""Runs an operator model beside the real library on random arguments.

A *sampler* draws the arguments of one operator by their neutral names:

    def matmul(draw: Draw, spelling: Spelling) -> Arguments:
        k = draw.dim()
        return {"x": Array(draw.dim(), k), "y": Array(draw.other(k), draw.dim())}

Each file in `tests/operators/samplers/` holds one family and exposes

* ``SAMPLERS``: operator function -> sampler, for every operator of the family;
* ``SILENT`` (optional): full name -> why the model may leave a legal concrete call unanswered;
* ``LENIENT`` (optional): full name -> why the model may answer calls that the library refuses;
* ``SKIPPED`` (optional): full name -> why it cannot be run here.

What a sampler may return as an argument:

* ``Array(*sizes, dtype=..., below=...)``: a tensor of these sizes, random contents;
* a ``Dim`` (from ``draw.dim()``; products and quotients of them as well): a size;
* ``int float bool str None ... slice list tuple``: themselves (nested arrays and dims allowed);
* a ``dict``: keywords, for a ``**parameter`` that collects them;
* ``Loose([...])``: as a list, for a ``*parameter`` that takes no tuple in place of its items;
* ``Raw(value, real)``: anything else, as the model sees it and as the library takes it.

Arguments that the spelling has no parameter for are left out, so one sampler serves every spelling
of its operator; ``spelling.library``, ``spelling.path`` and ``spelling.fixed`` are there to ask.
A sampler should draw wrong arguments with decent probability (`Draw.other`, `Draw.spoil`), because
a refusal must be shared. In the *symbolic* variant each ``Dim`` becomes a symbol whose number is at
least 2, and two symbols may have the same number; plain integers stay integers.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import pkgutil
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import torch

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Row, Shape, Tag, expand
from attncheck.algebra.size import Size, Symbol, const, of
from attncheck.frameworks import lookup
from attncheck.frameworks.spelling import LayerSpelling, ParameterName, Spelling
from attncheck.operators.call import Call, Operator
from attncheck.operators.events import Outcome
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Sequence, Slice, Value

from .comparing import contradiction, known, shape_contradiction, told
from .drawing import Arguments, Array, Dim, Draw, Loose, Raw, Sampler, as_dim

__all__ = ["Arguments", "Array", "Dim", "Draw", "Loose", "Raw", "as_dim"]

# -- from arguments to values ----------------------------------------------------------------------


#: How sizes are told to the model: as numbers, as symbols, or left open in part.
KINDS = ("numbers", "symbols", "open")


@dataclass
class Variant:
    """How arguments are turned into model values.

    Of the *open* kind the model sees some axes of a tensor as unseen parameters' axes, or hidden in
    a row; ``opened`` lists these shapes with the real sizes, ``numbers`` the real size of a symbol.
    """

    library: str
    kind: str
    random: random.Random
    numbers: dict[Symbol, int]
    opened: list[tuple[Shape, tuple[int, ...]]] = field(default_factory=list)

    def size(self, dim: Dim | int) -> Size:
        dim = as_dim(dim)
        return dim.size if self.kind == "symbols" else const(dim.number)

    def shape(self, array: Array) -> Shape:
        """The shape of an array as the model sees it."""
        # A number that torch lets pass as a vector of one is none if it is not known as a number.
        if self.kind != "open" or not array.sizes or self.random.random() < 0.4:
            return Shape(tuple(Axis(self.size(size)) for size in array.sizes))
        sizes = tuple(as_dim(size).number for size in array.sizes)
        name = f"x{len(self.opened)}"
        axes = tuple(self._open_axis(name, index, size) for index, size in enumerate(sizes))
        shape = Shape(axes)
        if self.random.random() < 0.7:
            front = self.random.randint(0, len(axes))
            back = self.random.randint(front, len(axes))
            shape = Shape(axes[:front], Row(name), axes[back:])
        self.opened.append((shape, sizes))
        return shape

    def _open_axis(self, name: str, index: int, size: int) -> Axis:
        if self.random.random() < 0.5:
            return Axis(const(size), Tag(name, index))
        symbol = Symbol(f"{name}_{index}", flexible=True)
        self.numbers[symbol] = size
        return Axis(of(symbol), Tag(name, index))

    def value(self, argument: Any) -> Value:
        match argument:
            case Raw(value=value):
                return value
            case Array():
                return Tensor(self.shape(argument), self.library, argument.dtype)
            case Dim():
                return Int(self.size(argument))
            case bool() | float() | str() | None:
                return Const(argument)
            case int():
                return Int(const(argument))
            case list() | tuple():
                return Sequence(tuple(self.value(item) for item in argument))
            case slice():
                bounds = (argument.start, argument.stop, argument.step)
                return Slice(*(None if bound is None else self.value(bound) for bound in bounds))
        assert argument is ..., argument
        return Const(...)


def real_argument(argument: Any, library: str, source: random.Random) -> Any:
    """The argument as the real library takes it."""
    match argument:
        case Raw(real=real):
            return real
        case Array():
            return _real_array(argument, library, source)
        case Dim():
            return argument.number
        case list() | tuple():
            return type(argument)(real_argument(item, library, source) for item in argument)
        case slice():
            bounds = (argument.start, argument.stop, argument.step)
            return slice(*(real_argument(bound, library, source) for bound in bounds))
    return argument


def _real_array(array: Array, library: str, source: random.Random) -> Any:
    shape = tuple(as_dim(size).number for size in array.sizes)
    generator = np.random.default_rng(source.randrange(2**32))
    if array.dtype == "float":
        made: Any = generator.random(shape)
    elif array.dtype == "int":
        made = generator.integers(0, array.below, shape)
    else:
        made = generator.random(shape) < 0.5
    made = np.asarray(made)
    if library != "torch":
        single = library in ("jax", "tensorflow") and array.dtype == "float"
        return made.astype("float32") if single else made
    tensor = torch.from_numpy(made)
    return tensor.float() if array.dtype == "float" else tensor


# -- one call --------------------------------------------------------------------------------------


@dataclass
class Spread:
    """The arguments as they are passed: by position and by keyword."""

    positional: list[Any]
    keywords: dict[str, Any]


def spread(arguments: Arguments, spelling: Spelling, source: random.Random) -> Spread:
    """Pass `arguments` as this spelling wants them, optional ones by position or by keyword."""
    passed = Spread([], {})
    by_position = True
    for parameter in spelling.parameters:
        if parameter.collects_keywords:
            passed.keywords |= arguments.get(parameter.neutral, {})
            continue
        if parameter.neutral not in arguments or parameter.neutral in spelling.fixed:
            by_position = by_position and parameter.neutral in arguments
            continue
        argument = arguments[parameter.neutral]
        if parameter.collects:
            loose = isinstance(argument, list | tuple)
            sizes = loose and all(isinstance(item, int | Dim) for item in argument)
            sizes = sizes and not isinstance(argument, Loose)
            if loose and not (sizes and (not argument or source.random() < 0.5)):
                passed.positional += argument
            else:
                passed.positional.append(tuple(argument) if loose else argument)
            by_position = False
        elif by_position and _wants_position(parameter, argument):
            passed.positional.append(argument)
        elif parameter.keyword_only or not by_position or source.random() < 0.5:
            by_position = False
            passed.keywords[parameter.spelled] = argument
        else:
            passed.positional.append(argument)
    return passed


def _wants_position(parameter: ParameterName, argument: Any) -> bool:
    """Whether to pass by position for sure; tensors are, as some overloads ask for it."""
    return parameter.required or parameter.positional_only or isinstance(argument, Array)


def run_model(
    subject: Subject, passed: list[Spread], variant: Variant, facts: Facts
) -> Outcome | None:
    """The model's answer; None if the call does not fit the parameter list."""
    arguments: dict[str, Value] = {}
    for spelling, spread_ in zip(parts_of(subject), passed, strict=True):
        positional = [variant.value(argument) for argument in spread_.positional]
        keywords = {name: variant.value(argument) for name, argument in spread_.keywords.items()}
        bound = spelling.bind(positional, keywords)
        if bound is None:
            return None
        arguments |= bound
    return subject.operator(Call(facts, arguments, subject.library, subject.path))


#: What is held against a library: a function, or a layer that is made and then called.
Subject = Spelling | LayerSpelling


def parts_of(subject: Subject) -> tuple[Spelling, ...]:
    """The calls that use a subject: one, or a layer's making and its calling."""
    if isinstance(subject, LayerSpelling):
        return subject.making, subject.calling
    return (subject,)


def arrays_of(subject: Subject) -> str:
    """The library whose arrays a subject is given; einops takes those of any, here torch's."""
    return subject.library if subject.library in ("numpy", "jax", "tensorflow") else "torch"


class Refused(Exception):
    """The real library raised."""


class Unasked(Exception):
    """The real library raised for reasons that are not about shapes."""


def run_real(subject: Subject, passed: list[Spread], source: random.Random) -> Any:
    """The real library's answer; raises Refused if it raises."""
    library = arrays_of(subject)
    real = [
        (
            [real_argument(argument, library, source) for argument in spread_.positional],
            {name: real_argument(a, library, source) for name, a in spread_.keywords.items()},
        )
        for spread_ in passed
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if library == "jax":
                from .real_jax import run_traced

                return run_traced(lambda given: _run_real(subject, given), real)
            if library == "tensorflow":
                from .real_keras import run

                return run(subject.path, lambda given: _run_real(subject, given), real)
            return _run_real(subject, real)
        except REFUSALS as error:
            raise Refused(str(error)) from error


REFUSALS = (
    RuntimeError,
    ValueError,
    IndexError,
    TypeError,
    AssertionError,
    KeyError,
    np.exceptions.AxisError,
)


def _run_real(subject: Subject, real: list[tuple[list[Any], dict[str, Any]]]) -> Any:
    (positional, keywords), *called = real
    if lookup.is_property(subject.path):
        return getattr(positional[0], subject.path.rpartition(".")[2])
    if called and subject.path.startswith("flax."):
        from .real_flax import call_layer, more_settings

        made = resolve(subject.path, positional)(
            *positional, **keywords, **more_settings(subject.path)
        )
        return call_layer(made, *called[0])
    made = resolve(subject.path, positional)(*positional, **keywords)
    for positional, keywords in called:
        made = made(*positional, **keywords)
    return made


RECEIVERS = ("torch.Tensor.", "numpy.ndarray.", "jax.Array.", "tensorflow.Tensor.")
#: What the methods of ``x.at[key]`` are called in the tables.
UPDATES = "jax.Array.at[]."
#: Objects that draw random numbers; the model gets no receiver for methods of these.
GENERATORS: dict[str, Callable[[], Any]] = {
    "numpy.random.Generator.": np.random.default_rng,
    "numpy.random.RandomState.": np.random.RandomState,
    "torch.Generator.": torch.Generator,
}


def resolve(path: str, positional: list[Any]) -> Any:
    """The real function; of a method, bound to its receiver, which leaves `positional`."""
    if path.startswith(UPDATES):
        return find_real(path)
    if path.startswith(RECEIVERS):
        return getattr(positional.pop(0), path.rpartition(".")[2])
    for prefix, make in GENERATORS.items():
        if path.startswith(prefix):
            return getattr(make(), path.removeprefix(prefix))
    return find_real(path)


@cache
def find_real(path: str) -> Any:
    """The object of a full name; raises AttributeError if the library has none such."""
    if path.startswith(UPDATES):
        from .real_jax import update_at

        return update_at(path.removeprefix(UPDATES))
    if path.startswith("jax.Array."):
        # The public class leaves out what not all kinds of arrays have.
        return getattr(type(importlib.import_module("jax.numpy").zeros(())), path[10:])
    if path.startswith(("keras.", "tensorflow.")):
        from .real_keras import home

        path = home(path)
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        with contextlib.suppress(ImportError):
            found: Any = importlib.import_module(".".join(parts[:cut]))
            for part in parts[cut:]:
                found = getattr(found, part)
            return found
    raise AttributeError(path)


# -- the registry ----------------------------------------------------------------------------------


def _sampler_modules() -> Iterator[Any]:
    package = importlib.import_module(".samplers", __package__)
    for module in pkgutil.iter_modules(package.__path__):
        yield importlib.import_module(f"{package.__name__}.{module.name}")


@cache
def samplers() -> dict[Operator, Sampler]:
    """Every sampler, by operator function."""
    return dict(itertools.chain(*(module.SAMPLERS.items() for module in _sampler_modules())))


@cache
def skipped() -> dict[str, str]:
    """The spellings that cannot be run in the library, and why."""
    return _excuses("SKIPPED")


@cache
def silent() -> dict[str, str]:
    """The spellings that may leave a legal concrete call unanswered, and why."""
    return _excuses("SILENT")


@cache
def lenient() -> dict[str, str]:
    """The spellings that may answer where the library refuses, and why."""
    return _excuses("LENIENT")


def _excuses(table: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for module in _sampler_modules():
        found.update(getattr(module, table, {}))
    return found


#: Beginnings of jax's names, and of NumPy's for the same.
_AS_NUMPY = (("jax.numpy.", "numpy."), ("jax.Array.", "numpy.ndarray."), ("jax.scipy.", "scipy."))


def is_silent(path: str) -> bool:
    """Whether a spelling may leave calls unanswered; jax's may where NumPy's of its name may."""
    names = [numpy + path.removeprefix(own) for own, numpy in _AS_NUMPY if path.startswith(own)]
    return any(name in silent() for name in (path, *names))


# -- the check -------------------------------------------------------------------------------------


def _answer(outcome: Outcome | None) -> str:
    if outcome is None:
        return "the call does not fit the parameter list"
    if outcome.clash is not None:
        return f"this operation {outcome.clash.text} ({outcome.clash.fault.value})"
    return _told(outcome.value)


def _told(value: Value) -> str:
    match value:
        case Tensor():
            return f"{value.dtype} {value.shape}"
        case Sequence(items=items) if items is not None:
            return f"[{', '.join(_told(item) for item in items)}]"
    return repr(value)


def check_call(spelling: Subject, seed: int, kind: str) -> str | None:
    """Draw one call and run it in the model and in the library: what disagrees, or None."""
    source = random.Random(f"{spelling.path}:{seed}")
    draw = Draw(source, kind)
    parts = parts_of(spelling)
    arguments = samplers()[spelling.operator](draw, parts[0])
    if spelling.path.startswith(FLOATING) and spelling.operator.__module__.endswith(_OF_NUMBERS):
        dtype = "bool" if spelling.path.endswith(_OF_TRUTH) else "float"
        arguments = {name: _taken(argument, dtype) for name, argument in arguments.items()}
    passed = [spread(arguments, part, source) for part in parts]
    library = arrays_of(spelling)
    variant = Variant(library, kind, random.Random(f"{spelling.path}:{seed}:open"), draw.symbols)
    facts = Facts()
    outcome = run_model(spelling, passed, variant, facts)
    text = f"{spelling.path}, seed {seed}: {passed}\n  model: {_answer(outcome)}"
    if variant.opened:
        text += f"\n  opened: {variant.opened}"
    try:
        real = run_real(spelling, passed, source)
    except Unasked:
        return None
    except Refused as refusal:
        wrong = _unrefused(spelling, outcome) if kind == "numbers" else None
        return None if wrong is None else f"{text}\n  {wrong}: {refusal}"
    if outcome is None:
        return f"{text}\n  the call does not fit {[part.signature for part in parts]}"
    if any(overlaps(expand(shape, facts), len(sizes)) for shape, sizes in variant.opened):
        return None
    if outcome.clash is not None:
        return f"{text}\n  the library gives a result: {told(real)}"
    wrong = contradiction(outcome.value, real, draw.symbols)
    if wrong is None and kind == "numbers" and not known(outcome.value):
        wrong = None if is_silent(spelling.path) else "left unanswered"
    for shape, sizes in variant.opened:
        # What the operation forced on its operands must be true of them.
        wrong = wrong or shape_contradiction(expand(shape, facts), sizes, draw.symbols)
    return None if wrong is None else f"{text}\n  {wrong}"


#: What has its functions of numbers for floats only, and does not mix these with integers.
FLOATING = ("tensorflow.", "keras.")
_OF_NUMBERS = (".elementwise", ".reduction", ".softmax")


#: What takes nothing but booleans there.
_OF_TRUTH = ("_and", "_or", "_xor", "_not", "_any", "_all")


def _taken(argument: Any, dtype: str) -> Any:
    """An argument with its numbers in the one dtype that is taken."""
    if isinstance(argument, list | tuple):
        return type(argument)(_taken(item, dtype) for item in argument)
    if isinstance(argument, Array) and argument.dtype != "bool":
        return Array(*argument.sizes, dtype=dtype)
    return argument


def overlaps(shape: Shape, rank: int) -> bool:
    """Whether one real axis was seen both from the front and from the end.

    The algebra takes such axes for different ones; where they are not, nothing is promised.
    """
    ends = len(shape.lead), len(shape.trail)
    return shape.row is not None and 0 < min(ends) <= max(ends) <= rank < sum(ends)


def _unrefused(spelling: Subject, outcome: Outcome | None) -> str | None:
    if outcome is None or outcome.clash is not None or spelling.path in lenient():
        return None
    if is_silent(spelling.path) and not known(outcome.value):
        return None
    return "the library refuses"
