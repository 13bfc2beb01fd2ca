"""Discovery: what a folder holds, what is left out, what is said of paths that hold nothing."""

import os
from pathlib import Path

import pytest

from attncheck.files import discover
from attncheck.settings import Patterns, Settings


def find(*paths, exclude=(), force_exclude=False):
    settings = Settings(exclude=(Patterns(os.getcwd(), exclude),) if exclude else ())
    discovery = discover(paths, lambda folder: settings, force_exclude=force_exclude)
    return discovery.files, discovery


def make(*paths, text="x = 1\n"):
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)


def test_folders_are_walked_in_the_order_of_names(folder):
    make("b.py", "a/z.py", "a/b/y.py", "c.py", "c.txt", "c.pyi", "a/noext")
    assert find(".")[0] == ["b.py", "c.py", "a/z.py", "a/b/y.py"]
    assert find("a")[0] == ["a/z.py", "a/b/y.py"]
    assert find("c.py", ".", "./b.py")[0] == ["c.py", "b.py", "a/z.py", "a/b/y.py"]


def test_named_files_are_in_whatever_they_are_called_and_whoever_ignores_them(folder):
    make("script", "build/a.py", "x/b.py", "c.py")
    make(".gitignore", text="c.py\n")
    Path(".git").mkdir()
    paths, _ = find("script", "build/a.py", "x/b.py", "c.py", "c.py", exclude=("x/",))
    assert paths == ["script", "build/a.py", "x/b.py", "c.py"]


def test_named_paths_are_left_out_where_that_is_forced(folder):
    make("build/a.py", "x/y/b.py", "c.py", "d.py")
    named = ("build/a.py", "x/y/b.py", os.path.abspath("x/y/b.py"), "x/y", "c.py", "d.py", "no.py")
    paths, discovery = find(*named, exclude=("x/", "c.py"), force_exclude=True)
    assert paths == ["d.py"]
    assert discovery.skipped == [(path, "excluded") for path in named[:5]]
    assert discovery.problems == [("no.py", "no such file or folder")]
    assert find("build/a.py", "-", exclude=("!build/", "-"), force_exclude=True)[0] == [
        "build/a.py",
        "-",
    ]


def test_folders_above_the_working_folder_leave_nothing_out(folder):
    make("build/src/a.py")
    os.chdir("build/src")
    assert find("a.py", "../src/a.py", force_exclude=True)[0] == ["a.py"]


def test_other_peoples_folders_are_left_out_below_the_named_one(folder):
    make("venv/lib/a.py", "node_modules/b.py", "__pycache__/c.py", ".git/d.py", "e.py")
    assert find(".")[0] == ["e.py"]
    assert find("venv")[0] == ["venv/lib/a.py"]


def test_exclude(folder):
    make("a.py", "gen/a.py", "sub/gen/b.py", "sub/x_pb2.py")
    assert find(".", exclude=("gen/", "*_pb2.py"))[0] == ["a.py"]
    assert find(".", exclude=("/gen",))[0] == ["a.py", "sub/x_pb2.py", "sub/gen/b.py"]


def test_exclude_can_take_back_what_is_built_in(folder):
    make("build/a.py", "dist/b.py", "build/gen/c.py")
    assert find(".")[0] == []
    assert find(".", exclude=("!build/",))[0] == ["build/a.py", "build/gen/c.py"]
    assert find(".", exclude=("!build/", "gen/"))[0] == ["build/a.py"]


def test_a_nested_configuration_counts_below_it(folder):
    make("a.py", "pkg/a.py", "pkg/b.py", "pkg/deep/a.py")
    top = Settings(exclude=(Patterns(os.getcwd(), ("b.py",)),))
    nested = Settings(exclude=(Patterns(os.path.abspath("pkg"), ("a.py",)),))
    discovery = discover(["."], lambda place: nested if "pkg" in place else top)
    assert discovery.files == ["a.py", "pkg/b.py"]


class TestGitignore:
    def test_nested_files_and_negation(self, folder):
        make("a.py", "tmp/b.py", "sub/tmp.py", "sub/keep/c.py", "sub/keep/d.py")
        make(".gitignore", text="tmp/\nc.py\n")
        make("sub/.gitignore", text="tmp.py\n!c.py\n")
        assert find(".")[0] == ["a.py", "sub/keep/c.py", "sub/keep/d.py"]

    def test_those_of_the_repository_above_count(self, folder):
        make("sub/a.py", "sub/b.py")
        make(".gitignore", text="sub/b.py\n")
        assert find("sub")[0] == ["sub/a.py", "sub/b.py"]
        Path(".git").mkdir()
        assert find("sub")[0] == ["sub/a.py"]

    def test_an_ignored_folder_that_is_named_is_walked(self, folder):
        make("out/a.py", "out/deep/b.py")
        make(".gitignore", text="out/\n")
        Path(".git").mkdir()
        assert find("out")[0] == ["out/a.py", "out/deep/b.py"]

    def test_bytes_that_are_no_text(self, folder):
        make("a.py")
        Path(".gitignore").write_bytes(b"\xff\xfe\nb.py\n")
        assert find(".")[0] == ["a.py"]


def test_links(folder):
    make("real/a.py", "b.py")
    os.symlink(".", "real/loop")
    os.symlink("../real", "real/again")
    os.symlink("nowhere", "dangling.py")
    os.symlink("self.py", "self.py")
    os.symlink("b.py", "link.py")
    paths, discovery = find(".")
    assert paths == ["b.py", "link.py", "real/a.py"]
    assert discovery.problems == []
    assert find("real/again")[0] == ["real/again/a.py"]


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("nope.py", "no such file or folder"),
        ("nope/x.py", "no such file or folder"),
        ("a.py/x", "cannot be read: Not a directory"),
        ("self.py", "cannot be read: Too many levels of symbolic links"),
        ("nul\0.py", "cannot be read: embedded null byte"),
        ("empty", "no Python file in this folder"),
        ("text", "no Python file in this folder"),
        ("hidden", "no Python file in this folder but 2 excluded or ignored by git"),
        ("pipe", "not a regular file"),
    ],
)
def test_problems(folder, path, problem):
    make("a.py", "text/readme.md", "hidden/b.py", "hidden/c.py")
    make("hidden/.gitignore", text="*.py\n")
    Path("empty").mkdir()
    os.symlink("self.py", "self.py")
    os.mkfifo("pipe")
    paths, discovery = find(path, "a.py")
    assert discovery.problems == [(path, problem)]
    assert paths == ["a.py"]


def test_notebooks_are_found_but_for_their_backups(folder):
    make("a.py", "b.ipynb", ".ipynb_checkpoints/b-checkpoint.ipynb")
    paths, discovery = find(".")
    assert paths == ["a.py", "b.ipynb"]
    assert discovery.problems == []
    assert find("b.ipynb")[0] == ["b.ipynb"]


def test_a_folder_that_cannot_be_read(folder, monkeypatch):
    make("a/x.py", "b/y.py")
    scandir = os.scandir

    def refuse(path):
        if path == "./a":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    paths, discovery = find(".")
    assert paths == ["b/y.py"]
    assert discovery.problems == [("./a", "cannot be read: Permission denied")]
