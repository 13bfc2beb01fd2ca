"""Joint hypotheses about parameters: the table's own first, then other conventions."""

import pytest

from attncheck.algebra.shape import Tag
from attncheck.evidence.dimensions import Scope
from attncheck.table import MOST, Hints, hypotheses

PAPER = "weights as in the papers"


def written(*parameters, scope=None, **hints):
    """Every hypothesis as ``P label: shapes``; P for the primary ones."""
    found = hypotheses(parameters, scope or Scope(), hints=Hints(**hints))
    return [
        f"{'P' if one.primary else '-'} {one.label}: {' '.join(map(str, one.shapes.values()))}"
        for one in found
    ]


def test_dot():
    assert written("decoder_state", "encoder_states") == [
        "P one step: (d_s,) (T_enc, d_h)",
        "P one step, batched: (B, d_s) (B, T_enc, d_h)",
        "P all steps: (T_dec, d_s) (T_enc, d_h)",
        "P all steps, batched: (B, T_dec, d_s) (B, T_enc, d_h)",
        "- one step, time first: (B, d_s) (T_enc, B, d_h)",
        "- one step kept as an axis: (B, 1, d_s) (B, T_enc, d_h)",
        "- state with a layer axis: (1, B, d_s) (B, T_enc, d_h)",
        "- time first, state with a layer axis: (1, B, d_s) (T_enc, B, d_h)",
        "- state as a row: (1, d_s) (T_enc, d_h)",
        "- states as columns: (d_s, 1) (d_h, T_enc)",
        "- all steps, time first: (T_dec, B, d_s) (T_enc, B, d_h)",
    ]


def test_all_decoder_states_have_no_single_step():
    assert written("decoder_states", "encoder_states") == [
        "P all steps: (T_dec, d_s) (T_enc, d_h)",
        "P all steps, batched: (B, T_dec, d_s) (B, T_enc, d_h)",
        "- states as columns: (d_s, T_dec) (d_h, T_enc)",
        "- all steps, time first: (T_dec, B, d_s) (T_enc, B, d_h)",
    ]


def test_general():
    assert written("decoder_state", "encoder_states", "W") == [
        f"P one step, {PAPER}: (d_s,) (T_enc, d_h) (d_s, d_h)",
        f"P one step, batched, {PAPER}: (B, d_s) (B, T_enc, d_h) (d_s, d_h)",
        f"P all steps, {PAPER}: (T_dec, d_s) (T_enc, d_h) (d_s, d_h)",
        f"P all steps, batched, {PAPER}: (B, T_dec, d_s) (B, T_enc, d_h) (d_s, d_h)",
        f"- one step, time first, {PAPER}: (B, d_s) (T_enc, B, d_h) (d_s, d_h)",
        f"- one step kept as an axis, {PAPER}: (B, 1, d_s) (B, T_enc, d_h) (d_s, d_h)",
        f"- state with a layer axis, {PAPER}: (1, B, d_s) (B, T_enc, d_h) (d_s, d_h)",
        f"- time first, state with a layer axis, {PAPER}: (1, B, d_s) (T_enc, B, d_h) (d_s, d_h)",
        f"- state as a row, {PAPER}: (1, d_s) (T_enc, d_h) (d_s, d_h)",
        f"- states as columns, {PAPER}: (d_s, 1) (d_h, T_enc) (d_s, d_h)",
        f"- all steps, time first, {PAPER}: (T_dec, B, d_s) (T_enc, B, d_h) (d_s, d_h)",
    ]


def test_additive_unbatched():
    ranks = {"decoder_state": 1}
    assert written("decoder_state", "encoder_states", "W_a", "U_a", "v_a", ranks=ranks) == [
        f"P one step, {PAPER}: (d_s,) (T_enc, d_h) (d_attn, d_s) (d_attn, d_h) (d_attn,)",
        "- one step, weights transposed: (d_s,) (T_enc, d_h) (d_s, d_attn) (d_h, d_attn) (d_attn,)",
        "- one step, weights transposed, v_a a column:"
        " (d_s,) (T_enc, d_h) (d_s, d_attn) (d_h, d_attn) (d_attn, 1)",
        f"- one step, {PAPER}, v_a a row:"
        " (d_s,) (T_enc, d_h) (d_attn, d_s) (d_attn, d_h) (1, d_attn)",
        f"- one step, {PAPER}, v_a a column:"
        " (d_s,) (T_enc, d_h) (d_attn, d_s) (d_attn, d_h) (d_attn, 1)",
        "- one step, weights transposed, v_a a row:"
        " (d_s,) (T_enc, d_h) (d_s, d_attn) (d_h, d_attn) (1, d_attn)",
    ]


