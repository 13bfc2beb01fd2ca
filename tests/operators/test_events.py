"""Events say where axes went, and clashes what contradicts what, in the words findings use."""

from __future__ import annotations

import random
from typing import Any

import pytest

from attncheck.algebra.facts import Verdict
from attncheck.algebra.reshape import Order
from attncheck.operators.events import (
    Attention,
    Contraction,
    Fault,
    Outcome,
    Permutation,
    Reduction,
    Reshaping,
    Squeeze,
)

from .calling import Names, shape

PRODUCTS = [
    ("torch.matmul", "2 3 4 5", "3 5 6"),
    ("torch.matmul", "4 5", "2 3 5 6"),
    ("torch.matmul", "5", "2 5 6"),
    ("torch.matmul", "2 4 5", "5"),
    ("torch.matmul", "5", "5"),
    ("torch.bmm", "2 4 5", "2 5 6"),
    ("torch.mv", "4 5", "5"),
    ("numpy.dot", "2 4 5", "3 5 6"),
    ("numpy.inner", "2 4 5", "3 5"),
    ("numpy.outer", "4", "5"),
]


@pytest.mark.parametrize(("path", "left", "right"), PRODUCTS)
def test_contractions_say_where_each_axis_went(path: str, left: str, right: str) -> None:
    names = Names()
    x, y = names.tensor("x", left), names.tensor("y", right)
    outcome = names.call(path, x, y)
    event = outcome.event
    assert isinstance(event, Contraction)
    out = shape(outcome).sizes()
    for operand, moves in ((x, event.left_to), (y, event.right_to)):
        assert operand.shape is not None
        sizes = operand.shape.sizes()
        assert len(moves) == len(sizes)
        summed = event.left_axes if operand is x else event.right_axes
        for axis, to in enumerate(moves):
            assert (to is None) == (axis in summed)
            assert to is None or out[to] == sizes[axis]


def test_permutations_compose_to_what_they_say() -> None:
    source = random.Random(5)
    for path, arguments in (
        ("torch.Tensor.permute", (2, 0, 3, 1)),
        ("torch.Tensor.transpose", (-1, 1)),
        ("torch.Tensor.movedim", (1, -1)),
        ("numpy.ndarray.T", ()),
        ("numpy.moveaxis", ((0, 1), (-1, -2))),
    ):
        names = Names()
        sizes = source.sample(range(2, 30), 4)
        x = names.tensor("x", " ".join(map(str, sizes)))
        outcome = names.call(path, x, *arguments)
        assert isinstance(outcome.event, Permutation)
        found = [size.number for size in shape(outcome).sizes() if size is not None]
        assert found == [sizes[axis] for axis in outcome.event.order]


def test_axes_in_events_count_from_the_front_where_the_front_is_known() -> None:
    names = Names()
    closed = names.call("torch.Tensor.sum", names.tensor("x", "B T d"), -1).event
    assert closed == Reduction("sum", (2,), keepdims=False)
    loose = names.call("torch.Tensor.sum", names.tensor("y", "..."), -1).event
    assert loose == Reduction("sum", (-1,), keepdims=False)


def test_a_bare_squeeze_names_what_it_risks() -> None:
    names = Names()
    outcome = names.call("torch.Tensor.squeeze", names.tensor("x", "B 1 T 8"))
    assert outcome.event == Squeeze((1,), bare=True, risky=(0, 2))
    assert str(shape(outcome)) == "(B, T, 8)"


def test_a_view_that_deals_elements_out_is_seen() -> None:
    names = Names()
    sizes = [names.size(text) for text in ("B", "n_heads", "T", "d_k")]
    x = names.tensor("x", "B T n_heads d_k")
    outcome = names.call("torch.Tensor.view", x, sizes)
    assert isinstance(outcome.event, Reshaping)
    assert outcome.event.outcome.order is Order.SCRAMBLED
    assert outcome.clash is None


