"""Declared shapes: which comment or setting speaks of which name."""

import textwrap

import pytest

from attncheck.evidence.declarations import (
    Declarations,
    Declared,
    declared_dims,
    declared_in_comments,
    item_name,
    scope_of,
    tensor_name,
)
from attncheck.values.tensor import Evidence

SOURCE = textwrap.dedent(
    '''\
    # attncheck: memory = (T_enc, d_h)
    # attncheck: d_h = 2*d_hidden
    # attncheck: ignore[outer-broadcast] reason = none


    def attend(state, memory):  # attncheck: state = (d_s,)
        """Never read:

        # attncheck: state = (B, d_s)
        """
        # attncheck: scores = [T_enc]
        text = "# attncheck: text = (B, T)"

        def score(state):
            # attncheck: state = (B, d_s)
            return state

        return score(state)


    class Decoder:
        def step(self, hidden):
            return hidden
    '''
)
BLOCKS = [(6, 18), (14, 16), (22, 23)]


def declarations(tensors=(), source=SOURCE):
    found = declared_in_comments(source)
    return Declarations(found, BLOCKS, scope_of(found, (), tensors), tensors)


def shape(found):
    return None if found is None else str(found.shape)


def test_comments_are_found_but_not_what_strings_say():
    assert declared_in_comments(SOURCE) == [
        Declared("memory", "(T_enc, d_h)", 1),
        Declared("d_h", "2*d_hidden", 2),
        Declared("state", "(d_s,)", 6),
        Declared("scores", "[T_enc]", 11),
        Declared("state", "(B, d_s)", 15),
    ]


def test_sizes_of_the_table_are_dimensions():
    assert declared_dims(declared_in_comments(SOURCE)) == [("d_h", "2*d_hidden")]
    assert declared_dims([Declared("B", "8", 1), Declared("d_x", "8", 2)]) == [("B", "8")]
    assert declared_dims([Declared("d_h", "(T_enc, d_h)", 1)]) == []


def test_a_comment_belongs_to_its_function():
    found = declarations()
    assert shape(found.of("state", "attend", 6)) == "(d_s,)"
    assert shape(found.of("scores", "attend", 12)) == "(T_enc,)"
    assert found.of("state", "Decoder.step", 22) is None
    assert found.of("scores") is None


def test_a_nested_function_has_its_own_and_sees_the_outer_ones():
    found = declarations()
    assert shape(found.of("state", "attend.score", 16)) == "(B, d_s)"
    assert shape(found.of("scores", "attend.score", 16)) == "(T_enc,)"
    assert shape(found.of("state", "attend", 18)) == "(d_s,)"


def test_a_comment_of_the_module_holds_everywhere():
    found = declarations()
    assert shape(found.of("memory")) == "(T_enc, 2*d_hidden)"
    assert shape(found.of("memory", "attend", 7)) == "(T_enc, 2*d_hidden)"


def test_a_statement_names_its_source():
    found = declarations().of("scores", "attend", 12)
    assert found is not None
    assert found.evidence is Evidence.DECLARED
    assert found.decided.line == 11
    assert found.decided.by == "declaration"
    assert found.decided.text == "`# attncheck: scores = [T_enc]`"
    assert found.shape.axes[0].tag is not None
    assert found.shape.axes[0].tag.root == "scores"


def test_settings_by_name_function_and_method():
    found = declarations(
        [
            ("hidden", "d_s"),
            ("step.hidden", "B d_s"),
            ("Decoder.step.hidden", "B T_dec d_s"),
            ("attend.state", "(B, d_s)"),
        ]
    )
    assert shape(found.of("hidden", "Decoder.step", 22)) == "(B, T_dec, d_s)"
    assert shape(found.of("hidden", "Other.step")) == "(B, d_s)"
    assert shape(found.of("hidden", "other")) == "(d_s,)"
    assert shape(found.of("hidden")) == "(d_s,)"


def test_a_comment_goes_before_settings():
    found = declarations([("attend.state", "(B, d_s)"), ("memory", "T_enc d_s")])
    assert shape(found.of("state", "attend", 7)) == "(d_s,)"
    assert shape(found.of("memory", "attend", 7)) == "(T_enc, 2*d_hidden)"


def test_a_later_setting_of_one_name_wins():
    assert shape(declarations([("x", "B d"), ("x", "T d")]).of("x")) == "(T, d)"


def test_a_setting_names_its_source():
    found = declarations([("step.hidden", "B d_s")]).of("hidden", "Decoder.step", 22)
    assert found is not None
    assert (found.decided.line, found.decided.text) == (0, "`step.hidden = B d_s` in the settings")


@pytest.mark.parametrize("text", ["(T d", "the states", "(T, d))", "1.5", "x = y"])
def test_what_cannot_be_read_is_kept(text):
    found = declarations(source=f"# attncheck: memory = {text}\n")
    if found.unreadable:
        assert found.unreadable == [Declared("memory", text, 1)]
        assert found.of("memory") is None
    else:
        assert text == "the states"


def test_a_dotted_name_in_a_comment_is_not_understood():
    found = declarations(source="# attncheck: Decoder.step.hidden = (B, d_s)\n")
    assert [item.name for item in found.unreadable] == ["Decoder.step.hidden"]


@pytest.mark.parametrize(
    "source",
    [
        "x = 1  # attncheck: ignore\n",
        "# attncheck: ignore-file\n",
        "# attncheck is good: x = (T, d)\n",
        "# attncheck: x == (T, d)\n",
        "s = '# attncheck: x = (T, d)'\n",
        "",
    ],
)
def test_other_comments_declare_nothing(source):
    assert declared_in_comments(source) == []


def test_broken_source_gives_what_stands_before_the_fault():
    source = "# attncheck: x = (T, d)\ny = (\n"
    assert declared_in_comments(source) == [Declared("x", "(T, d)", 1)]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("memory", "memory"),
        ("Decoder.step.hidden", "Decoder.step.hidden"),
        ("params['W']", 'params["W"]'),
        ('f.params["W query"]', 'f.params["W query"]'),
        ("a.b.c.d", None),
        ("a b", None),
        ("params[W]", None),
        ("params['W\"]", None),
        ("params['W']['b']", None),
        ("['W']", None),
    ],
)
def test_names_of_tensors(written, name):
    assert tensor_name(written) == name


def test_items_are_declared_as_names_are():
    source = "# attncheck: params['W'] = (d_dec, d_attn)\n"
    found = declarations([('f.params["b"]', "d_attn")], source)
    assert shape(found.of(item_name("params", "W"))) == "(d_dec, d_attn)"
    assert shape(found.of(item_name("params", "b"), "f")) == "(d_attn,)"
    assert found.of(item_name("params", "b"), "g") is None
    assert found.unreadable == []


def test_names_that_the_user_gives_are_distinct_sizes():
    scope = scope_of([Declared("x", "(B, d_dec)", 1)], (), [("y", "T d_enc")])
    assert [scope.symbol(name).table for name in ("d_dec", "d_enc", "T_enc", "other")] == [
        True,
        True,
        True,
        False,
    ]
