"""Settings: what is read from where, which wins, and the one line that each bad value gives."""

import os
from pathlib import Path

import pytest

from attncheck.settings import Overrides, Settings, SettingsError, SettingsFinder, table_rows


def find(folder=".", config=None, isolated=False, **said):
    said = {key: tuple(value) for key, value in said.items()}
    return SettingsFinder(Overrides(**said), config, isolated=isolated).settings(folder)


def configure(text, folder="."):
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(folder, "pyproject.toml").write_text(text)


def test_defaults(folder):
    assert find() == Settings(root=str(folder))
    assert Settings().select == ("ATN",)
    assert Settings().origin("dims.d_s") is None


def test_everything_that_a_file_can_say(folder):
    configure(
        """
        [tool.attncheck]
        select = ["ATN1", "outer-broadcast"]
        extend-select = ["ATN301"]
        ignore = ["ATN101"]
        exclude = ["vendor/"]
        convention = "luong"
        [tool.attncheck.per-file-ignores]
        "tests/*" = ["ATN102"]
        [tool.attncheck.dims]
        d_s = 256
        d_h = "2*d_hidden"
        [tool.attncheck.tensors]
        encoder_states = "T_enc d_h"
        "Decoder.step.hidden" = "(batch_size, d_s)"
        """
    )
    assert find() == Settings(
        select=("ATN1", "outer-broadcast"),
        extend_select=("ATN301",),
        ignore=("ATN101",),
        per_file_ignores=(("tests/*", ("ATN102",)),),
        exclude=("vendor/",),
        dims=(("d_s", "256"), ("d_h", "2*d_hidden")),
        tensors=(
            ("encoder_states", "T_enc d_h"),
            ("Decoder.step.hidden", "(batch_size, d_s)"),
        ),
        convention="luong",
        origins=(
            ("dims.d_s", "pyproject.toml"),
            ("dims.d_h", "pyproject.toml"),
            ("tensors.encoder_states", "pyproject.toml"),
            ("tensors.Decoder.step.hidden", "pyproject.toml"),
        ),
        root=str(folder),
        file="pyproject.toml",
    )


def test_the_command_line_is_nearer_than_the_file(folder):
    configure(
        '[tool.attncheck]\nselect = ["ATN1"]\nignore = ["ATN201"]\n'
        '[tool.attncheck.dims]\nd_s = 1\nd_h = 2\n[tool.attncheck.tensors]\nx = "T"\n'
    )
    settings = find(
        select=["ATN201"],
        exclude=["a"],
        dims=["d_s=3", "d_k = d_s"],
        tensors=["x=T_dec d_k", "f.y=T"],
    )
    assert settings.select == ("ATN201",)
    assert settings.ignore == ()
    assert settings.exclude == ("a",)
    assert settings.dims == (("d_s", "3"), ("d_h", "2"), ("d_k", "d_s"))
    assert settings.tensors == (("x", "T_dec d_k"), ("f.y", "T"))
    assert settings.origin("dims.d_s") == "--dim"
    assert settings.origin("dims.d_h") == "pyproject.toml"
    assert settings.origin("tensors.x") == "--tensor"


def test_without_a_select_on_the_command_line_the_file_stays_in_force(folder):
    configure('[tool.attncheck]\nselect = ["ATN1"]\nignore = ["ATN101"]\n')
    settings = find(extend_select=["ATN201"], ignore=["ATN102"])
    assert settings.select == ("ATN1",)
    assert settings.extend_select == ("ATN201",)
    assert settings.ignore == ("ATN101", "ATN102")


def test_the_nearest_file_with_a_table_counts(folder):
    configure('[tool.attncheck]\nconvention = "luong"\n')
    configure("[project]\nname = 'attncheck-user'\n", "package")
    configure('[tool.attncheck]\nconvention = "bahdanau"\n', "package/inner")
    finder = SettingsFinder(Overrides())
    assert finder.settings(".").convention == "luong"
    assert finder.settings("package").convention == "luong"
    assert finder.settings("package/inner").convention == "bahdanau"
    assert finder.settings("package/inner/deeper").convention == "bahdanau"
    assert finder.settings("package").file == "pyproject.toml"
    assert finder.settings("package/inner").root == str(folder / "package" / "inner")


def test_a_file_that_does_not_speak_of_attncheck_is_not_judged(folder):
    configure("this is no TOML")
    assert find().file is None


def test_one_file_or_none_for_all_folders(folder):
    configure('[tool.attncheck]\nconvention = "luong"\n')
    configure('[tool.attncheck]\nconvention = "bahdanau"\n', "other")
    assert find(config=Path("other/pyproject.toml")).convention == "bahdanau"
    assert find(isolated=True).convention is None


