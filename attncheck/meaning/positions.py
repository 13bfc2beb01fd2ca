"""Positions of queries and of keys: what is made of ``arange`` along the last two axes.

``i - j + 1`` over ``i = arange(T)[:, None]`` and ``j = arange(T)`` is the form (1, -1, 1). What is
compared with it tells causal masks (another position) from masks of padding (lengths).
"""

from __future__ import annotations

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Shape
from attncheck.graph import Graph, Operation
from attncheck.meaning.elements import number_of, whole
from attncheck.operators.events import COPYING, MOVES, Creation, Elementwise, Event, Expansion
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import NONE, Value, expanded

_PASSING: tuple[type[Event], ...] = (*MOVES, Expansion)
#: Operators that move elements of tensors whose shape is not known: no event says how.
MOVING = frozenset(
    (
        *("index", "reshape", "ravel", "flatten", "squeeze", "unsqueeze", "expand", "expand_like"),
        *("permute", "permute_all", "matrix_transpose", "transpose_two", "transpose_matrix"),
        *("swap", "move", "repeat", "tile", "repeat_interleave", "rearrange", "repeat_named"),
    )
)
_DEEPEST = 12


def is_moved(made: Operation) -> bool:
    """Whether an operation only gives elements other places, or copies them."""
    return made.kind in COPYING | MOVING or isinstance(made.event, _PASSING)


@record
class Form:
    """``rows * i + columns * j + offset`` for the query position i and the key position j."""

    rows: int
    columns: int
    offset: int

    def plus(self, other: Form, sign: int) -> Form:
        """The sum of two forms, or (`sign` -1) their difference."""
        return Form(
            self.rows + sign * other.rows,
            self.columns + sign * other.columns,
            self.offset + sign * other.offset,
        )

    @property
    def is_number(self) -> bool:
        """Whether it is the same everywhere."""
        return self.rows == self.columns == 0

    @property
    def is_position(self) -> bool:
        """Whether it counts along one axis, from whatever number."""
        return (self.rows, self.columns) in ((1, 0), (0, 1))


def moved(made: Operation) -> Tensor | None:
    """The tensor whose elements an operation gives in other places, or copies of; or None."""
    if not isinstance(made.event, _PASSING) and made.kind not in MOVING | {"identity"}:
        return None
    tensors = [tensor for _, tensor in made.tensors()]
    if not tensors or (made.kind == "index" and len(tensors) > 1):
        return None  # what an index array looks up is no view
    return tensors[0]


class Positions:
    """Reads the forms of the tensors of some graphs."""

    def __init__(self, graphs: tuple[Graph, ...], facts: Facts) -> None:
        self._graphs = graphs
        self._facts = facts

    def maker(self, tensor: Tensor) -> Operation | None:
        """The operation that made a tensor, in any of the graphs."""
        for graph in self._graphs:
            made = graph.maker(tensor)
            if made is not None:
                return made
        return None

    def makers(self, tensor: Tensor) -> list[Operation | None]:
        """The operations that may have made a tensor, one a branch; None where none is known."""
        if not tensor.either:
            return [self.maker(tensor)]
        found = [graph.makers(tensor) for graph in self._graphs]
        return [next(filter(None, each), None) for each in zip(*found, strict=True)]

    def shape(self, value: Value) -> Shape | None:
        """A tensor's shape with all that is known put in."""
        return expanded(value, self._facts)

    def form(self, tensor: Tensor, depth: int = 0) -> Form | None:
        """The positions that a tensor holds, seen along its last two axes; None if it holds none.

        A tensor of positions tells its axis by its own shape: ``(T, 1)`` runs over queries.
        """
        made = self.maker(tensor)
        if made is None or depth > _DEEPEST:
            return None
        event = made.event
        if isinstance(event, Elementwise) and event.symbol in ("+", "-"):
            return self._sum(made, 1 if event.symbol == "+" else -1, depth)
        start = self._start(tensor)
        if start is None:
            return None
        return self._along(tensor, start)

    def _sum(self, made: Operation, sign: int, depth: int) -> Form | None:
        forms = []
        for name in ("x", "y"):
            operand = next((each for each in made.operands if each.name == name), None)
            number = whole(number_of(operand))
            if operand is not None and isinstance(operand.value, Tensor):
                form = self.form(operand.value, depth + 1)
            else:
                form = None if number is None else Form(0, 0, number)
            if form is None:
                return None
            forms.append(form)
        return forms[0].plus(forms[1], sign)

    def _start(self, tensor: Tensor) -> int | None:
        """Where the ``arange`` behind a tensor starts; None if there is none, or it has steps."""
        for _ in range(_DEEPEST):
            made = self.maker(tensor)
            if made is None:
                return None
            if isinstance(made.event, Creation) and made.kind == "arange":
                return _first_number(made)
            before = moved(made)
            if before is None:
                return None
            tensor = before
        return None

    def _along(self, tensor: Tensor, start: int) -> Form | None:
        """The form of positions by the axis that they run along: the only one that is not 1."""
        shape = self.shape(tensor)
        if shape is None or not shape.closed:
            return None
        places = [place for place, axis in enumerate(shape.axes) if not axis.is_one]
        if len(places) > 1:
            # Copies were put beside the positions: the axis that ``arange`` has made tells.
            born = [place for place in places if shape.axes[place].made is None]
            places = born if len(born) == 1 else places
        if len(places) != 1:
            return None
        behind = len(shape.axes) - places[0]
        return {1: Form(0, 1, start), 2: Form(1, 0, start)}.get(behind)


def _first_number(made: Operation) -> int | None:
    given = {operand.name: operand for operand in made.operands}
    stop = given.get("stop")
    one = stop is None or stop.value == NONE
    start = 0.0 if one else number_of(given.get("start"))
    step = 1 if "step" not in given else number_of(given["step"])
    return whole(start) if step == 1 else None
