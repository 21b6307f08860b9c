"""Warnings accepted in the source by a comment with a reason: `# accept: RS405 for the next edition`.

The comment is on the line of the warning, or alone on the line above it. It must be in the same file, so an overlay
cannot accept warnings in its base. Accepted warnings are counted; a comment without a matching warning is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from rulespec.diagnostics.codes import CODES
from rulespec.diagnostics.diagnostic import Accepted, Diagnostic, Severity, Span
from rulespec.diagnostics.report import Report

_COMMENT = re.compile(r"(?:^|(?<=\s))#\s*accept:\s*(.*?)\s*$")
_SAID = re.compile(r"(RS\d{3})\b[\s:,]*(.*)")
_OF_CHECKER = "RS6"
"""The lowest code of diagnostics that come from played games or other files, and so not from every check."""
_OF_SECRETS = frozenset({*(f"RS{n}" for n in range(341, 350)), "RS740"})
"""Codes of warnings about leaked secrets, which cannot be accepted."""


class _Comment(Struct, frozen=True):
    """A comment that accepts a code: its place, the code, the reason, and the line of the warning."""

    span: Span
    code: str
    reason: str
    line: int


def accept(report: Report, sources: Mapping[str, str], layers: Mapping[str, int]) -> Report:
    """A copy of a report without the warnings accepted in the files.

    Args:
        report: all findings.
        sources: the text of each file of the ruleset.
        layers: the layer of each file. An unmatched comment is an error only in the top layer, because a layer above
            may have removed the cause of the warning.
    """
    result = Report()
    comments = [comment for file, text in sources.items() for comment in _comments(file, text, result)]
    used: set[Span] = set()
    for d in report.diagnostics:
        comment = next((c for c in comments if _is_for(c, d)), None)
        if comment is None:
            result.add(d)
        else:
            used.add(comment.span)
            result.accepted.append(Accepted(d, comment.reason))
    top = max(layers.values(), default=0)
    if report.ok:  # otherwise some lints were skipped
        for comment in comments:
            if comment.span not in used and layers.get(comment.span.file, top) == top:
                message = f"the warning {comment.code} does not occur here"
                result.error("RS876", message, comment.span, help="remove the comment")
    return result


def unaccepted(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """The findings of a partial check, minus accepted warnings; does not report unmatched comments."""
    comments = [comment for file, text in sources.items() for comment in _comments(file, text, Report())]
    return tuple(d for d in diagnostics if not any(_is_for(comment, d) for comment in comments))


def _is_for(comment: _Comment, d: Diagnostic) -> bool:
    if d.severity is not Severity.WARNING or d.span is None or d.code != comment.code:
        return False
    return d.span.file == comment.span.file and d.span.line == comment.line


def _comments(file: str, text: str, report: Report) -> Iterator[_Comment]:
    """The accepting comments of a file; malformed ones are reported."""
    if "accept:" not in text:
        return
    lines = text.split("\n")
    for number, line in enumerate(lines):
        match = _COMMENT.search(line)
        if match is None or line[: match.start()].count('"') % 2:
            continue
        span = Span(file, number + 1, match.start() + 1, number + 1, len(line) + 1)
        said = _SAID.fullmatch(match[1])
        if (fault := _fault(said)) is not None:
            report.error("RS875", fault, span, help="write `# accept: RS405 the reason`")
        elif said is not None:
            alone = not line[: match.start()].strip()
            yield _Comment(span, said[1], said[2], _line_of(lines, number) if alone else number + 1)


def _fault(said: re.Match[str] | None) -> str | None:
    """The mistake in an accepting comment, or None."""
    if said is None:
        return "the code of the accepted warning is missing"
    code, reason = said[1], said[2]
    if code not in CODES:
        return f"there is no code {code}"
    if code in _OF_SECRETS:
        return f"{code} warns of a leaked secret, so it cannot be accepted"
    if code >= _OF_CHECKER:
        return f"{code} cannot be accepted, because only some checks report it"
    return None if reason else f"the reason for accepting {code} is missing"


def _line_of(lines: list[str], number: int) -> int:
    """The line, from 1, to which a comment on a separate line applies: the next one that is not a comment."""
    following = range(number + 1, len(lines))
    return next((n + 1 for n in following if lines[n].strip() and not lines[n].lstrip().startswith("#")), number + 1)
