"""Settings: what is read from where, which wins, and the one line that each bad value gives."""

import os
from pathlib import Path

import pytest

from attncheck.configuration.finder import SettingsFinder
from attncheck.configuration.show import table_rows
from attncheck.settings import Choice, Overrides, Patterns, Said, Settings, SettingsError


def find(folder=".", config=None, isolated=False, **said):
    said = {key: tuple(value) for key, value in said.items()}
    return SettingsFinder(Overrides(**said), config, isolated=isolated).settings(folder)


def configure(text, folder=".", name="pyproject.toml"):
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(folder, name).write_text(text)


def test_defaults(folder):
    assert find() == Settings()
    assert Settings().choices == (Choice(select=("ATN",)),)
    assert Settings().origin("dims.d_s") is None
    assert Settings().severity("ATN101") is None
    assert Settings().excluded("x.py") is None


def test_everything_that_a_file_can_say(folder):
    configure(
        """
        [tool.attncheck]
        select = ["ATN1", "outer-broadcast"]
        extend-select = ["ATN301"]
        ignore = ["ATN101"]
        extend-ignore = ["ATN102"]
        exclude = ["vendor/"]
        extend-exclude = ["gen_*.py"]
        convention = "luong"
        [tool.attncheck.per-file-ignores]
        "tests/*" = ["ATN102"]
        [tool.attncheck.severity]
        ATN2 = "note"
        [tool.attncheck.dims]
        d_s = 256
        d_h = "2*d_hidden"
        [tool.attncheck.tensors]
        encoder_states = "T_enc d_h"
        "Decoder.step.hidden" = "(batch_size, d_s)"
        """
    )
    here = str(folder)
    file = "pyproject.toml"
    assert find() == Settings(
        choices=(Choice(("ATN1", "outer-broadcast"), ("ATN301",), ("ATN101", "ATN102")),),
        severities=((("ATN2", "note"),),),
        per_file_ignores=((Patterns(here, ("tests/*",)), ("ATN102",)),),
        exclude=(Patterns(here, ("vendor/", "gen_*.py")),),
        dims=(("d_s", "256"), ("d_h", "2*d_hidden")),
        tensors=(
            ("encoder_states", "T_enc d_h"),
            ("Decoder.step.hidden", "(batch_size, d_s)"),
        ),
        convention="luong",
        said=(
            Said("select", ("ATN1", "outer-broadcast"), file),
            Said("extend-select", ("ATN301",), file),
            Said("ignore", ("ATN101",), file),
            Said("extend-ignore", ("ATN102",), file),
            Said("exclude", ("vendor/",), file),
            Said("extend-exclude", ("gen_*.py",), file),
            Said("convention", "luong", file),
            Said("per-file-ignores.tests/*", ("ATN102",), file),
            Said("severity.ATN2", "note", file),
            Said("dims.d_s", "256", file),
            Said("dims.d_h", "2*d_hidden", file),
            Said("tensors.encoder_states", "T_enc d_h", file),
            Said("tensors.Decoder.step.hidden", "(batch_size, d_s)", file),
        ),
        files=(file,),
    )


def test_the_command_line_is_nearer_than_the_file(folder):
    configure(
        '[tool.attncheck]\nselect = ["ATN1"]\nignore = ["ATN201"]\nexclude = ["b"]\n'
        'extend-exclude = ["c"]\nseverity = {ATN1 = "note"}\n'
        '[tool.attncheck.dims]\nd_s = 1\nd_h = 2\n[tool.attncheck.tensors]\nx = "T"\n'
    )
    settings = find(
        select=["ATN201"],
        exclude=["a"],
        severity=["ATN1=error"],
        dim=["d_s=3", "d_k = d_s"],
        tensor=["x=T_dec d_k", "f.y=T"],
    )
    assert settings.choices == (Choice(("ATN201",)),)
    assert settings.exclude == (Patterns(str(folder), ("a",)),)
    assert settings.severity("ATN101") == "error"
    assert settings.dims == (("d_s", "3"), ("d_h", "2"), ("d_k", "d_s"))
    assert settings.tensors == (("x", "T_dec d_k"), ("f.y", "T"))
    assert [(said.key, said.source) for said in settings.said] == [
        ("dims.d_h", "pyproject.toml"),
        ("select", "--select"),
        ("severity.ATN1", "--severity"),
        ("exclude", "--exclude"),
        ("dims.d_s", "--dim"),
        ("dims.d_k", "--dim"),
        ("tensors.x", "--tensor"),
        ("tensors.f.y", "--tensor"),
    ]


