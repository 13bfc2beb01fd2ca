"""Shapes in docstrings, in the forms that tie them to a name; everything else is prose."""

import pytest

from attncheck.evidence.dimensions import Scope
from attncheck.evidence.docstrings import DocClaim, read_docstring

WORDS = "encoder_states decoder_state query key keys value x y mask lengths W_q W_k W_v state h"
NAMES = frozenset(WORDS.split())


def parameters(text, names=NAMES):
    return {name: claim.shape for name, claim in read_docstring(text, names).parameters.items()}


def returns(text):
    found = read_docstring(text, NAMES).returns
    return [None if claim is None else (claim.name, claim.shape) for claim in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # numpy style
        ("encoder_states : ndarray, shape (T_enc, d_h)", "(T_enc, d_h)"),
        ("encoder_states : (T_enc, d_h)", "(T_enc, d_h)"),
        ("encoder_states : array of shape (n, m)", "(n, m)"),
        ("encoder_states : np.ndarray of shape (n_samples, n_features)", "(n_samples, n_features)"),
        ("encoder_states : array-like of shape (n_samples,)", "(n_samples,)"),
        ("encoder_states : torch.Tensor (B, T, C)", "(B, T, C)"),
        ("encoder_states : torch.Tensor, shape (B,)", "(B,)"),
        ("encoder_states : float array, shape (T, d), optional", "(T, d)"),
        # a few words that say what it holds
        (
            ":param encoder_states: keys   [batch_size, seq_len, hidden_size]",
            "[batch_size, seq_len, hidden_size]",
        ),
        (
            ":param encoder_states: optional mask [batch_size, 1, seq_len]",
            "[batch_size, 1, seq_len]",
        ),
        (
            "encoder_states (FloatTensor): query vectors ``(batch, tgt_len, dim)``",
            "(batch, tgt_len, dim)",
        ),
        ("encoder_states: the last hidden state (n_layers, B, d_s).", "(n_layers, B, d_s)"),
        (
            ":param encoder_states: encoder states, shape (batch_size, src_len, encoder.hidden)",
            "(batch_size, src_len, encoder.hidden)",
        ),
        # Google style
        ("encoder_states (Tensor): (T_enc, d_h) the annotations", "(T_enc, d_h)"),
        ("encoder_states: shape [B, T, D]", "[B, T, D]"),
        ("encoder_states: (batch, tgt_len, dim)", "(batch, tgt_len, dim)"),
        ("encoder_states: encoder states, shape (T_enc, d_h)", "(T_enc, d_h)"),
        ("encoder_states (torch.Tensor): Input of shape (B, T, C).", "(B, T, C)"),
        ("encoder_states (Tensor, optional): of shape (B, T)", "(B, T)"),
        ("encoder_states (optional): (B, T)", "(B, T)"),
        ("encoder_states (T_enc, d_h): what to attend to", "(T_enc, d_h)"),
        (
            "encoder_states (`torch.FloatTensor` of shape `(batch_size, seq_length, hidden)`):",
            "(batch_size, seq_length, hidden)",
        ),
        (
            "encoder_states (`torch.Tensor` of shape `(batch_size,)`, *optional*):",
            "(batch_size,)",
        ),
        ("encoder_states: a Tensor with shape [batch, length_q, channels]", None),
        ("encoder_states: bool tensor `(B, T)`. True = invalid.", "(B, T)"),
        # reST fields
        (":param encoder_states: tensor of shape (B, T, C)", "(B, T, C)"),
        (":param torch.Tensor encoder_states: shape (B, T, C)", "(B, T, C)"),
        ("@param encoder_states: (B, T, C)", "(B, T, C)"),
        # free style
        ("encoder_states: (T_enc, d_h)", "(T_enc, d_h)"),
        ("encoder_states: [B, T, C]", "[B, T, C]"),
        ("``encoder_states``: ``(B, T)``", "(B, T)"),
        ("`encoder_states`: `(B, T)`", "(B, T)"),
        ("**encoder_states**: (B, T)", "(B, T)"),
        ("- **encoder_states** (B, T, C): what to attend to", "(B, T, C)"),
        ("encoder_states        [batch x src_len x dim]", "[batch x src_len x dim]"),
        ("encoder_states [batch, src_len] over which words were read", "[batch, src_len]"),
        ("- encoder_states: [B, T, C]", "[B, T, C]"),
        ("* encoder_states: (B, T, C) inputs", "(B, T, C)"),
        ("encoder_states  (T, d) all of them", "(T, d)"),
        ("encoder_states - (B, T)", "(B, T)"),
        ("encoder_states: (T_enc, d_h).", "(T_enc, d_h)"),
        ("encoder_states: (d_attn, d_s + d_h)", "(d_attn, d_s + d_h)"),
        ("encoder_states: (B, n_heads, T, 64)", "(B, n_heads, T, 64)"),
        ("encoder_states: (..., T, d)", "(..., T, d)"),
        ("encoder_states: shape (T)", "(T)"),
        ("encoder_states: (d_s,) with d_s = n_heads * d_k", "(d_s,)"),
    ],
)
def test_parameters(line, expected):
    text = f"Attend.\n\n    {line}\n    "
    if expected is None:
        expected = "[batch, length_q, channels]"
    assert parameters(text) == {"encoder_states": expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- Input: (N, L, E)", "(N, L, E)"),
        ("* Input: :math:`(N, L, E)` where N is the batch", "(N, L, E)"),
        ("Input shape: (p, zeta)", "(p, zeta)"),
        ("Shape:\n    - Input: (p, zeta)\n    - Output: (N, L)", "(p, zeta)"),
        ("Inputs: (B, T, C)", "(B, T, C)"),
        # neither of these is a shape, or the shape of everything that comes in
        ("Input: (p, zeta)", None),
        ("Input: (N, L, E) or (L, E)", None),
        ("Input: (B, C, H, W), (B, C_g, H, W)", None),
        ("Output: (N, L, E)", None),
        ("The input is (N, L, E)", None),
    ],
)
def test_the_one_input(text, expected):
    found = read_docstring(f"Attend.\n\n{text}\n", ["x"], 1, "x").parameters
    assert found.get("x") is None if expected is None else found["x"].shape == expected
    assert parameters(f"Attend.\n\n{text}\n") == {}


