"""What masks mean: the values of visible and hidden positions, whatever a mask is made by."""

import math

import pytest
from tracer.tracing import function

from attncheck.meaning.marks import HUGE, Kind, Mark, combine, hides
from attncheck.meaning.reading import Meanings

FUNCTION = (
    "from torch import nn\ndef make(lengths, tokens, pad_idx, T: int):\n    {}\n    return mask\n"
)
KEEP, DROP, ADDED = (1, 0), (0, 1), (0, -math.inf)
PADDING, CAUSAL = Kind.PADDING, Kind.CAUSAL


def read(traced):
    """The mark of what a function has computed last."""
    return Meanings(traced.graph, traced.facts).mark(traced.graph.operations[-1].output)


def marks(body):
    return read(function(FUNCTION.format(body.replace("\n", "\n    ")), "make"))


PADDINGS = [
    ("mask = tokens != pad_idx", KEEP),
    ("mask = tokens == pad_idx", DROP),
    ("mask = tokens.ne(pad_idx)", KEEP),
    ("mask = ~(tokens == pad_idx)", KEEP),
    ("mask = (tokens != pad_idx).unsqueeze(1).unsqueeze(2)", KEEP),
    ("mask = torch.logical_not(tokens != pad_idx)", DROP),
    ("mask = torch.arange(T)[None, :] < lengths[:, None]", KEEP),
    ("mask = lengths[:, None] > torch.arange(T)", KEEP),
    ("mask = torch.arange(T)[None, :] >= lengths[:, None]", DROP),
    ("mask = torch.arange(T).expand(3, T).ge(lengths.unsqueeze(1))", DROP),
    ("mask = (torch.arange(T)[None, :] < lengths[:, None]).float().log()", ADDED),
    ("m = (tokens != pad_idx).float()\nmask = (1.0 - m) * float('-inf')", None),
    ("m = (tokens != pad_idx).float()\nmask = (1.0 - m) * -1e9", (0, -1e9)),
    ("m = (tokens != pad_idx)\nmask = torch.where(m, 0.0, torch.finfo(m.dtype).min)", "far"),
    ("mask = torch.cat([torch.ones(3, 1).bool(), tokens != pad_idx], dim=1)", KEEP),
    ("mask = torch.cat([tokens == pad_idx, tokens != pad_idx], dim=1)", None),
    ("mask = torch.arange(T)[None, :] < T - 2", None),
    ("mask = tokens != T", None),
]


@pytest.mark.parametrize(("body", "values"), PADDINGS, ids=[body for body, _ in PADDINGS])
def test_padding(body, values):
    mark = marks(body)
    if values is None:
        assert mark is None
        return
    assert [claim.kind for claim in mark.claims] == [PADDING]
    if values == "far":
        assert mark.visible == 0 and hides(mark.hidden)
    else:
        assert (mark.visible, mark.hidden) == values


