"""ATN305: what was joined is cut apart as if its parts stood in the other order."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

ACROSS = """import torch
from torch import nn
import torch.nn.functional as F

class Decoupled(nn.Module):
    def __init__(self, dim, n):
        super().__init__()
        self.n = n
        self.q, self.k, self.k_image = (nn.Linear(dim, dim) for _ in range(3))
        self.shared = nn.Linear(dim, dim)

    def forward(self, x, context):
        {cut}
        q = self.q(x)
        a = F.scaled_dot_product_attention(q, {text}, text)
        return a + F.scaled_dot_product_attention(q, {image}, image)

class Block(nn.Module):
    def __init__(self, dim, n):
        super().__init__()
        self.n, self.dim = n, dim
        self.image = nn.Linear(dim, n * dim)
        self.attention = Decoupled(dim, n)

    def forward(self, x, text, embedding):
        image = self.image(embedding).reshape(-1, self.n, self.dim)
        return self.attention(x, torch.cat({joined}, dim=1))
"""
JOINED = "[text, image]"
FOUND = "image, text = context[:, :self.n], context[:, self.n:]"
FIXED = "text, image = context[:, :-self.n], context[:, -self.n:]"


def found(cut, joined=JOINED, text="self.k(text)", image="self.k_image(image)"):
    code = ACROSS.format(cut=cut, joined=joined, text=text, image=image)
    return [
        (each.code, each.severity, each.line, each.fix and each.fix.line)
        for each in check_source(code.encode(), "x.py", Settings()).findings
    ]


@pytest.mark.parametrize(
    ("cut", "line", "fix"),
    [
        (FOUND, 13, FIXED),
        (
            "image, text = context[:, : self.n, :], context[:, self.n :, :]",
            13,
            "text, image = context[:, :-self.n, :], context[:, -self.n:, :]",
        ),
        (
            "text, image = context[:, self.n:], context[:, :self.n]",
            13,
            "text, image = context[:, :-self.n], context[:, -self.n:]",
        ),
        ("text = context[:, self.n:]\n        image = context[:, :self.n]", 14, None),
    ],
)
def test_the_last_part_is_taken_from_the_front(cut, line, fix):
    assert found(cut) == [("ATN305", "warning", line, fix)]


@pytest.mark.parametrize(
    "cut",
    [
        FIXED,
        "image, text = context[:, -self.n:], context[:, :-self.n]",
        "at = context.size(1) - self.n\n        text, image = context[:, :at], context[:, at:]",
        # One of them alone may be what is wanted of the whole.
        "image = context[:, :self.n]\n        text = context",
    ],
)
def test_cuts_in_the_order_of_the_join(cut):
    assert found(cut) == []


def test_the_other_order_of_the_join():
    assert found(FOUND, joined="[image, text]") == []


def test_parts_of_one_length_may_be_either():
    assert found(FOUND, joined="[text[:, :self.n], image]") == []


@pytest.mark.parametrize(
    ("text", "image"),
    [
        # A queue that lets go of as many steps as it is given.
        ("text", "image"),
        ("self.k(text)", "image"),
        # One layer for all: which place is in which part does not matter to it.
        ("self.shared(text)", "self.shared(image)"),
    ],
)
def test_parts_that_no_layer_of_their_own_reads(text, image):
    assert found(FOUND, text=text, image=image) == []
