"""What the README shows is what its commands print, and what it names exists."""

import re
import tomllib
from pathlib import Path

import pytest

from attncheck.cli import run
from attncheck.configuration.finder import SettingsFinder
from attncheck.rule import all_rules, select_rules
from attncheck.settings import Overrides
from attncheck.table import SYMBOLS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def marked(name):
    """The lines of the one block between the markers for `name`."""
    (block,) = re.findall(
        rf"<!-- {name}: begin -->\n```\w*\n(.*?)```\n<!-- {name}: end -->", README, re.DOTALL
    )
    return block


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_the_finding_is_what_the_check_command_prints(monkeypatch, capsys):
    example = marked("check-command").split()[-1]
    monkeypatch.chdir(ROOT)
    assert run([example]) == 1
    assert capsys.readouterr().out == marked("finding")


@pytest.mark.parametrize("name", ["check-command", "test-command"])
def test_a_command_is_one_line_to_paste(name):
    assert marked(name).count("\n") == 1


def test_every_option_and_command_exists(capsys):
    assert run(["check", "--help"]) == 0
    assert run(["--help"]) == 0
    helped = capsys.readouterr().out
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README))
    assert told - set(re.findall(r"--[a-z][a-z-]+", helped)) == set()
    commands = re.findall(r"^attncheck ([a-z]+)(?= |$)", "".join(blocks("sh")), re.MULTILINE)
    assert set(commands) == set(re.findall(r"^  ([a-z]+)  ", helped, re.MULTILINE)) - {"check"}


def test_the_configuration_is_valid(tmp_path):
    (table,) = blocks("toml")
    assert tomllib.loads(table).keys() == {"tool"}
    (tmp_path / "pyproject.toml").write_text(table, encoding="utf-8")
    settings = SettingsFinder(Overrides()).settings(str(tmp_path))
    assert settings.dims == (("d_s", "256"), ("d_h", "2*d_hidden"))
    assert settings.tensors == (("encoder_states", "T_enc d_h"),)
    assert [choice.ignore for choice in settings.choices] == [(), ("unchecked-equality",)]


def test_the_families_are_those_of_the_rules():
    told = re.findall(r"^\| (\d)xx \|", README, re.MULTILINE)
    assert told == sorted({rule.code[3] for rule in all_rules()})


def test_the_dimensions_are_those_of_the_table():
    (table,) = re.findall(
        r"<!-- dimensions: begin -->\n(.*?)<!-- dimensions: end -->", README, re.DOTALL
    )
    told = dict(re.findall(r"^\| `(\w+)`(?: \(`B`\))? \| (.*) \|$", table, re.MULTILINE))
    assert {name: meaning.replace("`", "") for name, meaning in told.items()} == SYMBOLS


def test_the_numbers_of_cases_are_right():
    ((every, found),) = re.findall(r"Of (\d+) bug reports,.* finds (\d+), which", README)
    cases = ROOT / "tests/cases"
    listed = (cases / "detected.txt").read_text(encoding="utf-8").split()
    # The sets called reports-... were written together with the rules that find them.
    assert int(every) == sum(len(list(cases.glob(f"{name}/*/bug.py"))) for name in ("rnn", "torch"))
    assert int(found) == sum(not name.startswith("reports-") for name in listed)


def test_the_snippets_are_those_of_the_longer_page():
    page = (ROOT / "docs/everyday.md").read_text(encoding="utf-8")
    hook, action, pipeline = blocks("yaml")
    assert f"```yaml\n{hook}```" in page
    assert set(map(str.strip, action.splitlines())) <= set(map(str.strip, page.splitlines()))
    *lines, command = pipeline.splitlines()
    assert "\n".join(lines) in page
    assert f"{command} --cache-dir" in page


def test_the_rules_it_names_exist():
    named = re.findall(r"ignore(?:-file)?\[([\w-]+)\]|attncheck explain ([\w-]+)", README)
    assert named
    assert all(select_rules(first or second) for first, second in named)


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#:]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