@pytest.mark.parametrize(
    "text",
    [
        "Input x has shape (B, T, C).",
        "x is of shape (B, T, C).",
        "The input x with shape (B, T, C).",
    ],
)
def test_a_sentence_about_a_shape(text):
    assert parameters(f"Attends. {text} Everything else follows.") == {"x": "(B, T, C)"}


def test_several_names_share_a_shape():
    assert parameters("W_q, W_k, W_v: (d_model, d_model)") == {
        "W_q": "(d_model, d_model)",
        "W_k": "(d_model, d_model)",
        "W_v": "(d_model, d_model)",
    }


def test_the_shape_may_stand_in_the_description():
    text = """Attend.

    Parameters
    ----------
    encoder_states : torch.Tensor
        What to attend to, of shape (B, T_enc, d_h).
    mask : torch.Tensor, optional
        True where padding is. Tensor of shape
        (B, T_enc).
    """
    assert parameters(text) == {"encoder_states": "(B, T_enc, d_h)", "mask": "(B, T_enc)"}


def test_google_sections():
    text = """Attend.

    Args:
        query: decoder states, shape (B, T_dec, d_k)
        key (Tensor): (B, T_enc, d_k)
        x (int): how many of (B, T)

    Returns:
        query: (B, T_dec, d_v)

    Raises:
        value: (B, T)
    """
    found = read_docstring(text, NAMES, line=10)
    assert {name: claim.shape for name, claim in found.parameters.items()} == {
        "query": "(B, T_dec, d_k)",
        "key": "(B, T_enc, d_k)",
    }
    assert found.parameters["key"] == DocClaim(
        "key", "(B, T_enc, d_k)", 14, "key (Tensor): (B, T_enc, d_k)"
    )
    assert returns(text) == [("query", "(B, T_dec, d_v)")]


def test_sentences_that_are_nothing_but_shapes():
    text = "query (B, T_dec, d_k), key (B, T_enc, d_k) and value is (B, T_enc, d_v)."
    assert parameters(text) == {
        "query": "(B, T_dec, d_k)",
        "key": "(B, T_enc, d_k)",
        "value": "(B, T_enc, d_v)",
    }
    assert parameters("query (B, T, d), other (B, S, d).") == {}


def test_a_signature_in_words():
    text = "decoder_state (d_h,), encoder_states (T_enc, d_h) -> context (d_h,), weights (T_enc,)."
    assert parameters(text) == {"decoder_state": "(d_h,)", "encoder_states": "(T_enc, d_h)"}
    assert returns(text) == [("context", "(d_h,)"), ("weights", "(T_enc,)")]


def test_two_claims_that_differ_are_none():
    assert parameters("x: (B, T)\ny: (B, T)\nx: (T, B)") == {"y": "(B, T)"}
    assert parameters("x: (B, T)\ny: (B,)\nx: (B, T)") == {"x": "(B, T)", "y": "(B,)"}


