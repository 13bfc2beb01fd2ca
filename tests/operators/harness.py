"""Runs an operator model beside the real library on random arguments.

A *sampler* draws the arguments of one operator by their neutral names:

    def matmul(draw: Draw, spelling: Spelling) -> Arguments:
        k = draw.dim()
        return {"x": Array(draw.dim(), k), "y": Array(draw.other(k), draw.dim())}

Each file in `tests/operators/samplers/` holds one family and exposes

* ``SAMPLERS``: operator function -> sampler, for every operator of the family;
* ``SILENT`` (optional): full name -> why the model may leave a legal concrete call unanswered;
* ``SKIPPED`` (optional): full name -> why it cannot be run here.

What a sampler may return as an argument:

* ``Array(*sizes, dtype=..., below=...)``: a tensor of these sizes, random contents;
* a ``Dim`` (from ``draw.dim()``; products and quotients of them as well): a size;
* ``int float bool str None ... slice list tuple``: themselves (nested arrays and dims allowed);
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
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import Size, Symbol, const, of
from attncheck.frameworks import lookup
from attncheck.frameworks.spelling import ParameterName, Spelling
from attncheck.operators.call import Call, Operator
from attncheck.operators.events import Outcome
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Library, Scalar, Sequence, Slice, Value


@dataclass(frozen=True)
class Dim:
    """A size: its number, and the expression that the symbolic variant uses."""

    number: int
    size: Size

    def __repr__(self) -> str:
        return str(self.number) if self.size.number is not None else f"{self.size}={self.number}"

    def __mul__(self, other: Dim | int) -> Dim:
        other = as_dim(other)
        return Dim(self.number * other.number, self.size * other.size)

    __rmul__ = __mul__

    def __add__(self, other: Dim | int) -> Dim:
        other = as_dim(other)
        return Dim(self.number + other.number, self.size + other.size)

    def __floordiv__(self, other: Dim | int) -> Dim:
        other = as_dim(other)
        return Dim(self.number // other.number, self.size // other.size)


def as_dim(value: Dim | int) -> Dim:
    return value if isinstance(value, Dim) else Dim(value, const(value))


@dataclass(frozen=True)
class Array:
    """A tensor argument; integers are drawn from 0 to `below`."""

    sizes: tuple[Dim | int, ...]
    dtype: str = "float"
    below: int = 2

    def __init__(self, *sizes: Dim | int, dtype: str = "float", below: int = 2) -> None:
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "below", below)

    def __repr__(self) -> str:
        return f"{self.dtype}({', '.join(map(repr, self.sizes))})"


@dataclass(frozen=True)
class Raw:
    """An argument as the model sees it and as the library takes it."""

    value: Value
    real: Any


class Loose(list[Any]):
    """Arguments for a ``*parameter`` that takes them one by one only, not as a tuple."""


Arguments = dict[str, Any]
Sampler = Callable[["Draw", Spelling], Arguments]


@dataclass
class Draw:
    """A source of random sizes and shapes."""

    random: random.Random
    symbols: dict[Symbol, int] = field(default_factory=dict)

    def dim(self, low: int = 2, high: int = 6) -> Dim:
        """A new size with a symbol of its own; now and then the plain number 1."""
        if low <= 1 or self.random.random() < 0.1:
            return as_dim(1)
        symbol = Symbol(f"s{len(self.symbols)}")
        self.symbols[symbol] = self.random.randint(low, high)
        return Dim(self.symbols[symbol], of(symbol))

    def shape(self, low: int = 0, high: int = 4) -> list[Dim]:
        """A shape of a random rank."""
        return [self.dim() for _ in range(self.random.randint(low, high))]

    def other(self, dim: Dim) -> Dim:
        """Usually `dim`, sometimes another size, sometimes 1."""
        chance = self.random.random()
        if chance < 0.75:
            return dim
        return self.dim() if chance < 0.9 else as_dim(1)

    def spoil(self, sizes: list[Dim]) -> list[Dim]:
        """Usually `sizes`, sometimes with one size changed, or with an axis more or less."""
        chance = self.random.random()
        sizes = list(sizes)
        if chance < 0.7 or not sizes:
            return sizes
        index = self.random.randrange(len(sizes))
        if chance < 0.9:
            sizes[index] = self.other(self.dim())
        elif chance < 0.95:
            del sizes[index]
        else:
            sizes.insert(index, self.dim())
        return sizes

    def broadcast(self, sizes: list[Dim]) -> list[Dim]:
        """A shape that usually broadcasts against `sizes`."""
        kept = [as_dim(1) if self.chance(0.2) else size for size in sizes]
        if self.chance(0.3):
            kept = kept[self.random.randint(0, len(kept)) :]
        elif self.chance(0.1):
            kept = [self.dim(), *kept]
        return self.spoil(kept)

    def axis(self, rank: int) -> int:
        """An axis number of either sign, out of range now and then."""
        if rank == 0 or self.chance(0.05):
            return self.random.choice([rank, -rank - 1, -rank - 2, rank + 1])
        return self.random.randint(-rank, rank - 1)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def choice(self, options: Any) -> Any:
        return self.random.choice(options)


# -- from arguments to values ----------------------------------------------------------------------


@dataclass
class Variant:
    """How arguments are turned into model values: with numbers or with symbols."""

    library: str
    symbolic: bool

    def size(self, dim: Dim | int) -> Size:
        dim = as_dim(dim)
        return dim.size if self.symbolic else const(dim.number)

    def value(self, argument: Any) -> Value:
        match argument:
            case Raw(value=value):
                return value
            case Array():
                axes = tuple(Axis(self.size(size)) for size in argument.sizes)
                return Tensor(Shape(axes), self.library, argument.dtype)
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
        return made
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


def run_model(spelling: Spelling, passed: Spread, variant: Variant) -> Outcome | None:
    """The model's answer; None if the call does not fit the parameter list."""
    positional = [variant.value(argument) for argument in passed.positional]
    keywords = {name: variant.value(argument) for name, argument in passed.keywords.items()}
    bound = spelling.bind(positional, keywords)
    if bound is None:
        return None
    return spelling.operator(Call(Facts(), bound, spelling.library, spelling.path))


