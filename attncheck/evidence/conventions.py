"""How many axes the inputs of a module have by their names, as model code is written everywhere.

Weaker than the dimension table: a name here says a number of axes and nothing about sizes, and only
of what a module is called on from outside (``forward``), where batches come first.
"""

from __future__ import annotations

from typing import Final

_RANKS: Final[dict[int, str]] = {
    1: "src_lengths tgt_lengths source_lengths target_lengths input_lengths src_lens src_len "
    "enc_len enc_lens seq_lens seq_lengths lengths lens text_lengths mel_lengths x_lens",
    2: "input_ids token_ids tokens segment_ids decoder_input_ids position_ids token_type_ids "
    "src_tokens tgt_tokens key_padding_mask src_key_padding_mask tgt_key_padding_mask "
    "memory_key_padding_mask encoder_padding_mask padding_mask input_tokens decoder_position_ids "
    "s_prev prev_s s_tm1 s_t_1 s_t",
    3: "hidden_states inputs_embeds encoder_hidden_states decoder_hidden_states embeddings embeds "
    "encoder_outputs enc_outputs encoder_out memory_bank query queries key keys value values "
    "memory src tgt context input_embeds src_embeds tgt_embeds hidden_state key_value_states "
    "input_features enc_states encoder_states decoder_inputs_embeds",
    4: "pixel_values images image img imgs",
}
_BY_NAME: Final = {name: rank for rank, names in _RANKS.items() for name in names.split()}
#: How many axes the inputs of a layer have in a model: with a batch, without which it works too.
_BATCHED: Final[dict[int, str]] = {
    2: "RNNCell LSTMCell GRUCell",
    3: "Conv1d ConvTranspose1d MaxPool1d AvgPool1d AdaptiveAvgPool1d AdaptiveMaxPool1d",
    4: "Conv2d ConvTranspose2d MaxPool2d AvgPool2d AdaptiveAvgPool2d AdaptiveMaxPool2d",
    5: "Conv3d ConvTranspose3d MaxPool3d AvgPool3d AdaptiveAvgPool3d AdaptiveMaxPool3d",
}
_BY_LAYER: Final = {
    f"torch.nn.{name}": rank for rank, names in _BATCHED.items() for name in names.split()
}


def batched_rank(layer: str) -> int | None:
    """The number of axes that a layer's input has in a model, or None."""
    return _BY_LAYER.get(layer)


def conventional_rank(name: str) -> int | None:
    """The number of axes, batch first, that an input called `name` has by convention, or None."""
    return _BY_NAME.get(name)
