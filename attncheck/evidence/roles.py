"""The parts that tensors play in attention, by the names people really give them.

A name is read together with the other names of its function: one letter says nothing alone, and
``W_a`` is another matrix beside ``U_a`` than without it. A name that leaves room for doubt has no
role; nothing here says anything about shapes.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from typing import Final

from attncheck.record import record


class Role(enum.StrEnum):
    """The part a tensor plays in attention."""

    ENCODER_STATES = "encoder_states"
    DECODER_STATE = "decoder_state"
    DECODER_STATES = "decoder_states"
    QUERY = "query"
    KEY = "key"
    VALUE = "value"
    #: what a self-attention projects its queries, keys and values from
    INPUTS = "inputs"
    #: a matrix of the score whose place only the other names tell; `roles_of` never answers it
    SCORE_WEIGHT = "score_weight"
    #: the W_a of Bahdanau's W_a s + U_a h, and the U_a
    STATE_WEIGHT = "state_weight"
    ENCODER_WEIGHT = "encoder_weight"
    #: the W of Luong's s W h, and the W of W [s ; h]
    GENERAL_WEIGHT = "general_weight"
    CONCAT_WEIGHT = "concat_weight"
    SCORE_VECTOR = "score_vector"
    QUERY_PROJECTION = "query_projection"
    KEY_PROJECTION = "key_projection"
    VALUE_PROJECTION = "value_projection"
    OUTPUT_PROJECTION = "output_projection"
    SCORES = "scores"
    WEIGHTS = "weights"
    CONTEXT = "context"
    MASK = "mask"
    #: a tensor that is learned, whatever it is for: ``nn.Parameter``
    PARAMETER = "parameter"
    LENGTHS = "lengths"


#: The part that a role plays, in words and in the papers' formulas.
PHRASES: Final[dict[str, str]] = {
    Role.ENCODER_STATES: "the encoder states",
    Role.DECODER_STATE: "one decoder state",
    Role.DECODER_STATES: "the decoder states of all steps",
    Role.QUERY: "the query",
    Role.KEY: "the keys",
    Role.VALUE: "the values",
    Role.INPUTS: "what queries, keys and values are projected from",
    Role.STATE_WEIGHT: "W_a in v_a·tanh(W_a s + U_a h)",
    Role.ENCODER_WEIGHT: "U_a in v_a·tanh(W_a s + U_a h)",
    Role.SCORE_VECTOR: "v_a in v_a·tanh(W_a s + U_a h)",
    Role.GENERAL_WEIGHT: "W in s·W h",
    Role.CONCAT_WEIGHT: "W in v·tanh(W [s ; h])",
    Role.QUERY_PROJECTION: "the projection of the queries",
    Role.KEY_PROJECTION: "the projection of the keys",
    Role.VALUE_PROJECTION: "the projection of the values",
    Role.OUTPUT_PROJECTION: "the output projection",
    Role.SCORES: "the scores",
    Role.WEIGHTS: "the attention weights",
    Role.CONTEXT: "the context",
    Role.LENGTHS: "the lengths of the sequences",
}

_ENC, _DEC, _DECS = Role.ENCODER_STATES, Role.DECODER_STATE, Role.DECODER_STATES
_Q, _K, _V, _X = Role.QUERY, Role.KEY, Role.VALUE, Role.INPUTS
_W, _W_S, _W_H, _VEC = Role.SCORE_WEIGHT, Role.STATE_WEIGHT, Role.ENCODER_WEIGHT, Role.SCORE_VECTOR
_P_Q, _P_K, _P_V = Role.QUERY_PROJECTION, Role.KEY_PROJECTION, Role.VALUE_PROJECTION


@record
class _Entry:
    """Names of one role.

    ``needs`` are the companies (any one of them, whole) that make the names believable; ``alone``
    says that a name tells its role also where no company is known.
    """

    role: Role
    names: str
    needs: tuple[frozenset[Role], ...] = ()
    alone: bool = True


def _with(*companies: Iterable[Role]) -> tuple[frozenset[Role], ...]:
    return tuple(frozenset(company) for company in companies)


_A_DECODER: Final = _with({_DEC}, {_DECS})
_AN_ENCODER: Final = _with({_ENC})
_PROJECTED: Final = _with({_P_Q, _P_K}, {_P_Q, _P_V}, {_P_K, _P_V})


def _sided(sides: str, nouns: str) -> str:
    return " ".join(f"{side}_{noun}" for side in sides.split() for noun in nouns.split())


#: Where a name stands twice, the first entry whose company is there decides. Names are in small
#: letters but for those of one letter: V holds values, v scores.
_ENTRIES: Final = (
    _Entry(
        _ENC,
        _sided("encoder enc source src", "states hidden_states hiddens hids hs annotations vectors")
        + " "
        + _sided("encoder enc", "outputs output outs out features feats memory seq_out")
        + " h_enc hs_enc h_src memory_bank context_states annotation_vectors",
    ),
    _Entry(_ENC, "annotations memory memories hs", (*_A_DECODER, frozenset({_Q})), alone=False),
    _Entry(_ENC, "H", (*_A_DECODER, frozenset({_W_H, _VEC}), frozenset({_W, _VEC})), alone=False),
    _Entry(_ENC, "h_s", _with({_DEC}), alone=False),
    _Entry(
        _DEC,
        _sided("decoder dec target tgt", "state hidden hidden_state")
        + " "
        + _sided("decoder dec", "h s output out")
        + " prev_dec_state prev_decoder_state last_decoder_state previous_decoder_state"
        " prev_decoder_hidden prev_dec_hidden dec_state_t decoder_state_t dec_h_t query_state"
        " h_dec s_dec s_prev s_tm1 s_t s_t_1 s_t_minus_1 s_i s_i_minus_1 prev_s",
    ),
    _Entry(
        _DEC,
        "s st h_t ht hidden state hidden_state state_t hidden_t prev_state previous_state "
        "prev_hidden previous_hidden last_hidden current_state current_hidden cur_state",
        _AN_ENCODER,
        alone=False,
    ),
    _Entry(
        _DECS,
        _sided("decoder dec target tgt", "states hidden_states hiddens hids hs")
        + " "
        + _sided("decoder dec", "outputs outs"),
    ),
    _Entry(_Q, "query queries", _with({_K}, {_V}, {_ENC})),
    _Entry(_DECS, "S", _AN_ENCODER, alone=False),
    _Entry(_Q, "q qs Q", _with({_K}), alone=False),
    _Entry(_K, "key keys", _with({_Q})),
    _Entry(_K, "k ks K", _with({_Q}), alone=False),
    _Entry(_V, "value values", _with({_Q})),
    _Entry(_V, "v vs V", _with({_Q, _K}), alone=False),
    _Entry(_VEC, "v_a va v_att v_attn", _with({_W}, {_W_S, _W_H}, {_P_Q, _P_K})),
    _Entry(_VEC, "v", _with({_W, _W_H}, {_W_S, _W_H}, {_P_Q, _P_K}), alone=False),
    _Entry(_W_H, "u_a ua u_att u_attn w_enc w_encoder"),
    _Entry(_W_H, "w_h wh", _with({_W_S}), alone=False),
    _Entry(_W_H, "U", _with({_W, _VEC}), alone=False),
    _Entry(_W_S, "w_dec w_decoder"),
    _Entry(_W_S, "w_s ws", _with({_W_H}), alone=False),
    _Entry(_W, "w_a wa w_att w_attn", alone=False),
    _Entry(
        _W,
        "W w_g w_general w_score w_bilinear",
        _with({_ENC, _DEC}, {_ENC, _DECS}, {_Q, _K}, {_ENC, _Q}),
        alone=False,
    ),
    _Entry(_W, "w_c w_concat w_cat", _with({_VEC}), alone=False),
    _Entry(_P_Q, "w_q wq w_query w_qs q_weight"),
    _Entry(_P_K, "w_k wk w_key w_ks k_weight"),
    _Entry(_P_V, "w_v wv w_value w_vs v_weight"),
    _Entry(Role.OUTPUT_PROJECTION, "w_o wo", _with({_P_Q}, {_P_V})),
    _Entry(Role.OUTPUT_PROJECTION, "w_out w_output w_proj", _PROJECTED, alone=False),
    _Entry(_X, "x X inputs hidden_states embeddings", _PROJECTED, alone=False),
    _Entry(
        Role.SCORES,
        "scores score energy energies logits attn_scores attention_scores attn_logits "
        "attn_energies alignment_scores align_scores",
        _with({_ENC}, {_V}),
    ),
    _Entry(
        Role.WEIGHTS,
        "weights alpha alphas attn attn_weights attention_weights attn_weight attn_probs "
        "attention_probs attn_dist attention_distribution alignment alignments "
        "attn_weights_t",
        _with({_ENC}, {_V}),
    ),
    _Entry(
        Role.CONTEXT,
        "context ctx context_vector context_vec context_vectors attn_context c_t",
        _AN_ENCODER,
    ),
)

_BY_NAME: Final[dict[str, tuple[_Entry, ...]]] = {}
for _entry in _ENTRIES:
    for _name in _entry.names.split():
        _BY_NAME[_name] = (*_BY_NAME.get(_name, ()), _entry)

_MASK: Final = _Entry(Role.MASK, "")
_LENGTHS: Final = _Entry(Role.LENGTHS, "")

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_AROUND: Final = re.compile(r"^(?:all|the|my|padded|batched|batch)_(?=.)|_(?:batch|tensor|padded)$")
_STEP: Final = re.compile(r"(prev_)?s(_.*)?")
#: What may stand beside another of its role, as s_{t-1} beside s_t.
_REPEATABLE: Final = frozenset({Role.MASK, Role.LENGTHS})


#: What is put on scores: masks, and biases that depend on positions.
_PUT_ON: Final = re.compile(r"(?:\w+_)?(?:masks?|bias|alibi)")


def is_mask_name(name: str) -> bool:
    """Whether an argument of this name is put on scores of whatever shape: a mask or a bias."""
    return _PUT_ON.fullmatch(name) is not None


#: What makes a name that of a layer: ``to_q``, ``q_proj``, ``linear_q``, ``Wq``.
_LAYER: Final = "w|to|fc|lin|linear|proj|dense"
_LAYER_END: Final = "proj|projection|w|lin|linear|layer|fc|dense|weight"
_PART: Final = "q|query|queries|k|key|keys|v|value|values"
_PROJECTION: Final = re.compile(
    rf"(?:(?:{_LAYER})_?({_PART})s?|({_PART})_(?:{_LAYER_END})|(query|key|value))"
)
_PROJECTIONS: Final = {"q": _P_Q, "k": _P_K, "v": _P_V}
_DECODES: Final = re.compile(r"(?:^|_)dec(?:ode|oder|oding)?(?:_|$)")


def projection_of(name: str) -> Role | None:
    """The projection that a layer of this name makes, or None: ``to_q``, ``k_proj``, ``Wv``."""
    found = _PROJECTION.fullmatch(_CAMEL.sub("_", name.strip("_")).lower())
    if found is None:
        return None
    part = next(each for each in found.groups() if each)
    return _PROJECTIONS[part[0]]


def decodes(name: str) -> bool:
    """Whether a function or class of this name is one that decodes: ``DecoderBlock.forward``."""
    return any(_DECODES.search(_CAMEL.sub("_", part).lower()) for part in name.split("."))


def role_of(name: str) -> Role | None:
    """The role that a name tells by itself, or None.

    Single letters and words that mean other things elsewhere (``state``, ``memory``) tell nothing
    without the names around them: see `roles_of`.
    """
    entries = _entries(name)
    return next((entry.role for entry in entries if entry.alone), None)


def roles_of(names: Iterable[str]) -> dict[str, Role]:
    """The roles of the names of one function, read together, in the order of `names`.

    Two names of one role are both left out, since nothing says which of them is the one; states of
    several decoder steps are one role.
    """
    candidates = {name: entries for name in names if (entries := _entries(name))}
    while True:
        kept = {
            name: believable
            for name, entries in candidates.items()
            if (believable := _believable(name, entries, candidates))
        }
        if kept == candidates:
            break
        candidates = kept
    roles = {name: entries[0].role for name, entries in kept.items()}
    return _unrepeated(_placed(roles))


def _believable(
    name: str, entries: tuple[_Entry, ...], candidates: dict[str, tuple[_Entry, ...]]
) -> tuple[_Entry, ...]:
    company = {
        entry.role for other, those in candidates.items() if other != name for entry in those
    }
    return tuple(
        entry
        for entry in entries
        if not entry.needs or any(need <= company for need in entry.needs)
    )


def _placed(roles: dict[str, Role]) -> dict[str, Role]:
    """`roles` with every `SCORE_WEIGHT` put in its place by what stands beside it."""
    present = set(roles.values())
    if _VEC in present and {_P_Q, _P_K} <= present and _P_V not in present:
        moved = {_P_Q: _W_S, _P_K: _W_H}
        roles = {name: moved.get(role, role) for name, role in roles.items()}
    place = _place_of_score_weight(present)
    if place is None:
        return {name: role for name, role in roles.items() if role is not _W}
    return {name: place if role is _W else role for name, role in roles.items()}


def _place_of_score_weight(present: set[Role]) -> Role | None:
    queried = not present.isdisjoint({_DEC, _DECS, _Q})
    if _W_H in present:
        return _W_S
    if _VEC in present:
        if queried:
            return Role.CONCAT_WEIGHT
        return _W_H if _ENC in present else None
    return Role.GENERAL_WEIGHT if queried and not present.isdisjoint({_ENC, _K}) else None


def _unrepeated(roles: dict[str, Role]) -> dict[str, Role]:
    by_role: dict[Role, list[str]] = {}
    for name, role in roles.items():
        by_role.setdefault(role, []).append(name)
    if _DEC in by_role and _DECS in by_role:
        del by_role[_DECS]
    return {
        name: role
        for name, role in roles.items()
        if role in by_role and _may_share(role, by_role[role])
    }


def _may_share(role: Role, names: list[str]) -> bool:
    if len(names) == 1 or role in _REPEATABLE:
        return True
    return role is _DEC and all(_STEP.fullmatch(name.lower()) for name in names)


def _entries(name: str) -> tuple[_Entry, ...]:
    """What `name` may be, in the table's order."""
    bare = name.rsplit(".", 1)[-1].strip("_")
    if len(bare) == 1:
        return _BY_NAME.get(bare, ())
    plain = _CAMEL.sub("_", bare).lower()
    for form in _forms(plain):
        if form in _BY_NAME:
            return _BY_NAME[form]
    last = plain.rsplit("_", 1)[-1]
    if last in ("mask", "masks"):
        return (_MASK,)
    return (_LENGTHS,) if last in ("lengths", "lens") else ()


def _forms(plain: str) -> Iterator[str]:
    yield plain
    stripped = _AROUND.sub("", plain)
    if stripped != plain:
        yield stripped
