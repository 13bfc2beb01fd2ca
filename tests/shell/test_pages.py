"""A rule's page is found in a checkout and in an installed package."""

from attncheck import pages
from attncheck.rule import Rule, find_rule


def test_in_the_checkout():
    for name in ("unused-suppression", "file-not-parsed"):
        rule = find_rule(name)
        assert pages.page(rule).startswith(f"# {rule.name} ({rule.code})\n")


def test_in_an_installed_package(monkeypatch, tmp_path):
    (tmp_path / "attncheck" / "_rules").mkdir(parents=True)
    (tmp_path / "attncheck" / "_rules" / "some-rule.md").write_text("# α\n", encoding="utf-8")
    monkeypatch.setattr(pages, "files", lambda package: tmp_path / package)
    assert pages.page(Rule("ATN999", "some-rule", "")) == "# α\n"
    assert pages.page(Rule("ATN998", "other-rule", "")) is None
