"""torch's recurrent layers and cells, and the packing of sequences for them."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import ragged, recurrent
from attncheck.values.value import Const

TABLE = Table("torch")

_SIZES = "input_size, hidden_size"
_REST = "bias:has_bias=True, batch_first=False, dropout=0.0, bidirectional=False"
_FACTORY = "device=None, dtype=None"
#: Kind -> (layer, cell, gates, parameters between the sizes and the bias, behind the direction).
_KINDS = {
    "rnn": ("RNN", "RNNCell", "", "nonlinearity=tanh, ", ""),
    "lstm": ("LSTM", "LSTMCell", "4*", "", ", proj_size=0"),
    "gru": ("GRU", "GRUCell", "3*", "", ""),
}
for _kind, (_layer, _cell, _gates, _before, _behind) in _KINDS.items():
    _gated = f"{_gates}hidden_size"
    _inputs = {"ih": f"{_gated} input_size", "hh": f"{_gated} hidden_size"}
    TABLE.add_layer(
        f"torch.nn.{_layer}",
        recurrent.recurrent,
        f"{_SIZES}, num_layers=1, {_before}{_REST}{_behind}, {_FACTORY}",
        "input:x, hx:state=None",
        # Those of the first layer; an LSTM that projects its states has others for them.
        {f"weight_{name}_l0": text for name, text in _inputs.items() if not _behind or name == "ih"}
        | {f"bias_{name}_l0": f"{_gated} if has_bias" for name in _inputs},
        kind=Const(_kind),
    )
    TABLE.add_layer(
        f"torch.nn.{_cell}",
        recurrent.cell,
        f"{_SIZES}, bias:has_bias=True, {_before}{_FACTORY}",
        "input:x, hx:state=None",
        {f"weight_{name}": text for name, text in _inputs.items()}
        | {f"bias_{name}": f"{_gated} if has_bias" for name in _inputs},
        kind=Const(_kind),
    )

_RNN = "torch.nn.utils.rnn"
TABLE.add(
    f"{_RNN}.pack_padded_sequence",
    ragged.pack_padded,
    "input:x, lengths, batch_first=False, enforce_sorted=True",
)
TABLE.add(f"{_RNN}.pack_sequence", ragged.pack, "sequences:xs, enforce_sorted=True")
TABLE.add(
    f"{_RNN}.pad_packed_sequence",
    ragged.pad_packed,
    "sequence:x, batch_first=False, padding_value=0.0, total_length=None",
)
TABLE.add(
    f"{_RNN}.PackedSequence",
    ragged.packed_from,
    "data, batch_sizes:steps=None, sorted_indices=None, unsorted_indices=None",
)
TABLE.add_property(f"{_RNN}.PackedSequence.data", ragged.packed_data)
TABLE.add_property(f"{_RNN}.PackedSequence.batch_sizes", ragged.packed_steps)
