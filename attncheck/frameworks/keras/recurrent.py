"""Keras' recurrent layers, their cells, and what wraps them."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import unrolled
from attncheck.values.value import Const

TABLE = Table("keras")

_L = "keras.layers"
_MADE = "units, activation:inner=tanh, recurrent_activation=sigmoid, use_bias=True"
_WAYS = (
    "return_sequences=False, return_state=False, go_backwards=False, stateful=False, "
    "time_major=False"
)
for _kind, _name in (("rnn", "SimpleRNN"), ("gru", "GRU"), ("lstm", "LSTM")):
    _made = _MADE if _kind != "rnn" else "units, activation:inner=tanh, use_bias=True"
    for _path in (f"{_L}.{_name}", f"{_L}.CuDNN{_name}")[: 1 if _kind == "rnn" else 2]:
        TABLE.add_layer(
            _path,
            unrolled.unrolled,
            f"{_made}, *, {_WAYS}, **options",
            "sequences:x, *, initial_state:state=None, mask=None, training=None",
            kind=Const(_kind),
        )
    TABLE.add_layer(
        f"{_L}.{_name}Cell",
        unrolled.cell,
        f"{_made}, **options",
        "inputs:x, states:state, training=None",
        kind=Const(_kind),
    )
    TABLE.add_features(f"{_L}.{_name} {_L}.{_name}Cell", "units")
TABLE.add_layer(
    f"{_L}.RNN",
    unrolled.over_cell,
    f"cell, {_WAYS}, **options",
    "sequences:x, initial_state:state=None, mask=None, training=None",
)
TABLE.add_layer(
    f"{_L}.Bidirectional",
    unrolled.both_ways,
    "layer, merge_mode=concat, weights=None, backward_layer=None, **options",
    "sequences:x, initial_state:state=None, mask=None, training=None",
)
