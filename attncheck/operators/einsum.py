"""einsum: any product and sum of axes, named by letters or by words.

All forms are read: ``einsum("bqd,bkd->bqk", q, k)``, ``einsum(q, [0, 1], k, [2, 1], [0, 2])``, and
with the grammar of einops ``einsum(q, k, "b query d, b key d -> b query key")``.
Rule: numpy.einsum "Notes"; torch.einsum; einops.einsum.
"""

from __future__ import annotations

import re
from types import EllipsisType

from attncheck.algebra.broadcast import broadcast_all
from attncheck.algebra.contract import tell_apart
from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.operators.axes import axes_text, split_ends, with_rank
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Einsum, Fault, Outcome
from attncheck.operators.misfits import batch_clash
from attncheck.operators.operands import dtype_of, factor_shape
from attncheck.operators.patterns import DOTS, Anonymous, Malformed, Side, read_side
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import ELLIPSIS, Const, Sequence, Value, as_integer

Letters = tuple[str, ...]


@record
class Subscripts:
    """The letters of each operand and of the output; ``...`` stands among them as one letter."""

    inputs: tuple[Letters, ...]
    output: Letters


def einsum(call: Call) -> Outcome:
    """Multiply operands letter by letter and sum over the letters that the output does not name.

    With ``grammar`` the letters are words and the equation comes last, as einops has it.
    """
    named = call.given("grammar")
    call = call.of_library("operands") if named else call
    read = _read_named(call) if named else _read(call)
    if read is None:
        return Outcome(call.make(None))
    if isinstance(read, Clash):
        return Outcome(call.make(None), None, read)
    subscripts, operands = read
    spread = _Letters(call, subscripts)
    clash = spread.take(operands)
    met = tuple(spread.met)
    event = Einsum(subscripts.inputs, subscripts.output, tuple(spread.axes.items()), met)
    if clash is not None:
        return Outcome(call.make(None), event, clash)
    return Outcome(call.make(spread.result(), _dtype(operands)), event)


def _dtype(operands: tuple[Value, ...]) -> str | None:
    kinds = {dtype_of(operand) for operand in operands}
    if "float" in kinds:
        return "float"
    return "int" if kinds == {"int"} else None


