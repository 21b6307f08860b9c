"""Names in files that are read only at run time: drawings, words, scenarios, dialects."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from rulespec.check.expressions.checker import ExpressionChecker
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.text_files import display
from rulespec.documents.yaml_nodes import Node, Scalar, Sequence, entries, get, words
from rulespec.drawing.drawing_names import check_names
from rulespec.engine.game.seating import seat_names, usual_seats
from rulespec.engine.words.asked import Decisions
from rulespec.engine.words.check import TextCheck
from rulespec.engine.words.template import holes, parse_template
from rulespec.engine.words.titles import PLAIN, SECTIONS, read_titles
from rulespec.lsp.files import EditorFiles
from rulespec.ruleset_files import drawing_files
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_expr
from rulespec.typed import nodes as typed
from rulespec.types import Type

_MEMO = 50_000
"""The number of texts whose parsed trees are cached, as several references read the same files."""
_EXPECTED = ("options", "legal", "illegal", "absent")
"""The keys of a scenario with options as values."""


class Mentions:
    """The places, with their meanings, where given words occur in files beside the rules.

    Args:
        ruleset: the ruleset.
        files: the reader of files.
        sought: the words.
    """

    def __init__(self, ruleset: typed.Ruleset, files: EditorFiles, sought: Collection[str]) -> None:
        self.ruleset = ruleset
        self.d = ruleset.declarations
        self.places: dict[Span, typed.Named] = {}
        self._files = files
        self._word = re.compile(rf"\b(?:{'|'.join(map(re.escape, sought))})\b")
        self._decisions = Decisions(ruleset)
        self._usual = (*usual_seats(ruleset), *seat_names(ruleset.players[1], ruleset.seats))
        """The names that seats may have if a scenario does not give them."""
        self._seats: tuple[str, ...] = self._usual

    def read(self, paths: Iterable[Path]) -> None:
        """Searches a file of a known form for the words."""
        drawings = {(folder / name).resolve() for folder, name in drawing_files(self.ruleset.titled)}
        titles = {(folder / stem).resolve() for folder, stem in self.ruleset.titled}
        texts = None
        for path in paths:
            root = self._tree(path)
            if root is None:
                continue
            if path.resolve() in drawings:
                for scalar, name, named in check_names(self.d, get(root, "drawing") or root, Report()):
                    for at in _parts(scalar.text, name):
                        self._note(scalar, at, named)
            elif path.with_name(path.name.partition(".")[0]).resolve() in titles:
                texts = texts or TextCheck(self.ruleset, read_titles(self.ruleset, "", Report(), self._files), Report())
                self._titles(root, texts)
            elif "scenarios" in path.parts:
                for scenario in _items(get(root, "scenarios")):
                    self._scenario(scenario)
            elif path.parent.name == "dialects":
                self._dialect(root)

    def _tree(self, path: Path) -> Node | None:
        """The tree of a file that contains a word; None if there is no word, or if the file is unreadable."""
        try:
            root = self._files.yaml(path, display(path))
            return root if self._word.search(self._text(root.span.file)) else None
        except DiagnosticsError:
            return None

    def _text(self, file: str) -> str:
        from rulespec.ruleset_files import MAX_YAML

        return self._files.text(Path(file), file, MAX_YAML.size)

    # --- noting --------------------------------------------------------------------------------------------------

    def _note(self, scalar: Scalar, at: int, named: typed.Named | None) -> None:
        """Records the meaning of the word at a place in a scalar's text, unless another word is there."""
        if named is None or at < 0 or self._word.match(scalar.text, at) is None:
            return
        number = sum(m.start() < at for m in self._word.finditer(scalar.text))
        first, column = scalar.span.line, scalar.span.column
        if scalar.style not in ("plain", "single", "double"):  # a block scalar, which starts on the next line
            first, column = first + 1, 1
        lines = self._text(scalar.span.file).split("\n")[first - 1 : scalar.span.end_line]
        for line, text in enumerate(lines, first):
            for m in self._word.finditer(text, column - 1 if line == first else 0):
                if number == 0:
                    self.places.setdefault(Span(scalar.span.file, line, m.start() + 1, line, m.end() + 1), named)
                    return
                number -= 1

    def _whole(self, scalar: Node | None, named: typed.Named | None) -> None:
        if isinstance(scalar, Scalar):
            self._note(scalar, 0, named)

    def _expression(
        self, scalar: Scalar, text: str, at: int, env: Env, want: Type | None = None, *, asked: bool = False
    ) -> Type | None:
        """Records the names of an expression at a place in a scalar's text; returns its type on request.

        `want` distinguishes entities with the same name.
        """
        if not asked and self._word.search(text) is None:
            return None
        at += len(text) - len(text.lstrip())
        text, known = text.strip(), self.d.references
        self.d.references = {}
        tree = _parsed(text)
        try:
            if tree is None:
                return None
            return ExpressionChecker(self.d, self.ruleset.rules, Report(), self._seats).infer(tree, env, want).type
        except DiagnosticsError:
            return None
        finally:
            lines = text.split("\n")
            for span, named in self.d.references.items():
                if isinstance(named, typed.Var) and named.name in self.d.kinds:
                    named = self.d.kinds[named.name]  # a text about each entity of a kind refers to it by the kind
                start = sum(len(line) + 1 for line in lines[: span.line - 1]) + span.column - 1
                self._note(scalar, at + start, named)
            self.d.references = known

    def _entity(self, kind: str, name: str) -> typed.Named | None:
        result = self.d.kinds.get(kind)
        return result.entities[result.index[name]] if result is not None and name in result.index else None

    def _field(self, scalar: Scalar) -> None:
        """Records `field`, or `kind.field`."""
        kind, dot, name = scalar.text.rpartition(".")
        if not dot:
            self._note(scalar, 0, self.d.fields.get(name) or self.d.pieces.get(name))
        elif kind in self.d.kinds:
            of = self.d.kinds[kind]
            self._note(scalar, 0, of)
            self._note(scalar, len(kind) + 1, of.state.get(name) or of.facts.get(name) or of.places.get(name))
        elif kind in self.d.pieces:
            self._note(scalar, 0, self.d.pieces[kind])
            self._note(scalar, len(kind) + 1, self.d.pieces[kind].places.get(name))

    # --- calls ---------------------------------------------------------------------------------------------------

    def _call(self, scalar: Scalar) -> None:
        """Records the procedure and the arguments of a call."""
        if self._word.search(scalar.text) is None:
            return
        tree = _parsed(scalar.text)
        name, args = _head(tree)
        procedure = self.ruleset.rules.procedures.get(name)
        self._note(scalar, scalar.text.find(name) if name else 0, procedure)
        for number, arg in enumerate(args):
            at, end = arg.span.column - 1, arg.span.end_column - 1
            want = procedure.params[number].type if procedure is not None and number < len(procedure.params) else None
            self._expression(scalar, scalar.text.lstrip()[at:end], at, Env(), want)

    def _option(self, scalar: Scalar, at: int, name: str = "") -> None:
        """Records the arguments of an option, if all options with that name agree on their meaning.

        Args:
            scalar: the text that contains the option.
            at: the position of the option in that text.
            name: the name of the option; "" if the text has the name, followed by arguments in brackets.
        """
        at += len(scalar.text[at:]) - len(scalar.text[at:].lstrip())
        text = scalar.text[at:]
        if self._word.search(text) is None:
            return
        tree = _parsed(f"{name}({text})" if name else text)
        called, args = _head(tree)
        shift = at - (len(name) + 1 if name else 0)
        options = [options[called] for options in self._decisions.options.values() if called in options]
        for number, arg in enumerate(args):
            if isinstance(arg, ast.Ref):
                types = [o.params[number].var.type for o in options if len(o.params) == len(args)]
                meant = [self._entity(getattr(type_, "kind", ""), arg.name) for type_ in types]
                if meant and all(one is meant[0] for one in meant):
                    self._note(scalar, shift + arg.span.column - 1, meant[0])

    def _setting(self, key: Scalar, values: Iterable[Node]) -> None:
        """Records a setting and its values."""
        self._note(key, 0, self.d.settings.get(key.text))
        for value in values:
            if isinstance(value, Scalar):
                self._note(value, 0, self._entity(key.text, value.text))

    # --- words ---------------------------------------------------------------------------------------------------

    def _titles(self, root: Node, texts: TextCheck) -> None:
        for section in SECTIONS:
            for name, key, node in entries(get(root, section)):
                self._titled(section, key)
                if section == "entities" and not isinstance(node, Scalar):
                    for inner, at, _ in entries(node):
                        self._note(at, 0, self._entity(name, inner))
                elif section not in PLAIN:
                    scope = texts.scope("each" if section == "entities" else section, name, node.span)
                    for part in (node, get(node, "one"), get(node, "other"), get(node, "text")):
                        self._holes(part, scope)
                    if isinstance(count := get(node, "count"), Scalar):
                        self._expression(count, count.text, 0, scope)
        for name, _, node in entries(get(root, "actors")):
            if isinstance(node, Scalar):
                self._expression(node, node.text, 0, texts.scope("decisions", name, node.span))
        for word in words(get(root, "internal")):
            self._field(word)

    def _titled(self, section: str, key: Scalar) -> None:
        """Records the subject of a text."""
        name = key.text
        if section in ("kinds", "entities", "boards") and "." not in name:
            self._note(key, 0, self.d.kinds.get(name))
        elif section in ("fields", "pieces", "places", "boards"):
            self._field(key)
        elif section in ("measures", "measure_docs"):
            self._note(key, 0, self.d.measures.get(name))
        elif section == "help":
            kind, dot, entity = name.partition(".")
            self._note(key, 0, self.d.kinds.get(kind))
            if dot:
                self._note(key, len(kind) + 1, self._entity(kind, entity))
        elif section == "units" and name in self.d.units:
            self._note(key, 0, typed.Unit(name, self.d.units[name]))

    def _holes(self, node: Node | None, env: Env) -> None:
        if not isinstance(node, Scalar):
            return
        try:
            template = parse_template(node.text)
        except ValueError:
            return
        for hole in holes(template):
            self._expression(node, hole.text, hole.at, env)

    # --- scenarios -----------------------------------------------------------------------------------------------

    def _scenario(self, node: Node) -> None:
        source, seats = get(node, "given"), words(get(node, "seats"))
        self._seats = tuple(dict.fromkeys((*(seat.text for seat in seats), *self._usual)))
        for call in (*words(get(source, "start")), *words(get(source, "run"))):
            self._call(call)
        for _, key, value in entries(get(source, "set")):
            self._value(key, "", value)
        for _, key, value in entries(get(node, "settings")):
            self._setting(key, [value])
        for part in (node, *_items(get(node, "steps"))):
            for taken in words(get(part, "when")):
                self._option(taken, taken.text.find(":") + 1)
            then = get(part, "then")
            for _, key, value in entries(get(then, "values")):
                self._value(key, "", value)
            for expected in _EXPECTED:
                self._expected(get(then, expected), grouped=expected == "options")

    def _expected(self, node: Node | None, *, grouped: bool) -> None:
        """Records expected options, a list of them or a mapping with arguments or reasons."""
        for option in words(node) if isinstance(node, Sequence) else ():
            self._option(option, 0)
        for name, key, value in entries(node):
            if not grouped:
                self._option(key, 0)
            for arguments in words(value) if grouped else ():
                self._option(arguments, 0, name)

    def _value(self, key: Scalar, owner: str, value: Node) -> None:
        """Records a field and its value, set or expected; `owner` is the entity of a bare field name."""
        text = owner + key.text
        asked = isinstance(value, Scalar) and self._word.search(value.text) is not None
        type_ = self._expression(key, text, -len(owner), Env(), asked=asked)
        if isinstance(value, Scalar):
            self._expression(value, value.text, 0, Env(), type_)
        for _, inner, what in entries(value):
            self._value(inner, f"{text}.", what)

    # --- dialects ------------------------------------------------------------------------------------------------

    def _dialect(self, root: Node) -> None:
        for _, key, node in entries(get(root, "start", "settings")):
            values = [value for _, _, value in entries(get(node, "values"))]
            self._setting(key, values if not isinstance(node, Scalar) else [node])
        for kind, key, names in entries(get(root, "names")):
            self._note(key, 0, self.d.kinds.get(kind))
            for name, at, _ in entries(names):
                self._note(at, 0, self._entity(kind, name))
        for word in words(get(root, "undo", "keeps")):
            self._field(word)
        for name, key, value in entries(get(root, "undo", "sets")):
            self._note(key, 0, self.d.fields.get(name))
            if isinstance(value, Scalar):
                self._expression(value, value.text, 0, Env())
        for path, _, node in entries(get(root, "decisions")):
            decision, _, option = path.partition(".")
            env = self._scope(decision, option)
            for form in _items(node) or [node]:
                for part in (get(form, "match"), get(form, "when")):
                    for scalar in (part, *(value for _, _, value in entries(part))):
                        if isinstance(scalar, Scalar):
                            self._expression(scalar, scalar.text, 0, env)

    def _scope(self, decision: str, option: str) -> Env:
        """The names in an option that a dialect may use."""
        env, options = Env(), self._decisions.options.get(decision, {})
        for name, type_ in self._decisions.known.get(decision, {}).items():
            env = env.bind(typed.Var(name, type_, Span("", 1, 1, 1, 1), reads=1))
        for param in options[option].params if option in options else ():
            env = env.bind(param.var)
        return env


def _parts(text: str, name: str) -> Iterator[int]:
    """The places of a name in `name`, `name.b` and `a.name`."""
    first, dot, last = text.rpartition(".")
    if not dot or first == name:
        yield 0
    if dot and last == name:
        yield len(first) + 1


def _items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, Sequence) else []


@lru_cache(_MEMO)
def _parsed(text: str) -> ast.Expr | None:
    try:
        return parse_expr(text, "")
    except DiagnosticsError:
        return None


def _head(tree: ast.Expr | None) -> tuple[str, tuple[ast.Expr, ...]]:
    """The name and the arguments of a call, or a name alone."""
    if isinstance(tree, ast.CallExpr):
        return tree.name.text, tree.args
    return (tree.name, ()) if isinstance(tree, ast.Ref) else ("", ())
