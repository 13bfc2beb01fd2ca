"""The symbols of the dimension table, and one `Scope` of them for a traced file.

Names in a file are the only link between a shape that is declared, one that a comment claims and
one that a role has, so a `Scope` gives every name exactly one symbol. ``B`` and ``batch_size`` are
one name; no other two are: what people call ``src_len`` is *about* T_enc, but nobody has said that
it is the T_enc of this function.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from attncheck.algebra.notation import parse_shape, parse_size
from attncheck.algebra.shape import Axis, Shape, Tag
from attncheck.algebra.size import Size, Symbol, of

#: The table's symbols and what they mean (SPEC section 1).
SYMBOLS: Final[dict[str, str]] = {
    "batch_size": "sequences in a batch",
    "T_enc": "encoder (key/value, source) positions",
    "T_dec": "decoder (query, target) positions",
    "d_h": "size of one encoder state; 2*d_hidden when the encoder is bidirectional",
    "d_s": "size of one decoder state",
    "d_hidden": "size of one direction of the encoder",
    "d_attn": "size of the additive scorer's hidden layer",
    "d_model": "transformer width",
    "n_heads": "attention heads",
    "d_k": "size of one head's queries and keys",
    "d_v": "size of one head's values",
}

#: The spelling that is the same symbol, not only about the same thing.
_SAME: Final = {"B": "batch_size"}

_ALIASES: Final[dict[str, str]] = {
    alias: name
    for name, aliases in {
        "batch_size": "b bs bsz batch batchsize batch_sz n_batch nbatch",
        "T_enc": "src_len source_len source_length src_length len_src enc_len encoder_len "
        "encoder_length t_src key_len kv_len k_len len_k max_src_len src_seq_len "
        "source_seq_len t_x tx",
        "T_dec": "tgt_len target_len target_length tgt_length trg_len len_tgt dec_len decoder_len "
        "decoder_length t_tgt t_trg query_len q_len len_q max_tgt_len tgt_seq_len t_y ty",
        "d_h": "enc_dim encoder_dim enc_hid_dim enc_hidden_dim encoder_hidden_dim enc_size "
        "enc_hidden_size encoder_hidden_size d_enc",
        "d_s": "dec_dim decoder_dim dec_hid_dim dec_hidden_dim decoder_hidden_dim dec_size "
        "dec_hidden_size decoder_hidden_size d_dec",
        "d_attn": "attn_dim attention_dim attn_size attention_size attn_hidden d_a d_att "
        "attn_hidden_dim attention_hidden_dim",
        "d_model": "embed_dim emb_dim model_dim n_embd dim_model dmodel d_embed",
        "n_heads": "num_heads n_head nhead nheads heads num_attention_heads n_attention_heads",
        "d_k": "head_dim d_head key_dim dim_head dim_k head_size d_q",
        "d_v": "value_dim dim_v v_dim",
    }.items()
    for alias in (name.lower(), *aliases.split())
}


def table_symbol(name: str) -> str | None:
    """The table symbol that a variable called `name` is about, or None.

    Only for wording and roles: two variables about the same table symbol are not thereby equal.
    """
    if name in SYMBOLS:
        return name
    return _SAME.get(name) or _ALIASES.get(name.lower())


#: What a number that the code is made with counts, by its name: how long something is, how wide.
_COUNTED: Final = (
    (
        "positions",
        re.compile(
            r"(?:(?:max|n|num)_)?(?:seq|src|tgt|source|target|sequence)_?(?:len|length)"
            r"|max_?(?:len|length)|(?:n|num)_(?:patches|positions|frames)"
            r"|max_(?:position_embeddings|positions|frames)"
        ),
    ),
    (
        "features",
        re.compile(
            r"d_?model|n_embd|(?:embed(?:ding)?|emb|hid(?:den)?|model|feat(?:ure)?|in|out)_(?:dim|size)"
            r"|dim|(?:in|out)_(?:channels|features)|(?:input|output)_dim"
        ),
    ),
)


def counted(name: str) -> str | None:
    """What a number of this name counts, ``positions`` or ``features``; None if nobody can say."""
    plain = name.lower()
    return next((what for what, names in _COUNTED if names.fullmatch(plain)), None)


#: A name in a declared shape.
_NAME: Final = re.compile(r"[^\W\d]\w*")


class Scope:
    """One symbol for each name of a traced file, with the sizes that the user declared put in.

    ``dims`` are the declarations, (name, expression): a number becomes the value of the symbol,
    which stays a symbol of its own (``d_s`` is not ``d_attn`` where both are 64); an expression
    over other symbols replaces it. An expression that cannot be read, or that leads back to its own
    name, is no declaration. ``shapes`` are what the user declared of tensors: the names in them are
    as distinct sizes as those of the table.
    """

    __slots__ = ("_declared", "_definitions", "_named", "_open", "_sizes", "_symbols")

    def __init__(self, dims: Iterable[tuple[str, str]] = (), shapes: Iterable[str] = ()) -> None:
        self._named = {_key(name) for shape in shapes for name in _NAME.findall(shape)}
        self._declared = {_key(name): expression for name, expression in dims}
        self._symbols: dict[str, Symbol] = {}
        self._definitions: dict[str, Size | None] = {}
        self._sizes: dict[str, Size] = {}
        self._open: set[str] = set()
        # Products are written in the order in which symbols were made: n_heads*d_k.
        self.symbol("n_heads").divides = True

    def symbol(self, name: str) -> Symbol:
        """The one symbol called `name`: rigid, of the table if that or the user has it.

        ``B`` and ``batch_size`` are shown as whichever was written first.
        """
        key = _key(name)
        found = self._symbols.get(key)
        if found is None:
            found = self._symbols[key] = Symbol(name, table=key in SYMBOLS or key in self._named)
            definition = self._definition(key)
            found.value = None if definition is None else definition.evaluate()
        return found

    def tell_apart(self, shapes: Iterable[str]) -> None:
        """Make the positions that one text names in two ways as distinct as those of the table.

        A docstring that says ``q_len`` and ``k_len`` means two sizes, as T_dec and T_enc are.
        """
        names = [name for shape in shapes for name in _NAME.findall(shape)]
        about = {name: table_symbol(name) for name in names}
        if {"T_dec", "T_enc"} <= {*about.values()}:
            for name, known in about.items():
                if known in ("T_dec", "T_enc"):
                    self.symbol(name).table = True

    def fresh(self, name: str, value: int | None = None, *, unseen: bool = False) -> Symbol:
        """A new symbol that is shown as `name`: another size of that name than the scope's own.

        It has the declared value of its name where `value` is None. `unseen` says that it is an
        axis of an unseen tensor, which an operation may still show to be some other size; a size
        that the table or the user knows by its name is that size.
        """
        known = self.symbol(name)
        number = known.value if value is None else value
        flexible = unseen and not known.table and number is None
        return Symbol(known.name, value=number, table=known.table, flexible=flexible)

    def size(self, text: str) -> Size:
        """The size that a name or an expression over names stands for.

        Raises ValueError if `text` is not a size.
        """
        known = self._sizes.get(text)
        if known is None:
            parsed = of(self.symbol(text)) if text.isidentifier() else self._parsed(text)
            if parsed is None:
                raise ValueError(f"`{text}` is not a size")
            known = self._sizes[text] = parsed.replace(self._lookup)
        return known

    def shape(self, text: str, root: str | None = None) -> Shape | None:
        """The shape written as `text`, its axes born in the tensor `root`; None if it is none."""
        parsed = parse_shape(text, self.symbol)
        if parsed is None:
            return None
        return replace(
            parsed,
            lead=self._axes(parsed.lead, root, 0),
            trail=self._axes(parsed.trail, root, -len(parsed.trail)),
        )

    def definitions(self) -> list[tuple[Symbol, Size]]:
        """The symbols that the user declared to be expressions over others, with these."""
        found = [(self.symbol(key), self._definition(key)) for key in self._declared]
        return [
            (symbol, size) for symbol, size in found if size is not None and size.number is None
        ]

    def _axes(self, axes: tuple[Axis, ...], root: str | None, first: int) -> tuple[Axis, ...]:
        return tuple(
            replace(
                axis,
                size=None if axis.size is None else axis.size.replace(self._lookup),
                tag=axis.tag if root is None else Tag(root, first + index),
            )
            for index, axis in enumerate(axes)
        )

    def _lookup(self, symbol: Symbol) -> Size | None:
        key = _key(symbol.name)
        if self._symbols.get(key) is not symbol:
            return None
        definition = self._definition(key)
        return None if definition is None or definition.number is not None else definition

    def _definition(self, key: str) -> Size | None:
        if key not in self._declared or key in self._open:
            return None
        own = self.symbol(key)
        if key in self._definitions:
            return self._definitions[key]
        self._open.add(key)
        parsed = self._parsed(self._declared[key])
        expanded = None if parsed is None else parsed.replace(self._lookup)
        self._open.discard(key)
        if expanded is not None and own in set(expanded.symbols()):
            expanded = None
        self._definitions[key] = expanded
        return expanded

    def _parsed(self, expression: str) -> Size | None:
        return parse_size(expression, self.symbol)


def relations(scope: Scope) -> list[tuple[Symbol, Size]]:
    """The symbols that belong to an expression: ``d_model`` is ``n_heads*d_k``; the user's own."""
    declared = scope.definitions()
    width = scope.symbol("d_model")
    if all(symbol is not width for symbol, _ in declared):
        declared.append((width, scope.size("n_heads") * scope.size("d_k")))
    return declared


def _key(name: str) -> str:
    return _SAME.get(name, name)
