"""What recurrent layers tell about their input, and how they say what does not fit."""

from __future__ import annotations

from typing import Any

import pytest

from attncheck.operators.events import Fault, Outcome, Recurrence
from attncheck.values.value import UNKNOWN, Packed, Sequence

from .calling import Names, value


def encoder(names: Names, **settings: Any) -> dict[str, Any]:
    return {"input_size": names.size("d_e"), "hidden_size": names.size("d_h"), **settings}


def test_outputs_and_states_have_exact_sizes() -> None:
    names = Names()
    made = encoder(names, num_layers=2, batch_first=True, bidirectional=True)
    x = names.tensor("x", "B T_enc d_e")
    gru = names.layer("torch.nn.GRU", made, x)
    assert names.told(gru.value) == "[(B, T_enc, 2*d_h), (4, B, d_h)]"
    lstm = names.layer("torch.nn.LSTM", {**made, "proj_size": 3}, x)
    assert names.told(lstm.value) == "[(B, T_enc, 6), [(4, B, 3), (4, B, d_h)]]"


def test_an_unseen_input_is_batched_if_its_state_is() -> None:
    names = Names()
    x, loose = names.tensor("x", "..."), names.tensor("y", "...")
    state = names.tensor("h", "1 B d_h")
    outcome = names.layer("torch.nn.GRU", encoder(names), x, state)
    assert names.told(outcome.value) == "[(x_0, B, d_h), (1, B, d_h)]"
    outcome = names.layer("torch.nn.GRU", encoder(names), loose)
    assert names.told(outcome.value) == "[(..., d_h), (1, ..., d_h)]"
    assert names.told(loose) == "(..., d_e)"


def test_an_input_nothing_is_known_of_may_be_packed() -> None:
    names = Names()
    state = names.tensor("h", "1 B d_h")
    outcome = names.layer("torch.nn.GRU", encoder(names), UNKNOWN, state)
    assert names.told(outcome.value) == "[?, (1, B, d_h)]"


def test_a_size_that_may_be_no_projection_decides_nothing() -> None:
    names = Names()
    made = encoder(names, proj_size=value(names.tensor("p", "")))
    outcome = names.layer("torch.nn.LSTM", made, names.tensor("x", "T_enc B d_e"))
    assert names.told(outcome.value) == "[(T_enc, B, ?), [(1, B, ?), (1, B, d_h)]]"


@pytest.mark.parametrize(
    ("state", "made"), [("...", "(..., d_h)"), ("B d_h", "(B, d_h)"), ("d_h", "(d_h,)")]
)
def test_a_cell_has_the_axes_of_its_state_if_these_are_known(state: str, made: str) -> None:
    names = Names()
    step = names.layer("torch.nn.GRUCell", encoder(names), UNKNOWN, names.tensor("h", state))
    assert names.told(step.value) == made


AXES = [
    ("T B d_e", {}, 0, 1),
    ("B T d_e", {"batch_first": True}, 1, 0),
    ("T d_e", {"batch_first": True}, 0, None),
    ("T B d_e", {"batch_first": UNKNOWN}, None, None),
]


@pytest.mark.parametrize(("shape", "settings", "time", "batch"), AXES)
def test_the_event_says_which_axis_was_taken_for_time(
    shape: str, settings: dict[str, Any], time: int | None, batch: int | None
) -> None:
    names = Names()
    outcome = names.layer("torch.nn.RNN", encoder(names, **settings), names.tensor("x", shape))
    assert outcome.event == Recurrence("rnn", time, batch)


#: Layer, settings, input, states, and what is said.
CLASHES = [
    ("GRU", {}, "T B d_h", None, Fault.FEATURES, "takes d_e features, not d_h"),
    ("GRU", {}, "B T 2 d_e", None, Fault.RANK, "takes (T, B, d_e) or (T, d_e), not (B, T, 2, d_e)"),
    (
        "GRU",
        {"batch_first": True},
        "d_e",
        None,
        Fault.RANK,
        "takes (B, T, d_e) or (T, d_e), not (d_e,)",
    ),
    (
        "GRU",
        {"bidirectional": True},
        "T B d_e",
        ("1 B d_h",),
        Fault.FEATURES,
        "takes a first state of (2, B, d_h), not (1, B, d_h)",
    ),
    (
        "GRU",
        {"batch_first": True},
        "B T d_e",
        ("1 T d_h",),
        Fault.AGREEMENT,
        "starts from states of T sequences, and is given B with T steps",
    ),
    (
        "GRU",
        {},
        "T B d_e",
        ("B d_h",),
        Fault.RANK,
        "takes a first state of (1, B, d_h), not (B, d_h)",
    ),
    (
        "GRU",
        {},
        "T B d_e",
        ("1 B d_h", "1 B d_h"),
        Fault.RANK,
        "takes one first state, not a tuple of them",
    ),
    (
        "LSTM",
        {},
        "T B d_e",
        ("1 B d_h",),
        Fault.RANK,
        "takes a pair of first states (h, c), not one tensor (1, B, d_h)",
    ),
    (
        "LSTM",
        {"proj_size": 3},
        "T B d_e",
        ("1 B 3", "1 B d_e"),
        Fault.FEATURES,
        "takes a first cell state of (1, B, d_h), not (1, B, d_e)",
    ),
    (
        "GRUCell",
        {},
        "B d_e",
        ("1 B d_h",),
        Fault.RANK,
        "takes a first state of (B, d_h), not (1, B, d_h)",
    ),
    (
        "LSTMCell",
        {},
        "B d_e",
        ("B d_h",),
        Fault.RANK,
        "takes a pair of first states (h, c), not one tensor (B, d_h)",
    ),
    ("GRUCell", {}, "B 1 d_e", None, Fault.RANK, "takes (B, d_e) or (d_e,), not (B, 1, d_e)"),
]