def test_additive_primary():
    found = written("decoder_state", "encoder_states", "W_a", "U_a", "v_a")
    weights = "(d_attn, d_s) (d_attn, d_h) (d_attn,)"
    assert [line for line in found if line.startswith("P")] == [
        f"P one step, {PAPER}: (d_s,) (T_enc, d_h) {weights}",
        f"P one step, batched, {PAPER}: (B, d_s) (B, T_enc, d_h) {weights}",
        f"P all steps, {PAPER}: (T_dec, d_s) (T_enc, d_h) {weights}",
        f"P all steps, batched, {PAPER}: (B, T_dec, d_s) (B, T_enc, d_h) {weights}",
    ]
    assert len(found) == MOST


def test_concat():
    found = written("decoder_state", "encoder_states", "W_a", "v_a")
    assert found[:6] == [
        f"P one step, {PAPER}: (d_s,) (T_enc, d_h) (d_attn, d_s + d_h) (d_attn,)",
        f"P one step, batched, {PAPER}: (B, d_s) (B, T_enc, d_h) (d_attn, d_s + d_h) (d_attn,)",
        f"P all steps, {PAPER}: (T_dec, d_s) (T_enc, d_h) (d_attn, d_s + d_h) (d_attn,)",
        f"P all steps, batched, {PAPER}:"
        " (B, T_dec, d_s) (B, T_enc, d_h) (d_attn, d_s + d_h) (d_attn,)",
        "- one step, weights transposed: (d_s,) (T_enc, d_h) (d_s + d_h, d_attn) (d_attn,)",
        "- one step, weights transposed, v_a a column:"
        " (d_s,) (T_enc, d_h) (d_s + d_h, d_attn) (d_attn, 1)",
    ]


def test_attentive_pooling():
    assert written("encoder_states", "W_a", "v_a", "w_out", "target")[:2] == [
        f"P one step, {PAPER}: (T_enc, d_h) (d_attn, d_h) (d_attn,)",
        f"P one step, batched, {PAPER}: (B, T_enc, d_h) (d_attn, d_h) (d_attn,)",
    ]


def test_scaled_dot_product():
    assert written("query", "key", "value", "mask")[:17] == [
        "P unbatched: (T_dec, d_k) (T_enc, d_k) (T_enc, d_v)",
        "P batched: (B, T_dec, d_k) (B, T_enc, d_k) (B, T_enc, d_v)",
        "P heads: (B, n_heads, T_dec, d_k) (B, n_heads, T_enc, d_k) (B, n_heads, T_enc, d_v)",
        "- unbatched, d_v is d_k: (T_dec, d_k) (T_enc, d_k) (T_enc, d_k)",
        "- unbatched, T_enc is T_dec: (T_dec, d_k) (T_dec, d_k) (T_dec, d_v)",
        "- unbatched, self-attention: (T_dec, d_k) (T_dec, d_k) (T_dec, d_k)",
        "- batched, d_v is d_k: (B, T_dec, d_k) (B, T_enc, d_k) (B, T_enc, d_k)",
        "- batched, T_enc is T_dec: (B, T_dec, d_k) (B, T_dec, d_k) (B, T_dec, d_v)",
        "- batched, self-attention: (B, T_dec, d_k) (B, T_dec, d_k) (B, T_dec, d_k)",
        "- heads, d_v is d_k:"
        " (B, n_heads, T_dec, d_k) (B, n_heads, T_enc, d_k) (B, n_heads, T_enc, d_k)",
        "- heads, T_enc is T_dec:"
        " (B, n_heads, T_dec, d_k) (B, n_heads, T_dec, d_k) (B, n_heads, T_dec, d_v)",
        "- heads, self-attention:"
        " (B, n_heads, T_dec, d_k) (B, n_heads, T_dec, d_k) (B, n_heads, T_dec, d_k)",
        "- heads, unbatched: (n_heads, T_dec, d_k) (n_heads, T_enc, d_k) (n_heads, T_enc, d_v)",
        "- heads after time:"
        " (B, T_dec, n_heads, d_k) (B, T_enc, n_heads, d_k) (B, T_enc, n_heads, d_v)",
        "- one query: (d_k,) (T_enc, d_k) (T_enc, d_v)",
        "- one query, batched: (B, d_k) (B, T_enc, d_k) (B, T_enc, d_v)",
        "- time first: (T_dec, B, d_k) (T_enc, B, d_k) (T_enc, B, d_v)",
    ]


def test_one_query_for_many_keys_is_primary():
    primary = [line for line in written("query", "keys", "values") if line.startswith("P")]
    assert "P one query: (d_k,) (T_enc, d_k) (T_enc, d_v)" in primary
    assert all("one query" not in line for line in written("queries", "keys", "values")[:3])


