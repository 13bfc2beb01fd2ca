"""SARIF 2.1.0, for code scanning: rules with their pages, fixes as edits, evidence as a code flow.

(see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html)
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attncheck import __version__
from attncheck.fingerprint import fingerprints, posix
from attncheck.report import file_span, printable, shape_text
from attncheck.report.parts import paragraph

if TYPE_CHECKING:
    from attncheck.finding import Finding, FixPart, Span
    from attncheck.report import Lines, Run
    from attncheck.rule import Rule

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def render(run: Run, lines_of: Lines) -> str:
    """One log with one run."""
    from attncheck.rule import all_rules

    findings = list(run.findings)
    found = {finding.code for finding in findings}
    rules = [rule for rule in all_rules() if rule.code in found]
    index = {rule.code: number for number, rule in enumerate(rules)}
    prints = fingerprints(findings, lines_of)
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "attncheck",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(run)],
                "results": [
                    _result(finding, index[finding.code], fingerprint)
                    for finding, fingerprint in zip(findings, prints, strict=True)
                ],
            }
        ],
    }
    return json.dumps(log, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    from attncheck.pages import page

    described: dict[str, Any] = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.finds},
        "defaultConfiguration": {"level": rule.severity},
    }
    text = page(rule)
    if text is not None:
        described["help"] = {"text": text, "markdown": text}
    return described


def _invocation(run: Run) -> dict[str, Any]:
    notifications = [
        {
            "level": "error",
            "message": {"text": printable(reason or "")},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(path)}}],
        }
        for path, status, reason in run.files()
        if status == "failed"
    ]
    return {
        "executionSuccessful": not notifications,
        "toolExecutionNotifications": notifications,
    }


def _result(finding: Finding, rule_index: int, fingerprint: str) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": _physical(finding.path, _region(file_span(finding)))
    }
    if finding.function:
        location["logicalLocations"] = [
            {"fullyQualifiedName": finding.function, "kind": "function"}
        ]
    result = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": finding.severity,
        "message": {"text": paragraph(finding)},
        "locations": [location],
        "partialFingerprints": {"attncheck/v1": fingerprint},
    }
    tensor = finding.tensor
    if finding.cells:
        return result  # what else it says has places that the file does not have
    if tensor is not None and tensor.decided_at is not None:
        text = f"{tensor.name}: {shape_text(tensor.shape)}  {tensor.origin}".rstrip()
        line = {"startLine": tensor.decided_at.line}
        result["relatedLocations"] = [_told(finding.path, line, text)]
    if finding.trace:
        steps = [
            {
                "location": _told(
                    finding.path,
                    {"startLine": step.line},
                    f"{step.expression} {shape_text(step.shape)}, by {step.by}",
                )
            }
            for step in finding.trace
        ]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if finding.fix is not None and finding.fix.edits:
        result["fixes"] = [_fix(finding.path, finding.fix)]
    return result


def _fix(path: str, fix: FixPart) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
        for edit in fix.edits
    ]
    return {
        "description": {"text": printable(fix.description)},
        "artifactChanges": [{"artifactLocation": _artifact(path), "replacements": replacements}],
        "properties": {"applicability": fix.applicability},
    }


def _told(path: str, region: dict[str, int], text: str) -> dict[str, Any]:
    return {"physicalLocation": _physical(path, region), "message": {"text": printable(text)}}


def _physical(path: str, region: dict[str, int]) -> dict[str, Any]:
    return {"artifactLocation": _artifact(path), "region": region}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _artifact(path: str) -> dict[str, str]:
    from urllib.parse import quote

    if os.path.isabs(path):
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(os.fsencode(posix(path)))}
