"""The cache: what makes a result hold, what does not, and that it is never a reason to fail."""

import json
import os
import sqlite3
import subprocess
import sys
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

from attncheck import cache as cache_module
from attncheck import finding, runner
from attncheck.batch import check_files
from attncheck.cache import FOLDER, Cache, Keys
from attncheck.engine import Coverage, FileResult
from attncheck.runner import Job
from attncheck.settings import Choice, Patterns, Said, Settings

from .conftest import ROOT
from .samples import ATTENTION, TRANSPOSED

SETTINGS = Settings()
MAIN = """\
import numpy as np
from sizes import ROWS
out = np.zeros((2, 4)) @ np.zeros((ROWS, 5))
"""
NOTEBOOK = replace(TRANSPOSED, cells=(finding.Cell(3, 1), finding.Cell(5, 7)))
RESULT = FileResult(
    "attn.py",
    "checked",
    None,
    (TRANSPOSED, NOTEBOOK),
    Coverage(1, 10, 9, (("np.flip", 1), ("f", 2))),
)


@pytest.fixture
def cache(folder):
    return Cache(str(folder / "kept"), str(folder))


@pytest.fixture
def calls(monkeypatch):
    """The files that an engine is asked about which says only how often it has been asked."""
    asked = []

    def check(data, path, settings, named=True):
        asked.append(path)
        there = tuple(filter(os.path.exists, FOLLOWED))
        missed = tuple(path for path in FOLLOWED if path not in there)
        return FileResult(path, "checked", str(len(asked)), (), Coverage(), there, missed)

    monkeypatch.setattr(runner, "check_source", check)
    return asked


FOLLOWED: list[str] = []


@pytest.fixture
def followed():
    yield FOLLOWED
    FOLLOWED.clear()


def check(cache, *paths, settings=SETTINGS):
    """Checks files as one run does, with a cache opened anew."""
    again = Cache(cache._folder, cache.keys.root)
    jobs = [Job(path, settings) for path in paths]
    return [result.reason for result in check_files(jobs, cache=again)]


class TestResults:
    def test_come_back_as_they_were(self, cache):
        cache.save({b"key": RESULT})
        assert cache.load({b"key": "attn.py", b"other": "x.py"}) == {b"key": RESULT}

    def test_come_back_under_the_path_that_is_asked_for(self, cache):
        cache.save({b"key": RESULT})
        result = cache.load({b"key": "./src/../attn.py"})[b"key"]
        assert {result.path, *(each.path for each in result.findings)} == {"./src/../attn.py"}

    def test_every_class_of_a_result_can_be_kept(self):
        known = set(cache_module._CLASSES.values())
        written = {value for value in vars(finding).values() if is_dataclass(value)}
        assert written | {FileResult, Coverage} == known
        assert not any(field.kw_only or not field.init for each in known for field in fields(each))


def ignoring(root, pattern):
    """Settings that ignore some rules in files."""
    return Settings(per_file_ignores=((Patterns(root, (pattern,)), ("ATN1",)),))


class TestKeys:
    def key(self, path="a.py", settings=SETTINGS, data=b"x", tool=b"t", root="/p"):
        return Keys(tool, root).key(path, settings, data)

    def test_everything_that_a_result_rests_on_is_in_them(self, folder):
        keys = [
            self.key(),
            self.key(data=b"y"),
            self.key(path="b.py"),
            self.key(tool=b"u"),
            self.key(settings=Settings(dims=(("d_s", "3"),))),
            self.key(settings=Settings(tensors=(("x", "T"),))),
            self.key(settings=Settings(choices=(Choice(ignore=("ATN602",)),))),
            self.key(settings=Settings(convention="luong")),
            self.key("/p/a.py"),
            self.key("/p/a.py", ignoring("/p", "a.py")),
        ]
        assert len(set(keys)) == len(keys)

    def test_what_does_not_change_a_result_is_not(self, folder):
        shown = Settings(
            exclude=(Patterns("/p", ("x/",)),),
            said=(Said("exclude", ("x/",), "pyproject.toml"),),
            files=("pyproject.toml",),
        )
        assert self.key(settings=shown) == self.key()

    def test_a_project_may_move(self, folder):
        def key(root):
            return self.key(f"{root}/src/a.py", ignoring(root, "src/"), root=root)

        assert key("/home/one/p") == key("/ci/p")

    def test_a_pattern_for_files_sees_where_the_file_is(self, folder):
        here, above = ignoring("/p/sub", "/a.py"), ignoring("/p", "/a.py")
        assert self.key("/p/sub/a.py", here) != self.key("/p/sub/a.py", above)

    def test_the_tools_own_code_is_in_them(self, monkeypatch, tmp_path):
        before = cache_module._tool()
        assert cache_module._tool() == before
        monkeypatch.setattr(cache_module, "__version__", "0.0")
        assert cache_module._tool() != before
        monkeypatch.undo()
        (tmp_path / "checks").mkdir()
        monkeypatch.setattr(cache_module, "__file__", str(tmp_path / "cache.py"))
        empty = cache_module._tool()
        (tmp_path / "checks/new_rule.py").write_text("RULE = 1\n")
        with_rule = cache_module._tool()
        (tmp_path / "checks/new_rule.py").write_text("RULE = 2\n")
        assert len({before, empty, with_rule, cache_module._tool()}) == 4