@pytest.mark.parametrize(("layer", "settings", "x", "states", "fault", "text"), CLASHES)
def test_what_does_not_fit_is_said_as_shapes(
    layer: str,
    settings: dict[str, Any],
    x: str,
    states: tuple[str, ...] | None,
    fault: Fault,
    text: str,
) -> None:
    names = Names()
    given = [names.tensor(f"h{index}", state) for index, state in enumerate(states or ())]
    called = [names.tensor("x", x)]
    outcome = names.layer(
        f"torch.nn.{layer}",
        encoder(names, **settings),
        *called,
        *([] if not given else [given[0] if len(given) == 1 else tuple(given)]),
    )
    assert outcome.clash is not None
    assert (outcome.clash.fault, outcome.clash.text) == (fault, text)


def pack(names: Names, x: str, lengths: str, **keywords: Any) -> Outcome:
    return names.call(
        "torch.nn.utils.rnn.pack_padded_sequence",
        names.tensor("x", x),
        names.tensor("lengths", lengths),
        **keywords,
    )


def test_packed_sequences_keep_all_but_the_padding() -> None:
    names = Names()
    packed = pack(names, "B T_enc d_e", "B", batch_first=True)
    assert isinstance(packed.value, Packed)
    outcome = names.layer("torch.nn.GRU", encoder(names, bidirectional=True), packed.value)
    assert outcome.event == Recurrence("gru", None, None, packed=True)
    assert isinstance(outcome.value, Sequence)
    assert outcome.value.items is not None
    output, state = outcome.value.items
    assert names.told(state) == "(2, B, d_h)"
    padded = names.call("torch.nn.utils.rnn.pad_packed_sequence", output, batch_first=True)
    assert names.told(padded.value) == "[(B, longest, 2*d_h), (B,)]"
    padded = names.call("torch.nn.utils.rnn.pad_packed_sequence", output, total_length=9)
    assert names.told(padded.value) == "[(9, B, 2*d_h), (B,)]"


def test_the_steps_of_a_padded_output_are_what_its_use_forces() -> None:
    names = Names()
    packed = pack(names, "T_enc B d_e", "B")
    padded = names.call("torch.nn.utils.rnn.pad_packed_sequence", packed.value, batch_first=True)
    assert isinstance(padded.value, Sequence)
    assert padded.value.items is not None
    weights = names.tensor("weights", "B 1 T_enc")
    names.call("torch.bmm", weights, padded.value.items[0])
    assert names.told(padded.value) == "[(B, T_enc, d_e), (B,)]"


#: A padded batch, its lengths, arguments, and what is said.
UNPACKABLE = [
    ("T_enc B d_e", "T_enc", {}, Fault.AGREEMENT, "packs B sequences with T_enc lengths"),
    (
        "T_enc B d_e",
        "B",
        {"batch_first": True, "enforce_sorted": False},
        Fault.AGREEMENT,
        "packs T_enc sequences with B lengths",
    ),
    ("T_enc B d_e", "B 1", {}, Fault.RANK, "takes lengths of (B,), not (B, 1)"),
    ("T_enc", "B", {}, Fault.RANK, "packs a padded batch of (T, B, ...), not (T_enc,)"),
]


@pytest.mark.parametrize(("x", "lengths", "keywords", "fault", "text"), UNPACKABLE)
def test_what_cannot_be_packed_is_said(
    x: str, lengths: str, keywords: dict[str, Any], fault: Fault, text: str
) -> None:
    outcome = pack(Names(), x, lengths, **keywords)
    assert outcome.clash is not None
    assert (outcome.clash.fault, outcome.clash.text) == (fault, text)
