"""ATN502: masks that are used the other way round than the docstring says."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = '''import torch
def attend(q, k, v, mask=None):
    """Attend.

    Args:
        q: queries
        mask: {told}
    """
    scores = torch.einsum("bqd,bkd->bqk", q, k)
    if mask is not None:
        {line}
    return scores.softmax(-1) @ v
'''
HIDES, SHOWS = "(B, 1, T), True for padding", "(B, 1, T), 1 for valid positions"


def found(told, line):
    code = CODE.format(told=told, line=line.replace("\n", "\n        "))
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN502"}
    assert {each.severity for each in findings} <= {"warning"}
    return [each.fix and each.fix.line for each in findings]


#: how a mask is used, and whether that hides where it is true
USES = [
    ("scores = scores.masked_fill(mask, -1e9)", True),
    ("scores = scores.masked_fill(~mask, -1e9)", False),
    ("scores = scores.masked_fill(mask == 0, -1e9)", False),
    ("scores = scores.masked_fill(mask != 1, -1e9)", False),
    ("scores = scores.masked_fill(mask.bool(), float('-inf'))", True),
    ("scores.masked_fill_(mask.logical_not(), float('-inf'))", False),
    ("scores = scores.masked_fill((1 - mask).bool(), -1e9)", False),
    ("scores = torch.where(mask > 0, scores, float('-inf'))", False),
    ("scores = torch.where(mask, torch.tensor(-1e9), scores)", True),
    ("mask = mask.unsqueeze(1)\nscores = scores.masked_fill(mask, -1e9)", True),
    (
        "if mask.dim() == 2:\n    mask = mask[:, None]\nscores = scores.masked_fill(~mask, -1e9)",
        False,
    ),
]


@pytest.mark.parametrize(("line", "hides"), USES)
def test_uses_against_the_docstring(line, hides):
    assert len(found(SHOWS if hides else HIDES, line)) == 1
    assert found(HIDES if hides else SHOWS, line) == []


@pytest.mark.parametrize(("line", "hides"), USES)
def test_uses_of_which_nothing_is_said(line, hides):
    assert found("(B, 1, T), the mask", line) == []


@pytest.mark.parametrize(
    "line",
    [
        "mask = torch.zeros(4, 1, 5) == 1\nscores = scores.masked_fill(mask, -1e9)",
        "scores = scores.masked_fill(mask[0], -1e9).masked_fill(q.sum() > 0, 0.5)",
    ],
)
def test_another_mask_of_the_same_name(line):
    if "zeros" in line:
        assert found(SHOWS, line) == []
    else:
        assert len(found(SHOWS, line)) == 1


TWO_WAYS = """import torch
import torch.nn.functional as F
def attend(q, k, v, mask=None, flash=False):
    if flash:
        return F.scaled_dot_product_attention(q, k, v, attn_mask={})
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        mask = mask.expand(-1, 8, -1, -1)
        scores = scores.masked_fill({}, -1e9)
    return scores.softmax(-1) @ v
"""


@pytest.mark.parametrize(
    ("given", "filled"), [("~mask", "~mask"), ("~mask", "mask == 0"), ("mask == 1", "mask")]
)
def test_two_ways_that_read_a_mask_differently(given, filled):
    findings = check_source(TWO_WAYS.format(given, filled).encode(), "x.py", Settings()).findings
    assert [(each.code, each.line, each.severity) for each in findings] == [
        ("ATN502", 9, "warning")
    ]


@pytest.mark.parametrize(
    ("given", "filled"),
    [("~mask", "mask"), ("mask == 1", "~mask"), ("mask", "mask"), ("mask == 1", "v[..., 0] > 0")],
)
def test_two_ways_that_may_agree(given, filled):
    findings = check_source(TWO_WAYS.format(given, filled).encode(), "x.py", Settings()).findings
    assert [each for each in findings if each.code == "ATN502"] == []


TWICE = """import torch
def attend(q, k, v, mask):
    scores = torch.einsum("bqd,bkd->bqk", q, k)
    w = scores.masked_fill({}, -1e9).softmax(-1)
    w = w.masked_fill({}, 0.0)
    return w @ v
