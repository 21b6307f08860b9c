"""Coverage reports for people: labels, and a self-contained HTML page that shows the sources in colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from rulespec.cli import output

if TYPE_CHECKING:  # the engine takes long to import
    from rulespec.engine.coverage.coverage_report import CoverageReport, CoverageTotal, LineRuns, RuleRuns
    from rulespec.engine.coverage.trace import Coverage


def heading(coverage: Coverage) -> str:
    """The rulesets and the number of tests of each kind, on one line."""
    first, *others = coverage.rulesets
    parts = [first.ref + (f", and under {output.counted(len(others), 'overlay')}" if others else "")]
    for kind, word in (("scenario", "scenario"), ("log", "recorded game"), ("playout", "random game")):
        if number := sum(t.kind == kind for t in coverage.tests):
            parts.append(output.counted(number, word))
    if not coverage.tests:
        parts.append("no test was run")
    return " · ".join(parts)


def percentage(total: CoverageTotal) -> str:
    """The percentage that was executed or explained, rounded down so that only full coverage gives 100.0."""
    return f"{int(total.percent * 10) / 10:.1f}"


def rule_state(rule: RuleRuns) -> str:
    """The state of a rule, in one to three words."""
    if rule.proved_by:
        return "proved"
    if rule.reason:
        return "explained"
    if rule.runs.count:
        return "run, not cited" if not rule.cited_by else "cited, run by others"
    return "cited, not run" if rule.cited_by else "not run"


_MARKS = {"run": "●", "partly": "◐", "missed": "○", "explained": "◌", "": ""}
"""Marks beside the colours, for readers who cannot distinguish the colours."""


def page(report: CoverageReport) -> str:
    """The HTML page of a report. Texts from rulesets and tests are escaped."""
    template = Template(Path(__file__).with_name("coverage_page.html").read_text("utf-8"))
    return template.substitute(
        title=escape(report.coverage.rulesets[0].title),
        head=escape(heading(report.coverage)),
        percent=percentage(report.whole),
        failed="".join(
            f"<p class='missed'>{escape(f'{t.id}: {t.error or t.end}')}</p>"
            for t in report.coverage.tests
            if t.error or t.end
        ),
        totals=_table(("", *_TOTALS), (_total(escape(kind), total) for kind, total in report.totals.items())),
        files=_table(("file", *_TOTALS), (_total(_link(file), total) for file, total in report.by_file.items())),
        rules=_rules(report),
        sources="\n".join(_source(report, file) for file in report.by_file),
    )


_TOTALS = ("run", "of", "explained", "%")


def _total(name: str, total: CoverageTotal) -> list[str]:
    return [name, str(total.run), str(total.outcomes), str(total.explained), percentage(total)]


def _link(file: str) -> str:
    return f"<a href='#{_anchor(file)}'>{escape(file)}</a>"


def _anchor(file: str, line: int = 0) -> str:
    return escape(f"{file}:{line}" if line else file)


def _table(head_: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table, given its cells as HTML."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head_)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table>"


def _rules(report: CoverageReport) -> str:
    def rows() -> Iterator[list[str]]:
        for r in report.rules:
            places = sorted({(item.span.file, item.span.line) for item in r.items})
            links = ", ".join(
                f"<a href='#{_anchor(file, line)}'>{escape(file.rpartition('/')[2])}:{line}</a>"
                for file, line in places
                if file in report.by_file
            )
            state = rule_state(r)
            shade = {"proved": "run", "explained": "explained"}.get(state, "missed")
            text = escape(r.rule.text) + (f"<br><em>{escape(r.reason)}</em>" if r.reason else "")
            tests = escape(", ".join(r.proved_by[:6]) + (" …" if len(r.proved_by) > 6 else ""))
            editions = escape(", ".join(r.rule.editions))
            yield [escape(r.rule.id), text, editions, f"<span class='{shade}'>{state}</span>", tests, links]

    return _table(("rule", "text", "editions", "state", "proved by", "in"), rows()) if report.rules else ""


def _source(report: CoverageReport, file: str) -> str:
    lines = "\n".join(_line(file, number, line) for number, line in enumerate(report.lines(file), 1))
    return f"<h3 id='{_anchor(file)}'>{escape(file)}</h3>\n<pre>{lines}</pre>"


def _line(file: str, number: int, line: LineRuns) -> str:
    note = [f"run by {', '.join(line.by)}"] if line.by else []
    note += [f"not seen: {what}" for what in line.missing]
    title = escape("\n".join(note))
    count = f"{line.count:,}" if line.state else ""
    gutter = f"<a>{number:4}</a> {_MARKS[line.state] or ' '} {count:>9}"
    return (
        f"<span id='{_anchor(file, number)}' class='{line.state}' title='{title}'>{gutter}  {escape(line.text)}</span>"
    )