def test_without_a_select_on_the_command_line_the_file_stays_in_force(folder):
    configure('[tool.attncheck]\nselect = ["ATN1"]\nignore = ["ATN101"]\nexclude = ["b"]\n')
    settings = find(extend_select=["ATN201"], ignore=["ATN102"], extend_exclude=["c"])
    assert settings.choices == (
        Choice(("ATN1",), (), ("ATN101",)),
        Choice(None, ("ATN201",), ("ATN102",)),
    )
    assert {"ATN104", "ATN201"} <= settings.enabled("x.py")
    assert {"ATN101", "ATN102", "ATN301"} & settings.enabled("x.py") == set()
    assert settings.exclude == (Patterns(str(folder), ("b",)), Patterns(str(folder), ("c",)))
    assert find(extend_ignore=["ATN1"]).enabled("x.py") == set()


class TestOwnFile:
    """`attncheck.toml` is the table as a whole."""

    def test_its_keys_stand_at_the_top(self, folder):
        configure('convention = "luong"\n[dims]\nd_s = 3\n', name="attncheck.toml")
        settings = find()
        assert (settings.convention, settings.dims) == ("luong", (("d_s", "3"),))
        assert settings.files == ("attncheck.toml",)

    def test_it_goes_before_the_pyproject_beside_it(self, folder):
        configure('convention = "luong"\n', name="attncheck.toml")
        configure('[tool.attncheck]\nconvention = "bahdanau"\n')
        assert find().convention == "luong"
        assert find().files == ("attncheck.toml",)

    def test_an_empty_one_ends_the_search(self, folder):
        configure('[tool.attncheck]\nconvention = "luong"\n')
        configure("", "inner", "attncheck.toml")
        assert find("inner").convention is None
        assert find("inner").files == ("inner/attncheck.toml",)

    def test_a_folder_of_that_name_is_none(self, folder):
        Path("attncheck.toml").mkdir()
        assert find() == Settings()

    def test_a_file_of_any_name_may_be_named(self, folder):
        configure('convention = "luong"\n', name="strict.toml")
        configure('[tool.attncheck]\nconvention = "bahdanau"\n', name="ci.toml")
        assert find(config=Path("strict.toml")).convention == "luong"
        assert find(config=Path("ci.toml")).convention == "bahdanau"


