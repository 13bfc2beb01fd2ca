"""What docs/ says of configuration and reports is so."""

import re
import tomllib

import pytest

from attncheck.cli import run
from attncheck.configuration.finder import SettingsFinder
from attncheck.configuration.values import KEYS
from attncheck.settings import Overrides

from .conftest import ROOT

PAGES = {
    name: (ROOT / "docs" / name).read_text("utf-8") for name in ("configuration.md", "reports.md")
}
TABLES = re.findall(r"^```toml\n(.*?)^```", PAGES["configuration.md"], re.DOTALL | re.MULTILINE)


def test_every_key_is_shown_and_means_something(folder):
    extending, whole = map(tomllib.loads, TABLES)
    keys = whole["tool"]["attncheck"].keys() | extending.keys()
    assert keys | {"extend-ignore"} == set(KEYS)
    (folder / "pyproject.toml").write_text(TABLES[1], encoding="utf-8")
    (folder / "services" / "search").mkdir(parents=True)
    (folder / "services" / "search" / "attncheck.toml").write_text(TABLES[0], encoding="utf-8")
    settings = SettingsFinder(Overrides()).settings("services/search")
    assert settings.files == ("services/search/attncheck.toml", "pyproject.toml")
    assert settings.dims == (("d_s", "256"), ("d_h", "2*d_hidden"))
    assert settings.severity("ATN205") == "note"


@pytest.mark.parametrize("name", PAGES)
def test_every_option_exists(capsys, name):
    assert run(["check", "--help"]) == 0
    options = set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGES[name])) - options == set()


def test_the_mistake_is_told_as_shown(folder, capsys):
    (folder / "pyproject.toml").write_text('[tool.attncheck.severity]\nATN1 = "warn"\n')
    (folder / "a.py").write_text("x = 1\n")
    assert run(["a.py"]) == 2
    assert capsys.readouterr().err in PAGES["configuration.md"]


def test_every_format_is_listed(capsys):
    assert run(["check", "--help"]) == 0
    (formats,) = re.findall(r"--output-format <(.*?)>", capsys.readouterr().out)
    assert re.findall(r"^\| `([a-z]+)` \|", PAGES["reports.md"], re.MULTILINE) == formats.split("|")