def test_library_attention_names_its_axes() -> None:
    names = Names()
    q, k = names.tensor("q", "B T_dec d_k"), names.tensor("k", "B T_enc d_k")
    outcome = names.call(
        "torch.nn.functional.scaled_dot_product_attention", q, k, names.tensor("v", "B T_enc d_v")
    )
    assert str(shape(outcome)) == "(B, T_dec, d_v)"
    assert isinstance(outcome.event, Attention)
    assert (str(outcome.event.query), str(outcome.event.key)) == ("T_dec", "T_enc")


def _clash(path: str, *shapes: Any) -> Outcome:
    names = Names()
    arguments = [
        names.tensor(f"x{i}", text) if isinstance(text, str) else text
        for i, text in enumerate(shapes)
    ]
    outcome = names.call(path, *arguments)
    assert outcome.clash is not None
    return outcome


@pytest.mark.parametrize(
    ("path", "arguments", "fault", "text"),
    [
        ("torch.matmul", ("T_enc d_h", "d_attn d_h"), "contraction", "contracts d_h with d_attn"),
        ("torch.bmm", ("B T d", "B T d"), "contraction", "contracts d with T"),
        ("torch.bmm", ("B T d", "T d d"), "broadcast", "pairs the batch axes B and T, which"),
        ("torch.bmm", ("B T", "B T d"), "rank", "takes 3 axes here, not (B, T)"),
        (
            "torch.add",
            ("d_attn T_enc", "d_attn"),
            "broadcast",
            "adds (d_attn, T_enc) and (d_attn,): T_enc meets d_attn on the last axis",
        ),
        ("torch.softmax", ("T_enc", 1), "axis", "names axis 1 of (T_enc,), which has 1 axis"),
        ("torch.Tensor.permute", ("B T", (0, 2, 1)), "rank", "orders 3 axes, but (B, T)"),
        ("numpy.reshape", ("2 3", (4, 2)), "count", "reshapes (2, 3) to (4, 2): 6 elements to 8"),
        ("torch.Tensor.unflatten", ("B 6", 1, (4, -1)), "split", "splits 6 into (4, -1)"),
        ("torch.Tensor.expand", ("B T", (4, 5)), None, None),
        (
            "torch.nn.functional.scaled_dot_product_attention",
            ("B T_dec d_s", "B T_enc d_h", "B T_enc d_h"),
            "contraction",
            "contracts d_s with d_h",
        ),
        (
            "torch.nn.functional.layer_norm",
            ("B T 8", (6,)),
            "features",
            "normalises (8,) with sizes (6,)",
        ),
    ],
)
def test_a_clash_says_what_contradicts_what(
    path: str, arguments: Any, fault: str | None, text: str | None
) -> None:
    if fault is None:
        # Two names against numbers that nothing compares: no proof, no clash.
        names = Names()
        first, *rest = arguments
        assert names.call(path, names.tensor("x", first), *rest).clash is None
        return
    clash = _clash(path, *arguments).clash
    assert clash is not None
    assert clash.fault is Fault(fault)
    assert text is None or clash.text.startswith(text)


def test_named_sizes_are_distinct_and_numbers_are_different() -> None:
    named = _clash("torch.matmul", "T_enc d_h", "d_attn d_h").clash
    assert named is not None
    assert (named.verdict, named.operand) == (Verdict.DISTINCT, 1)
    assert (str(named.left), str(named.right)) == ("d_h", "d_attn")
    proved = _clash("torch.matmul", "2 3", "4 5").clash
    assert proved is not None
    assert proved.verdict is Verdict.DIFFERENT


@pytest.mark.parametrize("bad", ["bqd,bkd->bqz", "bq,bkd->bk", "bqd,bkd,bk->bqk", "b-d,bkd->bk"])
def test_einsum_subscripts_are_checked(bad: str) -> None:
    names = Names()
    outcome = names.call(
        "torch.einsum", bad, names.tensor("q", "B T d"), names.tensor("k", "B S d")
    )
    assert outcome.clash is not None
    assert outcome.clash.fault is Fault.EINSUM
