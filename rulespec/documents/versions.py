"""Versions in files: the version of this program, of the rules language, and of the program that a ruleset needs."""

from __future__ import annotations

import re

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.yaml_nodes import Node, Scalar, get

RULESPEC = "0.1.0"
"""Version of the program; the build takes it from this line."""
LANGUAGE = 1
"""Version of the rules language, incremented when previously valid rules change their meaning."""
NEEDS = f"rulespec >={RULESPEC}"
"""The value of `needs` in files written by this version."""

_NEEDED = re.compile(r"rulespec *>= *([0-9]{1,9}(?:\.[0-9]{1,9}){0,2})")
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,2}")
_LINE = re.compile(r"""^needs *: *(["']?)([^"'#\n]*?)\1 *(?:#.*)?$""", re.MULTILINE)


def check_needs(file: Node) -> Diagnostic | None:
    """Checks the version of this program required by a ruleset or an overlay.

    Args:
        file: the root of its main file.

    Returns:
        RS161 if the value of `needs` is not a version; None if the requirement is met or absent.

    Raises:
        DiagnosticsError: RS160 if a newer version is required; other errors are not reported, because that version may
            accept the rest of the file.
    """
    needs = get(file, "needs")
    return None if needs is None else _check(needs.text if isinstance(needs, Scalar) else "", needs.span)


def check_needs_of_text(text: str, display: str) -> Diagnostic | None:
    """Applies `check_needs` to the line that starts with `needs:`, for a file that is not valid YAML."""
    if (line := _LINE.search(text)) is None:
        return None
    number, column = text.count("\n", 0, line.start()) + 1, line.start(2) - line.start() + 1
    return _check(line[2], Span(display, number, column, number, column + max(1, len(line[2]))))


def _check(value: str, at: Span) -> Diagnostic | None:
    needed = _NEEDED.fullmatch(value.strip())
    if needed is None:
        number = _NUMBER.search(value) if "python" not in value.lower() else None
        form = f"rulespec >={number[0]}" if number is not None else NEEDS
        help_ = f"write `needs: {form}`, with the oldest version that can read these files"
        what = shown(value) if value else "this"
        return Diagnostic("RS161", Severity.ERROR, f"{what} is not a version requirement", at, help=help_)
    if _numbers(needed[1]) <= _numbers(RULESPEC):
        return None
    message = f"these rules need rulespec {needed[1]} or newer, but this is {RULESPEC}"
    help_ = f"install a newer version: `pip install --upgrade 'rulespec>={needed[1]}'`"
    raise DiagnosticsError([Diagnostic("RS160", Severity.ERROR, message, at, help=help_)])


def _numbers(version: str) -> list[int]:
    """The parts of a version as numbers, without trailing zeros: 0.10 follows 0.9, and 1 equals 1.0."""
    parts = [int(part) for part in version.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return parts
