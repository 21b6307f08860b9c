"""`rulespec explain`: pages about diagnostic codes, and a ruleset's rules with the changes that overlays made."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from rulespec.cli import output
from rulespec.cli.rules_about import about
from rulespec.diagnostics.codes import CODES
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.pages import families, read_page
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.load import Merged, load_source
from rulespec.overlays.overlay import Source
from rulespec.overlays.selection import nodes, options_in
from rulespec.overlays.written import changes_of, item_lines, option_lines, taken_out
from rulespec.references import known_rulesets
from rulespec.syntax import ast
from rulespec.syntax.keywords import WITHDRAW

_CODE = re.compile(r"[A-Za-z]{2}[0-9]+")
_OF_DRAFTS = "every draft has it: it restores the start of the plan, and is legal once something is planned"


@click.command("explain")
@click.argument("words", metavar="[CODE...|REF [OPTION]]", nargs=-1)
def command(words: tuple[str, ...]) -> None:
    """Explain diagnostic codes such as RS221: the meaning, the reason, a bad and a good example.

    For a ruleset, explain an option, a decision or a rule: its text, with the overlay of each changed line. For any
    other word, list the names, titles, docstrings, reasons and rules that mention it; without a word, list the
    decisions with their options. Without arguments, list all codes.

    Example: rulespec explain imperial+first_edition invest

    Example: rulespec explain imperial factory
    """
    if not words:
        _print(_list())
    if len(words) == 2 and not _CODE.fullmatch(words[0]):
        _print(list(_rules(load_source(words[0], Report(), lints=False), *words)))
        return
    if len(words) == 1 and not _CODE.fullmatch(words[0]) and (merged := _ruleset(words[0])) is not None:
        _print(list(_options(merged)))
        return
    for position, code in enumerate(words):
        if position:
            output.echo()
        _print(_page(code))


def _ruleset(word: str) -> Merged | None:
    """The ruleset that a word names; None if there is no such ruleset."""
    try:
        return load_source(word, Report(), lints=False)
    except DiagnosticsError as error:
        if any(each.code != "RS501" for each in error.diagnostics):
            raise
        return None


def _rules(merged: Merged, ref: str, name: str) -> Iterator[str]:
    """The rules and options with a name, and the options of a decision with it; if there are none, all mentions of the
    word.
    """
    source = merged.source
    results: list[tuple[str, Span, list[str]]] = []
    known: set[str] = set()
    for (kind, key), item in source.items.items():
        changes = changes_of(item, source)
        known.add(key.partition(" ")[0])
        if key.partition(" ")[0] == name:
            what = "the rule that it wraps" if " " in key else f"{kind} `{name}`"
            results.append((what, item.name.span, [*item_lines(item, source), *taken_out(item, source, changes)]))
        for of, option in options_in(item):
            known |= {of.text, option.name.text}
            if name in _names(of.text, option.name.text):
                what = f"option `{option.name.text}` of `{of.text}`"
                lines = [*option_lines(option, source, changes), *taken_out(option, source, changes)]
                results.append((what, option.name.span, lines))
                results += _guards(option, source)
        for draw in _draws(item):
            known.add(draw.name.text)
            if draw.name.text == name:
                results.append((f"`{_word(draw)} {name}`", draw.span, option_lines(draw, source, changes)))
        for draft in (node for node in nodes(item) if isinstance(node, ast.Decide) and node.form == "draft"):
            if name in _names(draft.name.text, WITHDRAW):
                results.append((f"option `{WITHDRAW}` of `{draft.name.text}`", draft.name.span, [_OF_DRAFTS]))
    if not results and (lines := list(about(merged, name))):
        yield f"no option or rule is called `{name}`; these mention it:"
        yield from lines
        return
    if not results:
        hint = did_you_mean(name, known) or f"list the decisions and their options with `rulespec explain {ref}`"
        raise click.UsageError(f"there is no option or rule `{name}`; {hint}")
    for number, (what, span, lines) in enumerate(results):
        yield from [""] if number else []
        yield f"{output.style(what, bold=True)}  {span.file}:{span.line}"
        yield from (f"    {line}" for line in lines)


def _options(merged: Merged) -> Iterator[str]:
    """The decisions of a ruleset, each with its options: the words that can be asked about."""
    asked: dict[str, tuple[Span, list[str]]] = {}
    for item in merged.source.items.values():
        for of, option in options_in(item):
            asked.setdefault(of.text, (of.span, []))[1].append(option.name.text)
        for draw in _draws(item):
            asked.setdefault(draw.name.text, (draw.name.span, []))[1].append(f"({_word(draw)})")
    width = max(map(len, asked), default=0)
    for name, (span, options) in sorted(asked.items()):
        words = ", ".join(dict.fromkeys(options))
        yield f"{output.style(name.ljust(width), bold=True)}  {words}  {span.file}:{span.line}"


def _draws(item: ast.Item) -> Iterator[ast.Draw]:
    """The decisions of a rule that give values instead of offering options."""
    return (node for node in nodes(item) if isinstance(node, ast.Draw))


def _word(draw: ast.Draw) -> str:
    return "roll" if draw.by is None else "choose"


def _names(decision: str, option: str) -> tuple[str, ...]:
    """The notations for an option: by its decision, alone, or both."""
    return decision, option, f"{decision}.{option}", f"{option} of {decision}"


def _guards(option: ast.OptionDef, source: Source) -> Iterator[tuple[str, Span, list[str]]]:
    """The guards required by an option."""
    for s in option.body:
        guard = source.items.get(("guard", s.name.text)) if isinstance(s, ast.Needs) else None
        if guard is not None:
            yield f"guard `{guard.name.text}`", guard.name.span, item_lines(guard, source)


def _print(lines: list[str]) -> None:
    for line in lines:
        output.echo(line)


def _list() -> list[str]:
    lines: list[str] = []
    for name, titles in families().items():
        lines += [output.style(name, bold=True), *(f"  {code}  {title}" for code, title in titles.items()), ""]
    return lines[:-1]


def _page(word: str) -> list[str]:
    page = read_page(word.upper())
    if page is None:
        known = did_you_mean(word.upper(), CODES) or did_you_mean(word, known_rulesets())
        raise click.UsageError(
            f"there is no code or ruleset `{word[:20]}`; {known or 'list all codes with `rulespec explain`'}"
        )
    return [output.style(line, bold=True) if line.startswith("#") else line for line in page.text.rstrip().split("\n")]
