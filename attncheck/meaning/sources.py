"""Where the meaning of a mask comes from: comparisons, and triangles.

``i >= j`` of positions is causal; positions compared with lengths, and tokens with the number that
pads, tell padding. Lengths and padding numbers are known by what the program does with them (they
pack a sequence, count a mask, are an embedding's ``padding_idx``), else by their names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attncheck.algebra.size import Size
from attncheck.evidence.identifiers import names_in, names_lengths, names_padding, spoken
from attncheck.graph import Graph, Operand, Operation
from attncheck.meaning.elements import MIRRORED, number_of, operand_of, whole
from attncheck.meaning.marks import Claim, Kind, Mark
from attncheck.meaning.positions import Form, Positions, moved
from attncheck.operators.events import Elementwise, Reduction, Triangle
from attncheck.table import Role
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_size

#: A triangle further off the diagonal is a window, which may be meant either way.
_NEAR = 2
_DEEPEST = 12
_ORDERED = frozenset(MIRRORED)


class Sources:
    """Reads what a comparison or a triangle says of positions.

    ``mark`` gives the marks of other tensors: what is one already is no number of a token.
    """

    def __init__(
        self,
        graphs: tuple[Graph, ...],
        positions: Positions,
        mark: Callable[[Tensor], Mark | None],
    ) -> None:
        self._graphs = graphs
        self._positions = positions
        self._mark = mark

    def mark(self, made: Operation) -> Mark | None:
        """The mark that a comparison makes, or None."""
        event = made.event
        if not isinstance(event, Elementwise):
            return None
        if event.symbol == "sequence_mask":
            return Mark(1.0, 0.0, (Claim(Kind.PADDING, made),))
        if event.symbol in ("isnan", "isfinite"):
            return self._of_numbers(made, event.symbol)
        sides = [operand for operand in made.operands if operand.name in ("x", "y")]
        if len(sides) != 2:
            return None
        if event.symbol in ("==", "!="):
            return self._of_tokens(made, event.symbol, sides)
        if event.symbol not in _ORDERED:
            return None
        forms = [self._form(side) for side in sides]
        left, right = forms
        if left is not None and right is not None:
            return _causal(made, event.symbol, left.plus(right, -1), self._longer(made))
        if left is not None and left.is_position:
            return self._of_lengths(made, event.symbol, sides[1])
        if right is not None and right.is_position:
            return self._of_lengths(made, MIRRORED[event.symbol], sides[0])
        return None

    def _form(self, side: Operand) -> Form | None:
        if isinstance(side.value, Tensor):
            return self._positions.form(side.value)
        number = whole(number_of(side))
        return None if number is None else Form(0, 0, number)

    def base(self, tensor: Tensor) -> Tensor:
        """What a tensor is a copy, a cast or another view of."""
        for _ in range(_DEEPEST):
            made = self._positions.maker(tensor)
            before = None if made is None else moved(made)
            if before is None:
                break
            tensor = before
        return tensor

    # -- padding -----------------------------------------------------------------------------------

    def _of_lengths(self, made: Operation, symbol: str, side: Operand) -> Mark | None:
        """``position < length`` is true of what is no padding."""
        claims = self._length_claims(made, side)
        if not claims:
            return None
        kept = symbol in ("<", "<=")
        return Mark(float(kept), float(not kept), claims)

    def _length_claims(self, made: Operation, side: Operand) -> tuple[Claim, ...]:
        padding = Claim(Kind.PADDING, made)
        name = spoken(side.node) or side.word
        named = (replace(padding, named=True),) if name and names_lengths(name) else ()
        if not isinstance(side.value, Tensor):
            return named
        base = self.base(side.value)
        counted = self._counted(base)
        if counted is not None:
            return (replace(padding, named=counted.is_named),)
        if self._given_as(base, "pack_padded", "lengths"):
            return (padding,)
        return named or ((replace(padding, named=True),) if base.role == Role.LENGTHS else ())

    def _counted(self, lengths: Tensor) -> Mark | None:
        """The mask of what is no padding whose sum lengths are."""
        made = self._positions.maker(lengths)
        if made is None or not isinstance(made.event, Reduction) or made.event.kind != "sum":
            return None
        operand = next(made.tensors(), None)
        mark = None if operand is None else self._mark(operand[1])
        kept = mark is not None and (mark.visible, mark.hidden) == (1, 0)
        return mark if kept and mark is not None and mark.causal() is None else None

    def _of_tokens(self, made: Operation, symbol: str, sides: list[Operand]) -> Mark | None:
        """``tokens != pad`` is true of what is no padding."""
        for tokens, number in (sides, sides[::-1]):
            if not isinstance(tokens.value, Tensor) or self._mark(tokens.value) is not None:
                continue
            base = self.base(tokens.value)
            if base.role == Role.MASK or base.dtype in ("bool", "float"):
                continue
            named = self._pads(base, number)
            if named is not None:
                kept = symbol == "!="
                claim = Claim(Kind.PADDING, made, named=named)
                return Mark(float(kept), float(not kept), (claim,))
        return None

    def _pads(self, tokens: Tensor, number: Operand) -> bool | None:
        """Whether sequences are padded with a number only by its name; None if they are not."""
        embedded = self._embedded_with(tokens)
        if any(each is not None and _one_number(each, number) for each in embedded):
            return False
        if None in embedded and number_of(number) == 0:
            return True
        spelled = [*names_in(number.node), number.word or ""]
        return True if any(map(names_padding, spelled)) else None

    def _embedded_with(self, tokens: Tensor) -> list[Operand | None]:
        """The ``padding_idx`` of each embedding that looks these tokens up."""
        found = []
        for graph in self._graphs:
            for made in graph.operations:
                if made.kind == "embedding" and any(
                    operand.name == "x" and _is_same(self.base(tensor), tokens)
                    for operand, tensor in made.tensors()
                ):
                    found.append(operand_of(made, "padding_idx"))
        return found

    def _given_as(self, tensor: Tensor, kind: str, name: str) -> bool:
        """Whether an operation of a kind is given a tensor as its operand of a name."""
        return any(
            made.kind == kind
            and any(
                operand.name == name and _is_same(self.base(given), tensor)
                for operand, given in made.tensors()
            )
            for graph in self._graphs
            for made in graph.operations
        )

    def _of_numbers(self, made: Operation, symbol: str) -> Mark | None:
        """``isnan(readings)`` is true of what is missing, in what was given and not computed."""
        source = made.source
        if source is None or self._positions.maker(self.base(source)) is not None:
            return None
        there = float(symbol == "isfinite")
        return Mark(there, 1 - there, (Claim(Kind.MISSING, made),))

    # -- causal ------------------------------------------------------------------------------------

    def triangle(self, made: Operation) -> Claim | None:
        """What a triangle of ones lets see: ``j <= i + diagonal``, and triu all but that."""
        event = made.event
        assert isinstance(event, Triangle)
        upper = event.kind == "triu"
        longer = self._longer(made)
        if event.diagonal is not None:
            if abs(event.diagonal) > _NEAR:
                return None
            drawn = event.diagonal - upper
            reach = None if longer is None else drawn - longer
            return Claim(Kind.CAUSAL, made, reach, drawn >= 0)
        given = operand_of(made, "diagonal")
        size = None if given is None else as_size(given.value)
        shape = self._matrix(made)
        if size is None or shape is None:
            return None
        offset = (size - shape[1] + shape[0]).number
        if offset is None or abs(offset) > _NEAR:
            return None
        return Claim(Kind.CAUSAL, made, offset - upper, offset >= upper)

    def _longer(self, made: Operation) -> int | None:
        """How many more keys than queries a matrix has, or None."""
        shape = self._matrix(made)
        return None if shape is None else (shape[1] - shape[0]).number

    def _matrix(self, made: Operation) -> tuple[Size, Size] | None:
        """The numbers of queries and of keys of a mask, its last two sizes."""
        shape = self._positions.shape(made.output)
        if shape is None or not shape.closed or len(shape.axes) < 2:
            return None
        rows, columns = (axis.size for axis in shape.axes[-2:])
        return None if rows is None or columns is None else (rows, columns)


def _one_number(left: Operand, right: Operand) -> bool:
    """Whether two operands certainly are one number, also one that is an argument."""
    if isinstance(left.value, Tensor) and isinstance(right.value, Tensor):
        return _is_same(left.value, right.value)
    sizes = as_size(left.value), as_size(right.value)
    return sizes[0] is not None and sizes[0] == sizes[1]


def _is_same(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors certainly are one: of two of which nothing is known that is not said."""
    known = left.operation is not None or left.shape is not None
    return left is right or (known and left == right)


def _causal(made: Operation, symbol: str, difference: Form, longer: int | None) -> Mark | None:
    """``i - j + offset`` compared with 0, or ``j - i`` so; None if it is a window or no such.

    `longer` is how many more keys than queries there are.
    """
    rows, columns, offset = difference.rows, difference.columns, difference.offset
    if (rows, columns) == (-1, 1):
        symbol, offset = MIRRORED[symbol], -offset
    elif (rows, columns) != (1, -1):
        return None
    reach = offset - (symbol in (">", "<="))
    if abs(reach) > _NEAR:
        return None
    kept = symbol in (">", ">=")
    claim = Claim(Kind.CAUSAL, made, None if longer is None else reach - longer, reach >= 0)
    return Mark(float(kept), float(not kept), (claim,))
