"""The layers of the Transformer, alone, in stacks, and as a whole.

Each gives the shape of what it transforms: of ``src`` an encoder, of ``tgt`` a decoder. What can go
wrong is in its attentions, so these are what is checked.
"""

from __future__ import annotations

from attncheck.algebra.shape import Axis, closed, expand
from attncheck.algebra.size import const
from attncheck.operators.axes import append
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Creation, Outcome
from attncheck.operators.multihead import Attended, Block, attend
from attncheck.values.value import Int, Layer


def _block(call: Call, query: str, key: str, masks: str, causal: str) -> Block:
    """An attention of ``query`` over ``key`` in a layer of ``d_model`` features."""
    width = call.size("d_model")
    return Block(
        (width, width, width),
        call.size("nhead"),
        call.flag("batch_first"),
        (query, key, key),
        f"{masks}_mask",
        f"{masks}_key_padding_mask",
        causal,
    )


def encoder_layer(call: Call) -> Outcome:
    """nn.TransformerEncoderLayer: ``src`` is ``(T, B, d_model)``, or ``(B, T, d_model)``."""
    return _outcome(call, attend(call, _block(call, "src", "src", "src", "is_causal")))


def decoder_layer(call: Call) -> Outcome:
    """nn.TransformerDecoderLayer: ``tgt``, and a ``memory`` of the same batch and features."""
    found = attend(call, _block(call, "tgt", "tgt", "tgt", "tgt_is_causal"))
    if isinstance(found, Clash):
        return _outcome(call, found)
    return _outcome(call, _over_memory(call, "memory"))


def _over_memory(call: Call, memory: str) -> Attended | Clash:
    return attend(call, _block(call, "tgt", memory, "memory", "memory_is_causal"))


def _outcome(call: Call, found: Attended | Clash) -> Outcome:
    if isinstance(found, Clash):
        return Outcome(call.make(None, "float"), None, found)
    made = append(without_marks(found.rows), (Axis(call.size("d_model")),))
    return Outcome(call.make(expand(made, call.facts), "float"), found.event)


# -- stacks of layers ------------------------------------------------------------------------------


def encoder(call: Call) -> Outcome:
    """nn.TransformerEncoder: like the layer that it is a stack of."""
    stacked = _of_layer(call, "TransformerEncoderLayer")
    return encoder_layer(stacked) if stacked is not None else Outcome(call.make(None))


def decoder(call: Call) -> Outcome:
    """nn.TransformerDecoder: like the layer that it is a stack of."""
    stacked = _of_layer(call, "TransformerDecoderLayer")
    return decoder_layer(stacked) if stacked is not None else Outcome(call.make(None))


def _of_layer(call: Call, name: str) -> Call | None:
    """The call with the settings of the layer it was made with; None for a layer not of torch."""
    layer = call.value("layer")
    if type(layer) is not Layer or layer.path.rpartition(".")[2] != name:
        return None
    arguments = {**layer.settings, **call.arguments}
    return Call(call.facts, arguments, call.library, call.spelling, call.serial)


def transformer(call: Call) -> Outcome:
    """nn.Transformer: ``src`` and ``tgt`` of one batch and ``d_model`` features (512, 8 heads).

    Of an encoder or decoder that was brought along nothing is known.
    """
    defaults = {"d_model": Int(const(512)), "nhead": Int(const(8))}
    arguments = {**defaults, **call.arguments}
    call = Call(call.facts, arguments, call.library, call.spelling, call.serial)
    if call.given("custom_encoder") or call.given("custom_decoder"):
        return Outcome(call.make(None))
    for query, causal in (("src", "src_is_causal"), ("tgt", "tgt_is_causal")):
        found = attend(call, _block(call, query, query, query, causal))
        if isinstance(found, Clash):
            return _outcome(call, found)
    return _outcome(call, _over_memory(call, "src"))


def causal_mask(call: Call) -> Outcome:
    """nn.Transformer.generate_square_subsequent_mask: ``(size, size)``, 0 and -inf."""
    size = call.size("size")
    made = closed([Axis(size), Axis(size)])
    return Outcome(call.make(made, "float"), Creation("generate_square_subsequent_mask"))