def test_a_tie_of_times_says_nothing_where_there_is_one_query():
    assert not any(
        "one query" in line and "T_dec" in line for line in written("query", "keys", "values")
    )


def test_self_attention_with_projections():
    assert written("x", "W_q", "W_k", "W_v", "W_o")[:2] == [
        "P unbatched, projections (in, out):"
        " (T_dec, d_model) (d_model, d_k) (d_model, d_k) (d_model, d_v) (d_v, d_model)",
        "P batched, projections (in, out):"
        " (B, T_dec, d_model) (d_model, d_k) (d_model, d_k) (d_model, d_v) (d_v, d_model)",
    ]
    square = "(d_model, d_model) (d_model, d_model) (d_model, d_model) (d_model, d_model)"
    assert written("x", "W_q", "W_k", "W_v", "W_o", "n_heads")[:2] == [
        f"P unbatched, projections (in, out): (T_dec, d_model) {square}",
        f"P batched, projections (in, out): (B, T_dec, d_model) {square}",
    ]


def test_heads_are_known_by_any_of_their_names():
    for heads in ("n_heads", "num_heads", "nhead", "heads"):
        assert "(d_model, d_model)" in written("x", "W_q", "W_k", heads)[0]


def test_cross_attention_projects_states_from_their_own_widths():
    assert written("decoder_states", "encoder_states", "W_q", "W_k", "W_v")[:2] == [
        "P all steps, projections (in, out):"
        " (T_dec, d_s) (T_enc, d_h) (d_s, d_k) (d_h, d_k) (d_h, d_v)",
        "P all steps, batched, projections (in, out):"
        " (B, T_dec, d_s) (B, T_enc, d_h) (d_s, d_k) (d_h, d_k) (d_h, d_v)",
    ]


def test_additive_over_queries_and_keys():
    primary = [
        line for line in written("query", "keys", "W_q", "W_k", "v_a") if line.startswith("P")
    ]
    weights = "(d_attn, d_s) (d_attn, d_h) (d_attn,)"
    assert primary == [
        f"P unbatched, {PAPER}: (T_dec, d_s) (T_enc, d_h) {weights}",
        f"P batched, {PAPER}: (B, T_dec, d_s) (B, T_enc, d_h) {weights}",
        f"P one query, {PAPER}: (d_s,) (T_enc, d_h) {weights}",
        f"P one query, batched, {PAPER}: (B, d_s) (B, T_enc, d_h) {weights}",
    ]


def test_a_query_beside_encoder_states_is_a_decoder_state():
    assert written("query", "memory")[:2] == [
        "P one step: (d_s,) (T_enc, d_h)",
        "P one step, batched: (B, d_s) (B, T_enc, d_h)",
    ]


def test_inputs_that_are_projected_within_have_the_width_of_the_model():
    assert written("query", "key", "value", has_weights=True)[:2] == [
        "P unbatched: (T_dec, d_model) (T_enc, d_model) (T_enc, d_model)",
        "P batched: (B, T_dec, d_model) (B, T_enc, d_model) (B, T_enc, d_model)",
    ]
    assert "- one step, states of width d_model: (d_model,) (T_enc, d_model)" in written(
        "hidden", "encoder_outputs", has_weights=True
    )


def test_scores_weights_and_context_follow_the_layout():
    assert written("encoder_states", "weights", "context")[:4] == [
        "P one step: (T_enc, d_h) (T_enc,) (d_h,)",
        "P one step, batched: (B, T_enc, d_h) (B, T_enc) (B, d_h)",
        "P all steps: (T_enc, d_h) (T_dec, T_enc) (T_dec, d_h)",
        "P all steps, batched: (B, T_enc, d_h) (B, T_dec, T_enc) (B, T_dec, d_h)",
    ]


def test_lengths_are_one_a_sequence_and_masks_have_no_shape_by_name():
    found = hypotheses(["decoder_state", "encoder_states", "lengths", "mask"], Scope())
    assert [str(one.shapes.get("lengths")) for one in found[:2]] == ["None", "(B,)"]
    assert all("mask" not in one.shapes for one in found)
    assert found[0].roles["mask"] == "mask"


@pytest.mark.parametrize(
    "parameters",
    [
        [],
        ["hidden"],
        ["x"],
        ["x", "y", "z"],
        ["encoder_states"],
        ["encoder_states", "mask"],
        ["encoder_states", "lengths", "src_mask"],
        ["key", "value"],
        ["query", "database"],
        ["W_q", "x"],
        ["self", "input", "target"],
        ["state", "action", "reward"],
    ],
)
def test_one_recognised_tensor_proves_nothing(parameters):
    assert hypotheses(parameters, Scope()) == []