class TestRuns:
    def test_what_has_not_changed_is_not_checked_again(self, cache, calls):
        Path("a.py").write_text("x")
        Path("b.py").write_text("x")
        assert check(cache, "a.py", "b.py") == ["1", "2"]
        Path("b.py").write_text("y")
        assert check(cache, "b.py", "a.py") == ["3", "1"]
        assert check(cache, "a.py", settings=Settings(dims=(("d_s", "3"),))) == ["4"]
        assert calls == ["a.py", "b.py", "b.py", "a.py"]

    def test_the_time_of_a_file_means_nothing(self, cache, calls):
        Path("a.py").write_text("x")
        check(cache, "a.py")
        os.utime("a.py", (1, 1))
        assert check(cache, "a.py") == ["1"]

    def test_data_that_is_not_in_a_file(self, cache, calls):
        jobs = [Job("<stdin>", SETTINGS, b"x")]
        assert [check_files(jobs, cache=cache)[0].reason for _ in range(2)] == ["1", "1"]

    @pytest.mark.parametrize("count", [1, 40])
    def test_in_workers_as_well(self, cache, calls, count):
        paths = [f"{number}.py" for number in range(count)]
        for path in paths:
            Path(path).write_text(path)
        told = []
        jobs = [Job(path, SETTINGS) for path in paths]
        first = check_files(jobs, 2, cache=cache, tell=told.append)
        assert told == list(range(1, count + 1))
        again = Cache(cache._folder, cache.keys.root)
        assert check_files(jobs, 2, cache=again, tell=told.append) == first
        assert told == list(range(1, count + 1))

    def test_a_followed_file_that_changes(self, cache, calls, followed):
        Path("a.py").write_text("x")
        Path("helper.py").write_text("1")
        followed += [str(Path("helper.py").absolute()), str(Path("gone.py").absolute())]
        assert check(cache, "a.py") == ["1"]
        assert check(cache, "a.py") == ["1"]
        Path("helper.py").write_text("2")
        assert check(cache, "a.py") == ["2"]
        Path("gone.py").write_text("")
        assert check(cache, "a.py") == ["3"]
        assert check(cache, "a.py") == ["3"]
        Path("gone.py").unlink()
        assert check(cache, "a.py") == ["4"]

    def test_followed_files_are_told_again(self, cache, calls, followed):
        for name in ("a.py", "helper.py"):
            Path(name).write_text("x")
        followed += ["helper.py", "/elsewhere/other.py", str(Path("gone.py").absolute())]
        check(cache, "a.py")
        (result,) = check_files([Job("a.py", SETTINGS)], cache=cache)
        assert (result.reason, result.followed, result.missed) == (
            "1",
            ("helper.py",),
            ("/elsewhere/other.py", str(Path("gone.py").absolute())),
        )

    def test_files_that_imports_lead_to(self, attncheck):
        """The whole of it: what is known of another file decides what is found in this one."""
        Path("pyproject.toml").write_text("")
        Path("main.py").write_text(MAIN)

        def lines():
            done = attncheck("main.py", "--quiet", "--output-format", "concise")
            assert done.err == ""
            return [line.partition(": ATN")[0] for line in done.out.splitlines()]

        assert lines() == []
        Path("sizes.py").write_text("ROWS = 3\n")
        assert lines() == ["main.py:3:7"]
        Path("sizes.py").write_text("ROWS = 4\n")
        assert lines() == []
        Path("sizes").mkdir()
        Path("sizes/__init__.py").write_text("ROWS = 5\n")
        assert lines() == ["main.py:3:7"]
        Path("sizes/__init__.py").unlink()
        Path("sizes").rmdir()
        Path("sizes.py").unlink()
        assert lines() == []

    def test_what_went_wrong_by_chance_is_not_kept(self, cache, monkeypatch):
        Path("a.py").write_text("x")
        monkeypatch.setattr(runner, "check_source", lambda *_, **__: 1 / 0)
        assert check(cache, "a.py", "gone.py")[0].startswith("internal error: ZeroDivision")
        monkeypatch.setattr(
            runner,
            "check_source",
            lambda data, path, *_, **__: replace(RESULT, path=path, reason="fine"),
        )
        assert check(cache, "a.py") == ["fine"]

    def test_an_interrupted_run_keeps_what_it_has(self, cache, calls):
        def interrupt(done):
            if done == 2:
                raise KeyboardInterrupt

        for name in "abc":
            Path(name).write_text(name)
        jobs = [Job(name, SETTINGS) for name in "abc"]
        with pytest.raises(KeyboardInterrupt):
            check_files(jobs, cache=cache, tell=interrupt)
        assert calls == ["a", "b"]
        assert check(cache, "a", "b", "c") == ["1", "2", "3"]

    def test_results_that_nobody_asks_for_are_dropped(self, cache, calls, monkeypatch):
        for name in "abc":
            Path(name).write_text(name)
        check(cache, "a", "b")

        def later(days, *names):
            now = cache_module.time.time() + days * 24 * 60 * 60
            monkeypatch.setattr(cache_module.time, "time", lambda: now)
            check(cache, *names)

        later(20, "a")
        later(20, "c")
        with sqlite3.connect(cache._file) as database:
            assert database.execute("SELECT count(*) FROM results").fetchone() == (2,)
        assert calls == ["a", "b", "c"]


