"""Rules related to a word, which is in a rule's name, title, docstring or reason, or in a name that the rule uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from rulespec.cli import output
from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, entries, get, text, words
from rulespec.load import Merged
from rulespec.overlays.selection import nodes, options_in
from rulespec.ruleset_files import Files, title_files
from rulespec.syntax import ast

SHOWN = 12
"""Maximum number of rules listed, closest matches first."""
_NAME, _TITLE, _DOC, _REASON, _MENTION = range(5)
_SHORT = 90
_HOLE = re.compile(r"\{[^{}]*\}")


class _Match(Struct, frozen=True, order=True):
    """A rule or an option that matches, with the reason and the rank of that reason."""

    rank: int
    order: int
    what: str
    why: str
    span: Span


def about(merged: Merged, word: str) -> Iterator[str]:
    """Lines about the rules and options related to a word, closest first.

    Args:
        merged: the ruleset.
        word: one or more words of natural language; differences in case and number are ignored.
    """
    test = _pattern(word)
    if test is None:
        return
    titled: dict[str, str] = {}
    for name, title in _titled(merged, test):
        titled.setdefault(name, title)
    best: dict[str, _Match] = {}
    for number, ((kind, key), item) in enumerate(merged.source.items.items()):
        name = key.partition(" ")[0]
        for each in _of_rule(item, kind, name, number, test, titled):
            if each.what not in best or each < best[each.what]:
                best[each.what] = each
    for each in _of_tables(merged.source.root, len(merged.source.items), test):
        best.setdefault(each.what, each)
    results = sorted(best.values())
    width = max((len(each.what) for each in results[:SHOWN]), default=0)
    for each in results[:SHOWN]:
        yield f"  {output.style(each.what, bold=True)}{' ' * (width - len(each.what))}  {each.why}"
        yield f"  {' ' * width}  {each.span.file}:{each.span.line}"
    if len(results) > SHOWN:
        yield f"  and {len(results) - SHOWN} more"


def _pattern(word: str) -> re.Pattern[str] | None:
    """A pattern that matches a word in singular and plural; None for an empty word."""
    text = word.strip().lower().replace("_", " ")
    if text.endswith("ies") and len(text) > 4:
        text = f"{text[:-3]}y"
    elif text.endswith("s") and not text.endswith("ss") and len(text) > 3:
        text = text[:-1]
    if not text:
        return None
    form = f"{re.escape(text[:-1])}(?:y|ies)" if text.endswith("y") else f"{re.escape(text)}(?:e?s)?"
    return re.compile(rf"(?<![a-z]){form}(?![a-z])", re.IGNORECASE)


def _titled(merged: Merged, test: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The names whose titles contain a word, with these titles; for `decision.option` also by the option's title."""
    for folder, file in title_files(merged.source.titled, merged.place):
        if not merged.place.present(folder / file):
            continue
        try:
            root = Files().yaml(folder / file, file)
        except DiagnosticsError:
            continue
        for name, title in _texts("", root):
            if test.search(_HOLE.sub("", title)):
                yield name, title
                yield name.rpartition(".")[2], title


def _texts(name: str, node: Node) -> Iterator[tuple[str, str]]:
    if isinstance(node, Mapping):
        for key, (_, value) in node.entries.items():
            yield from _texts(key, value)
    elif isinstance(node, Scalar) and name:
        yield name, node.text


def _of_tables(root: Mapping, number: int, test: re.Pattern[str]) -> Iterator[_Match]:
    """The constants and tables whose names, or the docs of tables, contain a word."""
    for name, key, value in entries(get(root, "constants")):
        if test.search(name.replace("_", " ")):
            yield _Match(_NAME, number, f"constant `{name}`", f"is {shown(_line(text(value)))}", key.span)
    for name, key, value in entries(get(root, "tables")):
        doc = text(get(value, "doc"))
        if test.search(name.replace("_", " ")) or test.search(doc):
            keys = ", ".join(f"`{each.text}`" for each in words(get(value, "key")))
            yield _Match(_NAME, number, f"table `{name}`", _line(doc) or f"by {keys}", key.span)


def _of_rule(
    item: ast.Item, kind: str, name: str, number: int, test: re.Pattern[str], titled: dict[str, str]
) -> Iterator[_Match]:
    """The matches in a rule and in each of its options."""
    for of, option in options_in(item):
        what = f"option `{option.name.text}` of `{of.text}`"
        full = f"{of.text}.{option.name.text}"
        own = titled.get(full) or titled.get(of.text)
        yield from _of_part(option, what, option.name, number, test, own)
    yield from _of_part(item, f"{kind} `{name}`".replace(" ``", ""), item.name, number, test, titled.get(name))
    for node in nodes(item):
        title = titled.get(node.name) if isinstance(node, ast.Ref) else None
        if title is not None:
            yield _Match(_MENTION, number, f"{kind} `{name}`", f"mentions {_line(title)}", item.name.span)
            break


def _of_part(
    part: ast.Item | ast.OptionDef, what: str, name: ast.Name, number: int, test: re.Pattern[str], title: str | None
) -> Iterator[_Match]:
    """The matches of a rule or an option itself."""
    if test.search(name.text.replace("_", " ")):
        yield _Match(_NAME, number, what, _line(part.doc.text), name.span)
    if title is not None:
        yield _Match(_TITLE, number, what, f"called “{_line(title)}”", name.span)
    if test.search(part.doc.text):
        yield _Match(_DOC, number, what, _line(part.doc.text), name.span)
    for node in nodes(part):
        if isinstance(node, ast.Remark | ast.Decide) and test.search(node.doc.text):
            yield _Match(_DOC, number, what, _line(node.doc.text), node.doc.span)
        reason = getattr(node, "reason", None)
        if isinstance(reason, ast.Text) and test.search(reason.text):
            yield _Match(_REASON, number, what, _line(reason.text), name.span)
        written = node.name if isinstance(node, ast.Ref) else node.name.text if isinstance(node, ast.Attribute) else ""
        if written and test.search(written.replace("_", " ")):
            yield _Match(_MENTION, number, what, f"mentions `{written}`", name.span)


def _line(text: str) -> str:
    """The beginning of a text on one line."""
    text = " ".join(text.split())
    return shown(text if len(text) <= _SHORT else f"{text[:_SHORT].rpartition(' ')[0]} …").strip("`")
