"""Renderer for SARIF 2.1.0, the format in which code hosts and editors read checker results."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rulespec.diagnostics.codes import CODES
from rulespec.diagnostics.diagnostic import Diagnostic, Fix, Severity, Span
from rulespec.diagnostics.pages import read_page

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def to_sarif(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """The SARIF log of one run whose results are the diagnostics, as plain data for `json.dumps`."""
    results = list(diagnostics)
    codes = sorted({d.code for d in results})
    run = {
        "tool": {"driver": {"name": "rulespec", "rules": [_rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, codes.index(d.code)) for d in results],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    title = CODES.get(code, code)
    rule: dict[str, Any] = {"id": code, "shortDescription": {"text": title}}
    page = read_page(code)
    if page is not None:
        rule["fullDescription"] = {"text": " ".join(page.sections["What it says"].split())}
        rule["help"] = {"text": page.text, "markdown": page.text}
    return rule


def _result(d: Diagnostic, rule: int) -> dict[str, Any]:
    text = f"{d.message} ({d.label})" if d.label else d.message
    result: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": rule,
        "level": "error" if d.severity is Severity.ERROR else "warning",
        "message": {"text": f"{text}\n{d.help}" if d.help else text},
    }
    if d.span is not None:
        result["locations"] = [{"physicalLocation": _place(d.span)}]
    if d.notes:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _place(note.span), "message": {"text": note.text}}
            for number, note in enumerate(d.notes, 1)
        ]
    if d.fix is not None:
        result["fixes"] = [_fix(d.fix, d.help)]
    return result


def _fix(fix: Fix, text: str) -> dict[str, Any]:
    replacement = {"deletedRegion": _region(fix.span), "insertedContent": {"text": fix.text}}
    change = {"artifactLocation": _file(fix.span.file), "replacements": [replacement]}
    return {"description": {"text": text or "fix it"}, "artifactChanges": [change]}


def _place(span: Span) -> dict[str, Any]:
    return {"artifactLocation": _file(span.file), "region": _region(span)}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _file(name: str) -> dict[str, str]:
    """The location of a file as a URI: relative to the current folder if below it, as code hosts expect."""
    path = Path(name)
    if path.is_absolute():
        if not path.is_relative_to(place := Path.cwd()):
            return {"uri": path.as_uri()}
        path = path.relative_to(place)
    return {"uri": quote(path.as_posix(), errors="replace")}
