"""Names that are reserved words, and so break the parsing of their uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rulespec.check.context import Context
from rulespec.check.declare import declare
from rulespec.check.signatures import check_signatures
from rulespec.check.size import check_size
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.overlays.overlay import Source
from rulespec.syntax.keywords import NO_DEFINITIONS, NO_NAMES, NO_PROCEDURES

_RULE = re.compile(r"^(?:(?:replace|wrap|hook) +)?(def|procedure|guard) +(\w+)")
_VARIABLE = re.compile(r"\blet +(\w+) *=|(?:\bfor +|\bwith +|[(,] *)(\w+) +in\b|\b(\w+): +\w")


def tell_words(source: Source, texts: Mapping[str, str], report: Report) -> None:
    """Adds a diagnostic for each declared name that is a reserved word, if all errors are in rules files."""
    broken = {d.span.file for d in report.diagnostics if d.span is not None}
    if report.ok or not all(file.endswith(".rules") for file in broken):
        return
    result = Report()
    try:
        c = Context(source, result)
        check_size(c)
        declare(c)
        check_signatures(c)
    except DiagnosticsError:
        pass  # too large, or too many errors: reported once the rules can be parsed
    for d in result.diagnostics:
        if d.code == "RS223" and d.message.endswith(_WORD):
            report.extend([d])
    for file in sorted(broken & set(texts)):
        for name, span in _in_text(file, texts[file]):
            report.error("RS223", f"`{name}` {_WORD}", span)


_WORD = "is a word of the language"


def _in_text(file: str, text: str) -> Iterator[tuple[str, Span]]:
    """The reserved words used as names of rules and variables in a text that does not parse."""
    for number, line in enumerate(text.split("\n"), 1):
        rule = _RULE.match(line)
        if rule is not None:
            refused = NO_DEFINITIONS if rule[1] == "def" else NO_PROCEDURES
            if rule[2] in refused:
                yield rule[2], Span(file, number, rule.start(2) + 1, number, rule.end(2) + 1)
        for variable in _VARIABLE.finditer(line):
            group = variable.lastindex or 0
            if variable[group] in NO_NAMES and (group != 3 or rule is not None):
                yield variable[group], Span(file, number, variable.start(group) + 1, number, variable.end(group) + 1)
