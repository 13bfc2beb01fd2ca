"""The single edits that the tool must find, explain and undo.

A rendition is attention as somebody writes it (`renditions/`); an edit changes one place of it.
`accepts` maps each name under which the wrong tensor may be reported to the shape that it should
have: an operand that is written `W_a.T` may be called `W_a.T` or `W_a`, but either way the shape
wanted is that of the operand where it stands.
"""

from dataclasses import dataclass
from pathlib import Path

RENDITIONS = Path(__file__).with_name("renditions")


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of one rendition, and what must be said about it.

    `at` are the lines of the edited file at which the finding may be reported: the edited line,
    unless the edit only changes what a later operation is given. `restores` is whether undoing
    the edit is the fix; where it is not, the test says what a fix must do instead.
    """

    rendition: str
    original: str
    edited: str
    codes: tuple[str, ...]
    accepts: tuple[tuple[str, tuple[str | int, ...]], ...]
    at: tuple[str, ...]
    restores: bool = True

    @property
    def unedited_source(self):
        return source(self.rendition)

    @property
    def source(self):
        before = self.unedited_source
        assert before.count(self.original) == 1, (self.rendition, self.original)
        return before.replace(self.original, self.edited)

    @property
    def edited_line(self):
        """The number of the line that the edit changes."""
        pairs = zip(self.unedited_source.split("\n"), self.source.split("\n"), strict=True)
        (number,) = (i for i, (old, new) in enumerate(pairs, 1) if old != new)
        return number

    @property
    def fixed_line(self):
        """The line as it was before the edit, without its indentation."""
        return self.unedited_source.split("\n")[self.edited_line - 1].strip()

    @property
    def lines(self):
        """The numbers of the lines at which the finding may be reported."""
        if not self.at:
            return {self.edited_line}
        stripped = [line.strip() for line in self.source.split("\n")]
        assert all(stripped.count(line) == 1 for line in self.at), self.at
        return {stripped.index(line) + 1 for line in self.at}

    def __str__(self):
        return f"{self.rendition}: {' '.join(self.edited.split())}"


def source(rendition):
    return (RENDITIONS / f"{rendition}.py").read_text(encoding="utf-8")


def edits(codes, shape, *rows, also=(), at=(), restores=True):
    """One edit per row (rendition, original, edited, names of the tensor), all to be `shape`.

    `also` are further (name, shape) pairs that are right in every row.
    """
    made = []
    for rendition, original, edited, *names in rows:
        accepts = (*((name, shape) for name in names), *also)
        made.append(Edit(rendition, original, edited, codes, accepts, at, restores))
    return made


TRANSPOSED_W_A = edits(
    ("ATN102",),
    ("d_attn", "d_s"),
    ("additive_docstring", "W_a @ decoder_state", "W_a.T @ decoder_state", "W_a.T", "W_a"),
    ("additive_bare", "W_a @ decoder_state", "W_a.T @ decoder_state", "W_a.T", "W_a"),
    ("additive_compact", "W_a @ decoder_state", "W_a.T @ decoder_state", "W_a.T", "W_a"),
    ("additive_comments", "np.dot(W_a, dec", "np.dot(W_a.T, dec", "W_a.T", "W_a"),
    ("additive_distinct", "W_a @ decoder_state", "W_a.T @ decoder_state", "W_a.T", "W_a"),
    ("additive_padding", "W_a @ decoder_state", "W_a.T @ decoder_state", "W_a.T", "W_a"),
    ("additive_padding_equal", "W_a @ decoder_state", "W_a.T @ decoder_state", "W_a.T", "W_a"),
)

UNTRANSPOSED_U_A = edits(
    ("ATN102",),
    ("d_h", "d_attn"),
    ("additive_docstring", "encoder_states @ U_a.T", "encoder_states @ U_a", "U_a"),
    ("additive_bare", "encoder_states @ U_a.T", "encoder_states @ U_a", "U_a"),
    ("additive_compact", "encoder_states @ U_a.T", "encoder_states @ U_a", "U_a"),
    ("additive_comments", "np.dot(encoder_states, U_a.T)", "np.dot(encoder_states, U_a)", "U_a"),
    ("additive_distinct", "encoder_states @ U_a.T", "encoder_states @ U_a", "U_a"),
    ("additive_padding", "encoder_states @ U_a.T", "encoder_states @ U_a", "U_a"),
    ("additive_padding_equal", "encoder_states @ U_a.T", "encoder_states @ U_a", "U_a"),
    ("additive_batched", "encoder_states @ U_a.T", "encoder_states @ U_a", "U_a"),
    ("additive_batched_bare", "encoder_states @ U_a.T", "encoder_states @ U_a", "U_a"),
    ("additive_batched_equal", "encoder_states @ U_a.T", "encoder_states @ U_a", "U_a"),
)

SWAPPED_W_A = edits(
    ("ATN102",),
    ("d_s", "d_attn"),
    ("additive_docstring", "W_a @ decoder_state", "decoder_state @ W_a", "W_a"),
    ("additive_bare", "W_a @ decoder_state", "decoder_state @ W_a", "W_a"),
    ("additive_compact", "W_a @ decoder_state", "decoder_state @ W_a", "W_a"),
    ("additive_comments", "np.dot(W_a, decoder_state)", "np.dot(decoder_state, W_a)", "W_a"),
    ("additive_distinct", "W_a @ decoder_state", "decoder_state @ W_a", "W_a"),
    ("additive_padding_equal", "W_a @ decoder_state", "decoder_state @ W_a", "W_a"),
    ("additive_batched", "decoder_state @ W_a.T", "decoder_state @ W_a", "W_a"),
    ("additive_batched_bare", "decoder_state @ W_a.T", "decoder_state @ W_a", "W_a"),
    ("additive_batched_equal", "decoder_state @ W_a.T", "decoder_state @ W_a", "W_a"),
)

SWAPPED_CONTEXT = edits(
    ("ATN102",),
    ("d_h", "T_enc"),
    (
        "additive_docstring",
        "weights @ encoder_states",
        "encoder_states @ weights",
        "encoder_states",
    ),
    ("additive_bare", "weights @ encoder_states", "encoder_states @ weights", "encoder_states"),
    ("additive_compact", "weights @ encoder_states", "encoder_states @ weights", "encoder_states"),
    (
        "additive_comments",
        "np.dot(weights, encoder_states)",
        "np.dot(encoder_states, weights)",
        "encoder_states",
    ),
    ("additive_distinct", "alpha @ encoder_states", "encoder_states @ alpha", "encoder_states"),
    ("additive_padding", "weights @ encoder_states", "encoder_states @ weights", "encoder_states"),
)

MEMORY_T = ("encoder_states.T", "encoder_states")
TRANSPOSED_MEMORY = edits(
    ("ATN102",),
    ("T_enc", "d_h"),
    ("additive_docstring", "weights @ encoder_states", "weights @ encoder_states.T", *MEMORY_T),
    ("additive_bare", "weights @ encoder_states", "weights @ encoder_states.T", *MEMORY_T),
    ("additive_compact", "weights @ encoder_states", "weights @ encoder_states.T", *MEMORY_T),
    ("additive_comments", "(weights, encoder_states)", "(weights, encoder_states.T)", *MEMORY_T),
    ("additive_distinct", "alpha @ encoder_states", "alpha @ encoder_states.T", *MEMORY_T),
    ("additive_padding", "weights @ encoder_states", "weights @ encoder_states.T", *MEMORY_T),
)

ENC_T = ("projected_enc.T", "projected_enc")
SUM, SUM_T = "projected_enc + projected_dec", "projected_enc.T + projected_dec"
PROJECTION = "encoder_states @ U_a.T"
TRANSPOSED_SUM = edits(
    ("ATN110",),
    ("T_enc", "d_attn"),
    ("additive_bare", SUM, SUM_T, *ENC_T),
    ("additive_distinct", "keys + query", "keys.T + query", "keys.T", "keys"),
    ("additive_padding", PROJECTION, f"({PROJECTION}).T", f"({PROJECTION}).T", PROJECTION),
)
# The demo gives T_enc and d_attn one number, so that here the code would run.
TRANSPOSED_SUM_HIDDEN = edits(
    ("ATN110", "ATN202"),
    ("T_enc", "d_attn"),
    ("additive_docstring", SUM, SUM_T, *ENC_T),
    ("additive_compact", PROJECTION, f"({PROJECTION}).T", f"({PROJECTION}).T", PROJECTION),
    ("additive_comments", SUM, SUM_T, *ENC_T),
    ("additive_padding_equal", SUM, SUM_T, *ENC_T),
)

SCORES_COLUMN = edits(
    ("ATN201",),
    ("T_enc",),
    (
        "additive_padding",
        "np.sum(hidden * v_a, axis=1)",
        "np.sum(hidden * v_a, axis=1, keepdims=True)",
        "scores",
        "np.exp(scores - scores.max())",
        "np.sum(hidden * v_a, axis=1, keepdims=True)",
    ),
    at=(
        "scores = np.sum(hidden * v_a, axis=1, keepdims=True)",
        "shares = np.exp(scores - scores.max()) * keep",
    ),
) + edits(
    ("ATN201",),
    # Where all sizes of the demo are equal, the axis has the name of its tensor.
    ("encoder_states_0",),
    (
        "additive_padding_equal",
        "@ v_a)",
        "@ v_a.reshape(-1, 1))",
        f"np.exp(np.tanh({SUM}) @ v_a.reshape(-1, 1))",
        f"np.tanh({SUM}) @ v_a.reshape(-1, 1)",
    ),
    also=(("v_a.reshape(-1, 1)", ("d_attn",)),),
)

SOFTMAX_AXIS = edits(
    ("ATN301",),
    ("B", "T_enc"),
    ("additive_batched", "scores, axis=1", "scores, axis=0", "scores", "weights"),
    ("additive_batched_equal", "scores, axis=-1", "scores, axis=0", "scores", "weights"),
    (
        "additive_batched_bare",
        "exp_scores.sum(axis=1,",
        "exp_scores.sum(axis=0,",
        "scores",
        "exp_scores",
        "weights",
    ),
    also=(("exp_scores.sum(axis=0, keepdims=True)", ("B", 1)),),
)


def bidirectional(rendition, original, edited, at):
    """The encoder's states become twice as wide as the decoder's: the dot score has no value."""
    return edits(
        ("ATN109",),
        ("T_enc", "d_hidden"),
        (rendition, original, edited, "encoder_states"),
        also=(("decoder_state", ("2*d_hidden",)),),
        at=(at,),
        restores=False,
    )


QUERY_KEY_SIZE = [
    *bidirectional(
        "dot_docstring",
        "encoder states, shape (T_enc, d_hidden)",
        "encoder states, shape (T_enc, 2*d_hidden)",
        "scores = encoder_states @ decoder_state",
    ),
    *bidirectional(
        "dot_demo",
        "encoder_states = rng.standard_normal((T_enc, d_hidden))",
        "encoder_states = rng.standard_normal((T_enc, 2 * d_hidden))",
        "scores = np.dot(encoder_states, decoder_state)",
    ),
    *bidirectional(
        "dot_comments",
        "encoder_states,  # (T_enc, d_hidden)",
        "encoder_states,  # (T_enc, 2*d_hidden)",
        "scores = encoder_states @ decoder_state  # (T_enc,)",
    ),
    *bidirectional(
        "dot_bidirectional",
        "np.add(forward_states, backward_states)",
        "np.concatenate([forward_states, backward_states], axis=1)",
        "weights = softmax(encoder_states @ decoder_state)",
    ),
]

UNTRANSPOSED_W = edits(
    ("ATN102",),
    ("d_h", "d_s"),
    ("general_docstring", "W.T @ decoder_state", "W @ decoder_state", "W"),
    ("general_bare", "W.T @ decoder_state", "W @ decoder_state", "W"),
    ("general_equal", "W.T @ decoder_state", "W @ decoder_state", "W"),
    ("general_distinct", "encoder_states @ W.T", "encoder_states @ W", "W"),
)

EDITS = [
    *TRANSPOSED_W_A,
    *UNTRANSPOSED_U_A,
    *SWAPPED_W_A,
    *SWAPPED_CONTEXT,
    *TRANSPOSED_MEMORY,
    *TRANSPOSED_SUM,
    *TRANSPOSED_SUM_HIDDEN,
    *SCORES_COLUMN,
    *SOFTMAX_AXIS,
    *QUERY_KEY_SIZE,
    *UNTRANSPOSED_W,
]
UNEDITED = sorted(path.stem for path in RENDITIONS.glob("*.py"))