class TestEnabledRules:
    def test_selectors(self):
        everything = Settings().enabled("x.py")
        assert {"ATN101", "ATN102", "ATN901", "ATN902"} <= everything
        assert Settings(select=("ATN101",)).enabled("x.py") == {"ATN101"}
        assert Settings(select=("matmul-mismatch", "atn102")).enabled("x.py") == {
            "ATN101",
            "ATN102",
        }
        chosen = Settings(select=("ATN1",), ignore=("ATN101",), extend_select=("ATN901",))
        assert "ATN101" not in chosen.enabled("x.py")
        assert {"ATN102", "ATN901"} <= chosen.enabled("x.py")

    def test_rules_that_are_off_by_default_want_to_be_named(self, monkeypatch):
        from attncheck import rule, settings

        rules = (rule.Rule("ATN101", "a", ""), rule.Rule("ATN701", "b", "", default=False))
        monkeypatch.setattr(rule, "all_rules", lambda: rules)
        settings._codes.cache_clear()
        try:
            assert Settings().enabled("x.py") == {"ATN101"}
            assert Settings(select=("ALL",)).enabled("x.py") == {"ATN101", "ATN701"}
            assert Settings(extend_select=("ATN7",)).enabled("x.py") == {"ATN101", "ATN701"}
        finally:
            settings._codes.cache_clear()

    def test_per_file(self, folder):
        settings = Settings(
            select=("ATN101", "ATN102"),
            per_file_ignores=(("tests/*", ("ATN101",)), ("*_test.py", ("ATN102",))),
            root=str(folder),
        )
        assert settings.enabled("a.py") == {"ATN101", "ATN102"}
        assert settings.enabled("tests/a.py") == {"ATN102"}
        assert settings.enabled(str(folder / "tests" / "a_test.py")) == set()


BAD_FILES = [
    (
        '[tool.attncheck]\nselct = ["ATN1"]\n',
        "pyproject.toml: [tool.attncheck] has no key `selct`; did you mean `select`?",
    ),
    (
        "[tool.attncheck]\nxyz = 1\n",
        "pyproject.toml: [tool.attncheck] has no key `xyz`; known are select, extend-select, "
        "ignore, per-file-ignores, exclude, convention, dims, tensors",
    ),
    (
        '[tool.attncheck]\nselect = "ATN1"\n',
        "pyproject.toml: tool.attncheck.select: expected a list of strings, not 'ATN1'",
    ),
    (
        '[tool.attncheck]\nignore = ["transposed-operant"]\n',
        "pyproject.toml: tool.attncheck.ignore: there is no rule `transposed-operant`; "
        "did you mean `transposed-operand`?",
    ),
    (
        '[tool.attncheck]\nselect = ["Q7"]\n',
        "pyproject.toml: tool.attncheck.select: there is no rule `Q7`; see `attncheck rules`",
    ),
    (
        "[tool.attncheck]\nexclude = [1]\n",
        "pyproject.toml: tool.attncheck.exclude: expected a list of strings, not [1]",
    ),
    (
        '[tool.attncheck]\nexclude = ["!"]\n',
        "pyproject.toml: tool.attncheck.exclude: `!` is no pattern of a gitignore file",
    ),
    (
        "[tool.attncheck]\nper-file-ignores = []\n",
        "pyproject.toml: tool.attncheck.per-file-ignores: expected a table of patterns and lists "
        "of rules, not []",
    ),
    (
        '[tool.attncheck.per-file-ignores]\n"a.py" = ["Q7"]\n',
        "pyproject.toml: tool.attncheck.per-file-ignores.a.py: there is no rule `Q7`; "
        "see `attncheck rules`",
    ),
    (
        '[tool.attncheck]\nconvention = "loung"\n',
        "pyproject.toml: tool.attncheck.convention: expected 'bahdanau' or 'luong', not 'loung'",
    ),
    (
        '[tool.attncheck]\ndims = "d_s"\n',
        "pyproject.toml: tool.attncheck.dims: expected a table of sizes, not 'd_s'",
    ),
    (
        "[tool.attncheck.dims]\nd_s = true\n",
        "pyproject.toml: tool.attncheck.dims.d_s: expected an integer or an expression such as "
        '"2*d_hidden", not True',
    ),
    (
        '[tool.attncheck.dims]\n"d-s" = 2\n',
        "pyproject.toml: tool.attncheck.dims.d-s: the name of a size is an identifier, which "
        "`d-s` is not",
    ),
    (
        '[tool.attncheck.dims]\nd_h = "2*d_hiden"\n',
        "pyproject.toml: tool.attncheck.dims.d_h: expected an integer or an expression over known "
        "sizes, not `d_hiden`; did you mean `d_hidden`?",
    ),
    (
        '[tool.attncheck.dims]\nd_h = "2*"\n',
        "pyproject.toml: tool.attncheck.dims.d_h: expected a positive integer or an expression "
        "such as 2*d_hidden, not '2*'",
    ),
    (
        "[tool.attncheck.dims]\nd_h = -1\n",
        "pyproject.toml: tool.attncheck.dims.d_h: expected a positive integer or an expression "
        "such as 2*d_hidden, not '-1'",
    ),
    (
        '[tool.attncheck.dims]\nd_h = "d_s+1"\nd_s = "d_h-1"\n',
        "pyproject.toml: tool.attncheck.dims.d_h: `d_h` is defined by itself",
    ),
    (
        "[tool.attncheck]\ntensors = 1\n",
        "pyproject.toml: tool.attncheck.tensors: expected a table of tensors and their shapes, "
        "not 1",
    ),
    (
        '[tool.attncheck.tensors]\n"a.b.c.d" = "T"\n',
        "pyproject.toml: tool.attncheck.tensors.a.b.c.d: expected NAME, FUNCTION.NAME or "
        "CLASS.METHOD.NAME, not `a.b.c.d`",
    ),
    (
        "[tool.attncheck.tensors]\nx = 3\n",
        "pyproject.toml: tool.attncheck.tensors.x: expected a shape such as "
        '"T_enc d_h" or "(T_enc, d_h)", not 3',
    ),
    (
        '[tool.attncheck.tensors]\nx = "T_enc ]"\n',
        "pyproject.toml: tool.attncheck.tensors.x: expected a shape such as "
        '"T_enc d_h" or "(T_enc, d_h)", not \'T_enc ]\'',
    ),
    ("[tool]\nattncheck = 1\n", "pyproject.toml: tool.attncheck must be a table, not 1"),
    (
        "[tool.attncheck\n",
        "pyproject.toml: not valid TOML: Expected ']' at the end of a table declaration "
        "(at line 1, column 16)",
    ),
]


