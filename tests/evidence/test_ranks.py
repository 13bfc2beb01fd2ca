"""Numbers of axes that prose tells, in forms too free to be held against the code."""

import pytest

from attncheck.evidence.ranks import prose_ranks


@pytest.mark.parametrize(
    "docstring, rank",
    [
        ("Args:\n    x: input with shape [b x s x d]\n", 3),
        ("x(Tensor): states of shape `T*B*H` where `T` is time\n", 3),
        (":param x: keys   [batch_size, seq_len, hidden_size]\n:param y: (batch, 1)\n", 3),
        ("The shape of `x` is (the max number of words, batch num, dim).\n", 3),
        ("x : Tensor\n    a 2D tensor\n", 2),
        ("x (torch.Tensor): of shape (batch_size, 1, src_length)\n", 3),
        ("x: a (batch, features) input\n", None),
        ("x: of shape (b, t, d) or (b, d)\n", None),
        ("x: either (see above, and below, and so on)\n", None),
        ("y: of shape (b, t)\n", None),
    ],
)
def test_docstrings(docstring, rank):
    assert prose_ranks(docstring, [], ["x"]).get("x") == rank


@pytest.mark.parametrize(
    "comment, rank",
    [
        ("# x has shape [b, s_x, d]", 3),
        ("# Shape of x: (batch_size, no. of queries, d)", 3),
        ("# x.shape == (B, T)", 2),
        ("# x: 3D tensor, lens: 1D or 2D tensor", 3),
        ("# x: 1D or 2D tensor", None),
        ("# max.x: 3D tensor", None),
    ],
)
def test_comments(comment, rank):
    assert prose_ranks("", [comment], ["x"]).get("x") == rank


def test_what_contradicts_itself_tells_nothing():
    assert prose_ranks("x: a 2D tensor\n", ["# x has shape [b, t, d]"], ["x"]) == {}
