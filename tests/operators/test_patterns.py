"""The grammar of patterns is that of einops: read alike, and refused alike."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncheck.operators.patterns import Anonymous, Malformed, Side, read, read_side

einops = pytest.importorskip("einops")
parsing = pytest.importorskip("einops.parsing")
layers = pytest.importorskip("einops.layers.torch")

WORDS = (
    "a",
    "b",
    "head",
    "x_1",
    "_",
    "_a",
    "b_",
    "2x",
    "1",
    "2",
    "0",
    "...",
    "..",
    ".",
    "(",
    ")",
    "-",
)
texts = st.lists(
    st.one_of(st.sampled_from(WORDS), st.sampled_from((" ", "  ", "", "a b", "(a b)", "...")))
).map(lambda words: " ".join(words).replace("  -  ", "-"))
glued = st.text(alphabet="ab1._() é", max_size=9)


def as_lists(side: Side) -> list[object]:
    """A side as einops keeps it; anonymous axes by their length."""

    def plain(name: object) -> object:
        return name.size if isinstance(name, Anonymous) else "…" if name is ... else name

    return ["…" if group is ... else [plain(name) for name in group] for group in side.groups]


def real_lists(text: str, flags: dict[str, bool]) -> list[object] | None:
    """The same of einops; None where it refuses."""
    options = {"allow_underscore": flags["underscores"], "allow_duplicates": flags["repeats"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = parsing.ParsedExpression(text, **options).composition
        except einops.EinopsError:
            return None
    return [
        group if isinstance(group, str) else [getattr(name, "value", name) for name in group]
        for group in found
    ]


@given(st.one_of(texts, glued), st.booleans(), st.booleans())
def test_a_side_is_read_as_einops_reads_it(text: str, underscores: bool, repeats: bool) -> None:
    flags = {"underscores": underscores, "repeats": repeats}
    try:
        ours: list[object] | None = as_lists(read_side(text, **flags))
    except Malformed:
        ours = None
    assert ours == real_lists(text, flags)


NAMES = ("a", "b", "c", "...", "1", "2", "(a b)", "(b c)", "(c ...)", "(1 a)", "()")
sides = st.lists(st.sampled_from(NAMES), max_size=4).map(" ".join)
arrows = st.sampled_from(("->", " -> ", "->", " ", "->->"))
lengths = st.sets(st.sampled_from(("a", "b", "c", "z", "_a")), max_size=3)


def refused_by_einops(kind: str, pattern: str, given_lengths: set[str]) -> bool:
    sizes = dict.fromkeys(sorted(given_lengths), 2)
    try:
        if kind == "rearrange":
            layers.Rearrange(pattern, **sizes)
        else:
            layers.Reduce(pattern, "sum", **sizes)
    except (einops.EinopsError, ValueError):
        return True
    return False


@pytest.mark.parametrize("kind", ["rearrange", "reduce"])
@given(left=sides, arrow=arrows, right=sides, names=lengths)
def test_patterns_are_refused_where_einops_refuses_them(
    kind: str, left: str, arrow: str, right: str, names: set[str]
) -> None:
    pattern = left + arrow + right
    try:
        read(pattern, tuple(names), kind)
        ours = False
    except Malformed:
        ours = True
    assert ours == refused_by_einops(kind, pattern, names)


@pytest.mark.parametrize(
    ("kind", "pattern", "names", "reason"),
    [
        ("rearrange", "b n d", (), "needs a pattern of two sides with -> between them"),
        ("rearrange", "b (h d -> b h d", (), "leaves a parenthesis in its pattern open"),
        ("rearrange", "b h) d -> b h d", (), "closes a parenthesis in its pattern that is not"),
        ("rearrange", "(b (h d)) -> b h d", (), "has parentheses inside parentheses"),
        ("rearrange", "b n d -> b d", (), "has n on the left side of its pattern only"),
        ("rearrange", "b n -> b n d", (), "has d on the right side of its pattern only"),
        ("rearrange", "b n -> b ... n", (), "has ... on the right side of its pattern only"),
        ("rearrange", "(... d) -> ... d", (), "has ... inside parentheses on the left"),
        ("rearrange", "b b -> b b", (), "has b twice on one side of its pattern"),
        ("rearrange", "b (h d) -> b h d", (), "splits an axis into h, d: all but one need"),
        ("rearrange", "b (h 2) -> b h 2", (), "has an axis of length 2 without a name"),
        ("rearrange", "b d -> d b", ("h",), "is given a length for h, which its pattern does not"),
        ("rearrange", "b 0 -> b", (), "has an axis of length 0 in its pattern"),
        ("rearrange", "b 2d -> 2d b", (), "has '2d' in its pattern, which is no name of an axis"),
        ("repeat", "b d -> b h d", (), "has the new axis h in its pattern, but not its length"),
        ("repeat", "b d -> b", (), "has d on the left side of its pattern only"),
        ("reduce", "b d -> b h", (), "has h on the right side of its pattern only"),
    ],
)
def test_a_refusal_says_why(kind: str, pattern: str, names: tuple[str, ...], reason: str) -> None:
    with pytest.raises(Malformed) as refusal:
        read(pattern, names, kind)
    assert str(refusal.value).startswith(reason)