@pytest.mark.parametrize(("text", "message"), BAD_FILES)
def test_a_bad_file_is_one_line(folder, text, message):
    configure(text)
    with pytest.raises(SettingsError) as caught:
        find()
    assert str(caught.value) == message


BAD_OPTIONS = [
    ({"select": ["FOO"]}, "--select: there is no rule `FOO`; see `attncheck rules`"),
    ({"ignore": ["ATN1O2"]}, "--ignore: there is no rule `ATN1O2`; did you mean `ATN102`?"),
    ({"exclude": ["!"]}, "--exclude: `!` is no pattern of a gitignore file"),
    ({"dims": ["d_s"]}, "--dim d_s: expected NAME=VALUE, such as d_s=256"),
    ({"dims": ["=3"]}, "--dim =3: expected NAME=VALUE, such as d_s=256"),
    (
        {"dims": ["d_s=abc"]},
        "--dim d_s=abc: expected an integer or an expression over known sizes, not `abc`; known "
        "are T_dec, T_enc, batch_size, d_attn, d_h, d_hidden, d_k, d_model, d_v, n_heads",
    ),
    (
        {"dims": ["d_s=d_kk"]},
        "--dim d_s=d_kk: expected an integer or an expression over known sizes, not `d_kk`; did "
        "you mean `d_k`?",
    ),
    (
        {"dims": ["d_s=0"]},
        "--dim d_s=0: expected a positive integer or an expression such as 2*d_hidden, not '0'",
    ),
    ({"dims": ["d_s=d_s"]}, "--dim d_s=d_s: `d_s` is defined by itself"),
    (
        {"tensors": ["x"]},
        "--tensor x: expected NAME=VALUE, such as encoder_states=T_enc d_h",
    ),
    (
        {"tensors": ["self.a.b.c=T"]},
        "--tensor self.a.b.c=T: expected NAME, FUNCTION.NAME or CLASS.METHOD.NAME, not "
        "`self.a.b.c`",
    ),
    (
        {"tensors": ["x=T, ("]},
        '--tensor x=T, (: expected a shape such as "T_enc d_h" or "(T_enc, d_h)", not \'T, (\'',
    ),
]


@pytest.mark.parametrize(("said", "message"), BAD_OPTIONS)
def test_a_bad_option_is_one_line(folder, said, message):
    with pytest.raises(SettingsError) as caught:
        find(**said)
    assert str(caught.value) == message


def test_a_named_file_must_be_there_and_have_a_table(folder):
    with pytest.raises(SettingsError, match=r"^nope.toml: cannot be read: No such file"):
        find(config=Path("nope.toml"))
    Path("other.toml").write_text("[tool.other]\n")
    with pytest.raises(SettingsError, match=r"^other.toml: has no table \[tool.attncheck\]$"):
        find(config=Path("other.toml"))


def test_a_file_elsewhere_is_shown_by_its_whole_path(folder, monkeypatch):
    configure("[tool.attncheck]\nxyz = 1\n")
    Path("sub").mkdir()
    monkeypatch.chdir("sub")
    with pytest.raises(SettingsError) as caught:
        find()
    assert str(caught.value).startswith(f"{folder}{os.sep}pyproject.toml: [tool.attncheck] has")


def test_the_table_in_force(folder):
    rows = table_rows(find(dims=["d_s=256", "width=2*d_s"], tensors=["f.x=T_enc d_s"]))
    assert ("size", "d_s", "256", "size of one decoder state", "--dim") in rows
    assert ("size", "d_k", None, "size of one head's queries and keys", "built in") in rows
    assert rows[-2:] == [
        ("size", "width", "2*d_s", "", "--dim"),
        ("tensor", "f.x", "T_enc d_s", "", "--tensor"),
    ]
