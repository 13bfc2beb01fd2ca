"""Shape comments at the end of a line, and the prose that must not be read as one."""

import pytest

from attncheck.engine import check_source
from attncheck.evidence.comments import about_parameter, claims, read_comment, standing_claims
from attncheck.evidence.dimensions import Scope
from attncheck.settings import Settings


def shape(line):
    found = claims([line])
    if not found:
        return None
    read = found[1].read(Scope().symbol)
    return None if read is None else str(read)


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# (B, T, T)", "(B, T, T)"),
        ("# [B, T, C]", "(B, T, C)"),
        ("#(B,T,C)", "(B, T, C)"),
        ("## (B, T)", "(B, T)"),
        ("# (B, T).", "(B, T)"),
        ("# `(B, T)`", "(B, T)"),
        ("# B x T x C", "(B, T, C)"),
        ("# batch x time", "(batch, time)"),
        ("# (B x T x C)", "(B, T, C)"),
        ("# n_head x len_inp x d_model", "(n_head, len_inp, d_model)"),
        ("# B × T", "(B, T)"),
        ("# -> (B, T)", "(B, T)"),
        ("# => (B, T)", "(B, T)"),
        ("# → (B, T)", "(B, T)"),
        ("# --> [N, C1, W, C2]", "(N, C1, W, C2)"),
        ("# (B, T, d) -> (B, T)", "(B, T)"),
        ("# [M, K, C*N] -> [M, K, C, N]", "(M, K, C, N)"),
        ("# (B, nh, T, hs) x (B, nh, hs, T) -> (B, nh, T, T)", "(B, nh, T, T)"),
        ("# (B, T, d) @ (d, e) -> (B, T, e)", "(B, T, e)"),
        ("# (B, T) -> (B, 1, T) -> (B, h, T)", "(B, h, T)"),
        ("# shape: (T_enc, d_attn)", "(T_enc, d_attn)"),
        ("# shape (b, num_tokens, d_out)", "(b, num_tokens, d_out)"),
        ("# Shape: (b, num_tokens, d_out)", "(b, num_tokens, d_out)"),
        ("# shape = (2, 3)", "(2, 3)"),
        ("# output shape: (B, T)", "(B, T)"),
        ("# torch.Size([2, 3, 4])", None),
        ("# shape(batch_size, 64*32)", "(batch_size, 2048)"),
        ("# (T_enc,)", "(T_enc,)"),
        ("# [B]", "(B,)"),
        ("# (..., L, 1)", "(..., L, 1)"),
        ("# (B, n_heads, T_dec, T_enc)", "(B, n_heads, T_dec, T_enc)"),
        ("# (batch_size, seq_len, hidden_dim)", "(batch_size, seq_len, hidden_dim)"),
        ("# (bsz, slen, hsz)", None),
        ("# (B, T//2, C0)", "(B, T//2, C0)"),
        ("# (n + 1,)", "(n + 1,)"),
        ("# (batch, time, channels)", "(batch, time, channels)"),
        ("# (b, h, i, j)", "(b, h, i, j)"),
        ("# (2*d_h, d_s)", "(2*d_h, d_s)"),
        ("# (B, S, H * D)", "(B, S, H*D)"),
    ],
)
def test_claims(comment, expected):
    assert shape(f"x = f(y)  {comment}") == expected


@pytest.mark.parametrize(
    ("comment", "subject", "written"),
    [
        ("# scores: (B, T)", "scores", "(B, T)"),
        ("# logits: (bs, num_choice)", "logits", "(bs, num_choice)"),
        ("# weights = [B, T]", "weights", "[B, T]"),
        ("# scores.shape = (B, T)", "scores", "(B, T)"),
        ("# x: (B, T, d) -> (B, T)", "x", "(B, T)"),
        ("# values shape == (B, T, d)", "values", "(B, T, d)"),
        ("# query hidden state shape == (B, d)", "query", "(B, d)"),
        ("# mask shape is (B, T)", "mask", "(B, T)"),
        ("# shape: (B, T)", None, "(B, T)"),
        ("# (B, T)", None, "(B, T)"),
    ],
)
def test_subjects(comment, subject, written):
    claim = read_comment(comment)
    assert claim is not None
    assert (claim.subject, claim.shape, claim.words) == (subject, written, comment)


