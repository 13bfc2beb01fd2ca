"""JUnit's XML: a suite for each file, and in it a failed test for each error and warning.

A note fails no run, so it is a test that passes and has something to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from attncheck.fingerprint import posix
from attncheck.report import file_span, printable
from attncheck.report.parts import paragraph

if TYPE_CHECKING:
    from attncheck.finding import Finding
    from attncheck.report import Lines, Run


def render(run: Run, lines_of: Lines) -> str:
    """One document."""
    root = ElementTree.Element("testsuites", name="attncheck")
    findings: dict[str, list[Finding]] = {}
    for finding in run.findings:
        findings.setdefault(finding.path, []).append(finding)
    for path, status, reason in run.files():
        _suite(root, path, status, reason, findings.get(path, []))
    _count(root)
    ElementTree.indent(root)
    # The letters outside ASCII as character references: no reader can take them for others.
    data: bytes = ElementTree.tostring(root, "us-ascii", xml_declaration=True)
    return data.decode("ascii") + "\n"


def _suite(
    root: ElementTree.Element, path: str, status: str, reason: str | None, found: list[Finding]
) -> None:
    name = printable(posix(path))
    suite = ElementTree.SubElement(root, "testsuite", name=name)
    if status == "checked":
        for finding in found:
            _case(suite, name, finding)
        if found:
            return
    case = ElementTree.SubElement(suite, "testcase", classname=name, name="attncheck")
    if status == "failed":
        _say(case, "error", printable(reason or ""), *map(_located, found))
    elif status == "skipped":
        _say(case, "skipped", printable(reason or ""))


def _case(suite: ElementTree.Element, path: str, finding: Finding) -> None:
    span = file_span(finding)
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=path,
        name=f"{finding.name} ({finding.code})",
        file=path,
        line=str(span.line),
        column=str(span.column),
    )
    if finding.severity == "note":
        ElementTree.SubElement(case, "system-out").text = _located(finding)
    else:
        failure = _say(case, "failure", printable(finding.message), _located(finding))
        failure.set("type", finding.severity)


def _say(case: ElementTree.Element, tag: str, message: str, *texts: str) -> ElementTree.Element:
    element = ElementTree.SubElement(case, tag, message=message)
    if texts:
        element.text = "\n".join(texts)
    return element


def _located(finding: Finding) -> str:
    span = file_span(finding)
    place = printable(f"{finding.path}:{span.line}:{span.column}: ")
    return place + paragraph(finding)


def _count(root: ElementTree.Element) -> None:
    """Give every suite, and all of them together, the numbers of their tests."""
    for element in (*root, root):
        counts = {
            "tests": len(list(element.iter("testcase"))),
            "failures": len(list(element.iter("failure"))),
            "errors": len(list(element.iter("error"))),
            "skipped": len(list(element.iter("skipped"))),
        }
        for key, count in counts.items():
            element.set(key, str(count))
