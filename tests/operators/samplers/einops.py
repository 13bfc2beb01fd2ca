"""Arguments for einops: patterns over axes of random sizes, now and then wrong ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import packing, rearranging

from ..harness import Arguments, Array, Dim, Draw, as_dim

_NAMES = ("b", "t", "head", "d", "w2", "x_y")


@dataclass
class _Sides:
    """Groups of names on both sides, and the sizes of the names; ``""`` is an axis of size 1."""

    left: list[list[str]]
    right: list[list[str]]
    sizes: dict[str, Dim]
    dots: list[Dim] = field(default_factory=list)


def _grouped(draw: Draw, names: list[str]) -> list[list[str]]:
    groups: list[list[str]] = []
    for name in names:
        if groups and draw.chance(0.35) and name != "..." and groups[-1] != ["..."]:
            groups[-1].append(name)
        else:
            groups.append([name])
    if draw.chance(0.2):
        groups.insert(draw.random.randint(0, len(groups)), [])
    return groups


def _sides(draw: Draw, added: int = 0, lost: int = 0) -> _Sides:
    names = draw.random.sample(_NAMES, draw.random.randint(0, 4))
    sizes = {name: draw.dim() for name in names}
    dots = draw.shape(0, 2)
    if draw.chance(0.3):
        names.insert(draw.random.randint(0, len(names)), "...")
    left = _grouped(draw, names)
    right = list(names)
    if draw.chance(0.7):
        draw.random.shuffle(right)
    for _ in range(lost):
        if right:
            right.pop(draw.random.randrange(len(right)))
    for name in draw.random.sample(["new", "n2"], added):
        sizes[name] = draw.dim()
        right.insert(draw.random.randint(0, len(right)), name)
    groups = _grouped(draw, right)
    if ["..."] in groups and draw.chance(0.4):
        at = groups.index(["..."])
        groups[at] = ["...", "..."]
        if at and draw.chance(0.5):
            groups[at - 1 : at + 1] = [[*groups[at - 1], "..."]]
    return _Sides(left, groups, sizes, dots)


def _written(draw: Draw, group: list[str]) -> str:
    if not group:
        return draw.choice(["1", "()", "(1)"])
    if group == ["...", "..."]:
        return "(...)"
    if len(group) == 1 and not draw.chance(0.1 if group != ["..."] else 0.0):
        return group[0]
    return f"({' '.join(group)})"


def _pattern(draw: Draw, sides: _Sides) -> str:
    left, right = (
        (" " if draw.chance(0.95) else "  ").join(_written(draw, group) for group in side)
        for side in (sides.left, sides.right)
    )
    chance = draw.random.random()
    if chance < 0.03:
        return left
    if chance < 0.06:
        return f"{left} -> {right} stray"
    if chance < 0.08:
        return f"{left} b -> {right} b"
    if chance < 0.1:
        return f"{left} -> {right}".replace("(", "", 1)
    return f"{left}{draw.choice([' -> ', '->'])}{right}"


def _lengths(draw: Draw, sides: _Sides) -> dict[str, Dim]:
    """As many lengths as are needed, or a few more; now and then too few, or a wrong one."""
    given: dict[str, Dim] = {}
    for group in sides.left:
        needed = draw.random.sample(group, max(0, len(group) - 1))
        given |= {name: sides.sizes[name] for name in needed if name != "..."}
    known = {name for group in sides.left for name in group}
    for name, size in sides.sizes.items():
        if name not in known or draw.chance(0.1):
            given[name] = size
    for name in list(given):
        if draw.chance(0.04):
            del given[name]
        elif draw.chance(0.06):
            given[name] = draw.dim()
    return given | ({"unused": draw.dim()} if draw.chance(0.03) else {})


def _array(draw: Draw, sides: _Sides, spelling: Spelling) -> Array | list[Array]:
    shape: list[Dim] = []
    for group in sides.left:
        if group == ["..."]:
            shape += sides.dots
            continue
        size = as_dim(1)
        for name in group:
            size = size * sides.sizes[name]
        shape.append(size)
    shape = draw.spoil(shape) if draw.chance(0.2) else shape
    lists = ".layers." not in spelling.path
    if lists and shape and shape[0].number < 4 and draw.chance(0.15):
        return [Array(*shape[1:])] * shape[0].number
    return Array(*shape, dtype=draw.choice(["float", "float", "int"]))


def _arguments(draw: Draw, sides: _Sides, spelling: Spelling) -> Arguments:
    return {
        "x": _array(draw, sides, spelling),
        "pattern": _pattern(draw, sides),
        "lengths": _lengths(draw, sides),
    }


def rearrange(draw: Draw, spelling: Spelling) -> Arguments:
    return _arguments(draw, _sides(draw, lost=draw.chance(0.05)), spelling)


def repeat_named(draw: Draw, spelling: Spelling) -> Arguments:
    return _arguments(draw, _sides(draw, added=draw.random.randint(0, 2)), spelling)


def reduce_named(draw: Draw, spelling: Spelling) -> Arguments:
    arguments = _arguments(draw, _sides(draw, lost=draw.random.randint(0, 3)), spelling)
    kinds = ["sum", "mean", "max", "min", "prod"]
    arguments["reduction"] = draw.choice([*kinds, "median"] if draw.chance(0.1) else kinds)
    x = arguments["x"]
    if draw.chance(0.1) and ".layers." not in spelling.path and isinstance(x, Array):
        arguments |= {"x": Array(*x.sizes, dtype="bool"), "reduction": draw.choice(["any", "all"])}
    elif arguments["reduction"] == "mean" and isinstance(x, Array):
        arguments["x"] = Array(*x.sizes)
    return arguments


# -- packing ---------------------------------------------------------------------------------------


def _star(draw: Draw, front: int, back: int) -> str:
    names = list(_NAMES[: front + back])
    names.insert(front, "*")
    if draw.chance(0.04):
        names[draw.random.randrange(len(names))] = draw.choice(["_b", "t", "...", "q"])
    return " ".join(names)


def pack(draw: Draw, spelling: Spelling) -> Arguments:
    front, back = draw.shape(0, 2), draw.shape(0, 2)
    arrays = []
    for _ in range(draw.random.randint(1, 3)):
        sizes = [*front, *draw.shape(0, 2), *back]
        arrays.append(Array(*(draw.spoil(sizes) if draw.chance(0.15) else sizes)))
    return {"xs": arrays, "pattern": _star(draw, len(front), len(back))}


def unpack(draw: Draw, spelling: Spelling) -> Arguments:
    front, back = draw.shape(0, 2), draw.shape(0, 2)
    shapes: list = [draw.shape(0, 2) for _ in range(draw.random.randint(1, 3))]
    total = as_dim(0)
    for shape in shapes:
        size = as_dim(1)
        for each in shape:
            size = size * each
        total = total + size
    if draw.chance(0.1):
        total = total + draw.choice([as_dim(1), as_dim(2)])
    for _ in range(2 if draw.chance(0.05) else 1):
        chosen = draw.choice(shapes)
        if chosen and draw.chance(0.5):
            chosen[draw.random.randrange(len(chosen))] = -1
    whole = [*front, total, *back]
    if draw.chance(0.05):
        whole.append(draw.dim())
    return {
        "x": Array(*whole),
        "shapes": [tuple(shape) for shape in shapes],
        "pattern": _star(draw, len(front), len(back)),
    }


def parse_shape(draw: Draw, spelling: Spelling) -> Arguments:
    shape = draw.shape(0, 4)
    words = [
        draw.choice(["1", "()", "_", name] if size.number == 1 else ["_", name, name, name])
        for size, name in zip(shape, _NAMES, strict=False)
    ]
    if draw.chance(0.3):
        words.insert(draw.random.randint(0, len(words)), "...")
    if draw.chance(0.05):
        words.append("(b c)")
    return {"x": Array(*draw.spoil(shape)), "pattern": " ".join(words)}


SAMPLERS = {
    rearranging.rearrange: rearrange,
    rearranging.repeat_named: repeat_named,
    rearranging.reduce_named: reduce_named,
    packing.pack: pack,
    packing.unpack: unpack,
    packing.parse_shape: parse_shape,
}