@pytest.mark.parametrize(
    "comment",
    [
        # prose with brackets
        "# see (Bahdanau, 2015)",
        "# (Bahdanau, 2015)",
        "# (Luong et al., 2015)",
        "# [Bahdanau, 2015]",
        "# (see above)",
        "# (optional)",
        "# (optional, default)",
        "# (inclusive, exclusive)",
        "# (default: None)",
        "# (batch first)",
        "# (in, out)",
        "# (x, y)",
        "# (i, j)",
        "# (row, col)",
        "# (start, end)",
        "# (mean, std)",
        "# (min, max)",
        "# (left, right)",
        "# (lower, upper)",
        "# (a, b)",
        "# (token 2)",
        "# (deg)",
        "# a, (attentions)",
        "# [Register tokens] https://arxiv.org/abs/2309.16588",
        # axes, as often as one axis of so many elements
        "# [B*T*H]",
        "# [B*T*2H]->[B*T*H]",
        "# shape: (B*T)",
        # tuples of values
        "# (h, c)",
        "# (hidden, cell)",
        "# (h, w)",
        "# (width, height)",
        "# (q, k, v)",
        "# (Q, K, V)",
        "# (K, V)",
        "# (key, value)",
        "# (query, key, value)",
        "# (src, tgt)",
        "# (features, labels)",
        "# (tokens, lengths)",
        "# (src_tokens, src_lengths)",
        "# (batch, labels)",
        "# (W, b)",
        "# (context, weights)",
        "# (input_ids, attention_mask)",
        "# [CLS, SEP]",
        "# [CLS]",
        "# [p2, p3, p4, p5]",
        "# (LSTM, GRU)",
        "# (loss, logits)",
        # numbers that are values, ranges and lists
        "# (1)",
        "# [1]",
        "# (1, 2)",
        "# [0, 1]",
        "# [0, 255] -> [0, 1]",
        "# [2, 3, 4]",
        "# range [0.1, 1.9]",
        "# (0.9, 0.999)",
        "# [-1, 1]",
        "# [0, T)",
        "# [start:end]",
        "# (2, 32, 32, 48)",
        "# (B, 0)",
        # calls, types and tool comments
        "# type: ignore[misc]",
        "# noqa: E501 (B, T)",
        "# range(10)",
        "# f(B, T)",
        "# np.zeros((B, T))",
        "# x.view(B, T)",
        "# permute(1, 0, 2)",
        "# .contiguous()",
        "# List[int]",
        "# TODO(B, T)",
        "# if (B, T)",
        "# attncheck: ignore[outer-broadcast]",
        "# Float['b n']",
        # alternatives, several shapes, and shapes amid prose
        "# (B, T) or (T,)",
        "# (B, T) or None",
        "# (B, T), (B, S)",
        "# each (B, T)",
        "# (B, T) bool",
        "# now attend over (B, T)",
        "# flatten (B, T) first",
        "# add batch dimension (B, T)",
        "# make it (B, T, C)",
        "# see (a) -> (B, T)",
        "# scores of the first head -> (B, T)",
        "# (B)",
        "# (T_enc)",
        "# ()",
        "# []",
        "# (B, T",
        "# B, T",
        # times that are no shapes
        "# 2 x faster",
        "# 3 x 4",
        "# 10 x larger than before",
        "# cats x dogs",
        "# x x x",
        "# 4 x GPU",
        "# B x T x",
        "# B * T",
        "#",
        "# nothing at all",
    ],
)
def test_prose(comment):
    assert shape(f"x = f(y)  {comment}") is None


def test_only_comments_behind_code_are_claims():
    assert claims(["# (B, T)", "    # (B, T)", "x = y  # (B, T)"]).keys() == {3}


@pytest.mark.parametrize(
    "line",
    [
        'x = "# (B, T)"',
        "x = '# (B, T)'",
        "x = f('#', '(B, T)')",
        r"x = 'it\'s # (B, T)'",
        'x = """# (B, T)"""',
        "print('a', \"# (B, T)\")",
    ],
)
def test_a_hash_in_a_string_is_no_comment(line):
    assert claims([line]) == {}