"""
FRONT_AND_BACK = """import torch
def attend(q, k, v, mask):
    scores = torch.einsum("bqd,bkd->bqk", q, k)
    front = scores.masked_fill(mask, -1e9).softmax(-1) @ v
    back = scores.masked_fill(~mask, -1e9).softmax(-1) @ v
    return front, back
"""


def test_one_attention_masked_twice():
    for first, second, wrong in (("~mask", "mask", 1), ("mask", "mask", 0), ("~mask", "~mask", 0)):
        code = TWICE.format(first, second)
        findings = check_source(code.encode(), "x.py", Settings()).findings
        assert [each.code for each in findings] == ["ATN502"] * wrong


def test_two_attentions_that_see_what_the_other_does_not():
    assert check_source(FRONT_AND_BACK.encode(), "x.py", Settings()).findings == ()


NAMED = """
import torch

def attend(q, k, v, {name}):
    scores = q @ k.transpose(-1, -2)
    scores = scores.masked_fill({mask}, float("-inf"))
    return scores.softmax(-1) @ v
"""


@pytest.mark.parametrize(
    ("name", "mask", "fix"),
    [
        ("valid", "valid[:, None]", "valid[:, None] == 0"),
        ("valid_mask", "valid_mask == 1", "valid_mask != 1"),
        ("keep_mask", "keep_mask", "keep_mask == 0"),
    ],
)
def test_a_name_that_says_what_may_be_seen(name, mask, fix):
    code = NAMED.format(name=name, mask=mask)
    found = check_source(code.encode(), "x.py", Settings()).findings
    told = [(each.code, each.severity, each.fix and each.fix.line) for each in found]
    line = f'scores = scores.masked_fill({fix}, float("-inf"))'
    assert told == [("ATN502", "warning", line)]
    right = NAMED.format(name=name, mask=fix)
    assert check_source(right.encode(), "x.py", Settings()).findings == ()


@pytest.mark.parametrize("name", ["mask", "invalid", "pad_mask", "validated"])
def test_names_that_say_nothing_certain(name):
    code = NAMED.format(name=name, mask=name)
    assert check_source(code.encode(), "x.py", Settings()).findings == ()


LIBRARY = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.qkv = h, nn.Linear(d, 3 * d)
        self.layer = nn.MultiheadAttention(d, h, batch_first=True)

    def forward(self, x, pad):{same_line}
        {head}
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, C // self.h).permute(2, 0, 3, 1, 4)
        return {result}
"""
CALL = "F.scaled_dot_product_attention(q, k, v, attn_mask={})"
LAYER = "self.layer(x, x, x, key_padding_mask={})[0]"
GIVEN = "pad[:, None, None, :]"


def told(head, result, same_line=""):
    code = LIBRARY.format(head=head, result=result, same_line=same_line)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.fix and each.fix.line, each.message) for each in findings]


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("# pad: (B, T) True where padded", 'a comment says of `pad`: "True where padded"'),
        (
            "# pad: True for padded positions",
            'a comment says of `pad`: "True for padded positions"',
        ),
        (
            '"""Attention.\n\n        Args:\n            pad: True at padding\n        """',
            'the docstring says of `pad`: "True at padding"',
        ),
    ],
)
def test_masks_of_library_attention_of_which_only_words_say_that_they_are_boolean(head, words):
    ((code, fix, message),) = told(head, CALL.format(GIVEN))
    assert (code, fix) == ("ATN502", f"return {CALL.format('~' + GIVEN)}")
    assert words in message
    assert told(head, CALL.format(f"~{GIVEN}")) == []
    assert told(head, LAYER.format("pad")) == []
    ((code, fix, _),) = told(head, LAYER.format("~pad"))
    assert (code, fix) == ("ATN502", f"return {LAYER.format('pad')}")


def test_a_comment_behind_the_signature():
    comment = "  # pad: True where padded"
    assert [code for code, _, _ in told("pass", CALL.format(GIVEN), comment)] == ["ATN502"]


@pytest.mark.parametrize(
    "head",
    [
        # Numbers may be added, as a float mask is.
        "# pad: 0 where padded",
        "# pad: True where padded, made additive by the caller",
        "# pad: True for words",
        "pass  # other: True where padded",
    ],
)
def test_words_that_say_nothing_of_a_boolean(head):
    assert told(head, CALL.format(GIVEN)) == []