def test_axes_are_born_in_their_parameters():
    first = hypotheses(["s", "H"], Scope())[1]
    assert [axis.tag for axis in first.shapes["H"]] == [Tag("H", index) for index in range(3)]
    assert first.roles == {"s": "decoder_state", "H": "encoder_states"}


def test_symbols_are_shared_between_parameters_and_with_the_scope():
    scope = Scope()
    batched = hypotheses(["s", "H"], scope)[1]
    assert batched.shapes["s"].axes[0].size == batched.shapes["H"].axes[0].size == scope.size("B")


def test_declared_dimensions_are_put_in():
    scope = Scope([("d_h", "2*d_hidden")])
    assert written("s", "H", scope=scope)[0] == "P one step: (d_s,) (T_enc, 2*d_hidden)"


def test_ranks_rule_out():
    assert written("s", "H", ranks={"s": 2, "H": 2}) == [
        "P all steps: (T_dec, d_s) (T_enc, d_h)",
        "- state as a row: (1, d_s) (T_enc, d_h)",
        "- states as columns: (d_s, 1) (d_h, T_enc)",
    ]
    assert written("s", "H", ranks={"H": 5}) == []


def test_sizes_rule_out_a_symbol_with_two_numbers():
    assert written("s", "H", sizes={"s": (2, 4), "H": (2, 5, 6)}) == [
        "P one step, batched: (B, d_s) (B, T_enc, d_h)"
    ]
    assert written("s", "H", sizes={"s": (2, 4), "H": (5, 2, 6)}) == [
        "- one step, time first: (B, d_s) (T_enc, B, d_h)"
    ]


def test_sizes_tell_how_weights_are_written():
    sizes = {"s": (4,), "H": (5, 6), "W_a": (4, 3), "U_a": (6, 3), "v_a": (3,)}
    assert written("s", "H", "W_a", "U_a", "v_a", sizes=sizes) == [
        "- one step, weights transposed: (d_s,) (T_enc, d_h) (d_s, d_attn) (d_h, d_attn) (d_attn,)"
    ]


def test_sizes_tell_a_sum_whatever_the_order():
    sizes = {"W_a": (3, 10), "s": (4,), "H": (5, 6), "v_a": (3,)}
    assert written("W_a", "s", "H", "v_a", sizes=sizes) == [
        f"P one step, {PAPER}: (d_attn, d_s + d_h) (d_s,) (T_enc, d_h) (d_attn,)"
    ]
    assert written("W_a", "s", "H", "v_a", sizes={**sizes, "W_a": (3, 11)}) == []


def test_sizes_that_are_no_numbers_say_nothing():
    assert written("s", "H", sizes={"s": (None,), "H": (None, 6)})[0] == (
        "P one step: (d_s,) (T_enc, d_h)"
    )


def test_declared_shapes_go_before_names_and_rename_the_rest():
    scope = Scope()
    shapes = {"H": scope.shape("(N, S, hid)")}
    found = hypotheses(["s", "H", "W_a", "U_a", "v_a"], scope, hints=Hints(shapes=shapes))
    assert found[0].label == f"one step, batched, {PAPER}"
    assert {name: str(shape) for name, shape in found[0].shapes.items()} == {
        "s": "(N, d_s)",
        "W_a": "(d_attn, d_s)",
        "U_a": "(d_attn, hid)",
        "v_a": "(d_attn,)",
    }


def test_a_declared_shape_chooses_the_layout_of_weights():
    scope = Scope()
    shapes = {"U_a": scope.shape("(d_h, d_attn)")}
    found = written("s", "H", "W_a", "U_a", "v_a", scope=scope, shapes=shapes)
    assert all("transposed" in line for line in found)


def test_declared_names_that_change_places_are_both_kept():
    scope = Scope()
    shapes = {"s": scope.shape("(d_h,)"), "H": scope.shape("(T_enc, d_s)")}
    found = hypotheses(["s", "H", "W"], scope, hints=Hints(shapes=shapes))
    assert str(found[0].shapes["W"]) == "(d_h, d_s)"


def test_a_declared_number_is_put_in():
    scope = Scope()
    shapes = {"H": scope.shape("(10, 256)")}
    found = hypotheses(["s", "H", "W"], scope, hints=Hints(shapes=shapes))
    assert str(found[0].shapes["W"]) == "(d_s, 256)"


def test_a_declared_shape_of_another_rank_leaves_nothing():
    scope = Scope()
    assert written("s", "H", scope=scope, shapes={"H": scope.shape("(d_h,)")}) == []


def test_never_more_than_the_most():
    every = ["decoder_state", "encoder_states", "W_a", "U_a", "v_a", "weights", "context"]
    assert len(hypotheses(every, Scope(), hints=Hints(has_weights=True))) == MOST
