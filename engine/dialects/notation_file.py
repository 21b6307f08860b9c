"""The notation of a ruleset: the texts of its moves, as data in `notation.yaml`. See docs/guides/dialects.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.kept_trees import parse_kept
from rulespec.documents.schema_check import check_schema
from rulespec.documents.text_files import is_present, read_text
from rulespec.documents.yaml_nodes import locate, report_repeated, to_plain
from rulespec.engine.dialects.projected import Projection, as_text, places, projections
from rulespec.engine.notation.grammar import Grammar, GrammarError, ListPart, Part, make_grammar
from rulespec.engine.notation.templates import Characters, NamedPart, Template, TemplateError, read_template
from rulespec.records import Brief
from rulespec.schemas import load_schema
from rulespec.typed import nodes as typed

FILE = "notation.yaml"
AFTER = "after"
"""The field for the suffix that describes the position after a move."""
_MEMO_SIZE = 20


class After(Brief, Struct, frozen=True):
    """A suffix that marks the effect of a move: an ending of the game, or a condition on the position."""

    text: str
    ending: str
    when: str


class Printed(Brief, Struct, frozen=True):
    """The printed form of an option.

    Attributes:
        projection: the form in which the option is recorded.
        templates: the texts to print; the first unambiguous one is used.
        also: the fields that are printed but not compared, each with the expression for its value.
    """

    projection: Projection
    templates: tuple[Template, ...]
    also: tuple[tuple[str, str], ...]


class Notation(Brief, Struct, frozen=True, eq=False):
    """A parsed and checked notation file.

    Attributes:
        names: kind → entity → text.
        decisions: `decision.option` → the forms of its text.
        printed: `decision.option` → printed forms; empty for texts that are read but never written.
        after: the suffixes of moves; the first one that applies is used.
        letters: language → letter in texts of the language → letter in the grammar.
        marks: words between moves that are skipped on reading.
    """

    title: str
    file: str
    grammar: Grammar
    names: Mapping[str, Mapping[str, str]]
    decisions: Mapping[str, tuple[Projection, ...]]
    printed: Mapping[str, tuple[Printed, ...]]
    after: tuple[After, ...]
    spans: Mapping[str, Span]
    letters: Mapping[str, Mapping[str, str]] = {}
    marks: frozenset[str] = frozenset()

    def in_own_letters(self, texts: Sequence[str]) -> Sequence[str]:
        """The move texts of a game, in the letters of the grammar.

        Texts that the grammar cannot read are translated if all texts use the letters of one language, or of several
        languages that agree; otherwise they are unchanged.
        """
        if not self.letters or all(map(self.reads, texts)):
            return texts
        alone = [text for text in texts if text not in self.marks]
        known = {letter for table in self.letters.values() for pair in table.items() for letter in pair}
        results = set[tuple[str, ...]]()
        for table in self.letters.values():
            if not known.intersection("".join(alone)) <= table.keys():
                continue
            letters = {ord(letter): own for letter, own in table.items()}
            translated = tuple(text if text in self.marks else text.translate(letters) for text in texts)
            if all(map(self.reads, translated)):
                results.add(translated)
        return results.pop() if len(results) == 1 else texts

    def reads(self, text: str) -> bool:
        """Whether the grammar can read a text, or skips it."""
        return text in self.marks or self.grammar.read(text) is not None


def notation_of(folder: Path) -> Notation | None:
    """The notation in the folder of a ruleset; None if there is none.

    Raises:
        DiagnosticsError: see `read_notation`.
    """
    path = folder / FILE
    return read_notation(path) if is_present(path) else None


def notation_for(ruleset: typed.Ruleset) -> Notation | None:
    """The notation of a ruleset or of its base; None if neither has one.

    Raises:
        DiagnosticsError: see `read_notation`.
    """
    return next((notation for folder in ruleset.folders if (notation := notation_of(folder)) is not None), None)


def read_notation(path: Path) -> Notation:
    """The notation in a file.

    Raises:
        DiagnosticsError: if the file is unreadable or violates its schema; RS886 if its grammar is wrong.
    """
    return _notation(read_text(path, str(path)), str(path))


@lru_cache(maxsize=_MEMO_SIZE)
def _notation(text: str, file: str) -> Notation:
    """The notation parsed from a text, memoised."""
    report = Report()
    node = parse_kept(text, file)
    check_schema(node, load_schema("notation"), report, what="notation file", cached=True)
    report_repeated(node, "notation", report)
    report.raise_if_errors()
    data = to_plain(node)
    spans = places(locate(node, ["decisions"])) | places(locate(node, []))
    after = tuple(After(a["text"], a.get("ending", ""), as_text(a.get("when", ""))) for a in data.get("after", []))
    printed = {key: tuple(_forms(value, key, spans)) for key, value in data["decisions"].items()}
    return Notation(
        title=data["title"],
        file=file,
        grammar=_grammar(data, after, spans),
        names=data.get("names", {}),
        decisions={key: tuple(form.projection for form in forms) for key, forms in printed.items()},
        printed={key: tuple(form for form in forms if form.templates) for key, forms in printed.items()},
        after=after,
        spans=spans,
        letters=data.get("letters", {}),
        marks=frozenset(data.get("marks", ())),
    )


def _grammar(data: Mapping[str, Any], after: tuple[After, ...], spans: Mapping[str, Span]) -> Grammar:
    parts: dict[str, Part] = {}
    for name, value in {**data.get("parts", {}), **data.get("numbers", {})}.items():
        parts[name] = value if isinstance(value, dict) else _templates(value, "parts", spans)
    parts |= {name: ListPart(v["of"], v["by"], v.get("least", 1)) for name, v in data.get("lists", {}).items()}
    moves = [(type_, t) for type_, value in data["moves"].items() for t in _templates(value, "moves", spans)]
    if after:
        parts[AFTER] = {a.text: a.text for a in after}
        moves = [(type_, (*t, NamedPart(AFTER, AFTER, True))) for type_, t in moves]
    try:
        return make_grammar(parts, data.get("numbers", {}), moves)
    except GrammarError as error:
        raise _wrong(str(error), spans.get("moves"), "change `parts` or `moves`") from None


def _forms(data: Any, key: str, spans: Mapping[str, Span]) -> list[Printed]:
    results = []
    for form in data if isinstance(data, list) else [data]:
        own = {k: v for k, v in form.items() if k not in ("print", "also")}
        own["not_compared"] = dict.fromkeys((*form.get("also", {}), AFTER), "printed")
        (projection,) = projections(own)
        also = tuple((name, as_text(text)) for name, text in form.get("also", {}).items())
        results.append(Printed(projection, _templates(form.get("print", []), key, spans), also))
    return results


def _templates(data: str | list[str], key: str, spans: Mapping[str, Span]) -> tuple[Template, ...]:
    texts = [data] if isinstance(data, str) else data
    try:
        return tuple(map(read_template, texts))
    except TemplateError as error:
        raise _wrong(str(error), spans.get(key), "write the template as shown in the guide to dialects") from None


def _wrong(message: str, span: Span | None, help_: str) -> DiagnosticsError:
    report = Report()
    report.error("RS886", message, span, help=help_)
    return DiagnosticsError(report.diagnostics)


def is_literal(template: Template) -> bool:
    """Whether a template can be printed: it has only named parts and single characters without alternatives."""
    return all(isinstance(e, NamedPart) or (len(e.of) == e.least == e.most == 1) for e in template)


def literal(element: Characters) -> str:
    """The printable text of a template element."""
    return min(element.of) * element.least
