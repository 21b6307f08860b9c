"""The word files of a ruleset: `titles.yaml` in its own language, `titles.de.yaml` in German."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, entries, get, text, words
from rulespec.engine.words.program_words import ENGLISH
from rulespec.engine.words.template import Template, parse_template
from rulespec.records import Brief
from rulespec.ruleset_files import Files, RulesetReader, files_at
from rulespec.typed import nodes as typed

MAX_LANGUAGES = 50
"""The maximum number of languages of a ruleset."""
PLAIN = ("kinds", "fields", "measures", "measure_docs", "boards", "endings")
"""The sections whose texts have no holes."""
SECTIONS = (
    "kinds",
    "entities",
    "fields",
    "measures",
    "measure_docs",
    "boards",
    "pieces",
    "places",
    "units",
    "decisions",
    "options",
    "choices",
    "procedures",
    "resumed",
    "endings",
    "help",
    "words",
)
_OWN = ("language", "actor", "actors", "internal")
"""The keys that are valid only in the file of the ruleset's own language."""
_NAME = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")
Key = tuple[str, str]
"""A section of word files, and a name in it."""


class TitleText(Brief, Struct, frozen=True):
    """A text, with its singular if that differs; `count` is the expression for the number.

    Attributes:
        top: whether it is from the topmost layer; the subject of a text from a lower layer may have been removed by an
            upper one.
        node: the text in the file.
        name: the section, and the name in it.
    """

    other: Template
    top: bool
    node: Node
    name: str
    one: Template | None = None
    count: str = ""


class Expression(Brief, Struct, frozen=True):
    """An expression for the entity on whose behalf a decider acts; `top` states whether it is from the topmost
    layer.
    """

    text: str
    top: bool
    span: Span


class HelpNote(Brief, Struct, frozen=True):
    """The notes on a help text: its title ("" means the title of its subject), and rule ids with their places."""

    title: str = ""
    rules: tuple[Expression, ...] = ()


class Titles(Brief, Struct):
    """The content of one language's files, in which upper layers override lower ones; `notes` has the notes on help
    texts.
    """

    texts: dict[Key, TitleText] = field(default_factory=dict)
    title: str = ""
    picture: str = ""
    language: str = ENGLISH
    actor: Expression | None = None
    actors: dict[str, Expression] = field(default_factory=dict)
    internal: dict[str, Expression] = field(default_factory=dict)
    notes: dict[str, HelpNote] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)


def languages(ruleset: typed.Ruleset) -> list[str]:
    """The languages with word files, other than the ruleset's own."""
    results: set[str] = set()
    for folder, stem in ruleset.titled:
        path = folder / stem
        for file in islice(ruleset.place.matches(path.parent, f"{path.name}.*.yaml"), MAX_LANGUAGES):
            language = file.name[len(path.name) + 1 : -len(".yaml")]
            if _NAME.fullmatch(language):
                results.add(language)
    return sorted(results)


def read_titles(ruleset: typed.Ruleset, language: str, report: Report, files: Files | None = None) -> Titles:
    """Reads the files of one language, where "" is the ruleset's own. `files` provides them; by default, they come from
    disk.

    Raises:
        DiagnosticsError: if a file is unreadable or too large.
    """
    titles = Titles()
    reader = RulesetReader(report, files or files_at(ruleset.place))
    for number, (folder, stem) in enumerate(ruleset.titled):
        name = f"{stem}.{language}.yaml" if language else f"{stem}.yaml"
        if ruleset.place.present(folder / name):
            _Reader(titles, number == len(ruleset.titled) - 1, report).read(_tree(reader, folder, name), bool(language))
    titles.sources = reader.sources
    return titles


def _tree(reader: RulesetReader, folder: Path, name: str) -> Mapping | None:
    return reader.yaml(folder, name, "titles")


def unknown_language(ruleset: typed.Ruleset, language: str, known: list[str]) -> DiagnosticsError:
    """The error for a language that a ruleset does not have."""
    report = Report()
    help_ = did_you_mean(language, known) or "choose one of " + ", ".join(f"`{name}`" for name in known)
    report.error("RS534", f"`{ruleset.ref}` has no texts in the language `{language[:40]}`", None, help=help_)
    return DiagnosticsError(report.diagnostics)


class _Reader(Brief, Struct, frozen=True):
    """A reader that adds the file of one layer to the lower layers."""

    titles: Titles
    top: bool
    report: Report

    def read(self, tree: Mapping | None, translated: bool) -> None:
        """Adds the content of a file; a translation may contain only words."""
        if translated:
            for key in _OWN:
                if (node := get(tree, key)) is not None:
                    message = f"`{key}` applies to all languages, and belongs only in `titles.yaml`"
                    self.report.error("RS535", message, node.span, help=f"remove `{key}` here")
        for section, name, node, plain in self._sections(tree):
            if (
                result := self._text(f"{'entities' if section == 'each' else section}.{name}", node, plain)
            ) is not None:
                self.titles.texts[section, name] = result
        for name, _, node in entries(get(tree, "help")):
            rules = tuple(Expression(word.text, self.top, word.span) for word in words(get(node, "rules")))
            self.titles.notes[name] = HelpNote(text(get(node, "title")), rules)
        self.titles.title = text(get(tree, "title"), self.titles.title)
        self.titles.picture = text(get(tree, "picture"), self.titles.picture)
        self.titles.language = text(get(tree, "language"), self.titles.language)
        for name, _, node in entries(get(tree, "actors")):
            self.titles.actors[name] = self._expression(node)
        if (actor := get(tree, "actor")) is not None:
            self.titles.actor = self._expression(actor)
        for word in words(get(tree, "internal")):
            self.titles.internal[word.text] = self._expression(word)

    def _expression(self, node: Node) -> Expression:
        return Expression(text(node), self.top, node.span)

    def _sections(self, tree: Mapping | None) -> Iterator[tuple[str, str, Node, bool]]:
        """The section, name and node of each text, and whether it has no holes. `each` is for entities of a kind."""
        for section in SECTIONS:
            for name, _, node in entries(get(tree, section)):
                if section != "entities":
                    yield section, name, node, section in PLAIN
                elif isinstance(node, Scalar):
                    yield "each", name, node, False
                else:
                    yield from (("entities", f"{name}.{key}", inner, True) for key, _, inner in entries(node))

    def _text(self, name: str, node: Node, plain: bool) -> TitleText | None:
        other, one = self._template(get(node, "other") or get(node, "text") or node, plain), None
        if (first := get(node, "one")) is not None:
            one = self._template(first, plain)
        return TitleText(other, self.top, node, name, one, text(get(node, "count"))) if other is not None else None

    def _template(self, node: Node, plain: bool) -> Template | None:
        if plain:
            return (text(node),)
        try:
            return parse_template(text(node))
        except ValueError as error:
            self.report.error("RS533", str(error), node.span)
            return None
