"""Arguments for what only jax has: updates at an index, parts by their size, numbered products."""

from __future__ import annotations

from typing import Any

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import dimension_numbers, heads_last, indexing, keys, places
from attncheck.values.value import TRUE, Scalar

from ..drawing import Dim
from ..harness import Arguments, Array, Draw, Raw, as_dim


def _key(draw: Draw, axes: int) -> list[Any]:
    items: list[Any] = []
    for _ in range(draw.random.randint(1, axes)):
        items.append(draw.choice([slice(None), slice(1, None), 0, slice(None, -1)]))
    if draw.chance(0.3):
        items.insert(draw.random.randint(0, len(items)), draw.choice([None, ...]))
    return items


def index(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    return {"x": Array(*sizes), "key": tuple(_key(draw, len(sizes)))}


def assign(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    arguments: Arguments = {"x": Array(*sizes)}
    if draw.chance(0.4):
        return arguments | {"key": tuple(_key(draw, len(sizes))), "y": 1.0}
    taken = draw.random.randint(1, len(sizes))
    key = tuple(draw.choice([0, slice(None)]) for _ in range(taken))
    left = [size for item, size in zip(key, sizes, strict=False) if item != 0] + sizes[taken:]
    return arguments | {"key": key, "y": Array(*draw.broadcast(left))}


def random_key() -> Raw:
    import jax

    return Raw(Scalar("key"), jax.random.key(0))


def key(draw: Draw, spelling: Spelling) -> Arguments:
    return {"seed": 0, "key": random_key(), "data": 3}


def split(draw: Draw, spelling: Spelling) -> Arguments:
    arguments: Arguments = {"key": random_key()}
    return arguments | ({"num": draw.choice([3, draw.dim(), 20])} if draw.chance(0.7) else {})


def dot_general(draw: Draw, spelling: Spelling) -> Arguments:
    batch, summed = draw.shape(0, 2), draw.shape(0, 2)
    sides, numbers = [], []
    for own in (draw.shape(0, 2), draw.shape(0, 2)):
        named = [*((size, "b", i) for i, size in enumerate(batch))]
        named += [(draw.other(size), "s", i) for i, size in enumerate(summed)]
        named += [(size, "", 0) for size in own]
        draw.random.shuffle(named)
        sides.append(Array(*(size for size, _, _ in named)))
        places_ = {(kind, i): at for at, (_, kind, i) in enumerate(named)}
        numbers.append(
            [
                tuple(places_[kind, i] for i in range(count))
                for kind, count in (("s", len(summed)), ("b", len(batch)))
            ]
        )
    left, right = numbers
    return {"x": sides[0], "y": sides[1], "numbers": tuple(zip(left, right, strict=True))}


def batch_matmul(draw: Draw, spelling: Spelling) -> Arguments:
    batch, inner = draw.shape(0, 2), draw.dim()
    left = [*batch, draw.dim(), inner]
    right = [*map(draw.other, batch), draw.other(inner), draw.dim()]
    return {"x": Array(*left), "y": Array(*right)}


def _smaller(draw: Draw, sizes: list[Dim]) -> list[Any]:
    return [draw.choice([size, as_dim(1), draw.other(size)]) for size in sizes]


def part(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    wanted = tuple(_smaller(draw, sizes))
    return {"x": Array(*sizes), "start_indices": (0,) * len(sizes), "sizes": wanted}


def written(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    update = _smaller(draw, sizes)
    if "in_dim" in spelling.path:
        return {"x": Array(*sizes), "y": Array(*update), "start_index": 0, "axis": 0}
    return {"x": Array(*sizes), "y": Array(*update), "start_indices": (0,) * len(sizes)}


def one(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    arguments: Arguments = {"x": Array(*sizes), "index": 0, "axis": draw.axis(len(sizes))}
    return arguments | ({"keepdims": draw.chance(0.5)} if draw.chance(0.7) else {})


def cut(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    axis = draw.random.randrange(len(sizes))
    stop = draw.choice([None, sizes[axis], 1])
    return {"x": Array(*sizes), "start": 0, "stop": stop, "axis": axis}


def spread(draw: Draw, spelling: Spelling) -> Arguments:
    sizes = draw.shape(1, 4)
    count = draw.random.randint(0, len(sizes))
    at = tuple(range(len(sizes) - count, len(sizes)))
    return {"x": Array(*(sizes[axis] for axis in at)), "sizes": tuple(sizes), "at": at}


def attention(draw: Draw, spelling: Spelling) -> Arguments:
    batch, heads = [draw.dim()], draw.dim(2, 3)
    time, source, width = draw.dim(), draw.dim(), draw.dim()
    grouped = spelling.fixed.get("grouped") == TRUE
    shared = draw.choice([heads, heads, as_dim(1)]) if grouped else heads
    value = width if grouped else draw.dim()
    arguments: Arguments = {
        "query": Array(*batch, time, heads, width),
        "key": Array(*batch, source, shared, draw.other(width)),
        "value": Array(*batch, source if grouped else draw.other(source), shared, value),
    }
    if grouped:
        arguments["key"] = Array(*batch, source, shared, width)
    if draw.chance(0.4):
        scores = draw.choice([[*batch, heads, time, source], [as_dim(1), as_dim(1), time, source]])
        arguments["mask"] = Array(*scores, dtype="bool")
    return arguments


SAMPLERS = {
    indexing.index: index,
    indexing.assign: assign,
    keys.key: key,
    keys.split: split,
    dimension_numbers.dot_general: dot_general,
    dimension_numbers.batch_matmul: batch_matmul,
    places.part: part,
    places.written: written,
    places.one: one,
    places.cut: cut,
    places.spread: spread,
    heads_last.attention: attention,
    heads_last.weights: attention,
}

LENIENT = dict.fromkeys(
    [
        f"jax.lax.{name}"
        for name in ("concatenate", "expand_dims", "iota", "select", "squeeze", "transpose")
    ],
    "lax takes tuples only, no axis from the end, and stretches nothing",
)
LENIENT["flax.nnx.dot_product_attention"] = (
    "it wants values of the size of the keys, as jax.nn has it"
)
SKIPPED = {
    "jax.random.PRNGKey": "its keys are arrays that nothing computes with",
    "jax.lax.reshape": "the number of elements is only checked where there are elements",
} | dict.fromkeys(
    [f"jax.lax.{name}" for name in ("psum", "pmean", "pmax", "with_sharding_constraint")]
    + ["flax.linen.with_logical_constraint"],
    "it runs on a mesh of devices only",
)
