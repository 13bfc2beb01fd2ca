"""Examples in docstrings: code of the file that is run like a demo at its end."""

import pytest

from attncheck.engine import check_source, trace_shapes
from attncheck.retracing import Root, retrace
from attncheck.settings import Settings
from attncheck.source import load

LAYER = '''
import torch
from torch import nn


class ContentAttention(nn.Module):
    """Attention of a decoder state to encoder states.

    Example
    -------
    {example}
    """

    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.mlp_enc = nn.Linear(enc_dim, attn_dim)
        self.mlp_dec = nn.Linear(dec_dim, attn_dim)
        self.mlp_attn = nn.Linear(attn_dim, 1)

    def forward(self, states, state):
        query = self.mlp_dec(state{query})
        energy = self.mlp_attn(torch.tanh(self.mlp_enc(states) + query)).squeeze(-1)
        weights = energy.softmax(-1)
        return torch.bmm(weights.unsqueeze(1), states).squeeze(1), weights
'''
CALL = """>>> net = ContentAttention(20, 25, 30)
    >>> context, weights = net(torch.rand(4, 10, 20), torch.rand(4, 25))
    >>> context.shape
    torch.Size([4, 20])"""


def findings(text):
    found = check_source(text.encode(), "layer.py", Settings()).findings
    return [(each.code, each.line) for each in found if each.severity != "note"]


def layer(example=CALL, query=".unsqueeze(1)"):
    return LAYER.format(example=example, query=query)


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


def test_an_example_shows_what_the_class_alone_does_not():
    text = layer(query="")
    assert findings(layer("none", "")) == []
    assert findings(text) == [("ATN110", line_of(text, "energy ="))]


def test_a_fix_is_tried_on_the_example():
    text = layer(query="").encode()
    (finding,) = check_source(text, "layer.py", Settings()).findings
    assert "self.mlp_enc(states) + query.unsqueeze(1)" in finding.fix.line
    source = load(text, "layer.py")
    place = "ContentAttention.forward"
    shown = [
        retrace(source, Settings(), Root(place, examples=tried), set()) for tried in (False, True)
    ]
    assert [finding.line in each.clashing for each in shown] == [False, True]


def test_a_right_layer_and_its_example_have_no_finding():
    assert findings(layer()) == []


@pytest.mark.parametrize(
    ("example", "rank"), [(">>> unit(torch.rand(2, 3, 4))", 3), ("unit(torch.rand(2, 3, 4))", None)]
)
def test_an_example_shows_the_ranks_of_arguments(example, rank):
    text = f'''
import torch


def unit(x):
    """Divide by the norm.

    {example}
    """
    return x / x.norm(dim=-1, keepdim=True)
'''
    rows = trace_shapes(text.encode(), "unit.py", Settings())
    shape = next(row.shape for row in rows if row.name == "x")
    assert (None if shape is None else len(shape)) == rank


def test_a_call_that_is_wrong_itself_is_told_where_it_stands():
    text = layer(CALL.replace("torch.rand(4, 25)", "torch.rand(4, 24)"))
    assert findings(text) == [("ATN103", line_of(text, ">>> context, weights"))]


@pytest.mark.parametrize(
    "example",
    [
        # a statement that goes on, and an import of what the file defines
        """>>> from layers.content import ContentAttention
    >>> net = ContentAttention(
    ...     20, 25, 30
    ... )
    >>> for _ in range(2):
    ...     context, weights = net(torch.rand(4, 10, 20), torch.rand(4, 25))""",
        # prompts without a space behind them, and output in between
        """>>> net = ContentAttention(20, 25, 30)
    >>>
    >>> net.eval()
    ContentAttention(...)
    ...
    >>> _ = net(torch.rand(4, 10, 20), torch.rand(4, 25))""",
    ],
)
def test_forms_of_examples(example):
    text = layer(example, "")
    assert findings(text) == [("ATN110", line_of(text, "energy ="))]


@pytest.mark.parametrize(
    "example",
    [
        ">>> net = ContentAttention(20, 25,",
        ">>> net = ContentAttention(20, 25, 30)\n  >>> net(states, state)",
        "net = ContentAttention(20, 25, 30)\n    net(torch.rand(4, 10, 20), torch.rand(4, 25))",
        ">>> net = Other(20, 25, 30)\n    >>> net(torch.rand(4, 10, 20), torch.rand(4, 25))",
    ],
    ids=["no Python", "indented in two ways", "no prompts", "of something else"],
)
def test_what_is_no_example(example):
    assert findings(layer(example, "")) == []


def test_an_example_of_another_docstring_begins_anew():
    first = CALL.replace("net =", "net = other =")
    text = layer(first, "") + (
        "\n\ndef again(states):\n"
        '    """\n    >>> again(other)\n    """\n'
        "    return states.softmax(-1)\n"
    )
    assert findings(text) == [("ATN110", line_of(text, "energy ="))]


def test_the_nodes_of_an_example_stand_in_the_docstring():
    text = layer()
    source = load(text.encode(), "layer.py")
    (example,) = source.read_examples()
    assert {"ContentAttention", "torch", "net"} <= example.reads
    line = line_of(text, ">>> net")
    assert source.line(example.body[0]) == line
    made = example.body[0].body[0].value
    assert source.code(made) == "ContentAttention(20, 25, 30)"
    assert (source.span(made).line, source.span(made).column) == (line, 15)
