"""What docstrings say of masks: whether true hides a position."""

import pytest

from attncheck.evidence.mask_prose import mask_claims, read_mask

HIDES = [
    "values to mask should be True",
    "(B, T) bool tensor, True for padding",
    "where ``True`` indicates padding",
    "1 = pad, 0 = real token",
    "Boolean mask. True values are ignored.",
    "True where tokens should not be attended to",
    "a tensor where masked positions are 1",
    "If a ByteTensor is provided, the non-zero positions are not allowed to attend while the zero"
    " positions will be unchanged. If a FloatTensor is provided, it will be added to the weights.",
    "0 for keep, 1 for mask",
    "False for valid positions",
    "0=keep 1=drop",
]
SHOWS = [
    "mask out keys position (0 in invalid positions, 1 else), shape (batch_size, 1, src_length)",
    "Attention weights are masked out if their corresponding mask value is `False`.",
    "Mask values selected in `[0, 1]`: - 1 for tokens that are **not masked**, - 0 for tokens that"
    " are **masked**.",
    "True = keep",
    "(B, 1, T), 1 where position is a real token and 0 where it is a pad",
    "(batch, seq_len) mask with ones at non-padding positions",
    "positions with 0 will not be attended to",
    "tensor of 0s and 1s, 0 for pad tokens",
    "(B, S), 1=keep 0=drop",
    "True where there is a token",
    "bool, True for every word",
]
SILENT = [
    "mask tensor of shape (B, 1, 1, T)",
    "whether to mask (True) or not",
    "If True, use a causal mask",
    "binary mask 1/0 indicating which keys have zero / non-zero mask",
    "additive mask, 0 for valid positions and -inf for padding",
    "1 for padding, 1 for valid positions",
    "padding mask of dimension 1",
    "True for special tokens",
    "True for a token of the query that is of no use",
    "decoder hidden states of shape T*B*H where T == 1",
]


@pytest.mark.parametrize("text", HIDES)
def test_true_hides(text):
    claim = read_mask(text.replace("`", "").replace("*", ""))
    assert claim is not None and claim.hides


@pytest.mark.parametrize("text", SHOWS)
def test_true_shows(text):
    claim = read_mask(text.replace("`", "").replace("*", ""))
    assert claim is not None and not claim.hides


@pytest.mark.parametrize("text", SILENT)
def test_nothing_is_said(text):
    assert read_mask(text) is None


DOCSTRINGS = [
    "Attend.\n\nArgs:\n    q: queries\n    mask: (B, T), True for padding\n",
    "Attend.\n\nArgs:\n    q: queries\n    mask (Tensor): (B, T),\n        True for padding",
    "Attend.\n\n:param q: queries\n:param mask: True for padding\n:return: context",
    "Attend.\n\nParameters\n----------\nq : array\nmask : array\n    True for padding.\n",
]


@pytest.mark.parametrize("text", DOCSTRINGS)
def test_forms_of_docstrings(text):
    claims = mask_claims(text, ["q", "mask"])
    assert {name: claim.hides for name, claim in claims.items()} == {"mask": True}
    assert mask_claims(text, ["q", "bias"]) == {}


SENTENCES = [
    "q (B, T, d), mask (B, T): True for real tokens.",
    "Attend.\n\nq: (B, T, d); mask: (B, T) bool, True on valid frames",
    "Attends with q to where the mask is True for valid positions.",
    "q is what asks. `mask` (B, T) - 1 for real tokens, 0 for padding",
]


@pytest.mark.parametrize("text", SENTENCES)
def test_masks_told_of_within_a_sentence(text):
    claims = mask_claims(text, ["q", "mask"])
    assert {name: claim.hides for name, claim in claims.items()} == {"mask": False}


@pytest.mark.parametrize(
    "text",
    [
        "mask (B, T), q (B, T, d): True for real tokens",  # of the queries
        "The mask hides. True for real tokens.",
        "mask (B, T): True for padding, mask (B, 1): True for real tokens",
        "Masks: mask\n\nTrue for real tokens",
    ],
)
def test_what_is_told_of_something_else(text):
    assert mask_claims(text, ["q", "mask"]) == {}