class _Letters:
    """The axis of each letter, collected over the operands."""

    def __init__(self, call: Call, subscripts: Subscripts) -> None:
        self.call = call
        self.subscripts = subscripts
        self.axes: dict[str, Axis] = {}
        self.middles: list[Shape] = []
        self.met: list[tuple[str, Axis, Axis]] = []
        self.known = True

    def take(self, operands: tuple[Value, ...]) -> Clash | None:
        """Match every operand with its letters."""
        for number, (letters, operand) in enumerate(
            zip(self.subscripts.inputs, operands, strict=True)
        ):
            shape = factor_shape(Call(self.call.facts, {"x": operand}, "", ""), "x")
            if shape is None:
                self.known = False
                continue
            clash = self._match(number, letters, shape)
            if clash is not None:
                return clash
        if len(self.middles) < 2:
            return None
        return batch_clash(broadcast_all(self.middles, self.call.facts).clashes)

    def _match(self, number: int, letters: Letters, shape: Shape) -> Clash | None:
        facts = self.call.facts
        if DOTS not in letters:
            made = with_rank(shape, len(letters), facts)
            if made is None:
                self.known = False
                return None
            if isinstance(made, Clash):
                return _rank_clash(number, letters, shape)
            return self._bind_all(number, letters, made.axes)
        cut = letters.index(DOTS)
        front, back = letters[:cut], letters[cut + 1 :]
        ends = split_ends(shape, len(front), len(back), facts)
        if ends is None:
            return _rank_clash(number, letters, shape)
        lead, middle, trail = ends
        self.middles.append(middle)
        return self._bind_all(number, front + back, lead + trail)

    def _bind_all(self, number: int, letters: Letters, axes: tuple[Axis, ...]) -> Clash | None:
        own: dict[str, Axis] = {}
        for letter, axis in zip(letters, axes, strict=True):
            # A diagonal's axes are equal; between operands 1 fits any size.
            again = letter in own
            clash = self._meet(number, letter, own.setdefault(letter, axis), axis)
            if clash is None:
                clash = self._bind(number, letter, axis, again=again)
            if clash is not None:
                return clash
        return None

    def _bind(self, number: int, letter: str, axis: Axis, *, again: bool) -> Clash | None:
        """Hold one more axis against the one that already goes by the letter.

        ``again`` says that it is not the first one of its operand.
        """
        old = self.axes.get(letter)
        if old is None or old.is_one or (old.size is None and not axis.is_one):
            if old is None or axis.size is not None:
                self.axes[letter] = axis
            return None
        if axis.is_one or axis.size is None:
            return None
        if number == 1 and not again:
            self.met.append((letter, old, axis))
        return self._meet(number, letter, old, axis)

    def _meet(self, number: int, letter: str, old: Axis, axis: Axis) -> Clash | None:
        """Make two axes of one letter equal."""
        if old.size is None or axis.size is None:
            return None
        verdict = self.call.facts.force(old.size, axis.size, f"letter {letter}")
        if not verdict.clashes:
            return None
        text = f"uses {_called(letter)} for {old} and for {axis}"
        return Clash(Fault.EINSUM, text, number, old.size, axis.size, verdict)

    def result(self) -> Shape | None:
        """The output's shape."""
        middle = Shape(())
        if DOTS in self.subscripts.output:
            spread = broadcast_all(self.middles, self.call.facts) if self.middles else None
            if not self.known or (spread is not None and spread.shape is None):
                return None
            if spread is not None and spread.shape is not None:
                middle = spread.shape
        lead: list[Axis] = []
        trail: list[Axis] = []
        side = lead
        told = self._told_apart(middle)
        for letter in self.subscripts.output:
            if letter == DOTS:
                lead += middle.lead
                side = lead if middle.row is None else trail
                side += middle.trail
            else:
                side.append(told.get(letter, Axis(None)))
        row = middle.row
        return expand(Shape(tuple(lead), row, tuple(trail)), self.call.facts)

    def _told_apart(self, middle: Shape) -> dict[str, Axis]:
        """The output's axes: of two of one birth, that of the operand further left is first."""
        output = self.subscripts.output
        read = [letter for letters in self.subscripts.inputs for letter in letters]
        letters = [letter for letter in dict.fromkeys(read) if letter in output and letter != DOTS]
        known = [self.axes.get(letter, Axis(None)) for letter in letters]
        return dict(zip(letters, tell_apart(middle.lead + middle.trail, known), strict=True))


def _rank_clash(number: int, letters: Letters, shape: Shape) -> Clash:
    written = (" " if any(len(letter) > 1 and letter != DOTS for letter in letters) else "").join(
        letters
    )
    at_least = "at least " if DOTS in letters else ""
    count = len(letters) - (DOTS in letters)
    text = f"names {at_least}{axes_text(count)} as {written!r}, but operand {number} is {shape}"
    return Clash(Fault.EINSUM, text, number)


# -- reading the subscripts ------------------------------------------------------------------------


def _read(call: Call) -> tuple[Subscripts, tuple[Value, ...]] | Clash | None:
    given = call.arguments.get("operands")
    if not isinstance(given, Sequence) or not given.items:
        return None
    first, rest = given.items[0], given.items[1:]
    if isinstance(first, Const) and isinstance(first.value, str):
        if len(rest) == 1 and isinstance(rest[0], Sequence):
            if rest[0].items is None:
                return None
            rest = rest[0].items
        subscripts = _parse(first.value, _ANY if call.library == "jax" else _LETTER)
    else:
        lists = _from_lists(given.items)
        if lists is None:
            return None
        subscripts, rest = lists
    return _paired(subscripts, rest)


def _paired(
    subscripts: Subscripts | Clash, operands: tuple[Value, ...]
) -> tuple[Subscripts, tuple[Value, ...]] | Clash:
    """Subscripts with their operands, if there are as many."""
    if isinstance(subscripts, Clash):
        return subscripts
    if len(subscripts.inputs) != len(operands):
        text = f"has subscripts for {len(subscripts.inputs)} operands but gets {len(operands)}"
        return Clash(Fault.EINSUM, text)
    return subscripts, operands


#: What may stand for an axis: letters, and in jax whatever means nothing else.
_LETTER, _ANY = "[A-Za-z]", "[^.,>-]"