class Refused(Exception):
    """The real library raised."""


def run_real(spelling: Spelling, passed: Spread, source: random.Random) -> Any:
    """The real library's answer; raises Refused if it raises."""
    library = spelling.library if spelling.library == "torch" else "numpy"
    positional = [real_argument(argument, library, source) for argument in passed.positional]
    keywords = {
        name: real_argument(argument, library, source) for name, argument in passed.keywords.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if lookup.is_property(spelling.path):
                return getattr(positional[0], spelling.path.rpartition(".")[2])
            return resolve(spelling.path, positional)(*positional, **keywords)
        except (RuntimeError, ValueError, IndexError, TypeError, np.exceptions.AxisError) as error:
            raise Refused(str(error)) from error


RECEIVERS = ("torch.Tensor.", "numpy.ndarray.")
#: Objects that draw random numbers: the model's methods of these have no receiver among the arguments.
GENERATORS: dict[str, Callable[[], Any]] = {
    "numpy.random.Generator.": np.random.default_rng,
    "numpy.random.RandomState.": np.random.RandomState,
    "torch.Generator.": torch.Generator,
}


def resolve(path: str, positional: list[Any]) -> Any:
    """The real function; of a method, bound to its receiver, which leaves `positional`."""
    if path.startswith(RECEIVERS):
        return getattr(positional.pop(0), path.rpartition(".")[2])
    for prefix, make in GENERATORS.items():
        if path.startswith(prefix):
            return getattr(make(), path.removeprefix(prefix))
    return find_real(path)


@cache
def find_real(path: str) -> Any:
    """The object of a full name; raises AttributeError if the library has none such."""
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        with contextlib.suppress(ImportError):
            found: Any = importlib.import_module(".".join(parts[:cut]))
            for part in parts[cut:]:
                found = getattr(found, part)
            return found
    raise AttributeError(path)


# -- comparing -------------------------------------------------------------------------------------


def real_dtype(real: Any) -> str | None:
    """The category of a real array's dtype."""
    if isinstance(real, torch.Tensor):
        if real.dtype is torch.bool:
            return "bool"
        return "float" if real.is_floating_point() else "int"
    return {"f": "float", "i": "int", "u": "int", "b": "bool"}.get(np.asarray(real).dtype.kind)


def known(value: Value) -> bool:
    """Whether every size of an answer is known."""
    match value:
        case Tensor(shape=shape):
            return shape is not None and shape.closed and None not in shape.sizes()
        case Int(size=size):
            return size is not None
        case Sequence(items=None, element=element, length=length):
            return length is not None and known(element)
        case Sequence(items=items):
            return all(known(item) for item in items)
        case Const() | Scalar() | Library():
            return True
    return False


def contradiction(value: Value, real: Any, numbers: dict[Symbol, int]) -> str | None:
    """What an answer says wrongly about the real result, or None."""
    match value:
        case Tensor():
            return _tensor_contradiction(value, real, numbers)
        case Int(size=size):
            if size is not None and size.evaluate(numbers) != int(real):
                return f"{size} is not {real}"
        case Sequence(items=items) if items is not None:
            if len(items) != len(real):
                return f"{len(items)} items, not {len(real)}"
            wrong = [contradiction(i, r, numbers) for i, r in zip(items, real, strict=True)]
            return next((text for text in wrong if text is not None), None)
        case Sequence(element=element, length=length):
            if length is not None and length.evaluate(numbers) != len(real):
                return f"{length} items, not {len(real)}"
            wrong = [contradiction(element, item, numbers) for item in real]
            return next((text for text in wrong if text is not None), None)
        case Const(value=constant):
            return None if constant == real else f"{constant} is not {real}"
        case Scalar() if np.shape(real) != ():
            return f"a scalar, not an array of shape {np.shape(real)}"
    return None


def _tensor_contradiction(tensor: Tensor, real: Any, numbers: dict[Symbol, int]) -> str | None:
    if tensor.dtype is not None and tensor.dtype != real_dtype(real):
        return f"dtype {tensor.dtype}, not {real_dtype(real)}"
    if tensor.shape is None:
        return None
    shape, found = tensor.shape, tuple(np.shape(real))
    text = f"shape {shape}, not {found} (numbers: {numbers})"
    if shape.closed:
        if len(shape.lead) != len(found):
            return text
        pairs = list(zip(shape.lead, found, strict=True))
    else:
        if shape.at_least > len(found):
            return text
        trail = found[len(found) - len(shape.trail) :]
        pairs = [*zip(shape.lead, found, strict=False), *zip(shape.trail, trail, strict=True)]
    for axis, size in pairs:
        if axis.size is not None and axis.size.evaluate(numbers) not in (size, None):
            return text
    return None


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
    found: dict[str, str] = {}
    for module in _sampler_modules():
        found.update(getattr(module, "SKIPPED", {}))
    return found


@cache
def silent() -> dict[str, str]:
    """The spellings that may leave a legal concrete call unanswered, and why."""
    found: dict[str, str] = {}
    for module in _sampler_modules():
        found.update(getattr(module, "SILENT", {}))
    return found


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


def check_call(spelling: Spelling, seed: int, symbolic: bool) -> str | None:
    """Draw one call and run it in the model and in the library: what disagrees, or None."""
    source = random.Random(f"{spelling.path}:{seed}")
    draw = Draw(source)
    passed = spread(samplers()[spelling.operator](draw, spelling), spelling, source)
    library = "torch" if spelling.library == "torch" else "numpy"
    outcome = run_model(spelling, passed, Variant(library, symbolic))
    told = f"{spelling.path}, seed {seed}: {passed}\n  model: {_answer(outcome)}"
    try:
        real = run_real(spelling, passed, source)
    except Refused as refusal:
        if outcome is None or outcome.clash is not None or symbolic:
            return None
        if spelling.path in silent() and not known(outcome.value):
            return None
        return f"{told}\n  the library refuses: {refusal}"
    if outcome is None:
        return f"{told}\n  the call does not fit the signature {spelling.signature!r}"
    if outcome.clash is not None:
        if not symbolic or outcome.clash.verdict.clashes:
            return f"{told}\n  the library gives a result: {np.shape(real)}"
        return f"{told}\n  a clash without a proof"
    wrong = contradiction(outcome.value, real, draw.symbols if symbolic else {})
    if wrong is not None:
        return f"{told}\n  {wrong}"
    if not symbolic and not known(outcome.value) and spelling.path not in silent():
        return f"{told}\n  left unanswered"
    return None
