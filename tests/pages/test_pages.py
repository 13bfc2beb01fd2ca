"""Every rule's page is true: its metadata, its examples, its fix, and what it says is not reported.

The pages are the data. `rules/README.md` says what each block of a page has to do; nothing about a
single rule is written here.
"""

import runpy
from pkgutil import iter_modules

import pytest
import rule_pages
from rule_pages import HARMLESS, HEADINGS, RULES

from attncheck import frameworks
from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.rule import all_rules
from attncheck.settings import Choice, Settings

PAGES = rule_pages.pages()
BY_NAME = {rule.name: rule for rule in all_rules()}
#: What wrong shapes raise. A NameError or a TypeError would be a mistake of the page itself.
SHAPE_ERRORS = (AssertionError, ValueError, RuntimeError, IndexError)
INDEX = runpy.run_path(str(RULES.parent / "scripts" / "rules_index.py"))

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def findings(page, block):
    """(line, code, severity) of every finding about a block, with the findings."""
    result = check_source(block.code.encode(), f"{page.name}.py", settings_of(page))
    return [(each.line, each.code, each.severity) for each in result.findings], result.findings


def settings_of(page):
    """The defaults, with the page's own rule on if it is off by default."""
    rule = BY_NAME[page.name]
    if rule.default:
        return Settings()
    return Settings(choices=(Choice(select=("ATN",), extend_select=(rule.code,)),))


def run(page, *sources):
    """Run pieces of code one after the other as one program; each line is shown as the page's."""
    namespace = {"__name__": "__main__"}
    for code, start in sources:
        program = compile("\n" * (start - 1) + code, str(page.path), "exec")
        exec(program, namespace)


def source(block):
    return block.code, block.start


def test_every_rule_has_a_page_and_every_page_a_rule():
    assert [page.name for page in PAGES] == sorted(BY_NAME)


def test_index_is_the_registry():
    readme = RULES / "README.md"
    text = readme.read_text(encoding="utf-8")
    assert text == INDEX["with_index"](text), "run scripts/rules_index.py"


@every_page
def test_headings(page):
    assert tuple(section.heading for section in page.sections) == HEADINGS


@every_page
def test_title_and_metadata_are_the_registry(page):
    rule = BY_NAME[page.name]
    assert page.title == f"{rule.name} ({rule.code})"
    *facts, scope = page.metadata.split(" · ")
    assert facts == [rule.severity, f"since {rule.since}", f"fix: {rule.fix}"]
    assert scope == _scope(page, rule)


def _scope(page, rule):
    """The frameworks that the page's own blocks show the rule in."""
    if rule.code.startswith("ATN9"):
        return "any Python"
    code = "\n".join(block.code for block in page.blocks())
    known = sorted(module.name for module in iter_modules(frameworks.__path__) if module.ispkg)
    return ", ".join(name for name in known if f"import {name}" in code)


@every_page
def test_marks_are_in_the_example_only(page):
    ((_, severity),) = page.block("Example").marks
    assert severity in ("error", "warning", "note")
    marked = [section.heading for section in page.sections if any(b.marks for b in section.blocks)]
    assert marked == ["Example"]


@every_page
def test_example_has_exactly_its_finding(page):
    block = page.block("Example")
    ((line, severity),) = block.marks
    found, _ = findings(page, block)
    assert found == [(line, BY_NAME[page.name].code, severity)]


@every_page
def test_example_fails_when_run(page):
    check = page.section("Assert")
    program = source(page.block("Example")), source(page.block("Assert"))
    if HARMLESS in check.text:
        run(page, *program)
        return
    errors = SyntaxError if page.name == "file-not-parsed" else SHAPE_ERRORS
    with pytest.raises(errors):
        run(page, *program)


@every_page
def test_fixed_is_silent(page):
    assert findings(page, page.block("Fixed"))[0] == []


@every_page
def test_fixed_passes_when_run(page):
    run(page, source(page.block("Fixed")), source(page.block("Assert")))


@every_page
def test_our_fix_gives_the_fixed_block(page):
    """A safe fix gives it to the letter; an unsafe one may need more beside the corrected line."""
    example, fixed = page.block("Example"), page.block("Fixed")
    (finding,) = findings(page, example)[1]
    applicability = BY_NAME[page.name].fix
    if applicability == "none":
        assert finding.fix is None
        return
    assert finding.fix is not None
    corrected = [line.strip() for line in fixed.code.split("\n")]
    if applicability == "safe":
        patched = apply_edits(example.code.encode(), finding.fix.edits).decode()
        assert finding.fix.applicability == "safe"
        assert patched == fixed.code
    assert set(finding.fix.line.split("\n")) <= set(corrected)


@every_page
def test_look_alikes_are_silent_and_run(page):
    blocks = page.section("Not reported").blocks
    assert len(blocks) >= 2
    for block in blocks:
        run(page, source(block))
        assert findings(page, block)[0] == [], block.start