CAUSALS = [
    ("mask = torch.tril(torch.ones(T, T))", KEEP, 0),
    ("mask = torch.ones(T, T).tril(-1)", KEEP, -1),
    ("mask = torch.triu(torch.ones(T, T), diagonal=1) == 1", DROP, 0),
    ("mask = torch.triu(torch.ones(T, T)).bool()", DROP, -1),
    ("mask = torch.triu(torch.full((T, T), float('-inf')), 1)", ADDED, 0),
    ("mask = torch.triu(torch.ones(T, T), 2) == 0", KEEP, 1),
    ("mask = torch.empty(T, T)\nmask.fill_(-torch.inf)\nmask.triu_(1)", ADDED, 0),
    ("mask = torch.zeros(T, T)\nmask[torch.ones(T, T).triu(1) == 1] = -1e9", (0, -1e9), 0),
    ("mask = (torch.triu(torch.ones(T, T)) == 1).transpose(0, 1)", KEEP, 0),
    ("mask = torch.triu(torch.ones(T, T + 3), 4)", None, None),
    ("mask = torch.triu(torch.ones(T, T + 1), 2)", DROP, 0),
    ("mask = torch.ones(T, 2 * T).triu(T + 1)", DROP, 0),
    ("mask = torch.tril(torch.ones(T, T))[None, None, :5, :5]", KEEP, 0),
    ("mask = torch.tril(torch.ones(T, T))[3:, :]", KEEP, None),
    ("i = torch.arange(T)\nmask = i[:, None] >= i[None, :]", KEEP, 0),
    ("i = torch.arange(T)\nmask = i[None, :] > i[:, None]", DROP, 0),
    ("i = torch.arange(T)\nmask = i[None, :] >= i[:, None]", DROP, -1),
    ("i = torch.arange(T)\nmask = (i[:, None] - i[None, :] + 1) >= 0", KEEP, 1),
    ("i = torch.arange(T)\nmask = i[:, None] - i[None, :] < 64", None, None),
    ("mask = nn.Transformer.generate_square_subsequent_mask(T)", ADDED, 0),
    ("m = torch.ones(T, T).tril()\nmask = m.masked_fill(m == 0, float('-inf'))", (1, -math.inf), 0),
]


@pytest.mark.parametrize(("body", "values", "reach"), CAUSALS, ids=[each[0] for each in CAUSALS])
def test_causal(body, values, reach):
    mark = marks(body)
    if values is None:
        assert mark is None
        return
    assert [(claim.kind, claim.reach, claim.named) for claim in mark.claims] == [
        (CAUSAL, reach, False)
    ]
    assert (mark.visible, mark.hidden) == values


BOTH = "keep = (tokens != pad_idx).unsqueeze(1)\npast = torch.ones(T, T).tril().bool()\n"


@pytest.mark.parametrize(
    ("combined", "values", "jointly"),
    [
        ("keep & past", KEEP, False),
        ("keep | past", KEEP, True),
        ("~keep | ~past", DROP, False),
        ("~(keep & past)", DROP, False),
        ("keep.float() * past.float()", KEEP, False),
        ("(1 - keep.float()) * -1e9 + (1 - past.float()) * -1e9", (0, -2e9), False),
    ],
)
def test_two_claims_hide_together(combined, values, jointly):
    mark = marks(f"{BOTH}mask = {combined}")
    assert (mark.visible, mark.hidden) == values
    assert {claim.kind for claim in mark.claims} == {PADDING, CAUSAL}
    assert mark.jointly is jointly


BRANCHES = "if T > 3:\n    m = tokens != pad_idx\nelse:\n    m = {}\nmask = m.unsqueeze(1)"


def test_branches_that_agree():
    mark = marks(BRANCHES.format("~(tokens == pad_idx)"))
    assert (mark.visible, mark.hidden) == KEEP
    assert marks(BRANCHES.format("tokens == pad_idx")) is None
    assert marks(BRANCHES.format("lengths")) is None


def test_masks_of_opposite_meaning_say_nothing_together():
    assert marks(f"{BOTH}mask = keep & ~past") is None


def test_what_the_code_does_with_a_number_is_no_name():
    code = (
        "from torch import nn\ndef make(x, T: int):\n"
        "    e = nn.Embedding(9, 4, padding_idx=2)(x)\n"
        "    n = (x != 2).sum(1)\n    return torch.arange(T) < n[:, None]\n"
    )
    mark = read(function(code, "make"))
    assert (mark.visible, mark.hidden, mark.is_named) == (1, 0, False)


def test_what_nothing_decides_is_a_constant():
    assert combine(lambda a, b: a * b, [Mark(2, 2), Mark(3, 3)]) == Mark(6, 6)
    assert combine(lambda a, b: a / b, [Mark(1, 1), Mark(0, 0)]) is None
    assert hides(-HUGE) and not hides(-HUGE / 2)