@pytest.mark.parametrize(
    "line",
    [
        # numbers that a description counts
        "x: size of the input (height, width)",
        "x: input resolution (H, W)",
        "x: number of states (batch, heads)",
        "x: order of the axes of the output (batch, time, dim)",
        "x: what the layer is called (batch, dim)",
        "x: hidden states (B, T, d) of the encoder (B, S, d)",
        # types, defaults and options in brackets
        "x (int, optional): number of heads",
        "x (optional)",
        "x (tensor)",
        "x (tensor): the states",
        "x (Tensor, optional): the states",
        "x (bool, default: True): (batch first)",
        "x: whether to (default: None)",
        "x (default None): the mask",
        "x (`int`, *optional*, defaults to 32): width",
        "x (`str` or `os.PathLike`, *optional*): a path",
        "x (Union[str, Path]): directory",
        "x (Optional[Dict[str, Any]]): keywords",
        "x (List[Callable[[str, nn.Module], bool]]): hooks",
        "x (dict[str, Vocab]): see `Vocab`",
        "x (float, optional): a scale in (0, 1)",
        "x (int): how many of (B, T)",
        "x : int, (B, T)",
        "x: int tuple (height, width)",
        "x: tuple[int, int]. Height and width of the image",
        "x (tuple[int, int]): (height, width)",
        # tuples of values
        "x: (hidden, cell)",
        "state: (h, c)",
        "state: tuple (h, c) of shape (B, d)",
        "x: (inputs, targets)",
        "x: (features, labels)",
        "x: (tokens, lengths)",
        "x: (src_tokens, src_lengths)",
        "x: (query, key, value)",
        "x: (q, k, v)",
        "x: (row, col)",
        "x: (height, width)",
        "x: (x, y) coordinates",
        "x: (start, end)",
        "x: (mean, std)",
        "x: list of tuples of (param, setting)",
        "x: in [0, 1]",
        "x: [0, 1]",
        "x: (0.9, 0.999)",
        "x: image in [0, 255].",
        "x: points in (x, y).",
        # of something else
        "x: a function of labels, returning a Tensor of shape [batch, height, width]",
        "x: list of tensors, each of shape (B, T)",
        "x (`List[Tensor]`, each of shape `(batch_size, sequence_length)`):",
        "x (tuple of Tensor): of shape (B, T)",
        "x: Original image sizes (height, width) per image.",
        "x (int): the output has shape (B, T)",
        "x: whether the output shape (B, T) is kept",
        "x: dict of tensors of shape (B, T)",
        "x (`Output`): (B, T)",
        # alternatives and conditions
        "x: (B, T) or (T,)",
        "x: (B, T) or None",
        "x: (B, T, d) if batch_first else (T, B, d)",
        "x: either (B, T) mask",
        "x (`torch.Tensor` of shape `(4,)` or `(num_boxes, 4)`): boxes",
        "x: shape (B, T) when training",
        "x: (B, T), before transposing",
        "x: of shape (B, T), of shape (T, B)",
        "x: (L, N, E) unless batched",
        "x: must have size (B, T)",
        # prose and code
        "x is projected (see Bahdanau, 2015)",
        "x: see (Bahdanau, 2015)",
        "x: the states (see above)",
        "x: the states [1]",
        "x: the states (B, T)",
        "x, and then (B, T)",
        "x (B) is the batch",
        ">>> x = torch.randn(B, T)",
        ">>> x: (B, T)",
        "x = f(B, T)",
        "x(B, T)",
        "x.view(B, T)",
        "x: f(B, T)",
        "x: shape (optional, default)",
        "x: of shape (the same, as x)",
        "x: of shape ()",
        "x: of shape (B, patch_size**2)",
        "x: size of (B, T)",
        "x: (B, T",
        ":type x: (B, T)",
        ":return x: (B, T)",
        "z: (B, T)",
        "x, z: (B, T)",
        "the x: (B, T)",
        "x",
        "",
    ],
)
def test_lines_that_claim_nothing_of_a_parameter(line):
    assert parameters(f"Attend.\n\n    {line}\n    ") == {}


