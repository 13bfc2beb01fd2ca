"""All other values: numbers, containers, callables, modules; and the one that is not known.

Values are immutable. A list that the program appends to is a new `Sequence` under the old name,
so that a branch can be undone by restoring names. `Instance` is the exception: an object has an
identity that many names share.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from attncheck.algebra.facts import Facts
from attncheck.algebra.powers import Powers, power_of
from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.algebra.size import Size
from attncheck.record import record
from attncheck.values.tensor import Tensor

if TYPE_CHECKING:
    import libcst as cst


@record
class Unknown:
    """A value nothing is known of; it absorbs every operation without complaint.

    ``call`` names the call that is not modelled, for the coverage line. ``alike`` says that it
    stands for what it is joined with: an entry of a registry of functions for the default one, what
    a cache holds for what is computed without it.
    """

    call: str | None = None
    alike: bool = False


UNKNOWN = Unknown()
#: What a call gives that does not fit the parameters of what is called.
UNFIT = Unknown("")
#: Something out of a registry or a cache.
ALIKE = Unknown(alike=True)


@record
class Const:
    """None, a bool, a float, a string or Ellipsis written in the program.

    ``powers`` and ``node`` are those of a `Scalar`, for a float that is a root of an integer.
    """

    value: object
    powers: Powers | None = field(default=None, compare=False, repr=False)
    node: cst.CSTNode | None = field(default=None, compare=False, repr=False)


NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)
ELLIPSIS = Const(...)


@record
class Int:
    """An integer, as a size; None where only that it is an integer is known."""

    size: Size | None


@record
class Scalar:
    """A number or string that is not known but is certainly no tensor.

    ``powers`` is what it is made of, where that is sizes to some power: ``d_k ** -0.5``; ``node``
    where that was written. ``perhaps`` says that it may be another number as well: what an argument
    gives, where this is the default.
    """

    kind: str
    powers: Powers | None = None
    perhaps: bool = False
    node: cst.CSTNode | None = field(default=None, compare=False, repr=False)


@record
class Parameter:
    """An argument that nothing is known of: it acts as a tensor or as a number, as it is used.

    ``kept`` says that an object was made with it and holds it under a name; ``setting`` that it was
    given to a constructor, or read from a config: beside a tensor it is then a number; ``given``
    that it certainly is not None.
    """

    name: str
    tensor: Tensor
    number: Int
    kept: bool = field(default=False, compare=False)
    setting: bool = False
    given: bool = False


@record
class Sequence:
    """A tuple or list: its items, or (``items`` is None) what an item is like and how many.

    Where ``copy`` is the element, every item is this very value: ``[x] * n``.
    """

    items: tuple[Value, ...] | None
    mutable: bool = False
    element: Value = UNKNOWN
    length: Size | None = None
    copy: Value | None = field(default=None, compare=False)


@record
class Packed:
    """Sequences of unlike lengths packed into one tensor: torch's PackedSequence.

    ``data`` is ``(steps of all sequences, *)``, ``batch`` the axis that counts the sequences,
    ``time`` that of the longest one's steps.
    """

    data: Tensor
    batch: Axis
    time: Axis


@record
class ShapeOf:
    """``x.shape`` where not every axis is known: unpacking or indexing says how many there are."""

    shape: Shape


@record
class Spread:
    """A tuple with an open shape among its items: ``(*x.shape, x.device)``."""

    before: tuple[Value, ...]
    shape: Shape
    after: tuple[Value, ...]


@record
class Mapping:
    """A dict with constant keys; ``open`` where there may be others."""

    items: tuple[tuple[object, Value], ...]
    open: bool = False

    def get(self, key: object) -> Value | None:
        """The value under `key`, or None."""
        for name, value in self.items:
            if name == key:
                return value
        return None


@record
class Slice:
    """``lower:upper:step``; None where left out."""

    lower: Value | None
    upper: Value | None
    step: Value | None


@record
class Library:
    """A library module or a member of one by its full name: ``torch.nn.functional.softmax``."""

    path: str


@record
class Imported:
    """What another file of the project has under ``name``; the module itself without a name.

    Such a file is only read when somebody looks into the value. ``path`` is the file, or the folder
    of a package that has no ``__init__``.
    """

    path: str
    name: str = ""


@record
class LibraryMethod:
    """A method of a value that the library defines, bound to it: ``x.softmax``."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A layer that a library defines, as it was made: ``nn.Linear(d_model, d_k)``.

    ``settings`` are the constructor's arguments by their neutral names, as far as they were given;
    ``written`` the expressions that they were written as, ``node`` the construction itself.
    """

    path: str
    settings: AbstractMapping[str, Value]
    written: AbstractMapping[str, Any] = field(default_factory=dict)
    node: cst.CSTNode | None = None


@record
class Chain:
    """``nn.Sequential``: callables by name, each called on what the one before gives.

    ``repeated`` is what any of an unknown number of them is like, where they are not listed.
    """

    items: tuple[tuple[str, Value], ...]
    repeated: Value | None = None


@record
class Choice:
    """One of several values, of which nobody knows which: what a flag has decided."""

    options: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function or lambda of the checked project, with the names it closes over."""

    name: str
    qualified: str
    node: cst.FunctionDef | cst.Lambda
    closure: object
    owner: Class | None = None
    static: str | None = None
    #: what the parameters that have a default get without an argument
    defaults: AbstractMapping[str, Value] = field(default_factory=dict)

    @property
    def is_written(self) -> bool:
        """Whether it stands in the program, and is not what makes an object of its fields."""
        return bool(getattr(self.node.body, "body", True))

    @property
    def is_forward(self) -> bool:
        """Whether it is what runs when an object of its class is called."""
        return self.owner is not None and self.name in FORWARD


