"""What multi-head attention tells of its operands, and how it says what does not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Shape, shape_of
from attncheck.operators.events import Attention, Fault, Outcome
from attncheck.values.tensor import Tensor
from attncheck.values.value import FALSE, TRUE, UNKNOWN, Layer, Sequence, Value

from .calling import Names
from .calling import value as as_value

HEADS = "torch.nn.MultiheadAttention"


def items(value: Value) -> tuple[Value, ...]:
    assert isinstance(value, Sequence)
    assert value.items is not None
    return value.items


def over(names: Names, shapes: str, *, made: dict[str, Any] | None = None, **masks: str) -> Outcome:
    """Attention of 4 heads over query, key and value; masks by their shapes."""
    settings = {"embed_dim": names.size("d_model"), "num_heads": 4, "batch_first": True}
    called = [
        names.tensor(name, text)
        for name, text in zip("qkv", map(str.strip, shapes.split("|")), strict=True)
    ]
    given = {name: names.tensor(name, text) for name, text in masks.items()}
    return names.layer(HEADS, settings | (made or {}), *called, **given)


def test_self_attention_keeps_queries_and_keys_apart() -> None:
    names = Names()
    x = names.tensor("x", "B T_dec d_model")
    made = {"embed_dim": names.size("d_model"), "num_heads": 4, "batch_first": True}
    outcome = names.layer(HEADS, made, x, x, x)
    assert names.told(outcome.value) == "[(B, T_dec, d_model), (B, T_dec, T_dec)]"
    weights = items(outcome.value)[1]
    assert isinstance(weights, Tensor)
    assert isinstance(weights.shape, Shape)
    batch, query, key = weights.shape
    assert [axis.tag.side for axis in (batch, query, key) if axis.tag] == [0, 0, 1]
    assert [axis.normalised for axis in (batch, query, key)] == [frozenset(), frozenset(), {7}]
    event = outcome.event
    assert isinstance(event, Attention)
    assert (event.query, event.key) == (query, replace(key, normalised=frozenset()))


def test_weights_are_what_the_call_asks_for() -> None:
    names = Names()
    made = {"embed_dim": names.size("d_model"), "num_heads": 4, "batch_first": True}
    x, y = names.tensor("x", "B T_dec d_model"), names.tensor("y", "B T_enc d_model")
    for needed, averaged, told in (
        (TRUE, FALSE, "(B, 4, T_dec, T_enc)"),
        (FALSE, TRUE, "None"),
        (TRUE, UNKNOWN, "?"),
    ):
        outcome = names.layer(
            HEADS, made, x, y, y, need_weights=needed, average_attn_weights=averaged
        )
        assert names.told(outcome.value) == f"[(B, T_dec, d_model), {told}]"
    optional = items(names.layer(HEADS, made, x, y, y, need_weights=UNKNOWN).value)[1]
    assert isinstance(optional, Tensor)
    assert optional.optional


def test_keys_that_the_layer_adds_are_counted() -> None:
    names = Names()
    made = {"add_bias_kv": True, "add_zero_attn": True}
    outcome = over(names, "B T_dec d_model | B 7 d_model | B 7 d_model", made=made)
    assert names.told(outcome.value) == "[(B, T_dec, d_model), (B, T_dec, 9)]"


def test_heads_divide_the_width_from_here_on() -> None:
    names = Names()
    width, heads = names.size("width"), names.size("n_heads")
    assert names.facts.divisible(width, heads) is Verdict.UNKNOWN
    made = {"embed_dim": width, "num_heads": heads}
    over(names, "T_dec B width | T_enc B width | T_enc B width", made=made)
    assert names.facts.divisible(width, heads) is Verdict.EQUAL


CROSS = "B T_dec d_model | B T_enc d_model | B T_enc d_model"
#: Operands, settings, masks, the kind of contradiction, and what is said.
CLASHES = [
    (
        "B T_dec d_model | B T_enc d_h | B T_enc d_h",
        {},
        {},
        Fault.FEATURES,
        "takes d_model features in key, not d_h",
    ),
    (
        "B T_dec d_h | B T_enc d_h | B T_enc d_h",
        {"kdim": 3},
        {},
        Fault.FEATURES,
        "takes d_model features in query, not d_h",
    ),
    (
        "B T_dec d_model | T_enc d_model | T_enc d_model",
        {},
        {},
        Fault.RANK,
        "takes key of (B, T, d_model), not (T_enc, d_model)",
    ),
    (
        "B 4 T_dec d_model | B T_enc d_model | B T_enc d_model",
        {},
        {},
        Fault.RANK,
        "takes query of (B, T, d_model), not (B, 4, T_dec, d_model)",
    ),
    (
        CROSS,
        {"batch_first": False},
        {},
        Fault.AGREEMENT,
        "pairs a batch of T_dec in query with one of T_enc in key",
    ),
    (
        "B T_dec d_model | B T_enc d_model | B T_dec d_model",
        {},
        {},
        Fault.AGREEMENT,
        "weights T_dec values by T_enc keys",
    ),
    (
        CROSS,
        {},
        {"key_padding_mask": "B T_dec"},
        Fault.AGREEMENT,
        "takes key_padding_mask of (B, T_enc), not (B, T_dec)",
    ),
    (
        "... d_model | ... d_model | ... d_model",
        {},
        {"key_padding_mask": "B 1 1 T_enc"},
        Fault.RANK,
        "takes key_padding_mask of (B, S) or (S,), not (B, 1, 1, T_enc)",
    ),
    (
        CROSS,
        {},
        {"key_padding_mask": "B 1 T_enc"},
        Fault.RANK,
        "takes key_padding_mask of (B, S) or (S,), not (B, 1, T_enc)",
    ),
    (
        CROSS,
        {},
        {"attn_mask": "T_enc T_dec"},
        Fault.AGREEMENT,
        "takes attn_mask of (T_dec, T_enc), not (T_enc, T_dec)",
    ),
    (
        CROSS,
        {},
        {"attn_mask": "B 4 T_dec T_enc"},
        Fault.RANK,
        "takes attn_mask of (T_dec, T_enc) or (4*B, T_dec, T_enc), not (B, 4, T_dec, T_enc)",
    ),
    (
        "2 3 10 | 2 3 10 | 2 3 10",
        {"embed_dim": 10},
        {},
        Fault.SPLIT,
        "splits 10 features among 4 heads",
    ),
]


@pytest.mark.parametrize(("operands", "made", "masks", "fault", "text"), CLASHES)
def test_what_does_not_fit_is_said_as_shapes(
    operands: str, made: dict[str, Any], masks: dict[str, str], fault: Fault, text: str
) -> None:
    outcome = over(Names(), operands, made=made, **masks)
    assert outcome.clash is not None
    assert (outcome.clash.fault, outcome.clash.text) == (fault, text)


@pytest.mark.parametrize(("padding", "rank"), [("B T_enc", 3), ("T_enc", 2)])
def test_a_padding_mask_has_every_axis_but_the_features(padding: str, rank: int) -> None:
    names = Names()
    outcome = over(names, "... d_model | ... d_model | ... d_model", key_padding_mask=padding)
    output = items(outcome.value)[0]
    assert outcome.clash is None
    assert isinstance(output, Tensor)
    assert output.shape is not None
    assert output.shape.rank == rank


def test_a_mask_goes_unchecked_where_it_is_only_a_hint() -> None:
    names = Names()
    x = names.tensor("x", "B T_dec d_model")
    made = {"embed_dim": names.size("d_model"), "num_heads": 4, "batch_first": True}
    mask = names.tensor("mask", "T_enc T_enc")
    assert names.layer(HEADS, made, x, x, x, attn_mask=mask).clash is not None
    assert names.layer(HEADS, made, x, x, x, attn_mask=mask, is_causal=True).clash is None


def test_a_stack_is_like_the_layer_it_is_made_with() -> None:
    names = Names()
    settings = {"d_model": as_value(names.size("d_model")), "batch_first": TRUE}
    layer = Layer("torch.nn.TransformerDecoderLayer", settings)
    tgt, memory = names.tensor("tgt", "B T_dec d_model"), names.tensor("memory", "B T_enc d_h")
    path = "torch.nn.TransformerDecoder"
    outcome = names.layer(path, {"decoder_layer": layer, "num_layers": 6}, tgt, memory)
    assert outcome.clash is not None
    assert outcome.clash.text == "takes d_model features in memory, not d_h"
    stranger = names.layer(path, {"decoder_layer": UNKNOWN, "num_layers": 6}, tgt, memory)
    assert names.told(stranger.value) == "?"
    assert stranger.clash is None


def test_a_causal_mask_fits_what_it_was_made_for() -> None:
    names = Names()
    time = names.size("T_dec")
    path = "torch.nn.Transformer.generate_square_subsequent_mask"
    mask = names.call(path, time).value
    src = names.tensor("src", "T_dec B d_model")
    made = {"d_model": names.size("d_model"), "nhead": 8}
    outcome = names.layer("torch.nn.TransformerEncoderLayer", made, src, src_mask=mask)
    assert names.told(outcome.value) == "(T_dec, B, d_model)"
    outcome = names.layer(
        "torch.nn.TransformerEncoderLayer", made | {"batch_first": True}, src, src_mask=mask
    )
    assert outcome.clash is not None
    assert outcome.clash.text == "takes src_mask of (B, B), not (T_dec, T_dec)"


def test_the_function_takes_its_sizes_from_the_weights_it_is_given() -> None:
    names = Names()
    x = names.tensor("x", "T_dec B d_model")
    width = names.size("d_model")
    weight, out = Tensor(shape_of(width * 3, width)), names.tensor("o", "d_attn d_model")
    path = "torch.nn.functional.multi_head_attention_forward"
    rest = (None, None, None, False, 0.0, out, None)
    separate = {"use_separate_proj_weight": True, "need_weights": False}
    outcome = names.call(path, x, x, x, width, 4, None, *rest, **separate)
    assert names.told(outcome.value) == "[(T_dec, B, d_attn), None]"
    outcome = names.call(path, x, x, x, width, 4, weight, *rest)
    assert outcome.clash is None
    weight = names.tensor("w", "d_attn d_attn")
    outcome = names.call(path, x, x, x, width, 4, weight, *rest)
    assert outcome.clash is not None
    assert (
        outcome.clash.text == "takes in_proj_weight of (3*d_model, d_model), not (d_attn, d_attn)"
    )
