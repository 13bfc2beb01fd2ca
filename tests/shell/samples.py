"""An attention function with a bug, and the finding about it that the specification shows."""

from attncheck.finding import (
    DecidedAt,
    Edit,
    ExpectedPart,
    Finding,
    FixPart,
    Refused,
    Span,
    TensorPart,
    TraceStep,
)

ATTENTION = """\
import numpy as np


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    projected_dec = W_a @ decoder_state
    # one row for each encoder position
    projected_enc = encoder_states @ U_a
    return np.tanh(projected_dec + projected_enc) @ v_a
"""

TRANSPOSED = Finding(
    code="ATN102",
    name="transposed-operand",
    severity="error",
    path="attn.py",
    span=Span(7, 21, 7, 41),
    function="additive_attention",
    message="`encoder_states @ U_a` contracts d_h with d_attn",
    tensor=TensorPart(
        "U_a",
        ("d_attn", "d_h"),
        DecidedAt(5, "role"),
        "from its role in tanh(W_a s + U_a h)",
    ),
    expected=ExpectedPart(
        ("d_h", "d_attn"),
        "as used here, so that (T_enc, d_h) @ (d_h, d_attn) = (T_enc, d_attn)",
    ),
    fix=FixPart(
        "projected_enc = encoder_states @ U_a.T",
        "transpose U_a",
        "safe",
        (Edit(Span(7, 38, 7, 41), "U_a.T"),),
    ),
    refused=(Refused("projected_enc = U_a * 2", "broadcasts (d_attn,) over (T_enc, d_h)"),),
    regression=("assert projected_enc.shape == (T_enc, d_attn)",),
    trace=(
        TraceStep(7, "encoder_states", ("T_enc", "d_h"), "role"),
        TraceStep(7, "U_a", ("d_attn", "d_h"), "role"),
        TraceStep(5, "projected_dec", ("d_attn",), "code"),
    ),
)