@pytest.mark.parametrize(
    "line",
    [
        'x = einsum("bt,bth->bh", w, h)  # (B, T)',
        "x = f('#')  # (B, T)",
        r"x = 'it\'s'  # (B, T)",
        '    "b t d -> b d t")  # (B, T)',
        "x = y  # (B, T)\r",
    ],
)
def test_a_comment_behind_a_string_is_one(line):
    assert claims([line])[1].shape == "(B, T)"


def test_lines_count_from_one():
    found = claims(["import torch", "", "q = x @ w  # (B, T, d)", "k = q", "s = q  # [B, T]"])
    assert {line: claim.shape for line, claim in found.items()} == {3: "(B, T, d)", 5: "[B, T]"}


def test_long_lines_end():
    assert claims(["x = 1  # " + "(B, " * 5000]) == {}
    assert claims(["x = '" + "a" * 100_000 + " # (B, T)"]) == {}
    assert claims(["x = 1  # " + "(B, T) x " * 5000 + "-> (B, T)"]) == {}


FUNCTION = """
# x: [batch, time]
def f(x, src):
    #src = [src len, batch size]
    y = x + src
    # y = (batch, time)
    src = src.t()
    # src: (batch, time)


def g(y): pass
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [("x", "(batch, time)"), ("src", "(src_len, batch_size)"), ("y", None)],
)
def test_comments_on_lines_of_their_own(name, expected):
    lines = FUNCTION.split("\n")
    claim = about_parameter(standing_claims(lines), lines, lines.index("def f(x, src):") + 1, name)
    read = None if claim is None else claim.read(Scope().symbol)
    assert (None if read is None else str(read)) == expected


def test_a_comment_after_the_name_was_assigned_is_about_something_else():
    lines = ["def f(x):", "    x = x.t()", "    # x: (T, B)", "    return x"]
    assert about_parameter(standing_claims(lines), lines, 1, "x") is None


def test_prose_on_a_line_of_its_own_is_no_claim():
    assert standing_claims(["# see [the paper, section 3]", "# x is (B, T)", "# (B, T)"]) == {}


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        (
            "# alpha: (B, T), h: (B, T, d)",
            {"alpha": "(B, T)", "h": "(B, T, d)"},
        ),
        ("# q, k, v: (B, T, d)", {"q": "(B, T, d)", "k": "(B, T, d)", "v": "(B, T, d)"}),
        ("# q and k: (B, T); v = (B, S)", {"q": "(B, T)", "k": "(B, T)", "v": "(B, S)"}),
        ("# q (B, T, d), k (B, S, d)", {"q": "(B, T, d)", "k": "(B, S, d)"}),
        ("def f(q, k):  # q: (B, T, d), k: (B, S, d)", {"q": "(B, T, d)", "k": "(B, S, d)"}),
        # Prose, calls and pairs are none.
        ("# attention (B, T, d)", {}),
        ("# q and k (B, T, d)", {}),
        ("# see f(B, T), g(B, T) for q: (B, T)", {}),
        ("# q: (B, T), where B is the batch", {}),
        ("# q: (x, y), k: (B, T)", {}),
        ('text = "# q: (B, T), k: (B, T)"', {}),
    ],
)
def test_shapes_of_several_names_in_one_comment(comment, expected):
    found = standing_claims([comment]).get(1, ())
    assert {claim.subject: claim.shape for claim in found} == expected


def test_a_comment_of_many_names_is_read_in_no_time():
    assert standing_claims(["# " + "a, " * 40 + "(B"]) == {}
    assert standing_claims(["# " + "a (B, T) " * 12 + "!"]) == {}


def test_functions_that_are_made_of_fields_stand_nowhere():
    code = (
        "from flax import linen as nn\n\nclass Layer(nn.Module):\n    features: int\n\n"
        "    @nn.compact\n    def __call__(self, x):\n        # x: (B, T, d)\n"
        "        return nn.Dense(self.features)(x)\n"
    )
    result = check_source(code.encode(), "x.py", Settings())
    assert (result.status, result.findings) == ("checked", ())