class TestExtend:
    def test_what_the_other_file_says_holds_unless_this_one_says_otherwise(self, folder):
        configure(
            """
            select = ["ATN1"]
            extend-exclude = ["/gen"]
            per-file-ignores = {"tests/*" = ["ATN101"]}
            severity = {ATN1 = "note", ATN101 = "warning"}
            dims = {d_s = 1, d_h = 2}
            """,
            name="base.toml",
        )
        configure(
            """
            [tool.attncheck]
            extend = "../../base.toml"
            extend-select = ["ATN201"]
            ignore = ["ATN102"]
            extend-exclude = ["/own"]
            per-file-ignores = {"tests/*" = ["ATN104"]}
            severity = {ATN10 = "error"}
            dims = {d_s = 3}
            """,
            "a/b",
        )
        settings = find("a/b")
        assert settings.files == ("a/b/pyproject.toml", "base.toml")
        assert settings.dims == (("d_s", "3"), ("d_h", "2"))
        assert settings.origin("dims.d_s") == "a/b/pyproject.toml"
        assert settings.origin("dims.d_h") == "base.toml"
        assert {"ATN104", "ATN201"} <= settings.enabled("a/b/x.py")
        assert "ATN102" not in settings.enabled("a/b/x.py")
        # The nearer layer wins, whichever selector is more exact.
        assert settings.severity("ATN101") == "error"
        assert settings.severity("ATN110") == "note"

    def test_patterns_are_relative_to_the_file_that_they_stand_in(self, folder):
        configure(
            'extend-exclude = ["/gen"]\nper-file-ignores = {"/tests/*" = ["ATN101"]}\n',
            name="base.toml",
        )
        configure(
            '[tool.attncheck]\nextend = "../base.toml"\nextend-exclude = ["/own"]\n'
            'per-file-ignores = {"/tests/*" = ["ATN104"]}\n',
            "a",
        )
        settings = find("a")
        assert settings.excluded("gen", "/") is settings.excluded("a/own", "/") is True
        assert settings.excluded("own", "/") is settings.excluded("a/gen", "/") is None
        everything = settings.enabled("x.py")
        assert everything - settings.enabled("tests/x.py") == {"ATN101"}
        assert everything - settings.enabled("a/tests/x.py") == {"ATN104"}

    def test_lists_that_begin_anew_replace_what_was_there(self, folder):
        configure(
            'select = ["ATN1"]\nignore = ["ATN101"]\nexclude = ["a"]\nextend-exclude = ["b"]\n',
            name="base.toml",
        )
        configure('extend = "base.toml"\nselect = ["ATN101"]\nexclude = ["c"]\n', name="x.toml")
        settings = find(config=Path("x.toml"))
        assert settings.enabled("x.py") == {"ATN101"}
        assert settings.exclude == (Patterns(str(folder), ("c",)),)
        assert [(said.key, said.source) for said in settings.said] == [
            ("select", "x.toml"),
            ("exclude", "x.toml"),
        ]

    def test_in_a_chain(self, folder):
        configure('convention = "luong"\n', name="a.toml")
        configure('extend = "a.toml"\n', name="b.toml")
        configure('extend = "b.toml"\n', name="c.toml")
        assert find(config=Path("c.toml")).convention == "luong"
        assert find(config=Path("c.toml")).files == ("c.toml", "b.toml", "a.toml")

    def test_from_the_home_folder(self, folder, monkeypatch):
        monkeypatch.setenv("HOME", str(folder / "home"))
        configure('convention = "luong"\n', "home", "all.toml")
        configure('extend = "~/all.toml"\n', "work", "attncheck.toml")
        assert find("work").convention == "luong"

    @pytest.mark.parametrize(
        ("files", "message"),
        [
            (
                {"attncheck.toml": 'extend = "nope.toml"\n'},
                "attncheck.toml: extend: nope.toml cannot be read: No such file or directory",
            ),
            (
                {"attncheck.toml": 'extend = "."\n'},
                "attncheck.toml: extend: . cannot be read: Is a directory",
            ),
            (
                {"attncheck.toml": "extend = 3\n"},
                "attncheck.toml: extend: expected the path of a configuration file, not 3",
            ),
            (
                {
                    "pyproject.toml": '[tool.attncheck]\nextend = "a/pyproject.toml"\n',
                    "a/pyproject.toml": "[project]\n",
                },
                "pyproject.toml: tool.attncheck.extend: a/pyproject.toml has no table "
                "[tool.attncheck]",
            ),
            (
                {"attncheck.toml": 'extend = "b.toml"\n', "b.toml": 'extend = "attncheck.toml"\n'},
                "attncheck.toml: extend: these files extend each other in a circle",
            ),
            (
                {"attncheck.toml": 'extend = "b.toml"\n', "b.toml": "slect = []\n"},
                "b.toml: there is no key `slect`; did you mean `select`?",
            ),
            (
                {"attncheck.toml": 'extend = "b.toml"\n', "b.toml": "dims = {d_h = 'd_q'}\n"},
                "b.toml: dims.d_h: expected an integer or an expression over known sizes, not "
                "`d_q`; did you mean `d_v`?",
            ),
        ],
    )
    def test_mistakes_are_one_line(self, folder, files, message):
        for name, text in files.items():
            configure(text, Path(name).parent, Path(name).name)
        with pytest.raises(SettingsError) as caught:
            find()
        assert str(caught.value) == message


