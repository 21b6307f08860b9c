"""Private values and their viewers: `private:` of state, accounts and piece places, and `private` of parameters."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from rulespec.check.context import Context
from rulespec.check.expressions.seers import seers
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, entries, get, text, truth
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import definition_expressions, expressions, private_params, secrecies
from rulespec.types import ANY, BOOL, Ent, SetOf


class _Written(Struct):
    """A `private:` entry before it is typed.

    Attributes:
        decl: the private field or place.
        kinds: the kinds of the entities in scope.
        place: the place of its declaration.
        node: the value of `private`.
    """

    decl: typed.FieldDecl | typed.PlaceDecl
    kinds: tuple[str, ...]
    place: Scalar
    node: Node


def check_privacy(c: Context) -> None:
    """Types the viewers of private state, and reports viewers that depend on secrets."""
    for written in _written(c):
        written.decl.private = _Reader(c, written).read()
    for kind in c.declarations.kinds.values():
        _hide_where_tokens_are(kind)
    asked = [e for secrecy in secrecies(c.declarations, c.rules) for e in (secrecy.to, secrecy.open)]
    asked += [p.private.to for p in private_params(c.rules) if p.private is not None]
    for e in asked:
        if e is not None:
            _public(c, e)


def _written(c: Context) -> Iterator[_Written]:
    root, d = c.source.root, c.declarations
    for name, _, node in entries(get(root, "kinds")):
        if name in d.kinds:
            yield from _of(get(node, "state"), dict(d.kinds[name].state), (name,))
            for place_name, place in d.kinds[name].places.items():
                yield from _of(
                    get(node, "places"), {place_name: place}, (name, *([place.index] if place.index else []))
                )
    for section in ("state", "accounts"):
        yield from _of(get(root, section), dict(d.fields), ())
    for name, _, node in entries(get(root, "pieces")):
        if name in d.pieces:
            for place_name, place in d.pieces[name].places.items():
                kinds = (*d.pieces[name].each, *([place.index] if place.index else []))
                yield from _of(get(node, "places"), {place_name: place}, kinds)


def _hide_where_tokens_are(kind: typed.Kind) -> None:
    """Makes the place of tokens private as a whole if one of the places is: the viewers depend on the place itself."""
    result = next((place.private for place in kind.places.values() if place.private is not None), None)
    if result is not None:
        token = typed.Var(kind.name, Ent(kind.name), result.span)
        nobody = typed.Lit(SetOf(ANY), result.span, 0)
        kind.state["place"].private = typed.Secrecy((token,), nobody, None, False, result.span)


def _of(
    section: Node | None, declared: dict[str, typed.FieldDecl] | dict[str, typed.PlaceDecl], kinds: tuple[str, ...]
) -> Iterator[_Written]:
    for name, place, spec in entries(section):
        private = get(spec, "private")
        if name in declared and private is not None and text(private) != "false":
            yield _Written(declared[name], kinds, place, private)


class _Reader:
    """Reader of one `private:` entry."""

    def __init__(self, c: Context, written: _Written) -> None:
        self.c = c
        self.w = written
        self.at = tuple(typed.Var(kind, Ent(kind), written.place.span) for kind in written.kinds)
        self.env = Env()
        for var in self.at:
            self.env = self.env.bind(var)

    def read(self) -> typed.Secrecy | None:
        """The viewers of a value; reports invalid ones and returns None."""
        node, errors = self.w.node, self.c.report.errors
        open_, to = get(node, "open"), get(node, "to")
        public = self._open(open_) if open_ is not None else self._setting() if isinstance(node, Scalar) else None
        if self.c.report.errors > errors:
            return None
        seers = self._to(to) if to is not None else self._own()
        if seers is None:
            return None
        hides_number = isinstance(node, Mapping) and truth(get(node, "count"))
        return typed.Secrecy(self.at, seers, public, not hides_number, node.span)

    def _to(self, node: Node) -> typed.Expr | None:
        tree = self.c.reader.tree(node)
        return seers(self.c.expressions, tree, self.env) if tree is not None else None

    def _own(self) -> typed.Expr | None:
        """The player who owns the value, as its only viewer."""
        player = self.c.declarations.player_kind
        for var in reversed(self.at):
            kind = self.c.declarations.kinds[var.name]
            e: typed.Expr = typed.Local(Ent(var.name), self.w.node.span, var)
            if player in kind.product:
                e = typed.Fact(Ent(player), e.span, kind.facts[player], e)
            elif not kind.is_player:
                continue
            return typed.Op(SetOf(player), e.span, "set", (e,))
        span = self.w.node.span if isinstance(self.w.node, Scalar) else self.w.place.span
        message = f"`{self.w.decl.name}` belongs to no player, so it would be hidden from everybody"
        help_ = (
            f"declare it under `kinds.{player}.state`, name its viewers (`private: {{to: …}}`, or nobody for a "
            'face-down deck: `private: {to: "{}"}`), or make it public'
        )
        self.c.report.error("RS229", message, span, help=help_)
        return None

    def _setting(self) -> typed.Expr | None:
        """The bool setting that enables privacy: while it is off, everybody sees the value."""
        assert isinstance(self.w.node, Scalar)
        name, span = self.w.node.text, self.w.node.span
        if name == "true":
            return None
        settings = self.c.declarations.settings
        if name not in settings or settings[name].type != BOOL:
            hint, notes = nearest(name, {o.name: o.span for o in settings.values()})
            self.c.report.error("RS221", f"`{name}` is not a bool setting", span, notes=notes, help=hint)
            return None
        self.c.declarations.used.add(name)
        return typed.Op(BOOL, span, "not", (typed.SettingValue(BOOL, span, settings[name]),))

    def _open(self, node: Node) -> typed.Expr | None:
        tree = self.c.reader.tree(node)
        return self.c.expressions.condition(tree, self.env) if tree is not None else None


def _public(c: Context, root: typed.Expr) -> None:
    """Reports viewers that depend on a secret or a hypothetical call."""
    known: set[typed.Definition] = set()
    stack = [(e, e) for e in expressions(root)]
    while stack:
        written, e = stack.pop()
        if (secret := _secret(e)) is not None or isinstance(e, typed.Once):
            called = [Label(e.span, "read here")] if written is not e else []
            what, notes = "a hypothetical call of a procedure", called
            if secret is not None and secret.private is not None:
                what, notes = f"`{secret.name}`", [*called, Label(secret.private.span, "declared private here")]
            message = f"the viewers of private state are public knowledge, so they cannot depend on {what}"
            help_ = "use only public state here, such as a phase or a flag that the rules set"
            c.report.error("RS341", message, written.span, notes=notes, help=help_)
            return
        if isinstance(e, typed.Call) and e.definition not in known:
            known.add(e.definition)
            stack += [(written, part) for inner in definition_expressions(e.definition) for part in expressions(inner)]


def _secret(e: typed.Expr) -> typed.FieldDecl | typed.PlaceDecl | None:
    """The private declaration read directly by an expression, or None."""
    if isinstance(e, typed.Field) and e.decl.private is not None:
        return e.decl
    return e.place if isinstance(e, typed.PieceCount) and e.place.private is not None else None
