"""A scope gives every name one symbol, with the sizes that the user declared put in."""

import pytest

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Tag
from attncheck.algebra.size import const, of
from attncheck.table import SYMBOLS, Scope, relations, table_symbol


def test_one_symbol_for_one_name():
    scope = Scope()
    assert scope.symbol("T_enc") is scope.symbol("T_enc")
    assert scope.symbol("hidden") is scope.symbol("hidden")
    assert scope.symbol("T_enc") is not scope.symbol("T_dec")


def test_b_and_batch_size_are_one_symbol_shown_as_first_written():
    scope = Scope()
    assert scope.symbol("B") is scope.symbol("batch_size")
    assert scope.symbol("batch_size").name == "B"
    other = Scope()
    assert other.symbol("batch_size") is other.symbol("B")
    assert other.symbol("B").name == "batch_size"


def test_aliases_are_symbols_of_their_own():
    scope = Scope()
    assert scope.symbol("src_len") is not scope.symbol("T_enc")
    assert not scope.symbol("src_len").table


def test_only_table_names_are_table_symbols_and_none_is_flexible():
    scope = Scope()
    for name in (*SYMBOLS, "B"):
        assert scope.symbol(name).table
        assert not scope.symbol(name).flexible
    for name in ("T", "S", "hidden", "b", "batch", "num_heads"):
        assert not scope.symbol(name).table


def test_a_declared_number_is_the_value_of_the_symbol():
    scope = Scope([("d_s", "256"), ("d_attn", "256")])
    assert scope.symbol("d_s").value == 256
    assert scope.size("d_s") == of(scope.symbol("d_s"))
    assert Facts().compare(scope.size("d_s"), scope.size("d_attn")) is Verdict.DISTINCT


def test_a_declared_expression_stands_for_the_symbol():
    scope = Scope([("d_h", "2*d_hidden")])
    assert scope.size("d_h") == 2 * of(scope.symbol("d_hidden"))
    assert scope.size("d_s + d_h") == scope.size("d_s") + 2 * of(scope.symbol("d_hidden"))
    assert str(scope.shape("(T_enc, d_h)")) == "(T_enc, 2*d_hidden)"


def test_a_declared_expression_has_the_value_of_its_parts():
    scope = Scope([("d_h", "2*d_hidden"), ("d_hidden", "64")])
    assert scope.symbol("d_h").value == 128


def test_declarations_chain():
    scope = Scope([("a", "2*b"), ("b", "c + 1")])
    assert str(scope.size("a")) == "2*c + 2"


@pytest.mark.parametrize(
    "dims",
    [
        [("a", "2*b"), ("b", "a")],
        [("a", "a")],
        [("a", "b"), ("b", "c"), ("c", "b")],
        [("a", "a + 1")],
        [("a", "not a size!")],
    ],
)
def test_declarations_that_lead_back_or_say_nothing_end(dims):
    scope = Scope(dims)
    for name, _ in dims:
        assert scope.size(name).evaluate() is None
        assert scope.symbol(name).value is None


def test_batch_size_may_be_declared_under_either_name():
    assert Scope([("B", "8")]).symbol("batch_size").value == 8
    assert Scope([("batch_size", "8")]).symbol("B").value == 8


def test_fresh_is_another_symbol_of_the_same_name():
    scope = Scope([("d_s", "4")])
    fresh = scope.fresh("T_enc", 5)
    assert fresh is not scope.symbol("T_enc")
    assert (fresh.name, fresh.value, fresh.table) == ("T_enc", 5, True)
    assert scope.fresh("d_s").value == 4
    assert scope.fresh("d_s", 6).value == 6
    assert not scope.fresh("hidden").table


def test_fresh_batch_is_shown_as_the_scope_shows_it():
    scope = Scope()
    scope.symbol("B")
    assert scope.fresh("batch_size").name == "B"
    assert Facts().compare(of(scope.fresh("batch_size")), scope.size("B")) is Verdict.EQUAL


def test_a_size_that_is_none_is_an_error():
    with pytest.raises(ValueError, match="`T enc` is not a size"):
        Scope().size("T enc")


def test_shape_is_born_in_its_root():
    scope = Scope()
    shape = scope.shape("[B, T_enc, 4]", root="memory")
    assert shape is not None
    assert shape.sizes() == (scope.size("B"), scope.size("T_enc"), const(4))
    assert [axis.tag for axis in shape] == [Tag("memory", index) for index in range(3)]


def test_open_shape_counts_its_end_from_behind():
    shape = Scope().shape("(B, ..., d_h)", root="x")
    assert shape is not None
    assert [axis.tag for axis in shape.lead] == [Tag("x", 0)]
    assert [axis.tag for axis in shape.trail] == [Tag("x", -1)]


def test_text_that_is_no_shape():
    assert Scope().shape("(see (Bahdanau, 2015))") is None


def test_model_width_belongs_to_heads():
    scope = Scope()
    ((symbol, size),) = relations(scope)
    assert symbol is scope.symbol("d_model")
    assert str(size) == "n_heads*d_k"


def test_the_users_relations_replace_the_tables():
    scope = Scope([("d_model", "n_heads*d_v"), ("d_h", "2*d_hidden"), ("d_s", "3")])
    assert [(symbol.name, str(size)) for symbol, size in relations(scope)] == [
        ("d_model", "n_heads*d_v"),
        ("d_h", "2*d_hidden"),
    ]


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("T_enc", "T_enc"),
        ("B", "batch_size"),
        ("bsz", "batch_size"),
        ("src_len", "T_enc"),
        ("tgt_len", "T_dec"),
        ("num_heads", "n_heads"),
        ("n_head", "n_heads"),
        ("head_dim", "d_k"),
        ("embed_dim", "d_model"),
        ("T", None),
        ("hidden_size", None),
        ("h", None),
        ("x", None),
    ],
)
def test_what_a_variable_is_about(name, symbol):
    assert table_symbol(name) == symbol