def test_doubt_may_come_in_the_next_line():
    assert parameters("x: (B, T)\n    or (T,) without a batch") == {}
    assert parameters("x: (B, T)\n    if it is batched") == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Returns:\n    The context (B, d_h) and the weights (B, T_enc).", "context weights"),
        ("Returns:\n    context, shape (B, d_h), and weights, shape (B, T_enc)", "context weights"),
        ("Returns:\n    context (B, d_h), weights (B, T_enc)", "context weights"),
        ("Returns:\n    context: (B, d_h)\n    weights: (B, T_enc)", "context weights"),
        ("Returns:\n    context (Tensor): (B, d_h)\n    weights: (B, T_enc)", "context weights"),
        ("Returns the context (B, d_h)\nand the weights (B, T_enc).", "context weights"),
        ("returns: context (B, d_h), weights (B, T_enc)", "context weights"),
        (":returns: context (B, d_h) and weights (B, T_enc)", "context weights"),
        (
            "Returns\n-------\ncontext : ndarray, shape (B, d_h)\nweights : (B, T_enc)\n",
            "context weights",
        ),
    ],
)
def test_two_results(text, expected):
    names = expected.split()
    assert returns(text) == [(names[0], "(B, d_h)"), (names[1], "(B, T_enc)")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Returns (T_enc,) weights.", ("weights", "(T_enc,)")),
        ("Returns:\n    Tensor of shape (B, T)", (None, "(B, T)")),
        (
            "Returns:\n    `torch.Tensor` of shape `(batch_size,)`: one a row",
            (None, "(batch_size,)"),
        ),
        ("Returns:\n    (B, T_dec, d_v)", (None, "(B, T_dec, d_v)")),
        ("Returns\n-------\nndarray, shape (T_enc, d_h)\n", (None, "(T_enc, d_h)")),
        (":return: tensor of shape (B, T)", (None, "(B, T)")),
        ("Attend. Returns the context (d_h,).", ("context", "(d_h,)")),
    ],
)
def test_one_result(text, expected):
    assert returns(text) == [expected]


def test_a_result_without_a_shape_keeps_its_place():
    text = "Returns:\n    loss: a number\n    weights: (B, T_enc)\n"
    assert returns(text) == [None, ("weights", "(B, T_enc)")]


@pytest.mark.parametrize(
    "text",
    [
        "Returns (context, weights).",
        "Returns the tuple (context, weights)",
        "Returns (features, labels)",
        "Returns (x, y) and (h, c)",
        "Returns:\n    a dict of Tensors of shape (B, T)",
        "Returns:\n    tuple of Tensor, each of shape (B, T)",
        "Returns:\n    Unbatched (T, d), batched (B, T, d)",
        "Returns:\n    (B, T) or (T,)",
        "Returns the loss, a single number, and the weights (B, T_enc).",
        "Returns:\n    The states, then some prose\n    of shape (B, T) that goes on\n    and on.",
        "Returns True if (B, T) fits",
        "Returns:\n    list[str]: names (a, b)",
        "It returns early (see above).",
        "Attend. (B, T)",
    ],
)
def test_results_that_are_not_told(text):
    assert returns(text) == []


def test_a_section_of_results_ends():
    text = "Returns:\n    weights: (B, T_enc)\n\nNotes follow.\nx: (B, T)"
    assert returns(text) == [("weights", "(B, T_enc)")]
    assert parameters(text) == {"x": "(B, T)"}


def test_lines_are_those_of_the_file():
    claims = read_docstring("Attend.\n\nx: (B, T)\n\nReturns:\n    y: (B,)\n", NAMES, line=7)
    assert claims.parameters["x"].line == 9
    assert [claim.line for claim in claims.returns if claim is not None] == [12]


def test_a_claim_is_read_over_the_callers_symbols():
    scope = Scope()
    claim = read_docstring("x: (B, 2*d_h)", NAMES).parameters["x"]
    shape = claim.read(scope.symbol)
    assert shape is not None
    assert shape.sizes() == (scope.size("B"), 2 * scope.size("d_h"))


def test_hostile_text_ends():
    assert parameters("x: " + "(" * 10_000) == {}
    assert parameters("x: " + "(B, " * 10_000) == {}
    assert parameters("x" + " (B, T), x" * 3_000 + ".") == {"x": "(B, T)"}
    assert parameters("x (B, T), " * 3_000 + "and so on.") == {"x": "(B, T)"}
    assert parameters("a, " * 20_000 + ": (B, T)") == {}
    assert parameters("x" + " " * 20_000 + "y") == {}
    assert parameters("\n".join(" " * depth + "x: (B, T)" for depth in range(1_000))) == {
        "x": "(B, T)"
    }
    assert returns("Returns:\n  a" + " " * 20_000 + "b (B, T)") == [("b", "(B, T)")]
    assert returns("Returns " + "a (B, T), " * 3_000 + "b.") == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("query and keys are (B, T).", "query keys"),
        ("query, keys and value are both (B, T)", "query keys value"),
        ("query, keys, and value are (B, T)", "query keys value"),
        ("The loss. query and keys have shape (B, T), mask (B, T)", "query keys mask"),
        ("query and keys are (B, T) or (T, B)", ""),
        ("the query and keys are (B, T)", ""),
        ("query and others are (B, T)", ""),
        ("query and keys (B, T)", ""),
    ],
)
def test_one_shape_for_several_names(text, names):
    assert parameters(text) == dict.fromkeys(names.split(), "(B, T)")