def test_the_nearest_file_with_a_table_counts(folder):
    configure('[tool.attncheck]\nconvention = "luong"\n')
    configure("[project]\nname = 'attncheck-user'\n", "package")
    configure('[tool.attncheck]\nconvention = "bahdanau"\n', "package/inner")
    finder = SettingsFinder(Overrides())
    assert finder.settings(".").convention == "luong"
    assert finder.settings("package").convention == "luong"
    assert finder.settings("package/inner").convention == "bahdanau"
    assert finder.settings("package/inner/deeper").convention == "bahdanau"
    assert finder.settings("package").files == ("pyproject.toml",)
    assert finder.settings("package/inner").files == ("package/inner/pyproject.toml",)


def test_a_file_that_does_not_speak_of_attncheck_is_not_judged(folder):
    configure("this is no TOML")
    assert find().files == ()


def test_one_file_or_none_for_all_folders(folder):
    configure('[tool.attncheck]\nconvention = "luong"\n')
    configure('[tool.attncheck]\nconvention = "bahdanau"\n', "other")
    assert find(config=Path("other/pyproject.toml")).convention == "bahdanau"
    assert find(isolated=True).convention is None


def choose(select=None, extend_select=(), ignore=()):
    return Settings(choices=(Choice(select, extend_select, ignore),))


class TestEnabledRules:
    def test_selectors(self):
        everything = Settings().enabled("x.py")
        assert {"ATN101", "ATN102", "ATN901", "ATN902"} <= everything
        assert choose(("ATN101",)).enabled("x.py") == {"ATN101"}
        assert choose(("matmul-mismatch", "atn102")).enabled("x.py") == {"ATN101", "ATN102"}
        chosen = choose(("ATN1",), ("ATN901",), ("ATN101",))
        assert "ATN101" not in chosen.enabled("x.py")
        assert {"ATN102", "ATN901"} <= chosen.enabled("x.py")

    @pytest.mark.parametrize(
        ("select", "ignore", "on"),
        [
            (("ATN1",), ("ATN101",), False),
            (("ATN101",), ("ATN1",), True),
            (("matmul-mismatch",), ("ATN1", "ALL"), True),
            (("ATN101",), ("matmul-mismatch",), False),
            (("ALL",), ("ATN",), False),
            (("ATN10",), ("ATN1",), True),
            (("ATN1",), ("ATN10",), False),
        ],
    )
    def test_the_more_exact_selector_counts(self, select, ignore, on):
        assert ("ATN101" in choose(select, (), ignore).enabled("x.py")) is on

    def test_a_nearer_source_counts_more_than_an_exact_selector(self):
        below = Choice(("ATN1",), (), ("ATN101",))
        above = Choice(None, ("ATN1",), ())
        assert "ATN101" in Settings(choices=(below, above)).enabled("x.py")
        assert "ATN101" not in Settings(choices=(below, Choice())).enabled("x.py")

    def test_rules_that_are_off_by_default_want_to_be_named(self, monkeypatch):
        from attncheck import rule, settings

        rules = (rule.Rule("ATN101", "a", ""), rule.Rule("ATN701", "b", "", default=False))
        monkeypatch.setattr(rule, "all_rules", lambda: rules)
        settings._codes.cache_clear()
        try:
            assert Settings().enabled("x.py") == {"ATN101"}
            assert choose(("ALL",)).enabled("x.py") == {"ATN101", "ATN701"}
            both = (*Settings().choices, Choice(None, ("ATN7",)))
            assert Settings(choices=both).enabled("x.py") == {"ATN101", "ATN701"}
            assert choose(("ALL",), (), ("ATN",)).enabled("x.py") == set()
        finally:
            settings._codes.cache_clear()

    def test_per_file(self, folder):
        settings = Settings(
            choices=(Choice(("ATN101", "ATN102")),),
            per_file_ignores=(
                (Patterns(str(folder), ("tests/*",)), ("ATN101",)),
                (Patterns(str(folder), ("*_test.py",)), ("ATN102",)),
            ),
        )
        assert settings.enabled("a.py") == {"ATN101", "ATN102"}
        assert settings.enabled("tests/a.py") == {"ATN102"}
        assert settings.enabled(str(folder / "tests" / "a_test.py")) == set()


