"""ATN505: masks that reach no attention, what counts as a use, and what is meant to be unused."""

import libcst as cst
import pytest

from attncheck.checks.applied import is_applied
from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
import torch.nn.functional as F
from torch import nn
class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.mha = nn.MultiheadAttention(d, 2, batch_first=True)
    def helper(self, x, mask=None):
        B, T, d = x.shape
        scores = x @ x.transpose(1, 2)
        if mask is not None:
            scores = scores + mask
        return scores.softmax(-1) @ x
"""


def found(*lines, head=HEAD):
    """(argument, fix) of every finding of the rule; there must be no other."""
    code = head + "".join(f"    {line}\n" for line in lines)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN505"}
    return [(each.tensor.name, each.fix and each.fix.line) for each in findings]


BODY = ("    B, T, d = x.shape", "    return torch.softmax(x @ x.transpose(1, 2), dim=-1) @ x")
SIGNATURES = [
    ("x, mask=None", ["mask"]),
    ("x, attn_mask", ["attn_mask"]),
    ("x, lengths", ["lengths"]),
    ("x, key_padding_mask=None, lengths=None", ["key_padding_mask", "lengths"]),
    ("x, mask: torch.Tensor", ["mask"]),
    ("x, mask: bool = False", []),
    ("x, mask=0", []),
    ("x, _mask=None", []),
    ("x, head_mask=None", []),
    ("x, other=None", []),
]


@pytest.mark.parametrize(("signature", "names"), SIGNATURES)
def test_arguments(signature, names):
    assert [name for name, _ in found(f"def forward(self, {signature}):", *BODY)] == names


CALLS = [
    ("self.mha(x, x, x)", "key_padding_mask", True),
    ("self.mha(x, x, x)", "attn_mask", True),
    ("self.mha(x, x, x)", "lengths", False),
    ("self.helper(x)", "mask", True),
    ("self.helper(x)", "attn_mask", True),
]


@pytest.mark.parametrize(("call", "name", "fixed"), CALLS)
def test_passed_to_no_call(call, name, fixed):
    keyword = "mask" if "helper" in call else name
    fix = f"return {call[:-1]}, {keyword}={name})" if fixed else None
    assert found(f"def forward(self, x, {name}=None):", f"    return {call}") == [(name, fix)]


SILENT = [
    "self.mha(x, x, x, attn_mask=torch.ones(3, 3))",
    "self.helper(x, x)",
    "self.helper(x, mask=x)",
    "self.helper(*[x])",
    "F.relu(x)",
]


@pytest.mark.parametrize("call", SILENT)
def test_masked_or_no_attention(call):
    assert found("def forward(self, x, mask=None):", f"    return {call}") == []


def test_over_learned_slots():
    assert (
        found(
            "def forward(self, x, mask=None):",
            "    B, T, d = x.shape",
            "    slots = nn.Parameter(torch.ones(7, d))",
            "    return torch.softmax(x @ slots.T, dim=-1) @ slots",
        )
        == []
    )


DELIBERATE = [
    '"""The mask is ignored."""',
    "# mask: unused, for the interface",
    "x = x  # noqa: ARG002",
]


@pytest.mark.parametrize("line", DELIBERATE)
def test_deliberate(line):
    assert found("def forward(self, x, mask=None):", f"    {line}", *BODY) == []


BASES = ["nn.TransformerEncoderLayer", "Attention", "Unseen", "nn.MultiheadAttention"]


@pytest.mark.parametrize("base", BASES)
def test_signatures_of_other_classes(base):
    head = HEAD.replace("def helper", "def forward") + f"class Other({base}):\n"
    assert found("def forward(self, x, mask=None):", *BODY, head=head) == []


USES = [
    ("return f(x, mask)", True),
    ("x = x * mask\nreturn x", True),
    ("y = mask\nz = y[0]\nreturn f(z)", True),
    ("x[mask] = 0\nreturn x", True),
    ("self.mask = mask\nreturn x", True),
    ("x *= mask\nreturn x", True),
    ("if mask is not None:\n    x = x + 1\nreturn x", True),
    ("if mask is None:\n    return x\nreturn f(x)", True),
    ("for m in mask:\n    f(m)", True),
    ("for m in mask:\n    pass", False),
    ("with f(mask):\n    pass", True),
    ("def g():\n    return mask\nreturn g()", True),
    ("return f(**locals())", True),
    ("while f(mask):\n    pass", True),
    ("return x", False),
    ("del mask\nreturn x", False),
    ("assert mask.dim() == 2\nreturn x", False),
    ("mask = mask[:, None]\nreturn x", False),
    ("if mask is not None:\n    mask = mask[:, None]\nreturn x", False),
    ("if mask is None:\n    raise ValueError(mask)\nreturn x", False),
    ("if mask.dim() == 2:\n    y = mask[0]\nelif mask.dim() == 3:\n    y = mask\nreturn x", False),
    ("try:\n    y = mask[0]\nexcept ValueError:\n    y = None\nreturn x", False),
    ("return f(x, mask=None)", False),
    ("return x.mask", False),
]


@pytest.mark.parametrize(("body", "used"), USES)
def test_uses(body, used):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    function = cst.parse_module(f"def forward(self, x, mask):\n{lines}").body[0]
    assert is_applied(function, "mask") is used


DROPPED = """
import torch
from torch import nn

class Hop(nn.Module):
    def forward(self, u, memory, empty):
        scores = torch.bmm(memory, u.unsqueeze(2)).squeeze(2)
        {masked}
        weights = torch.softmax(scores, dim=1)
        return torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
"""


@pytest.mark.parametrize(
    ("masked", "expected"),
    [
        (
            "scores.masked_fill(empty, -1e9)",
            [("ATN505", "warning", "scores = scores.masked_fill(empty, -1e9)")],
        ),
        ("scores.masked_fill_(empty, -1e9)", []),
        ("scores = scores.masked_fill(empty, -1e9)", []),
        ("torch.masked_fill(scores, empty, -1e9, out=scores)", []),
    ],
)
def test_masked_scores_that_nothing_keeps(masked, expected):
    found = check_source(DROPPED.format(masked=masked).encode(), "x.py", Settings()).findings
    assert [(each.code, each.severity, each.fix and each.fix.line) for each in found] == expected