DAMAGE = {
    "no database": lambda file: file.write_bytes(b"x" * 10_000),
    "empty": lambda file: file.write_bytes(b""),
    "cut short": lambda file: file.write_bytes(file.read_bytes()[:5000]),
    "another table": lambda file: (file.unlink(), _sql(file, "CREATE TABLE results (a)")),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
    "a value that is no text": lambda file: _sql(file, "UPDATE results SET value = 3"),
    "a value cut short": lambda file: _sql(
        file, "UPDATE results SET value = substr(value, 1, length(value) - 3)"
    ),
    "another value": lambda file: _sql(file, "UPDATE results SET value = x'7b7d'"),
}


def _sql(file, statement):
    with sqlite3.connect(file) as database:
        database.execute(statement)
    database.close()


class TestDamage:
    @pytest.mark.parametrize("kind", DAMAGE)
    def test_is_a_result_that_is_not_there(self, cache, calls, kind):
        Path("a.py").write_text("x")
        check(cache, "a.py")
        DAMAGE[kind](Path(cache._file))
        assert check(cache, "a.py") == ["2"]

    @pytest.mark.parametrize("kind", sorted(set(DAMAGE) - {"a folder", "another table"}))
    def test_is_mended(self, cache, calls, kind):
        Path("a.py").write_text("x")
        check(cache, "a.py")
        DAMAGE[kind](Path(cache._file))
        check(cache, "a.py")
        check(cache, "a.py")
        assert check(cache, "a.py") == [str(len(calls))]
        assert len(calls) <= 3

    @pytest.mark.parametrize(
        "kept",
        [
            [],
            {},
            [{}, {}],
            [{}, {"": "Coverage"}],
            [{}, {"": "FileResult"}],
            [{}, {"": "FileResult", "nonsense": 1}],
            [{}, {"": "os"}],
            [3, {"": "Coverage", "functions": 1}],
        ],
    )
    def test_json_of_another_form(self, cache, kept):
        text = json.dumps(kept).encode()
        value = cache_module.blake2b(text, digest_size=8).digest() + text
        assert cache._result(value, "a.py") is None

    def test_a_folder_that_cannot_be_made(self, folder, calls):
        Path("a.py").write_text("x")
        Path("file").write_text("")
        cache = Cache(str(folder / "file/kept"), str(folder))
        assert check(cache, "a.py") + check(cache, "a.py") == ["1", "2"]

    def test_a_cache_that_another_run_is_writing(self, cache, calls, monkeypatch):
        monkeypatch.setattr(cache_module, "_PATIENCE", 0.01)
        Path("a.py").write_text("x")
        check(cache, "a.py")
        other = sqlite3.connect(cache._file, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        assert check(cache, "a.py") == ["2"]
        other.close()
        assert check(cache, "a.py") == ["1"]


class TestPlace:
    def test_is_the_top_of_the_project(self, folder, monkeypatch):
        for mark in ("pyproject.toml", "sub/.git"):
            Path(mark).parent.mkdir(exist_ok=True)
            Path(mark).write_text("")
        Path("sub/deep").mkdir()
        monkeypatch.chdir("sub/deep")
        assert Cache.here()._folder == str(folder / "sub" / FOLDER)
        monkeypatch.chdir("../..")
        assert Cache.here()._folder == str(folder / FOLDER)

    def test_is_the_users_own_folder_outside_a_project(self, folder):
        assert Cache.here()._folder == os.path.join(os.environ["XDG_CACHE_HOME"], "attncheck")

    def test_may_be_told(self, folder):
        Path("pyproject.toml").write_text("")
        cache = Cache.here("elsewhere")
        assert (cache._folder, cache.keys.root) == (str(folder / "elsewhere"), str(folder))

    def test_a_folder_of_its_own_is_ignored_by_git(self, cache):
        cache.save({b"key": RESULT})
        kept = Path(cache._folder)
        assert (kept / ".gitignore").read_text().splitlines()[-1] == "*"
        assert (kept / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d17")

    def test_a_folder_of_the_users_stays_as_it_is(self, folder):
        Cache(str(folder), "").save({b"key": RESULT})
        assert os.listdir(folder) == ["results-1.sqlite3"]


class TestCommand:
    def test_says_the_same_again(self, attncheck):
        Path("pyproject.toml").write_text("[tool.attncheck]\n")
        Path("attn.py").write_text(ATTENTION)
        first = attncheck("attn.py", "--statistics")
        assert first.code == 1
        assert Path(FOLDER, "results-1.sqlite3").stat().st_size > 0
        assert attncheck("attn.py", "--statistics") == first
        assert attncheck("./attn.py").out.startswith("attn.py:7:21: ATN102")
        assert attncheck("attn.py", "--ignore", "ATN102", "--quiet").out == ""

    def test_no_cache(self, attncheck, folder):
        Path("pyproject.toml").write_text("")
        Path("attn.py").write_text(ATTENTION)
        assert attncheck("attn.py", "--no-cache").code == 1
        assert sorted(os.listdir(folder)) == ["attn.py", "pyproject.toml"]

    def test_cache_dir(self, attncheck, folder):
        Path("attn.py").write_text(ATTENTION)
        assert attncheck("attn.py", "--cache-dir", "a/b").code == 1
        assert sorted(os.listdir("a/b")) == [".gitignore", "CACHEDIR.TAG", "results-1.sqlite3"]

    def test_is_not_checked_itself(self, attncheck):
        Path("pyproject.toml").write_text("")
        Path("attn.py").write_text(ATTENTION)
        attncheck(".")
        Path(FOLDER, "x.py").write_text("x = 1)")
        assert attncheck(".").code == 1

    def test_runs_beside_each_other_share_it(self, folder):
        Path("pyproject.toml").write_text("")
        for number in range(20):
            Path(f"{number}.py").write_text(f"{ATTENTION}\n# {number}\n")
        command = [sys.executable, "-m", "attncheck", ".", "--output-format", "concise"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        started = [
            subprocess.Popen(command, stdout=-1, stderr=-1, env=environment) for _ in range(4)
        ]
        said = {process.communicate(timeout=120) for process in started}
        assert len(said) == 1
        assert {process.returncode for process in started} == {1}
        with sqlite3.connect(Path(FOLDER, "results-1.sqlite3")) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert database.execute("SELECT count(*) FROM results").fetchone() == (20,)
