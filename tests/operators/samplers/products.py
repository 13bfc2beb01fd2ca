"""Arguments for products: mostly such that they fit, sometimes with a size or a rank off."""

from __future__ import annotations

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import contraction, einsum

from ..harness import Arguments, Array, Draw


def _two(draw: Draw, left: list, right: list, dtype: str = "float") -> Arguments:
    return {
        "x": Array(*draw.spoil(left), dtype=dtype),
        "y": Array(*draw.spoil(right), dtype=dtype),
    }


def matmul(draw: Draw, spelling: Spelling) -> Arguments:
    inner = draw.dim()
    batch = draw.shape(0, 2)
    if draw.chance(0.15):
        left, right = [inner], [*batch, inner, draw.dim()]
    elif draw.chance(0.15):
        left, right = [*batch, draw.dim(), inner], [inner]
    elif draw.chance(0.1):
        left, right = [inner], [draw.other(inner)]
    else:
        left = [*batch, draw.dim(), inner]
        right = [*draw.broadcast(batch), draw.other(inner), draw.dim()]
    return _two(draw, left, right, draw.choice(["float", "float", "int"]))


def mm(draw: Draw, spelling: Spelling) -> Arguments:
    inner = draw.dim()
    return _two(draw, [draw.dim(), inner], [draw.other(inner), draw.dim()])


def bmm(draw: Draw, spelling: Spelling) -> Arguments:
    batch, inner = draw.dim(), draw.dim()
    right = [draw.other(batch), draw.other(inner), draw.dim()]
    return _two(draw, [batch, draw.dim(), inner], right)


def mv(draw: Draw, spelling: Spelling) -> Arguments:
    inner = draw.dim()
    return _two(draw, [draw.dim(), inner], [draw.other(inner)])


def vectors(draw: Draw, spelling: Spelling) -> Arguments:
    inner = draw.dim()
    return _two(draw, [inner], [draw.other(inner)])


def addmm(draw: Draw, spelling: Spelling) -> Arguments:
    rows, inner, columns = draw.dim(), draw.dim(), draw.dim()
    bias = Array(*draw.broadcast([rows, columns]))
    return {"bias": bias, **_two(draw, [rows, inner], [draw.other(inner), columns])}


def baddbmm(draw: Draw, spelling: Spelling) -> Arguments:
    batch, rows, inner, columns = (draw.dim() for _ in range(4))
    bias = Array(*draw.broadcast([batch, rows, columns]))
    return {"bias": bias, **_two(draw, [batch, rows, inner], [batch, draw.other(inner), columns])}


def dot(draw: Draw, spelling: Spelling) -> Arguments:
    inner = draw.dim()
    right = [*draw.shape(0, 2), draw.other(inner), draw.dim()]
    if draw.chance(0.3):
        right = [inner]
    if draw.chance(0.1):
        right = []
    return _two(draw, [*draw.shape(0, 2), inner], right)


def inner(draw: Draw, spelling: Spelling) -> Arguments:
    last = draw.dim()
    right = [] if draw.chance(0.1) else [*draw.shape(0, 2), draw.other(last)]
    return _two(draw, [*draw.shape(0, 2), last], right)


def flat_dot(draw: Draw, spelling: Spelling) -> Arguments:
    left = draw.shape(1, 3)
    right = list(left)
    draw.random.shuffle(right)
    return _two(draw, left, right)


def flat_outer(draw: Draw, spelling: Spelling) -> Arguments:
    return _two(draw, draw.shape(0, 2), draw.shape(0, 2))


def tensordot(draw: Draw, spelling: Spelling) -> Arguments:
    shared = draw.shape(0, 2)
    left, right = draw.shape(0, 2), draw.shape(0, 2)
    count = len(shared)
    # torch stretches 1 here too.
    operands = {"x": Array(*left, *shared), "y": Array(*shared, *right)}
    if draw.kind != "open":
        operands = _two(draw, left + shared, shared + right)
    if draw.chance(0.5):
        return {**operands, "axes": count}
    at_left = [len(left) + i - draw.choice([0, len(left) + count]) for i in range(count)]
    at_right = list(range(count))
    if draw.chance(0.1) and at_left:
        at_left[0] = draw.axis(len(left) + count)
    return {**operands, "axes": (at_left, at_right)}


