"""How many axes the inputs of a module have by their names, as model code is written everywhere.

Weaker than the dimension table: a name here says a number of axes and nothing about sizes, and only
of what a module is called on from outside (``forward``), where batches come first.
"""

from __future__ import annotations

from typing import Final

_RANKS: Final[dict[int, str]] = {
    1: "src_lengths tgt_lengths source_lengths target_lengths input_lengths src_lens",
    2: "input_ids token_ids tokens segment_ids decoder_input_ids "
    "src_tokens tgt_tokens key_padding_mask src_key_padding_mask tgt_key_padding_mask "
    "memory_key_padding_mask encoder_padding_mask padding_mask input_tokens "
    "s_prev prev_s s_tm1 s_t_1 s_t",
    3: "hidden_states inputs_embeds encoder_hidden_states decoder_hidden_states embeddings embeds "
    "encoder_outputs enc_outputs encoder_out memory_bank query queries key keys value values "
    "memory src tgt context input_embeds src_embeds tgt_embeds hidden_state",
    4: "pixel_values images image img imgs",
}
_BY_NAME: Final = {name: rank for rank, names in _RANKS.items() for name in names.split()}


def conventional_rank(name: str) -> int | None:
    """The number of axes, batch first, that an input called `name` has by convention, or None."""
    return _BY_NAME.get(name)