CALLED = """
import torch

{attend}

def model(x, ids, pad_id):
    return attend(x, x, x, {given})
"""
ATTEND = """def attend(q, k, v, {name}):
    {told}
    scores = q @ k.transpose(-1, -2)
    scores = scores.masked_fill({name}, float("-inf"))
    return scores.softmax(-1) @ v"""
METHOD = """class Attention(torch.nn.Module):
    def forward(self, q, k, v, {name}):
        {told}
        scores = q @ k.transpose(-1, -2)
        return scores.masked_fill({name}, -1e9).softmax(-1) @ v

attend = Attention()"""
#: a name, and a docstring, that say what may be seen
SAID = [
    {"name": "valid_mask", "told": ""},
    {
        "name": "mask",
        "told": '"""Attend.\n\n    Args:\n        mask: 1 for valid positions\n    """',
    },
]


@pytest.mark.parametrize("said", SAID, ids=["name", "docstring"])
@pytest.mark.parametrize("code", [ATTEND, METHOD], ids=["function", "method"])
@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ("(ids == pad_id)[:, None]", False),
        ("~(ids != pad_id).unsqueeze(1)", False),
        ("torch.triu(torch.ones(5, 5), 1) == 1", False),
        ("(ids != pad_id)[:, None]", True),
        ("torch.tril(torch.ones(5, 5)) == 1", True),
        # of what nothing is known the words go on counting
        ("ids[:, None]", True),
    ],
)
def test_what_callers_give_goes_before_words(said, code, given, wrong):
    if "class" in code:
        said = said | {"told": said["told"].replace("\n    ", "\n        ")}
    text = CALLED.format(attend=code.format(**said), given=given)
    findings = check_source(text.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} == ({"ATN502"} if wrong else set())
    if wrong:
        line = next(n for n, each in enumerate(text.splitlines(), 1) if "masked_fill" in each)
        assert [each.line for each in findings] == [line]


def test_callers_that_contradict_each_other_leave_the_words():
    code = CALLED.format(attend=ATTEND.format(**SAID[0]), given="(ids == pad_id)[:, None]")
    code += "\ndef other(x, ids, pad_id):\n    return attend(x, x, x, (ids != pad_id)[:, None])\n"
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line) == ("ATN502", 7)


MODULE = '''import torch
from torch import nn
class Cross(nn.Module):
    """Cross attention.{of_class}"""
    def __init__(self, d):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, 4, batch_first=True)
    def {method}(self, x, memory, memory_mask):{comment}
        return self.attn(x, memory, memory, key_padding_mask={given})[0]
'''
OF_CLASS = "\n\n    memory: (B, S, d); memory_mask: (B, S), {}\n    "


@pytest.mark.parametrize("given", ["memory_mask", "~memory_mask"])
@pytest.mark.parametrize(
    ("said", "hides"),
    [
        ("True for real tokens", False),
        ("1 = real, 0 = pad", False),
        ("True where padded", True),
        ("1 for padding", True),
    ],
)
@pytest.mark.parametrize("where", ["the class", "a comment"])
def test_what_a_layer_of_the_library_is_given(given, said, hides, where):
    parts = {"of_class": "", "comment": "", "method": "forward", "given": given}
    if where == "the class":
        parts["of_class"] = OF_CLASS.format(said)
    else:
        parts["comment"] = f"\n        # memory_mask: (B, S), {said}"
    findings = check_source(MODULE.format(**parts).encode(), "x.py", Settings()).findings
    wrong = hides == given.startswith("~")
    assert [each.code for each in findings] == ["ATN502"] * wrong
    assert all(f"{where} says of `memory_mask`" in each.message for each in findings) or (
        where == "the class" and "the docstring of the class" in findings[0].message
    )


def test_the_docstring_of_a_class_is_of_what_it_is_called_with():
    parts = {"comment": "", "method": "attend", "given": "memory_mask"}
    code = MODULE.format(of_class=OF_CLASS.format("True for real tokens"), **parts)
    assert check_source(code.encode(), "x.py", Settings()).findings == ()


def test_a_mask_made_into_one_that_is_added():
    given = "(1.0 - memory_mask) * -10000.0"
    parts = {"comment": "\n        # memory_mask: 1 = real, 0 = pad", "method": "forward"}
    code = MODULE.format(of_class="", given=given, **parts)
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