def test_the_more_exact_severity_counts(folder):
    said = (("ATN1", "note"), ("matmul-mismatch", "error"), ("ALL", "warning"))
    settings = Settings(severities=(said,))
    assert settings.severity("ATN101") == "error"
    assert settings.severity("ATN102") == "note"
    assert settings.severity("ATN301") == "warning"


BAD_FILES = [
    (
        '[tool.attncheck]\nselct = ["ATN1"]\n',
        "pyproject.toml: [tool.attncheck] has no key `selct`; did you mean `select`?",
    ),
    (
        "[tool.attncheck]\nxyz = 1\n",
        "pyproject.toml: [tool.attncheck] has no key `xyz`; known are extend, select, "
        "extend-select, ignore, extend-ignore, per-file-ignores, severity, exclude, "
        "extend-exclude, convention, dims, tensors",
    ),
    (
        '[tool.attncheck]\nselect = "ATN1"\n',
        'pyproject.toml: tool.attncheck.select: expected a list of strings, not "ATN1"',
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
        'pyproject.toml: tool.attncheck.per-file-ignores."a.py": there is no rule `Q7`; '
        "see `attncheck rules`",
    ),
    (
        '[tool.attncheck]\nconvention = "loung"\n',
        'pyproject.toml: tool.attncheck.convention: expected "bahdanau" or "luong", not `loung`; '
        "did you mean `luong`?",
    ),
    (
        "[tool.attncheck]\nconvention = true\n",
        'pyproject.toml: tool.attncheck.convention: expected "bahdanau" or "luong", not true',
    ),
    (
        '[tool.attncheck.severity]\nATN1 = "warn"\n',
        'pyproject.toml: tool.attncheck.severity.ATN1: expected "error", "warning" or "note", not '
        "`warn`; did you mean `warning`?",
    ),
    (
        '[tool.attncheck.severity]\nouter-brodcast = "note"\n',
        "pyproject.toml: tool.attncheck.severity.outer-brodcast: there is no rule "
        "`outer-brodcast`; did you mean `outer-broadcast`?",
    ),
    (
        '[tool.attncheck]\nseverity = "error"\n',
        "pyproject.toml: tool.attncheck.severity: expected a table of rules and severities, not "
        '"error"',
    ),
    (
        '[tool.attncheck]\ndims = "d_s"\n',
        'pyproject.toml: tool.attncheck.dims: expected a table of sizes, not "d_s"',
    ),
    (
        "[tool.attncheck.dims]\nd_s = true\n",
        "pyproject.toml: tool.attncheck.dims.d_s: expected an integer or an expression such as "
        '"2*d_hidden", not true',
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
        "such as 2*d_hidden, not `2*`",
    ),
    (
        "[tool.attncheck.dims]\nd_h = -1\n",
        "pyproject.toml: tool.attncheck.dims.d_h: expected a positive integer or an expression "
        "such as 2*d_hidden, not `-1`",
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
        'pyproject.toml: tool.attncheck.tensors."a.b.c.d": expected NAME, FUNCTION.NAME, '
        'CLASS.METHOD.NAME or NAME["KEY"], not `a.b.c.d`',
    ),
    (
        "[tool.attncheck.tensors]\nx = 3\n",
        "pyproject.toml: tool.attncheck.tensors.x: expected a shape such as "
        '"T_enc d_h" or "(T_enc, d_h)", not 3',
    ),
    (
        '[tool.attncheck.tensors]\nx = "T_enc ]"\n',
        "pyproject.toml: tool.attncheck.tensors.x: expected a shape such as "
        '"T_enc d_h" or "(T_enc, d_h)", not "T_enc ]"',
    ),
    ("[tool]\nattncheck = 1\n", "pyproject.toml: tool.attncheck: expected a table, not 1"),
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
    (
        {"severity": ["ATN1=hint"]},
        '--severity ATN1=hint: expected "error", "warning" or "note", not `hint`',
    ),
    (
        {"severity": ["ATN1"]},
        "--severity ATN1: expected NAME=VALUE, such as unchecked-equality=error",
    ),
    (
        {"per_file_ignores": ["tests/*"]},
        "--per-file-ignores tests/*: expected PATTERN:RULE, such as tests/*:outer-broadcast",
    ),
    (
        {"per_file_ignores": ["tests/*:nope"]},
        "--per-file-ignores: there is no rule `nope`; see `attncheck rules`",
    ),
    ({"exclude": ["!"]}, "--exclude: `!` is no pattern of a gitignore file"),
    ({"dim": ["d_s"]}, "--dim d_s: expected NAME=VALUE, such as d_s=256"),
    ({"dim": ["=3"]}, "--dim =3: expected NAME=VALUE, such as d_s=256"),
    (
        {"dim": ["d_s=abc"]},
        "--dim d_s=abc: expected an integer or an expression over known sizes, not `abc`; known "
        "are T_dec, T_enc, batch_size, d_attn, d_h, d_hidden, d_k, d_model, d_v, n_heads",
    ),
    (
        {"dim": ["d_s=d_kk"]},
        "--dim d_s=d_kk: expected an integer or an expression over known sizes, not `d_kk`; did "
        "you mean `d_k`?",
    ),
    (
        {"dim": ["d_s=0"]},
        "--dim d_s=0: expected a positive integer or an expression such as 2*d_hidden, not `0`",
    ),
    ({"dim": ["d_s=d_s"]}, "--dim d_s=d_s: `d_s` is defined by itself"),
    (
        {"tensor": ["x"]},
        "--tensor x: expected NAME=VALUE, such as encoder_states=T_enc d_h",
    ),
    (
        {"tensor": ["self.a.b.c=T"]},
        "--tensor self.a.b.c=T: expected NAME, FUNCTION.NAME, CLASS.METHOD.NAME or "
        'NAME["KEY"], not `self.a.b.c`',
    ),
    (
        {"tensor": ["x=T, ("]},
        '--tensor x=T, (: expected a shape such as "T_enc d_h" or "(T_enc, d_h)", not "T, ("',
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
    configure("[tool.other]\n")
    with pytest.raises(SettingsError, match=r"^pyproject.toml: has no table \[tool.attncheck\]$"):
        find(config=Path("pyproject.toml"))


def test_a_file_elsewhere_is_shown_by_its_whole_path(folder, monkeypatch):
    configure("[tool.attncheck]\nxyz = 1\n")
    Path("sub").mkdir()
    monkeypatch.chdir("sub")
    with pytest.raises(SettingsError) as caught:
        find()
    assert str(caught.value).startswith(f"{folder}{os.sep}pyproject.toml: [tool.attncheck] has")


def test_a_long_wrong_value_is_cut_short(folder):
    configure(f"[tool.attncheck]\nselect = {list(range(100))}\n")
    with pytest.raises(SettingsError) as caught:
        find()
    assert str(caught.value).endswith(", 15, 16, 1 …")


def test_the_table_in_force(folder):
    rows = table_rows(find(dim=["d_s=256", "width=2*d_s"], tensor=["f.x=T_enc d_s"]))
    assert ("size", "d_s", "256", "size of one decoder state", "--dim") in rows
    assert ("size", "d_k", None, "size of one head's queries and keys", "built in") in rows
    assert rows[-2:] == [
        ("size", "width", "2*d_s", "", "--dim"),
        ("tensor", "f.x", "T_enc d_s", "", "--tensor"),
    ]
