"""Roles are told by names read together; doubt has no role."""

import pytest

from attncheck.table import Role, role_of, roles_of


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (
            Role.ENCODER_STATES,
            "encoder_states encoder_outputs enc_outputs enc_hs enc_states encoder_hidden_states "
            "h_enc enc_out source_states memory_bank enc_hiddens all_encoder_states "
            "encoderOutputs encoder_outputs_batch self.encoder_states",
        ),
        (
            Role.DECODER_STATE,
            "decoder_state dec_state s_t s_prev s_tm1 decoder_hidden dec_hidden query_state "
            "decoderHidden prev_dec_state",
        ),
        (Role.DECODER_STATES, "decoder_states dec_outputs decoder_outputs dec_states"),
        (Role.QUERY, "query queries"),
        (Role.KEY, "key keys"),
        (Role.VALUE, "value values"),
        (Role.ENCODER_WEIGHT, "U_a Ua"),
        (Role.QUERY_PROJECTION, "W_q Wq w_q W_query"),
        (Role.KEY_PROJECTION, "W_k Wk"),
        (Role.VALUE_PROJECTION, "W_v Wv"),
        (Role.OUTPUT_PROJECTION, "W_o Wo"),
        (Role.SCORES, "scores score energy energies logits attn_scores"),
        (Role.WEIGHTS, "weights alpha alphas attn attn_weights attention_weights alignment"),
        (Role.CONTEXT, "context ctx context_vector"),
        (Role.MASK, "mask src_mask padding_mask encoder_mask key_padding_mask attention_masks"),
        (Role.LENGTHS, "lengths src_lengths enc_lens"),
    ],
)
def test_names_that_tell_their_role(role, names):
    for name in names.split():
        assert role_of(name) is role, name


SILENT = (
    "s S h H q k v V x W U e a c i hidden state memory annotations input inputs output "
    "hidden_states w_out tokens encoder decoder encoder_state attention src tgt batch data model "
    "config x1 key_size query_proj encoder_states_norm _ __"
)


def test_names_that_tell_nothing_alone():
    for name in (*SILENT.split(), ""):
        assert role_of(name) is None, name


def roles(*names):
    return {name: str(role) for name, role in roles_of(names).items()}


def test_single_letters_vouch_for_each_other():
    assert roles("s", "H") == {"s": "decoder_state", "H": "encoder_states"}
    assert roles("q", "k", "v") == {"q": "query", "k": "key", "v": "value"}
    assert roles("Q", "K", "V") == {"Q": "query", "K": "key", "V": "value"}
    assert roles("S", "H") == {"S": "decoder_states", "H": "encoder_states"}
    for alone in "sHSqkvQWUx":
        assert roles(alone) == {}


def test_v_scores_beside_weights_and_holds_values_beside_queries():
    assert roles("s", "H", "W_a", "U_a", "v")["v"] == "score_vector"
    assert roles("q", "k", "v", "mask")["v"] == "value"
    assert "v" not in roles("s", "H", "v")
    assert "V" not in roles("s", "H", "W_a", "U_a", "V")


def test_the_place_of_w_a_is_told_by_its_company():
    states = ("decoder_state", "encoder_states")
    assert roles(*states, "W_a", "U_a", "v_a")["W_a"] == "state_weight"
    assert roles(*states, "W_a", "v_a")["W_a"] == "concat_weight"
    assert roles(*states, "W_a")["W_a"] == "general_weight"
    assert roles("encoder_states", "W_a", "v_a")["W_a"] == "encoder_weight"
    assert "W_a" not in roles("W_a")
    assert "W_a" not in roles("encoder_states", "W_a")


def test_other_spellings_of_the_additive_weights():
    states = {"s_prev": "decoder_state", "h_enc": "encoder_states"}
    pair = {"W_s": "state_weight", "W_h": "encoder_weight"}
    assert roles("s_prev", "h_enc", "W_s", "W_h", "v") == {**states, **pair, "v": "score_vector"}
    assert roles("s", "H", "W", "U", "v") == {
        "s": "decoder_state",
        "H": "encoder_states",
        "W": "state_weight",
        "U": "encoder_weight",
        "v": "score_vector",
    }
    assert roles("query", "keys", "W_q", "W_k", "v_a") == {
        "query": "query",
        "keys": "key",
        "W_q": "state_weight",
        "W_k": "encoder_weight",
        "v_a": "score_vector",
    }


def test_words_with_other_meanings_want_company():
    assert roles("hidden", "encoder_outputs")["hidden"] == "decoder_state"
    assert roles("hidden", "x") == {}
    assert roles("query", "memory") == {"query": "query", "memory": "encoder_states"}
    assert roles("memory", "size") == {}
    assert roles("key", "value") == {}
    assert roles("annotations", "image") == {}
    assert roles("W_h", "W_x", "h", "x") == {}


def test_inputs_are_what_projections_are_made_of():
    assert roles("x", "W_q", "W_k", "W_v", "W_o")["x"] == "inputs"
    assert roles("x", "W", "b") == {}


def test_two_names_of_one_role_are_left_out():
    assert roles("encoder_outputs", "encoder_states", "decoder_state") == {
        "decoder_state": "decoder_state"
    }
    assert roles("decoder_hidden", "decoder_output", "encoder_outputs") == {
        "encoder_outputs": "encoder_states"
    }


def test_states_of_several_steps_are_one_role():
    assert roles("s_prev", "s_t", "H") == {
        "s_prev": "decoder_state",
        "s_t": "decoder_state",
        "H": "encoder_states",
    }


def test_order_is_that_of_the_parameters():
    assert list(roles("H", "mask", "s")) == ["H", "mask", "s"]