def _equation(draw: Draw) -> tuple[list[str], str | None]:
    letters = "abcde"
    inputs = [
        "".join(draw.random.sample(letters, draw.random.randint(0, 3)))
        for _ in range(draw.random.randint(1, 3))
    ]
    if draw.chance(0.1) and inputs[0]:
        inputs[0] += inputs[0][0]
    named = sorted(set("".join(inputs)))
    output = draw.random.sample(named, draw.random.randint(0, min(3, len(named))))
    if draw.chance(0.05):
        output.append("z")
    return inputs, "".join(output) if draw.chance(0.8) else None


def sample_einsum(draw: Draw, spelling: Spelling) -> Arguments:
    inputs, output = _equation(draw)
    sizes = {letter: draw.dim() for letter in "abcde"}
    dots = draw.shape(1, 2) if draw.chance(0.3) else None
    # einsum stretches 1; an axis that has not been seen is taken not to be stretched.
    spoilt = 0.0 if draw.kind == "open" else 0.2
    operands, subscripts = [], []
    for letters in inputs:
        written = letters
        shape = [
            draw.other(sizes[letter]) if draw.chance(spoilt) else sizes[letter]
            for letter in letters
        ]
        if dots is not None and draw.chance(0.7):
            at = draw.random.randint(0, len(letters))
            shape[at:at] = draw.broadcast(dots) if draw.chance(0.3) else dots
            written = letters[:at] + "..." + letters[at:]
        operands.append(Array(*(draw.spoil(shape) if draw.chance(spoilt / 2) else shape)))
        subscripts.append(written)
    if output is not None and any("..." in letters for letters in subscripts):
        output = "..." + output
    if spelling.library == "einops":
        return {"operands": _named(draw, subscripts, output, operands)}
    if draw.chance(0.25) and (output is None or "z" not in output):
        return {"operands": _as_lists(subscripts, output, operands)}
    equation = ",".join(subscripts) + ("" if output is None else "->" + output)
    return {"operands": [equation, *operands]}


def _named(
    draw: Draw, subscripts: list[str], output: str | None, operands: list[Array]
) -> list[Array | str]:
    """The operands, and the same subscripts in words."""
    words = {"a": "b", "b": "query", "c": "d_k", "d": "_", "e": "x1", ".": "..."}

    def spaced(letters: str) -> str:
        return " ".join(words.get(letter, letter) for letter in letters.replace("...", "."))

    pattern = ", ".join(map(spaced, subscripts))
    pattern += "" if output is None else f" -> {spaced(output)}"
    if draw.chance(0.04):
        pattern = pattern.replace("query", draw.choice(["(query x)", "1", "()", "2", "_q"]))
    return [*operands, pattern]


def _as_lists(subscripts: list[str], output: str | None, operands: list[Array]) -> list:
    def numbers(letters: str) -> list:
        found = ["abcde".index(x) if x in "abcde" else ... for x in letters.replace("...", ".")]
        return found

    arguments: list = []
    for letters, operand in zip(subscripts, operands, strict=True):
        arguments += [operand, numbers(letters)]
    return arguments if output is None else [*arguments, numbers(output)]


SAMPLERS = {
    contraction.matmul: matmul,
    contraction.mm: mm,
    contraction.bmm: bmm,
    contraction.mv: mv,
    contraction.vector_dot: vectors,
    contraction.vector_outer: vectors,
    contraction.addmm: addmm,
    contraction.baddbmm: baddbmm,
    contraction.dot: dot,
    contraction.inner: inner,
    contraction.flat_dot: flat_dot,
    contraction.flat_outer: flat_outer,
    contraction.tensordot: tensordot,
    einsum.einsum: sample_einsum,
}