#: What runs when an object of a class is called, in all libraries.
FORWARD = frozenset({"forward", "__call__", "call"})


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A function bound to the object it was taken from."""

    receiver: Value
    function: Function


@record
class Partial:
    """A callable with some arguments already given."""

    callee: Value
    positional: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """A class of the checked project: its members, and its bases (the project's or a library's)."""

    name: str
    qualified: str
    node: cst.ClassDef
    bases: tuple[Value, ...]
    members: dict[str, Value]
    #: the fields of a dataclass, in order
    fields: tuple[str, ...] = ()
    #: attributes that methods give other values, once an object has been made
    replaced: frozenset[str] = frozenset()
    #: attributes that a ``set_`` method sets to what it is given, and no other
    given: frozenset[str] = frozenset()

    def lookup(self, name: str) -> Value | None:
        """The member `name`, here or in a base; UNKNOWN if only an unseen base can say."""
        if name in self.members:
            return self.members[name]
        found: Value | None = None
        for base in self.bases:
            inherited = base.lookup(name) if isinstance(base, Class) else UNKNOWN
            if isinstance(inherited, Unknown):
                found = inherited
            elif inherited is not None:
                return inherited
        return found


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a class of the project, with the attributes that ran code has given it."""

    of: Class
    attributes: dict[str, Value] = field(default_factory=dict)
    #: runs ``__init__`` (on a machine), which waits until an attribute is asked for
    pending: Callable[[Any], None] | None = None
    #: attributes that not every way through its methods has set
    unsure: set[str] = field(default_factory=set)
    #: what it was made with, in order: arguments, and pairs of a keyword and its argument
    given: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Super:
    """``super()`` inside a method: the object, seen as one of the bases of ``owner``."""

    receiver: Instance
    owner: Class


Value: TypeAlias = (
    Unknown
    | Const
    | Int
    | Scalar
    | Parameter
    | Tensor
    | Sequence
    | Packed
    | ShapeOf
    | Spread
    | Mapping
    | Slice
    | Library
    | Imported
    | LibraryMethod
    | Layer
    | Chain
    | Choice
    | Function
    | Method
    | Partial
    | Class
    | Instance
    | Super
)

Arguments: TypeAlias = AbstractMapping[str, Value]


def as_tensor(value: Value) -> Tensor | None:
    """`value` seen as a tensor, or None if it is not one."""
    if type(value) is Tensor:
        return value
    return value.tensor if type(value) is Parameter else None


def is_truth(value: Value) -> bool:
    """Whether a value is what a comparison gives, which may be of any shape."""
    return type(value) is Scalar and value.kind == "bool"


def expanded(value: Value | None, facts: Facts) -> Shape | None:
    """The shape of a tensor with all that `facts` found out put in; None if it is not known."""
    tensor = None if value is None else as_tensor(value)
    if tensor is None or tensor.shape is None:
        return None
    return expand(tensor.shape, facts)


def as_size(value: Value) -> Size | None:
    """`value` seen as a size, or None if it is not known as one."""
    if type(value) is Int:
        return value.size
    return value.number.size if type(value) is Parameter else None


def as_powers(value: Value) -> Powers | None:
    """`value` seen as a product of powers of sizes (1 is the empty one), or None."""
    if type(value) is Scalar:
        return value.powers
    if type(value) is Const and type(value.value) is float:
        return Powers() if value.value == 1.0 else value.powers
    size = as_size(value)
    whole = size is not None and (size.number is None or size.number > 0)
    return power_of(size) if size is not None and whole else None


def as_integer(value: Value) -> int | None:
    """`value` seen as a literal integer (True and False are 1 and 0), or None."""
    size = as_size(value)
    if size is not None:
        return size.number
    if type(value) is Const and isinstance(value.value, bool):
        return int(value.value)
    return None
