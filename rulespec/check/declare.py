"""The YAML sections of a ruleset as declarations: on top of its kinds, state, pieces, tables and set-up."""

from __future__ import annotations

from rulespec.check.kinds import TEXTS, KindDeclarer
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import did_you_mean, nearest
from rulespec.documents.nodes import Mapping, Node, Scalar, entries, get, text, truth, words
from rulespec.typed import nodes as typed
from rulespec.types import INT, Bad, Ent, Num, SetOf, Type


class Declarer(KindDeclarer):
    """Reads the merged YAML tree into `typed.Declarations`, reporting what does not fit."""

    def declare(self) -> typed.Declarations:
        """Everything in the order in which one thing needs another."""
        self._game()
        self._kinds()
        found = self._entities()
        self._products()
        self._entity_facts(found)
        self._state()
        self._pieces()
        self._constants()
        self._tables()
        self._starts()
        self._setup()
        return self.d

    # --- state, accounts, pieces -----------------------------------------------------------

    def _state(self) -> None:
        for name, key, node in entries(get(self.root, "kinds")):
            if name in self.d.kinds:
                kind = self.d.kinds[name]
                self.refer(key, kind)
                for field, place, spec in entries(get(node, "state")):
                    if field in kind.facts or field in TEXTS or field == "index":
                        self.report.error("RS223", f"`{field}` has another meaning already", place.span)
                    else:
                        kind.state[field] = self._field(field, name, place, spec)
        for section in ("state", "accounts"):
            for field, place, spec in entries(get(self.root, section)):
                if self._claim(field, place.span):
                    self.d.fields[field] = self._field(field, "", place, spec)

    def _field(self, name: str, kind: str, place: Scalar, spec: Node) -> typed.FieldDecl:
        private = get(spec, "private")
        hidden = text(private)
        if hidden not in ("", "true", "false"):
            option = self.d.settings.get(hidden)
            if option is None or option.values is not None:
                hint, notes = nearest(hidden, {o.name: o.span for o in self.d.settings.values()})
                span = (private or place).span
                self.report.error("RS221", f"`{hidden}` is no bool option", span, notes=notes, help=hint)
                hidden = ""
            self.d.used.add(hidden)
        hidden = "" if hidden == "false" else hidden
        unit = get(spec, "account")
        if isinstance(unit, Scalar):
            if unit.text not in self.d.units:
                hint, notes = nearest(unit.text, self.d.units)
                hint = hint or "units are declared in game.yaml"
                self.report.error("RS224", f"`{unit.text}` is no unit", unit.span, notes=notes, help=hint)
            elif unit.text in self.d.units:
                self.refer(unit, typed.Unit(unit.text, self.d.units[unit.text]))
            unlimited = truth(get(spec, "unlimited"))
            return typed.FieldDecl(
                name,
                kind,
                Num(unit.text),
                place.span,
                account=True,
                unlimited=unlimited,
                private=hidden,
                type_span=unit.span,
            )
        written = get(spec, "type")
        type_, ref = self.type(written)
        decl = typed.FieldDecl(
            name, kind, type_, place.span, private=hidden, type_span=written.span if written is not None else None
        )
        if ref is not None and ref.form == "range":
            decl.low, decl.high = ref.low, ref.high
            if ref.low > ref.high:
                self.report.error("RS307", "the range is empty", ref.span)
        return decl

    def _pieces(self) -> None:
        for name, place, node in entries(get(self.root, "pieces")):
            if not self._claim(name, place.span):
                continue
            each = []
            for word in words(get(node, "each")):
                if word.text not in self.d.kinds or self.d.kinds[word.text].is_player:
                    hint, notes = nearest(word.text, {k.name: k.span for k in self.d.kinds.values()})
                    message = f"`{word.text}` is no kind that pieces belong to"
                    self.report.error("RS224", message, word.span, notes=notes, help=hint)
                else:
                    each.append(word.text)
                    self.refer(word, self.d.kinds[word.text])
            places: dict[str, typed.PlaceDecl] = {}
            for place_name, where, spec in entries(get(node, "places")):
                index = get(spec, "index")
                kind = text(index)
                if index is not None and kind not in self.d.kinds:
                    hint, notes = nearest(kind, {k.name: k.span for k in self.d.kinds.values()})
                    self.report.error("RS224", f"`{kind}` is no kind", index.span, notes=notes, help=hint)
                    self.d.broken.add(name)
                elif index is not None:
                    self.refer(index, self.d.kinds[kind])
                places[place_name] = typed.PlaceDecl(place_name, kind, where.span)
            if len(each) < len(words(get(node, "each"))):
                self.d.broken.add(name)
            if name not in self.d.broken:
                self.d.pieces[name] = typed.PieceDecl(name, tuple(each), places, place.span)

    # --- constants and tables --------------------------------------------------------------

    def _constants(self) -> None:
        for name, place, node in entries(get(self.root, "constants")):
            if not self._claim(name, place.span):
                continue
            tree = self.tree(node)
            if tree is None:
                self.d.broken.add(name)
                continue
            value = self.x.infer(tree, Env())
            if not isinstance(value, typed.Lit):
                self.report.error("RS227", f"`{name}` must be a constant", node.span)
                self.d.broken.add(name)
                continue
            type_ = INT if value.type == Num("*") else value.type
            self.d.constants[name] = typed.ConstantDecl(name, type_, value.value, place.span)

    def _tables(self) -> None:
        for name, place, node in entries(get(self.root, "tables")):
            if not self._claim(name, place.span):
                continue
            keys = tuple(self.type(k)[0] for k in words(get(node, "key")))
            value, _ = self.type(get(node, "value"))
            spans = [(get(node, key) or place).span for key in ("key", "value")]
            table = typed.TableDecl(name, keys, value, {}, place.span, *spans)
            if any(isinstance(k, Bad) for k in keys):
                self.d.broken.add(name)
                continue
            if any(not isinstance(k, Num | Ent) or getattr(k, "optional", False) for k in keys) or not keys:
                self.report.error("RS224", "the keys of a table are numbers or entities", place.span)
                self.d.broken.add(name)
                continue
            if any(isinstance(t, Ent | SetOf) and t.kind == self.d.player_kind for t in (*keys, value)):
                self.report.error("RS224", "players are not known before the game", place.span)
                self.d.broken.add(name)
                continue
            self.d.tables[name] = table
            rows = get(node, "rows")
            if rows is not None:
                self._rows(table, rows, keys, ())

    def _rows(self, table: typed.TableDecl, node: Node, keys: tuple[Type, ...], prefix: tuple[int, ...]) -> None:
        if not keys:
            decl = typed.FactDecl(table.name, table.value, table.span)
            table.rows[prefix] = self._fact(decl, node)
            return
        if not isinstance(node, Mapping):
            self.report.error("RS227", f"rows by {keys[0]} are expected here", node.span)
            return
        seen: set[int] = set()
        for key, place, value in entries(node):
            if isinstance(keys[0], Ent):
                index = self.entity(place, keys[0].kind)
            elif key.lstrip("-").isdigit() and len(key) <= 15:
                index = int(key)
            else:
                self.report.error("RS301", f"`{key}` is no number", place.span)
                continue
            seen.add(index)
            self._rows(table, value, keys[1:], (*prefix, index))
        if isinstance(keys[0], Ent):
            kind = self.d.kinds[keys[0].kind]
            unknown = [did_you_mean(key, kind.index) for key, _, _ in entries(node) if key not in kind.index]
            missing = [e.name for i, e in enumerate(kind.entities) if i not in seen]
            missing = [m for m in missing if not any(f"`{m}`" in hint for hint in unknown)]  # there, but misspelt
            if missing:
                names = ", ".join(f"`{m}`" for m in missing[:6]) + (" …" if len(missing) > 6 else "")
                self.report.error("RS228", f"the table `{table.name}` has no row for {names}", node.span)

    # --- starts and set-up -----------------------------------------------------------------

    def _starts(self) -> None:
        for name, _, node in entries(get(self.root, "kinds")):
            if name in self.d.kinds:
                for field, _, spec in entries(get(node, "state")):
                    if field in self.d.kinds[name].state:
                        self._start(self.d.kinds[name].state[field], spec)
        for section in ("state", "accounts"):
            for field, _, spec in entries(get(self.root, section)):
                if field in self.d.fields:
                    self._start(self.d.fields[field], spec)

    def _start(self, field: typed.FieldDecl, spec: Node) -> None:
        start = get(spec, "start")
        if start is not None:
            field.start = self.expr(start, field.type, f"the start of `{field.name}`")
            self._within(field, field.start)
        elif isinstance(field.type, Ent) and not field.type.optional and field.type.kind in self.d.kinds:
            self.report.error(
                "RS228",
                f"`{field.name}` must say with which `{field.type.kind}` it starts",
                field.span,
                help="add `start: …`, or make it optional with `?`",
            )
        elif _misses_zero(field):
            help_ = "add `start: …`"
            self.report.error("RS307", f"`{field.name}` would start at 0, outside its range", field.span, help=help_)

    def _within(self, field: typed.FieldDecl, value: typed.Expr) -> None:
        """Reports a start value outside the range; what only the number of players tells is looked at by the engine."""
        if not isinstance(value, typed.Lit) or field.low is None or field.high is None:
            return
        if not field.low <= value.value <= field.high:
            message = f"`{field.name}` is between {field.low} and {field.high}"
            self.report.error("RS307", message, value.span, notes=[Label(field.span, "declared here")])

    def _setup(self) -> None:
        setup = get(self.root, "setup")
        self._placements(setup, None)
        for number, place, node in entries(get(setup, "players")):
            if not number.isdigit() or not self.d.min_players <= int(number) <= self.d.max_players:
                help_ = f"`players` in game.yaml says {self.d.min_players} to {self.d.max_players}"
                self.report.error("RS227", f"there are never {number} players", place.span, help=help_)
                continue
            self._placements(node, int(number))

    def _placements(self, node: Node | None, players: int | None) -> None:
        for path, where, value in entries(get(node, "pieces")):
            piece_name, _, place_name = path.partition(".")
            piece = self.d.pieces.get(piece_name)
            place = piece.places.get(place_name) if piece else None
            if piece_name in self.d.broken:
                continue
            if piece is None or place is None:
                known = {f"{p.name}.{q.name}": q.span for p in self.d.pieces.values() for q in p.places.values()}
                hint, notes = nearest(path, known)
                self.report.error("RS221", f"`{path}` is no place of pieces", where.span, notes=notes, help=hint)
                continue
            self.refer(where, piece, place)
            kinds = [*piece.each, *([place.index] if place.index else [])]
            self._place((piece, place), kinds, value, INT, players, ())
        for section in ("state", "accounts"):
            for path, where, value in entries(get(node, section)):
                self._set_field(section, path, where, value, players)

    def _set_field(self, section: str, path: str, where: Scalar, value: Node, players: int | None) -> None:
        parts = path.split(".")
        kind = self.d.kinds.get(parts[0]) if len(parts) > 1 else None
        field = self.d.fields.get(path) if len(parts) == 1 else kind.state.get(parts[-1]) if kind else None
        if field is None or field.account != (section == "accounts"):
            known = {f.name: f.span for f in self.d.fields.values()}
            known |= {f"{k.name}.{f.name}": f.span for k in self.d.kinds.values() for f in k.state.values()}
            hint, notes = nearest(path, known)
            what = "account" if section == "accounts" else "state"
            self.report.error("RS221", f"`{path}` is no {what}", where.span, notes=notes, help=hint)
            return
        prefix: tuple[int, ...] = ()
        self._refer_to_field(where, parts, kind, field)
        kinds = [field.kind] if field.kind else []
        if len(parts) == 3 and kind is not None:
            prefix = (self.entity(Scalar(parts[1], parts[1], where.span), kind.name) or 0,)
            kinds = []
        self._place(field, kinds, value, field.type, players, prefix)

    def _refer_to_field(self, where: Scalar, parts: list[str], kind: typed.Kind | None, field: typed.FieldDecl) -> None:
        if kind is None:
            self.refer(where, field)
        elif len(parts) == 2:
            self.refer(where, kind, field)
        elif parts[1] in kind.index:
            self.refer(where, kind, kind.entities[kind.index[parts[1]]], field)

    def _place(
        self,
        target: typed.FieldDecl | tuple[typed.PieceDecl, typed.PlaceDecl],
        kinds: list[str],
        value: Node,
        type_: Type,
        players: int | None,
        keys: tuple[int, ...],
    ) -> None:
        if kinds and isinstance(value, Mapping):
            if self.d.kinds[kinds[0]].is_player:
                self.report.error("RS227", "seats have no names before the game: give one value for all", value.span)
                return
            for _, place, inner in entries(value):
                self._place(target, kinds[1:], inner, type_, players, (*keys, self.entity(place, kinds[0]) or 0))
            return
        # For all of them: in the value the name of a kind is the entity that it is for.
        each = [typed.Var(kind, Ent(kind), value.span) for kind in kinds]
        env = Env()
        for var in each:
            env = env.bind(var)
        expr = self.expr(value, type_, "the start value", env)
        if isinstance(target, typed.FieldDecl):
            self._within(target, expr)
        self.d.placements.append(typed.Placement(target, (*keys, *each), expr, players, value.span))


def _misses_zero(field: typed.FieldDecl) -> bool:
    """Whether a field has a range, and 0 is not in it; an empty range is reported elsewhere."""
    if field.low is None or field.high is None or field.low > field.high:
        return False
    return not field.low <= 0 <= field.high