def _parse(equation: str, letter: str) -> Subscripts | Clash:
    """The subscripts of an equation, or what is wrong with it."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs = []
    for part in left.split(","):
        letters = _letters(part, letter)
        if letters is None:
            return Clash(Fault.EINSUM, f"has the malformed subscripts {part!r}")
        inputs.append(letters)
    output = _letters(right, letter) if arrow else _implicit(tuple(inputs))
    if output is None:
        return Clash(Fault.EINSUM, f"has the malformed output {right!r}")
    return _checked(Subscripts(tuple(inputs), output))


def _checked(subscripts: Subscripts) -> Subscripts | Clash:
    named = {letter for letters in subscripts.inputs for letter in letters}
    for letter in subscripts.output:
        if letter not in named and letter != DOTS:
            return Clash(Fault.EINSUM, f"puts out {_called(letter)}, which no operand has")
        if subscripts.output.count(letter) > 1:
            return Clash(Fault.EINSUM, f"puts out {_called(letter)} twice")
    return subscripts


def _called(letter: str) -> str:
    """A letter, or the word that stands for one, in a sentence."""
    return f"the letter {letter}" if len(letter) == 1 else f"the axis {letter}"


def _letters(text: str, letter: str) -> Letters | None:
    if not re.fullmatch(rf"{letter}*(\.\.\.)?{letter}*", text):
        return None
    return tuple(re.findall(rf"{letter}|\.\.\.", text))


def _implicit(inputs: tuple[Letters, ...]) -> Letters:
    """The output that is not written: ``...``, then the letters that occur once, sorted."""
    every = [letter for letters in inputs for letter in letters]
    single = sorted(letter for letter in set(every) - {DOTS} if every.count(letter) == 1)
    return (*((DOTS,) if DOTS in every else ()), *single)


def _from_lists(
    items: tuple[Value, ...],
) -> tuple[Subscripts | Clash, tuple[Value, ...]] | None:
    """The subscripts and operands of the form with lists of integers; None if not readable."""
    paired = len(items) // 2
    lists = [_list_letters(item) for item in items[1 : 2 * paired : 2]]
    output = _list_letters(items[-1]) if len(items) % 2 else None
    inputs = tuple(letters for letters in lists if letters is not None)
    if len(inputs) < len(lists) or (len(items) % 2 and output is None):
        return None
    if output is None:
        output = _implicit(inputs)
    return _checked(Subscripts(inputs, output)), items[: 2 * paired : 2]


def _list_letters(value: Value) -> Letters | None:
    if not isinstance(value, Sequence) or value.items is None:
        return None
    letters = []
    for item in value.items:
        number = as_integer(item)
        if item == ELLIPSIS:
            letters.append(DOTS)
        elif number is not None and 0 <= number < 52:
            letters.append(chr(ord("A") + number if number < 26 else ord("a") + number - 26))
        else:
            return None
    return tuple(letters)


# -- words in the place of letters ----------------------------------------------------------------


def _read_named(call: Call) -> tuple[Subscripts, tuple[Value, ...]] | Clash | None:
    """The operands and, behind them, the pattern."""
    given = call.arguments.get("operands")
    if not isinstance(given, Sequence) or not given.items:
        return None
    *operands, pattern = given.items
    if isinstance(pattern, Tensor):
        return Clash(Fault.EINSUM, "takes its pattern behind the tensors")
    if not isinstance(pattern, Const) or not isinstance(pattern.value, str):
        return None
    try:
        subscripts = _checked(_parse_named(pattern.value))
    except Malformed as problem:
        return Clash(Fault.EINSUM, str(problem))
    return _paired(subscripts, tuple(operands))


def _parse_named(pattern: str) -> Subscripts:
    left, arrow, right = pattern.partition("->")
    if not arrow or "->" in right:
        raise Malformed(f"needs a pattern of two sides with -> between them, not {pattern!r}")
    sides = [read_side(part, underscores=True, repeats=True) for part in left.split(",")]
    output = read_side(right, underscores=True)
    return Subscripts(tuple(map(_words, sides)), _words(output))


def _words(side: Side) -> Letters:
    """The names of a side, none of them composed; ``(...)`` is an axis like any other."""
    words = []
    for group in side.groups:
        if isinstance(group, EllipsisType):
            words.append(DOTS)
        elif len(group) != 1 or isinstance(group[0], Anonymous):
            raise Malformed("splits, merges or counts an axis in its pattern, which einsum cannot")
        else:
            words.append(group[0] if isinstance(group[0], str) else f"({DOTS})")
    return tuple(words)
