"""Kinds, entities and their facts: what a ruleset's YAML says there is."""

from __future__ import annotations

from itertools import product

from rulespec.check.expressions import ExpressionChecker
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean, nearest
from rulespec.documents.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    bits,
    content_column,
    entries,
    get,
    integer,
    text,
    words,
)
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_expr, parse_type
from rulespec.typed import nodes as typed
from rulespec.types import BAD, INT, Bad, Bool, Ent, Num, SetOf, Type

MAX_EXPRESSIONS = 100_000
"""Characters of all the expressions in YAML files together: parsing them takes about as long as that of rules."""

RESERVED = frozenset(["int", "bool", "players", "index", "original", "true", "false", "none"])
TEXTS = ("title", "doc")


class KindDeclarer:
    """The first half of `Declarer`: units, options, kinds, entities, facts; and how values are read."""

    def __init__(self, root: Mapping, report: Report) -> None:
        self.root = root
        self.report = report
        self.d = typed.Declarations()
        self.rules = typed.Rules()
        self.x = ExpressionChecker(self.d, self.rules, report)
        self._names: dict[str, Span] = {}
        self._misread: set[tuple[str, str, int]] = set()
        """Kind, fact and index of each entity whose value of the fact has been reported."""
        self._parsed = 0

    # --- helpers ---------------------------------------------------------------------------

    def _claim(self, name: str, span: Span) -> bool:
        """Takes a name for one declaration; a second one is reported."""
        if name in RESERVED:
            self.report.error("RS223", f"`{name}` is a word of the language", span)
            return False
        if name in self._names:
            notes = [Label(self._names[name], "the first one")]
            self.report.error("RS223", f"`{name}` is declared twice", span, notes=notes)
            return False
        self._names[name] = span
        return True

    def refer(self, node: Node | None, *named: typed.Named) -> None:
        """Notes what a name in a scalar stands for; of several with dots between them, what each does."""
        if not isinstance(node, Scalar):
            return
        column = content_column(node)
        for word, each in zip(node.text.split("."), named, strict=False):
            line = node.span.line
            self.d.refer(Span(node.span.file, line, column, line, column + len(word)), each)
            column += len(word) + 1

    def type(self, node: Node | None) -> tuple[Type, ast.TypeRef | None]:
        """A type written in a scalar."""
        if not isinstance(node, Scalar):
            return INT, None
        try:
            ref = parse_type(node.text, node.span.file, node.span.line, content_column(node), cached=True)
        except DiagnosticsError as error:
            self.report.extend(error.diagnostics)
            return BAD, None
        return self.x.type_of(ref), ref

    def expr(self, node: Node, want: Type, what: str, env: Env | None = None) -> typed.Expr:
        """An expression written in a scalar."""
        tree = self.tree(node)
        if tree is None:
            return typed.Lit(want, node.span, 0)
        return self.x.check(tree, env or Env(), want, what)

    def tree(self, node: Node) -> ast.Expr | None:
        """The syntax tree of a value; a list is a set."""
        if isinstance(node, Sequence):
            items = [self.tree(i) for i in node.items]
            return ast.SetLiteral(node.span, tuple(i for i in items if i is not None))
        if not isinstance(node, Scalar):
            self.report.error("RS227", "a single value is expected here", node.span)
            return None
        if isinstance(node.value, bool):
            return ast.Truth(node.span, node.value)
        if isinstance(node.value, int):
            number = ast.Number(node.span, abs(node.value), None)
            return ast.Unary(node.span, "-", number) if node.value < 0 else number
        if node.value is None:
            return ast.Nothing(node.span)
        self._parsed += len(node.text)
        if self._parsed > MAX_EXPRESSIONS:
            message = f"the expressions in YAML files come to more than {MAX_EXPRESSIONS:,} characters in all"
            self.report.error("RS108", message, node.span, help="use tables of plain numbers, or definitions in rules")
            self.report.raise_if_errors()
        try:
            return parse_expr(node.text, node.span.file, node.span.line, content_column(node), cached=True)
        except DiagnosticsError as error:
            self.report.extend(error.diagnostics)
            return None

    def constant(self, node: Node, want: Type, what: str) -> int:
        """The value of a constant expression of the given type."""
        expr = self.expr(node, want, what)
        if isinstance(expr, typed.Lit):
            return expr.value
        self.report.error("RS227", f"{what} must be a constant", node.span)
        return 0

    # --- game.yaml -------------------------------------------------------------------------

    def _game(self) -> None:
        game = get(self.root, "game")
        for unit in words(get(game, "units")):
            if self._claim(unit.text, unit.span):
                self.d.units[unit.text] = unit.span
        players = get(game, "players")
        kind = get(players, "kind")
        name = text(kind, "player")
        span = kind.span if kind else (players or self.root).span
        self._claim(name, span)
        self.d.kinds[name] = typed.Kind(name, span, is_player=True)  # even if the name is taken: there are players
        self.d.player_kind = name
        self.d.min_players = integer(get(players, "min"), 1)
        self.d.max_players = integer(get(players, "max"), self.d.min_players)
        if not 1 <= self.d.min_players <= self.d.max_players <= 64:
            self.report.error("RS227", "there are 1 to 64 players, the least not above the greatest", span)
            self.d.min_players = self.d.max_players = 1
        for name, place, node in entries(get(game, "options")):
            self._option(name, place, node)

    def _option(self, name: str, place: Scalar, node: Node) -> None:
        if not self._claim(name, place.span):
            return
        values = words(get(node, "values"))
        default = get(node, "default")
        doc = text(get(node, "doc"))
        shown = text(default)
        if not values:
            if not isinstance(default, Scalar) or not isinstance(default.value, bool):
                self.report.error("RS227", "an option without `values` is `true` or `false`", (default or node).span)
            self.d.settings[name] = typed.SettingDecl(name, None, shown, doc, place.span)
            return
        names = tuple(v.text for v in values)
        if shown not in names:
            self.report.error(
                "RS227",
                f"`{shown}` is none of the values of `{name}`",
                (default or node).span,
                help=did_you_mean(shown, names),
            )
            shown = names[0]
        self.d.settings[name] = typed.SettingDecl(name, names, shown, doc, place.span)
        kind = typed.Kind(name, place.span, implicit=True)
        self.d.kinds[name] = kind
        for value in values:
            if value.text in kind.index:
                self.report.error("RS223", f"`{value.text}` stands here twice", value.span)
            else:
                self.d.add_entity(kind, typed.Entity(value.text, value.text, value.span))

    # --- kinds, maps and tracks ------------------------------------------------------------

    def _kinds(self) -> None:
        for name, place, node in entries(get(self.root, "kinds")):
            if name == self.d.player_kind:
                self.d.kinds[name].doc = text(get(node, "doc"))
            elif not self._kind_of_map(name) and self._claim(name, place.span):
                self.d.kinds[name] = typed.Kind(name, place.span, doc=text(get(node, "doc")))
        map_kind = get(self.root, "map", "kind")
        if isinstance(map_kind, Scalar) and self._claim(map_kind.text, map_kind.span):
            self.d.kinds[map_kind.text] = typed.Kind(map_kind.text, map_kind.span)
        for name, place, node in entries(get(self.root, "tracks")):
            ring = get(node, "ring")
            kind = ring if ring is not None else get(node, "line")
            if not isinstance(kind, Scalar):
                self.report.error("RS227", f"`{name}` is neither a `ring` nor a `line`", place.span)
                continue
            if self._claim(name, place.span) and self._claim(kind.text, kind.span):
                self.d.kinds[kind.text] = typed.Kind(kind.text, kind.span)
                unit = (get(node, "unit") or place).span
                self.d.tracks[name] = typed.TrackDecl(name, kind.text, ring is not None, "", [], place.span, unit)
        for name, _, node in entries(get(self.root, "kinds")):
            if name in self.d.kinds and name != self.d.player_kind:
                self._facts(self.d.kinds[name], get(node, "facts"))
        if isinstance(map_kind, Scalar) and map_kind.text in self.d.kinds:
            kind_ = self.d.kinds[map_kind.text]
            self._facts(kind_, get(self.root, "map", "facts"))
            for link, place, _ in entries(get(self.root, "map", "links")):
                kind_.facts[link] = typed.FactDecl(link, SetOf(kind_.name), place.span)
        for name, _, node in entries(get(self.root, "tracks")):
            if name in self.d.tracks:
                self._facts(self.d.kinds[self.d.tracks[name].kind], get(node, "facts"))
        self._members()

    def _members(self) -> None:
        """Reports kinds of which nobody says what there is."""
        elsewhere = {t.kind for t in self.d.tracks.values()} | {self.d.player_kind, text(get(self.root, "map", "kind"))}
        for name, place, node in entries(get(self.root, "kinds")):
            if name in self.d.kinds and name not in elsewhere and not self._says(node, "entities", "product"):
                hint, notes = nearest(name, {k: self.d.kinds[k].span for k in elsewhere if k in self.d.kinds})
                message = f"`{name}` has no entities, here or as the kind of a map or a track"
                self.report.error("RS228", message, place.span, notes=notes, help=hint or "add `entities: …`")

    @staticmethod
    def _says(node: Node, *keys: str) -> bool:
        return any(get(node, key) is not None for key in keys)

    def _kind_of_map(self, name: str) -> bool:
        if name == text(get(self.root, "map", "kind")):
            return True
        return any(
            name in (text(get(node, "ring")), text(get(node, "line")))
            for _, _, node in entries(get(self.root, "tracks"))
        )

    def _facts(self, kind: typed.Kind, node: Node | None) -> None:
        for name, place, value in entries(node):
            type_, ref = self.type(value)
            if name in TEXTS or name == "index":
                self.report.error("RS223", f"`{name}` has a meaning of its own", place.span)
            elif ref is not None and ref.form == "range":
                self.report.error("RS224", "a fact has no range", value.span)
                kind.facts[name] = typed.FactDecl(name, BAD, place.span)
            elif isinstance(type_, Ent | SetOf) and type_.kind == self.d.player_kind:
                self.report.error("RS224", "players are not known before the game, and cannot be facts", value.span)
                kind.facts[name] = typed.FactDecl(name, BAD, place.span)
            else:
                kind.facts[name] = typed.FactDecl(name, type_, place.span, type_span=value.span)

    # --- entities and their facts ----------------------------------------------------------

    def _entities(self) -> list[tuple[typed.Kind, str, Scalar, Node]]:
        """All entities by name, with the nodes that hold their facts."""
        found: list[tuple[typed.Kind, str, Scalar, Node]] = []
        for name, _, node in entries(get(self.root, "kinds")):
            if name in self.d.kinds and isinstance(get(node, "entities"), Mapping):
                if self.d.kinds[name].is_player:
                    self.report.error("RS227", "players are seats, and have no entities", node.span)
                    continue
                found += [(self.d.kinds[name], e, p, n) for e, p, n in entries(get(node, "entities"))]
        map_kind = text(get(self.root, "map", "kind"))
        if map_kind in self.d.kinds:
            found += [(self.d.kinds[map_kind], e, p, n) for e, p, n in entries(get(self.root, "map", "regions"))]
        for name, _, node in entries(get(self.root, "tracks")):
            if name in self.d.tracks:
                kind = self.d.kinds[self.d.tracks[name].kind]
                found += [(kind, e, p, n) for e, p, n in entries(get(node, "spaces"))]
        for kind, name, place, node in found:
            title = text(get(node, "title")) or name.replace("_", " ")
            self.d.add_entity(kind, typed.Entity(name, title, place.span, text(get(node, "doc"))))
        return found

    def _entity_facts(self, found: list[tuple[typed.Kind, str, Scalar, Node]]) -> None:
        for kind, name, place, node in found:
            if name in kind.index:
                self._facts_of(kind, name, place, node)
        self._links(text(get(self.root, "map", "kind")))
        for track in self.d.tracks.values():
            if not track.ring:
                self._line(track)

    def _facts_of(self, kind: typed.Kind, name: str, place: Scalar, node: Node) -> None:
        track = next((t for t in self.d.tracks.values() if t.kind == kind.name and not t.ring), None)
        hints = ""
        for key, where, _ in entries(node):
            if key in kind.facts:
                self.refer(where, kind.facts[key])
            drawn = key == "position" and kind.name == text(get(self.root, "map", "kind"))
            if key not in kind.facts and key not in TEXTS and not (key == "upto" and track) and not drawn:
                hint, notes = nearest(key, {f.name: f.span for f in kind.facts.values()})
                notes = (Label(kind.span, "the kind is declared here"), *notes)
                self.report.error("RS225", f"a `{kind.name}` has no fact `{key}`", where.span, notes=notes, help=hint)
                hints += hint
        for fact in kind.facts.values():
            value = get(node, fact.name)
            misread = f"`{fact.name}`" in hints  # it is there, but misspelt
            if value is not None:
                errors = self.report.errors
                fact.values.append(self._fact(fact, value))
                misread |= self.report.errors > errors
            elif misread or isinstance(fact.type, SetOf | Bool | Bad):
                fact.values.append(0)
            elif isinstance(fact.type, Ent) and fact.type.optional:
                fact.values.append(-1)
            else:
                self.report.error(
                    "RS228",
                    f"`{name}` does not say its `{fact.name}`",
                    place.span,
                    notes=[Label(fact.span, f"{fact.type}, declared here")],
                    help="give it, or make the fact optional with `?`" if isinstance(fact.type, Ent) else "",
                )
                fact.values.append(0)
            if misread:
                self._misread.add((kind.name, fact.name, len(fact.values) - 1))

    def _fact(self, fact: typed.FactDecl, value: Node) -> int:
        if isinstance(fact.type, Bad):
            return 0
        number = isinstance(value, Scalar) and isinstance(value.value, int) and not isinstance(value.value, bool)
        if isinstance(fact.type, Num) and number:
            return integer(value, 0)
        if isinstance(fact.type, Bool) and isinstance(value, Scalar) and isinstance(value.value, bool):
            return int(value.value)
        if isinstance(fact.type, Ent) and isinstance(value, Scalar):
            if value.value is None and fact.type.optional:
                return -1
            return self.entity(value, fact.type.kind)
        if isinstance(fact.type, SetOf) and isinstance(value, Sequence):
            mask = 0
            for item in value.items:
                if not isinstance(item, Scalar):
                    self.report.error("RS227", "a list of names is expected here", item.span)
                    continue
                member = self.entity(item, fact.type.kind)
                if item.text not in self.d.kinds[fact.type.kind].index:
                    continue
                bit = 1 << member
                if mask & bit:
                    self.report.error("RS223", f"`{item.text}` stands here twice", item.span)
                mask |= bit
            return mask
        if isinstance(fact.type, Num):
            return self.constant(value, fact.type, f"`{fact.name}`")
        self.report.error(
            "RS301",
            f"`{fact.name}` is {fact.type}, and this is not",
            value.span,
            notes=[Label(fact.span, "declared here")],
        )
        return 0

    def entity(self, node: Scalar, kind_name: str) -> int:
        """The index of an entity that is named in YAML."""
        kind = self.d.kinds.get(kind_name)
        if kind is None or kind_name in self.d.broken:
            return 0
        if node.text in kind.index:
            self.refer(node, kind.entities[kind.index[node.text]])
            return kind.index[node.text]
        hint, notes = nearest(node.text, {e.name: e.span for e in kind.entities})
        if kind.product:
            meant = [i for i, e in enumerate(kind.entities) if f"`{e.name}`" in hint]
            parts = [self.d.kinds[p].entities[kind.facts[p].values[i]] for i in meant for p in kind.product]
            notes = tuple(Label(part.span, f"`{part.name}` is declared here") for part in parts)
        notes = (Label(kind.span, "the kind is declared here"), *notes)
        self.report.error("RS221", f"no `{kind_name}` is called `{node.text}`", node.span, notes=notes, help=hint)
        return 0

    def _links(self, map_kind: str) -> None:
        if map_kind not in self.d.kinds:
            return
        kind = self.d.kinds[map_kind]
        for link, _, form in entries(get(self.root, "map", "links")):
            if text(form) != "two_way":
                continue
            values = kind.facts[link].values
            for here, entity in enumerate(kind.entities):
                for there in bits(values[here]):
                    if not values[there] >> here & 1 and (kind.name, link, there) not in self._misread:
                        node = get(self.root, "map", "regions", entity.name, link)
                        place = next((w.span for w in words(node) if w.text == kind.entities[there].name), entity.span)
                        self.report.error(
                            "RS230",
                            f"the two-way link `{link}` from `{entity.name}` to `{kind.entities[there].name}`"
                            " is missing on the other side",
                            place,
                            notes=[Label(kind.entities[there].span, f"add `{entity.name}` to its `{link}`")],
                        )

    def _line(self, track: typed.TrackDecl) -> None:
        spaces = list(entries(get(self.root, "tracks", track.name, "spaces")))
        track.unit = text(get(self.root, "tracks", track.name, "unit"))
        if track.unit and track.unit not in self.d.units:
            node = get(self.root, "tracks", track.name, "unit")
            self.report.error("RS224", f"`{track.unit}` is no unit", (node or self.root).span)
            track.unit = ""
        for number, (name, place, node) in enumerate(spaces):
            upto = get(node, "upto")
            if number == len(spaces) - 1:
                if upto is not None:
                    self.report.error("RS227", "the last space has no `upto`: it takes all that is left", upto.span)
                continue
            value = self.constant(upto, Num(track.unit), "`upto`") if upto is not None else 0
            if upto is None:
                self.report.error("RS228", f"`{name}` does not say its `upto`", place.span)
            elif track.upto and value <= track.upto[-1]:
                self.report.error("RS227", "the spaces of a line stand from low to high", upto.span)
            track.upto.append(value)

    def _products(self) -> None:
        for name, place, node in entries(get(self.root, "kinds")):
            parts = get(node, "product")
            if parts is None or name not in self.d.kinds:
                continue
            kind = self.d.kinds[name]
            names = words(parts)
            own = get(node, "entities") or get(node, "facts")
            if own is not None:
                self.report.error(
                    "RS229", f"`{name}` is made of others, and has no entities or facts of its own", own.span
                )
                kind.facts.clear()
            unfit = [p for p in names if not self._may_be_factor(p.text, kind)]
            for part in unfit:
                hint, notes = nearest(part.text, {k.name: k.span for k in self.d.kinds.values()})
                message = f"`{part.text}` is no kind that others can be made of"
                self.report.error("RS224", message, part.span, notes=notes, help=hint)
            if unfit or own is not None:
                self.d.broken.add(name)
                continue
            kind.product = tuple(p.text for p in names)
            for part in names:
                self.refer(part, self.d.kinds[part.text])
            factors = [self.d.kinds[p] for p in kind.product]
            for factor in factors:
                kind.facts[factor.name] = typed.FactDecl(factor.name, Ent(factor.name), place.span)
            for combination in product(*(range(len(f.entities)) for f in factors)):
                members = [f.entities[i] for f, i in zip(factors, combination, strict=True)]
                entity_name = "_".join(m.name for m in members)
                title = " ".join(m.title for m in members)
                if entity_name in kind.index:
                    self.report.error("RS223", f"two of `{name}` would be called `{entity_name}`", place.span)
                    continue
                self.d.add_entity(kind, typed.Entity(entity_name, title, place.span))
                for factor, i in zip(factors, combination, strict=True):
                    kind.facts[factor.name].values.append(i)

    def _may_be_factor(self, name: str, kind: typed.Kind) -> bool:
        other = self.d.kinds.get(name)
        if other is None or other is kind or other.is_player:
            return False
        return not other.product and get(self.root, "kinds", name, "product") is None
