"""Names and types of expressions."""

from __future__ import annotations

from collections.abc import Mapping

from rulespec.check.origins import origins
from rulespec.check.scope import Env, known_if, path_of
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import nearest
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, BOOL, INT, LITERAL, Bad, Ent, Num, SetOf, Type, accepts, unify

_ARITHMETIC = {"+", "-", "*", "/", "%"}
_ORDER = {"<", "<=", ">", ">="}


class ExpressionChecker:
    """Turns syntax trees into typed expressions, reporting what does not fit."""

    def __init__(self, declarations: typed.Declarations, rules: typed.Rules, report: Report) -> None:
        self.decls = declarations
        self.rules = rules
        self.report = report

    # --- types -----------------------------------------------------------------------------

    def type_of(self, ref: ast.TypeRef) -> Type:
        """The type that is written; unknown names are reported."""
        name = ref.name.text
        if name == "int" or name in self.decls.units:
            self._refer_to_unit(ref.name)
            if ref.form in ("plain", "range"):
                return Num("" if name == "int" else name)
            self.error("RS224", f"a number cannot be {ref.form}", ref.span)
            return BAD
        if name == "bool":
            if ref.form == "plain":
                return BOOL
            self.error("RS224", f"a bool cannot be {ref.form}", ref.span)
            return BAD
        kind = self.decls.kinds.get(name)
        if kind is None:
            places: dict[str, Span | None] = {"int": None, "bool": None, **self.decls.units}
            hint, notes = nearest(name, places | {k.name: k.span for k in self.decls.kinds.values()})
            self.error("RS224", f"`{name}` is no type", ref.name.span, notes=notes, help=hint)
            return BAD
        self.decls.used.add(name)
        self.decls.refer(ref.name.span, kind)
        if ref.form == "range":
            self.error("RS224", f"only numbers have a range, and `{name}` is a kind", ref.span)
            return BAD
        return SetOf(name) if ref.form == "set" else Ent(name, ref.form == "optional")

    def _refer_to_unit(self, name: ast.Name) -> None:
        if name.text in self.decls.units:
            self.decls.refer(name.span, typed.Unit(name.text, self.decls.units[name.text]))

    # --- reporting -------------------------------------------------------------------------

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        notes: tuple[Label, ...] = (),
        help: str = "",
    ) -> None:
        """Reports an error."""
        self.report.error(code, message, span, label, notes, help)

    def bad(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        notes: tuple[Label, ...] = (),
        help: str = "",
    ) -> typed.Expr:
        """Reports, and stands in for the expression without causing further reports."""
        self.error(code, message, span, label, notes, help)
        return typed.Lit(BAD, span, 0)

    def wrong(self, expr: typed.Expr, what: str) -> typed.Expr:
        """Reports an expression of another type than must stand there; `what` says which."""
        message = f"{what}, and this is {expr.type}"
        return self.bad("RS301", message, expr.span, str(expr.type), origins(expr, self.decls))

    def _declared(self, expr: typed.Expr) -> tuple[Label, ...]:
        return origins(expr, self.decls)

    def expect(self, expr: typed.Expr, target: Type, what: str, asked: Span | None = None) -> typed.Expr:
        """Reports an expression that is not of the type asked for; `asked` is what asks for it."""
        if accepts(target, expr.type):
            if isinstance(expr.type, Num) and expr.type.unit == ANY and isinstance(expr, typed.Lit):
                return typed.Lit(target, expr.span, expr.value)
            return expr
        notes = self._declared(expr) + ((Label(asked, f"{target} is asked for here"),) if asked else ())
        if isinstance(target, Ent) and isinstance(expr.type, Ent) and target.kind == expr.type.kind:
            return self.bad(
                "RS303",
                f"{what} must be a `{target}`, and this may be none",
                expr.span,
                str(expr.type),
                notes,
                "check it first: `if x is some:`, `x is some and …`, or give a fallback: `x ?? y`",
            )
        code = "RS302" if isinstance(target, Num) and isinstance(expr.type, Num) else "RS301"
        return self.bad(code, f"{what} must be {target}, and this is {expr.type}", expr.span, str(expr.type), notes)

    # --- expressions -----------------------------------------------------------------------

    def infer(self, e: ast.Expr, env: Env, want: Type | None = None) -> typed.Expr:
        """The typed form; `want` helps to tell entities of the same name apart."""
        if isinstance(e, ast.Number):
            return self._number(e)
        if isinstance(e, ast.Truth):
            return typed.Lit(BOOL, e.span, int(e.value))
        if isinstance(e, ast.Nothing):
            return typed.Lit(Ent(ANY, True), e.span, -1)
        if isinstance(e, ast.Ref):
            return self._narrow(self._name(e, env, want), env)
        if isinstance(e, ast.Attribute):
            return self._narrow(self._attribute(e, env), env)
        if isinstance(e, ast.Index):
            return self._index(e, env)
        if isinstance(e, ast.CallExpr):
            return self._call(e, env, want)
        if isinstance(e, ast.TrackCall):
            return self._track(e, env)
        if isinstance(e, ast.Unary):
            return self._unary(e, env)
        if isinstance(e, ast.Binary):
            return self._binary(e, env, want)
        if isinstance(e, ast.Choice):
            return self._choice(e, env, want)
        if isinstance(e, ast.SetLiteral):
            return self._set(e, env, want)
        if isinstance(e, ast.Each):
            return self._each(e, env)
        assert isinstance(e, ast.Reach)
        return self._reach(e, env)

    def check(self, e: ast.Expr, env: Env, target: Type, what: str, asked: Span | None = None) -> typed.Expr:
        """The typed form of an expression that must have the given type; `asked` is what asks for it."""
        return self.expect(self.infer(e, env, target), target, what, asked)

    def condition(self, e: ast.Expr, env: Env) -> typed.Expr:
        """The typed form of a condition."""
        return self.check(e, env, BOOL, "a condition")

    def _number(self, e: ast.Number) -> typed.Expr:
        if e.unit is None:
            return typed.Lit(LITERAL, e.span, e.value)
        if e.unit.text not in self.decls.units:
            hint, notes = nearest(e.unit.text, self.decls.units)
            return self.bad(
                "RS224",
                f"`{e.unit.text}` is no unit",
                e.unit.span,
                notes=notes,
                help=hint or "units are declared in game.yaml",
            )
        self.decls.used.add(e.unit.text)
        self._refer_to_unit(e.unit)
        return typed.Lit(Num(e.unit.text), e.span, e.value)

    def _narrow(self, expr: typed.Expr, env: Env) -> typed.Expr:
        type_ = expr.type
        if isinstance(type_, Ent) and type_.optional and path_of(expr) in env.known:
            solid = Ent(type_.kind)
            if isinstance(expr, typed.Local):
                return typed.Local(solid, expr.span, expr.var)
            if isinstance(expr, typed.Field):
                return typed.Field(solid, expr.span, expr.decl, expr.owner)
            if isinstance(expr, typed.Fact):
                return typed.Fact(solid, expr.span, expr.decl, expr.owner)
        return expr

    def _name(self, e: ast.Ref, env: Env, want: Type | None) -> typed.Expr:
        name, d = e.name, self.decls
        if name in env.vars:
            found = env.vars[name]
            found.reads += 1
            d.refer(e.span, found)
            return typed.Local(found.type, e.span, found)
        if name == "players":
            return typed.Seats(INT, e.span)
        for table in (d.fields, d.constants, d.settings, d.kinds):
            if name in table:
                d.used.add(name)
                d.refer(e.span, table[name])
        if name in d.fields:
            decl = d.fields[name]
            return typed.Field(decl.type, e.span, decl, None)
        if name in d.constants:
            constant = d.constants[name]
            return typed.Lit(constant.type, e.span, constant.value)
        if name in d.settings:
            option = d.settings[name]
            return typed.SettingValue(BOOL if option.values is None else Ent(name), e.span, option)
        if name in d.kinds:
            return typed.KindSet(SetOf(name), e.span, d.kinds[name])
        return self._entity(e, env, want)

    def _entity(self, e: ast.Ref, env: Env, want: Type | None) -> typed.Expr:
        d = self.decls
        places = d.entities.get(e.name, [])
        if isinstance(want, Ent | SetOf):
            fitting = [p for p in places if p[0] == want.kind]
            places = fitting or places
        if len(places) > 1:
            explicit = [p for p in places if not d.kinds[p[0]].implicit]
            places = explicit if len(explicit) == 1 else places
        if len(places) == 1:
            kind, index = places[0]
            d.refer(e.span, d.kinds[kind].entities[index])
            return typed.Lit(Ent(kind), e.span, index)
        if places:
            kinds = " or ".join(f"`{k}.{e.name}`" for k, _ in places[:6])
            return self.bad("RS222", f"`{e.name}` may mean several things", e.span, help=f"write {kinds}")
        for names, what in (
            (d.pieces, f"a type of pieces: count them in a place, as in `{e.name}.supply`"),
            (d.tables, f"a table: look a row up, as in `{e.name}[…]`"),
            (d.tracks, f"a track: ask `{e.name}.steps(a, b)` or `{e.name}.space(v)`"),
            (self.rules.definitions, f"a definition: call it, as in `{e.name}(…)`"),
            (self.rules.procedures, "a procedure, and has no value"),
        ):
            if e.name in names:
                return self.bad("RS229", f"`{e.name}` is {what}", e.span)
        if e.name in d.broken:
            return typed.Lit(BAD, e.span, 0)
        hint, notes = nearest(e.name, self._names_in(env))
        for var in env.vars.values():
            var.reads += f"`{var.name}`" in hint  # what is misspelt is not called unused either
        return self.bad("RS221", f"nothing is called `{e.name}` here", e.span, notes=notes, help=hint)

    def _names_in(self, env: Env) -> dict[str, Span]:
        """All that a name can mean at a place, and where each is declared."""
        d = self.decls
        places = {name: d.kinds[found[0][0]].entities[found[0][1]].span for name, found in d.entities.items()}
        tables: list[Mapping[str, typed.Named]] = [self.rules.definitions, d.tracks, d.tables, d.pieces, d.kinds]
        for table in [*tables, d.settings, d.constants, d.fields, env.vars]:
            places = {name: declared.span for name, declared in table.items()} | places
        return places

    def _attribute(self, e: ast.Attribute, env: Env) -> typed.Expr:
        d, name = self.decls, e.name.text
        if isinstance(e.target, ast.Ref) and e.target.name not in env.vars:
            qualifier = e.target.name
            if qualifier in d.pieces:
                return self._place(e.target, (), e.name, None, e.span, env)
            if qualifier in d.kinds:
                kind = d.kinds[qualifier]
                if name in kind.index:
                    d.used.add(qualifier)
                    d.refer(e.target.span, kind)
                    d.refer(e.name.span, kind.entities[kind.index[name]])
                    return typed.Lit(Ent(qualifier), e.span, kind.index[name])
                if qualifier not in d.settings:
                    hint, notes = nearest(name, {e.name: e.span for e in kind.entities})
                    return self.bad(
                        "RS225",
                        f"`{qualifier}` has no entity `{name}`",
                        e.name.span,
                        help=hint,
                        notes=(Label(kind.span, "the kind is declared here"), *notes),
                    )
        if isinstance(e.target, ast.Index) and isinstance(e.target.target, ast.Ref):
            pile = e.target.target
            if pile.name in d.pieces and pile.name not in env.vars:
                return self._place(pile, e.target.keys, e.name, None, e.span, env)
        owner = self.infer(e.target, env)
        return self._member(owner, e.name, e.span)

    def _member(self, owner: typed.Expr, name: ast.Name, span: Span) -> typed.Expr:
        if isinstance(owner.type, Bad):
            return typed.Lit(BAD, span, 0)
        if not isinstance(owner.type, Ent) or owner.type.kind == ANY:
            return self.wrong(owner, f"only an entity has `.{name.text}`")
        kind = self.decls.kinds[owner.type.kind]
        if owner.type.optional:
            return self.expect(owner, Ent(kind.name), f"what `.{name.text}` is asked of")
        if name.text == "index":
            return typed.Op(INT, span, "index", (owner,))
        if name.text in kind.state:
            field = kind.state[name.text]
            self.decls.used.add(f"{kind.name}.{name.text}")
            self.decls.refer(name.span, field)
            return typed.Field(field.type, span, field, owner)
        if name.text in kind.facts:
            fact = kind.facts[name.text]
            self.decls.refer(name.span, fact)
            if isinstance(owner, typed.Lit) and owner.value < len(fact.values):
                value = fact.values[owner.value]
                solid = fact.type
                if isinstance(solid, Ent) and solid.optional and value >= 0:
                    solid = Ent(solid.kind)
                return typed.Lit(solid, span, value)
            return typed.Fact(fact.type, span, fact, owner)
        places = {f.name: f.span for f in kind.facts.values()} | {f.name: f.span for f in kind.state.values()}
        hint, notes = nearest(name.text, places)
        return self.bad(
            "RS225",
            f"a `{kind.name}` has no `{name.text}`",
            name.span,
            notes=(Label(kind.span, f"`{kind.name}` is declared here"), *notes),
            help=hint,
        )

    def _place(
        self,
        pile: ast.Ref,
        keys: tuple[ast.Expr, ...],
        place: ast.Name,
        index: ast.Expr | None,
        span: Span,
        env: Env,
    ) -> typed.Expr:
        piece = self.decls.pieces[pile.name]
        self.decls.used.add(pile.name)
        self.decls.refer(pile.span, piece)
        ids = self._keys(keys, [Ent(k) for k in piece.each], f"`{piece.name}`", span, env, piece.span)
        if place.text not in piece.places:
            hint, notes = nearest(place.text, {p.name: p.span for p in piece.places.values()})
            return self.bad(
                "RS225",
                f"`{piece.name}` has no place `{place.text}`",
                place.span,
                notes=(Label(piece.span, "declared here"), *notes),
                help=hint,
            )
        decl = piece.places[place.text]
        self.decls.refer(place.span, decl)
        where: typed.Expr | None = None
        if decl.index and index is None:
            return self.bad("RS226", f"say which `{decl.index}`: `{place.text}[…]`", span)
        if index is not None:
            if not decl.index:
                return self.bad("RS226", f"`{place.text}` is a single place", index.span)
            where = self.check(index, env, Ent(decl.index), f"the place of `{place.text}`", decl.span)
        return typed.PieceCount(INT, span, piece, ids, decl, where)

    def _keys(
        self,
        keys: tuple[ast.Expr, ...],
        types: list[Type] | list[Ent],
        what: str,
        span: Span,
        env: Env,
        declared: Span,
    ) -> tuple[typed.Expr, ...]:
        if len(keys) != len(types):
            wanted = ", ".join(str(t) for t in types) or "nothing"
            notes = (Label(declared, "declared here"),)
            self.error("RS226", f"{what} takes {wanted} in brackets, not {len(keys)} values", span, notes=notes)
            return tuple(typed.Lit(BAD, span, 0) for _ in types)
        asked = f"what {what} is asked of"
        return tuple(self.check(k, env, t, asked, declared) for k, t in zip(keys, types, strict=True))

    def _index(self, e: ast.Index, env: Env) -> typed.Expr:
        d = self.decls
        target = e.target
        if isinstance(target, ast.Attribute) and len(e.keys) == 1:  # pile[e].at[r], pile.at[r]
            pile: ast.Expr = target.target
            keys: tuple[ast.Expr, ...] = ()
            if isinstance(pile, ast.Index):
                keys = pile.keys
                pile = pile.target
            if isinstance(pile, ast.Ref) and pile.name in d.pieces and pile.name not in env.vars:
                return self._place(pile, keys, target.name, e.keys[0], e.span, env)
        if isinstance(target, ast.Ref) and target.name not in env.vars:
            if target.name in d.tables:
                table = d.tables[target.name]
                d.used.add(target.name)
                d.refer(target.span, table)
                keys_typed = self._keys(e.keys, list(table.keys), f"`{table.name}`", e.span, env, table.key_span)
                if all(isinstance(k, typed.Lit) for k in keys_typed):
                    row = table.rows.get(tuple(k.value for k in keys_typed if isinstance(k, typed.Lit)))
                    if row is not None:
                        return typed.Lit(table.value, e.span, row)
                return typed.TableRow(table.value, e.span, table, keys_typed)
            if target.name in d.kinds and d.kinds[target.name].product:
                kind = d.kinds[target.name]
                d.used.add(target.name)
                d.refer(target.span, kind)
                parts = self._keys(e.keys, [Ent(k) for k in kind.product], f"`{kind.name}`", e.span, env, kind.span)
                return typed.ProductEntity(Ent(kind.name), e.span, kind, parts)
            if target.name in d.broken:
                return typed.Lit(BAD, e.span, 0)
            if target.name in d.pieces:
                return self.bad("RS229", f"say where: `{target.name}[…].supply`", e.span)
        return self.bad(
            "RS229", "only tables, kinds made of others and places of pieces are looked up with `[…]`", target.span
        )

    def _call(self, e: ast.CallExpr, env: Env, want: Type | None) -> typed.Expr:
        name = e.name.text
        if name in ("min", "max"):
            return self._minmax(e, env)
        if name == "abs":
            args = self._arguments(e, [LITERAL], env)
            return typed.Op(args[0].type, e.span, "abs", args)
        if name == "count":
            source = self.infer(e.args[0], env)
            if not isinstance(source.type, SetOf | Bad):
                return self.wrong(source, "`count` counts a set")
            return typed.Op(INT, e.span, "count", (source,))
        if name == "next":
            owner = self.infer(e.args[0], env)
            if not isinstance(owner.type, Ent) or owner.type.optional:
                return self.expect(owner, Ent("entity"), "what `next` follows") if owner.type != BAD else owner
            return typed.Op(owner.type, e.span, "next", (owner,))
        if name == "original" and env.original:
            name = env.original
        definition = self.rules.definitions.get(name)
        if definition is None:
            if name in self.rules.procedures:
                return self.bad("RS229", f"`{name}` is a procedure, and has no value", e.name.span)
            places: dict[str, Span | None] = {d.name: d.span for d in self.rules.definitions.values()}
            hint, notes = nearest(name, places | dict.fromkeys(("abs", "min", "max", "count")))
            return self.bad("RS221", f"no definition is called `{name}`", e.name.span, notes=notes, help=hint)
        self.decls.used.add(f"def {name}")
        self.decls.refer(e.name.span, definition)
        args = self._arguments(e, [p.type for p in definition.params], env, definition.span, definition.params)
        return typed.Call(definition.result, e.span, definition, args)

    def _arguments(
        self,
        e: ast.CallExpr | ast.CallStmt,
        types: list[Type] | list[Num],
        env: Env,
        declared: Span | None = None,
        params: tuple[typed.Var, ...] = (),
    ) -> tuple[typed.Expr, ...]:
        if len(e.args) != len(types):
            notes = (Label(declared, "declared here"),) if declared else ()
            wanted = "1 argument" if len(types) == 1 else f"{len(types)} arguments"
            self.error("RS226", f"`{e.name.text}` takes {wanted}, not {len(e.args)}", e.span, notes=notes)
            for arg in e.args:
                self.infer(arg, env)
            return tuple(typed.Lit(BAD, e.span, 0) for _ in types)
        result = []
        for n, (arg, target) in enumerate(zip(e.args, types, strict=True)):
            if target == LITERAL:
                value = self.infer(arg, env)
                if not isinstance(value.type, Num | Bad):
                    value = self.wrong(value, f"`{e.name.text}` takes numbers")
                result.append(value)
            else:
                asked = params[n].span if params else declared
                result.append(self.check(arg, env, target, f"this argument of `{e.name.text}`", asked))
        return tuple(result)

    def _track(self, e: ast.TrackCall, env: Env) -> typed.Expr:
        d = self.decls
        if not isinstance(e.track, ast.Ref) or e.track.name not in d.tracks:
            word = e.track.name if isinstance(e.track, ast.Ref) else ""
            hint, notes = nearest(word, {t.name: t.span for t in d.tracks.values()})
            return self.bad("RS229", f"only a track has `.{e.name.text}(…)`", e.track.span, notes=notes, help=hint)
        track = d.tracks[e.track.name]
        d.used.add(track.name)
        d.refer(e.track.span, track)
        space = Ent(track.kind)
        signatures: dict[str, tuple[list[Type], Type]] = (
            {"steps": ([space, space], INT), "ahead": ([space, INT], space)}
            if track.ring
            else {"space": ([Num(track.unit)], space)}
        )
        if e.name.text not in signatures:
            what = "ring" if track.ring else "line"
            return self.bad(
                "RS225",
                f"a {what} has no `{e.name.text}`",
                e.name.span,
                notes=(Label(track.span, f"`{track.name}` is a {what}"),),
                help="a ring has `steps(a, b)` and `ahead(a, k)`" if track.ring else "a line has `space(v)`",
            )
        types, result = signatures[e.name.text]
        args = self._arguments(ast.CallExpr(e.span, e.name, e.args), types, env, track.unit_span)
        return typed.TrackOp(result, e.span, e.name.text, track, args)

    def _minmax(self, e: ast.CallExpr, env: Env) -> typed.Expr:
        args = [self.infer(a, env) for a in e.args]
        type_: Type = LITERAL
        for arg in args:
            type_ = self._common_number(type_, arg, e.name.text, args[0])
        return typed.Op(type_, e.span, e.name.text, tuple(args))

    def _common_number(self, so_far: Type, arg: typed.Expr, op: str, other: typed.Expr) -> Type:
        if not isinstance(arg.type, Num | Bad):
            self.wrong(arg, f"`{op}` takes numbers")
            return BAD
        common = unify(so_far, arg.type)
        if common is None:
            self.error(
                "RS302",
                f"{so_far} and {arg.type} cannot be put together with `{op}`",
                arg.span,
                str(arg.type),
                (Label(other.span, str(so_far)), *self._declared(other), *self._declared(arg)),
                "divide by `1 unit` to get a plain number, multiply a plain number by `1 unit` to give it one",
            )
            return BAD
        return common

    def _unary(self, e: ast.Unary, env: Env) -> typed.Expr:
        if e.op == "not":
            return typed.Op(BOOL, e.span, "not", (self.condition(e.operand, env),))
        operand = self.infer(e.operand, env)
        if e.op == "-":
            if not isinstance(operand.type, Num | Bad):
                return self.wrong(operand, "`-` takes a number")
            if isinstance(operand, typed.Lit):
                return typed.Lit(operand.type, e.span, -operand.value)
            return typed.Op(operand.type, e.span, "neg", (operand,))
        if not isinstance(operand.type, Ent | Bad):
            return self.wrong(operand, "only an entity may be none")
        if isinstance(operand.type, Ent) and not operand.type.optional and path_of(operand) not in env.known:
            self.report.warning(
                "RS309", "this is never none", e.span, str(operand.type), self._declared(operand), "leave the test out"
            )
        some = typed.Op(BOOL, e.span, "some", (operand,))
        return some if e.op == "is some" else typed.Op(BOOL, e.span, "not", (some,))

    def _binary(self, e: ast.Binary, env: Env, want: Type | None) -> typed.Expr:
        if e.op in ("and", "or"):
            left = self.condition(e.left, env)
            right = self.condition(e.right, env.learn(known_if(left, e.op == "and")))
            return typed.Op(BOOL, e.span, e.op, (left, right))
        if e.op in ("in", "not in"):
            return self._in(e, env)
        if e.op == "??":
            return self._coalesce(e, env, want)
        left, right = self._pair(e.left, e.right, env, want if e.op not in ("==", "!=") else None)
        if isinstance(left.type, Bad) or isinstance(right.type, Bad):
            result = BOOL if e.op in ("==", "!=") or e.op in _ORDER else BAD
            return typed.Lit(result, e.span, 0) if result == BAD else typed.Op(BOOL, e.span, e.op, (left, right))
        if e.op in ("==", "!="):
            if unify(left.type, right.type) is None:
                code = "RS302" if isinstance(left.type, Num) and isinstance(right.type, Num) else "RS301"
                return self._mismatch(code, e, left, right, "cannot be compared")
            return typed.Op(BOOL, e.span, e.op, (left, right))
        if e.op in _ORDER:
            if not isinstance(left.type, Num) or not isinstance(right.type, Num):
                return self._mismatch("RS301", e, left, right, f"cannot be compared with `{e.op}`")
            if unify(left.type, right.type) is None:
                return self._mismatch("RS302", e, left, right, "cannot be compared")
            return typed.Op(BOOL, e.span, e.op, (left, right))
        if isinstance(left.type, SetOf) and isinstance(right.type, SetOf) and e.op in ("|", "&", "-"):
            common = unify(left.type, right.type)
            if common is None:
                return self._mismatch("RS301", e, left, right, f"cannot be put together with `{e.op}`")
            return typed.Op(common, e.span, "diff" if e.op == "-" else e.op, (left, right))
        if isinstance(left.type, Num) and isinstance(right.type, Num) and e.op in _ARITHMETIC:
            return self._arithmetic(e, left, right)
        return self._mismatch("RS301", e, left, right, f"cannot be put together with `{e.op}`")

    def _mismatch(self, code: str, e: ast.Binary, left: typed.Expr, right: typed.Expr, what: str) -> typed.Expr:
        return self.bad(
            code,
            f"{left.type} and {right.type} {what}",
            right.span,
            str(right.type),
            (Label(left.span, str(left.type)), *self._declared(left), *self._declared(right)),
        )

    def _pair(self, a: ast.Expr, b: ast.Expr, env: Env, want: Type | None = None) -> tuple[typed.Expr, typed.Expr]:
        """Types two operands, each helping to tell which entity the other means."""
        if isinstance(a, ast.Ref) and len(self.decls.entities.get(a.name, ())) > 1 and a.name not in env.vars:
            right = self.infer(b, env, want)
            return self.infer(a, env, right.type), right
        left = self.infer(a, env, want)
        return left, self.infer(b, env, left.type)

    def _arithmetic(self, e: ast.Binary, left: typed.Expr, right: typed.Expr) -> typed.Expr:
        a, b = left.type, right.type
        assert isinstance(a, Num) and isinstance(b, Num)
        result: Type | None
        if e.op in ("+", "-", "%"):
            result = unify(a, b)
        elif e.op == "*":
            result = {(True, True): LITERAL}.get((a.unit == ANY, b.unit == ANY))
            if result is None:
                plain = ("", ANY)
                result = b if a.unit in plain and b.unit != ANY else a if b.unit in plain else None
        else:
            result = LITERAL if a.unit == b.unit == ANY else a if b.unit in ("", ANY) else INT if a == b else None
            if isinstance(result, Num) and result.unit == ANY and b.unit == "":
                result = INT
        if result is None:
            return self._mismatch("RS302", e, left, right, f"cannot be put together with `{e.op}`")
        if e.op in ("/", "%") and isinstance(right, typed.Lit) and right.value == 0:
            return self.bad("RS310", "this divides by zero", right.span)
        if isinstance(left, typed.Lit) and isinstance(right, typed.Lit):
            return typed.Lit(result, e.span, _folded(e.op, left.value, right.value))
        return typed.Op(result, e.span, e.op, (left, right))

    def _in(self, e: ast.Binary, env: Env) -> typed.Expr:
        source = self.infer(e.right, env)
        if not isinstance(source.type, SetOf | Bad):
            return self.wrong(source, "`in` asks a set")
        want = Ent(source.type.kind) if isinstance(source.type, SetOf) and source.type.kind != ANY else None
        member = self.infer(e.left, env, want)
        if want is not None and unify(Ent(want.kind, True), member.type) is None:
            return self._mismatch("RS301", e, member, source, "do not go together")
        test = typed.Op(BOOL, e.span, "in", (member, source))
        return test if e.op == "in" else typed.Op(BOOL, e.span, "not", (test,))

    def _coalesce(self, e: ast.Binary, env: Env, want: Type | None) -> typed.Expr:
        left = self.infer(e.left, env, want)
        right = self.infer(e.right, env, left.type if isinstance(left.type, Ent) else want)
        if not isinstance(left.type, Ent | Bad):
            return self.wrong(left, "`??` stands behind what may be none")
        common = unify(left.type, right.type)
        if common is None:
            return self._mismatch("RS301", e, left, right, "cannot replace one another")
        if isinstance(common, Ent):
            common = Ent(common.kind, getattr(right.type, "optional", False))
        return typed.Op(common, e.span, "??", (left, right))

    def _choice(self, e: ast.Choice, env: Env, want: Type | None) -> typed.Expr:
        condition = self.condition(e.condition, env)
        then = self.infer(e.then, env.learn(known_if(condition, True)), want)
        other = self.infer(e.other, env.learn(known_if(condition, False)), want or then.type)
        common = unify(then.type, other.type)
        if common is None:
            return self.bad(
                "RS301",
                f"both sides of `if … else` must be of one type, and they are {then.type} and {other.type}",
                other.span,
                str(other.type),
                (Label(then.span, str(then.type)), *self._declared(then), *self._declared(other)),
            )
        return typed.Choice(common, e.span, condition, then, other)

    def _set(self, e: ast.SetLiteral, env: Env, want: Type | None) -> typed.Expr:
        member = Ent(want.kind) if isinstance(want, SetOf) else None
        items = [self.infer(i, env, member) for i in e.items]
        type_: Type = SetOf(ANY)
        for item in items:
            if isinstance(item.type, Bad):
                continue
            if not isinstance(item.type, Ent) or item.type.optional:
                self.expect(item, Ent("entity"), "a member of a set")
                continue
            common = unify(type_, SetOf(item.type.kind))
            if common is None:
                return self.bad("RS301", f"a {type_} cannot hold a {item.type}", item.span)
            type_ = common
        if type_ == SetOf(ANY) and items:
            return typed.Lit(BAD, e.span, 0)
        if all(isinstance(i, typed.Lit) for i in items):
            mask = 0
            for item in items:
                if isinstance(item, typed.Lit) and item.value >= 0:
                    mask |= 1 << item.value
            return typed.Lit(type_, e.span, mask)
        return typed.Op(type_, e.span, "set", tuple(items))

    # --- binders ---------------------------------------------------------------------------

    def binder(self, b: ast.Binder, env: Env) -> tuple[typed.Binder, Env]:
        """The typed binder and the scope of what it binds."""
        source = self.infer(b.source, env)
        kind = ANY
        if isinstance(source.type, SetOf):
            kind = source.type.kind
            if kind == ANY:
                self.error("RS301", "the kind of this set cannot be told", source.span, str(source.type))
        elif not isinstance(source.type, Bad):
            self.wrong(source, "`in` runs over a set")
        self.no_shadow(b.name, env)
        var = typed.Var(b.name.text, Ent(kind) if kind != ANY else BAD, b.name.span)
        self.decls.refer(var.span, var)
        start = None
        if b.start is not None:
            start = self.check(b.start, env, Ent(kind) if kind != ANY else BAD, f"what the order begins {b.order}")
        inner = env.bind(var)
        where = None
        if b.where is not None:
            where = self.condition(b.where, inner)
            inner = inner.learn(known_if(where, True))
        return typed.Binder(var, source, b.order, start, where), inner

    def no_shadow(self, name: ast.Name, env: Env) -> bool:
        """Reports a variable that would hide another one, or anything else with a name."""
        before = self.report.errors
        if name.text in env.vars:
            notes = (Label(env.vars[name.text].span, "the other one"),)
            self.error("RS223", f"`{name.text}` is the name of a variable here already", name.span, notes=notes)
        d = self.decls
        for names in (d.fields, d.constants, d.settings, d.kinds, d.pieces, d.tables, d.tracks):
            if name.text in names:
                span = getattr(names[name.text], "span", name.span)
                self.error(
                    "RS223", f"`{name.text}` has another meaning already", name.span, notes=(Label(span, "this one"),)
                )
        if name.text == "players":
            self.error("RS223", "`players` is a word of the language", name.span)
        return self.report.errors == before

    def _each(self, e: ast.Each, env: Env) -> typed.Expr:
        binder, inner = self.binder(e.binder, env)
        member = binder.var.type
        default = self.infer(e.default, env) if e.default is not None else None
        if e.op in ("any", "count"):
            return typed.Each(BOOL if e.op == "any" else INT, e.span, e.op, binder, None, None)
        if e.op == "first":
            result: Type = Ent(member.kind, True) if isinstance(member, Ent) else BAD
            return typed.Each(result, e.span, e.op, binder, None, None)
        if binder.start is not None:
            self.error("RS229", f"the order does not matter to `{e.op}`", binder.start.span)
        if e.op == "all":
            assert e.body is not None
            return typed.Each(BOOL, e.span, e.op, binder, self.condition(e.body, inner), None)
        if e.op == "set":
            if e.body is None:
                kind = member.kind if isinstance(member, Ent) else ANY
                return typed.Each(SetOf(kind), e.span, e.op, binder, None, None)
            body = self.infer(e.body, inner)
            if isinstance(body.type, Ent) and not body.type.optional:
                return typed.Each(SetOf(body.type.kind), e.span, e.op, binder, body, None)
            return body if body.type == BAD else self.expect(body, Ent("entity"), "a member of a set")
        assert e.body is not None
        body = self.infer(e.body, inner)
        if e.op == "union":
            if not isinstance(body.type, SetOf | Bad):
                return self.wrong(body, "`union` puts sets together")
            return typed.Each(body.type, e.span, e.op, binder, body, None)
        type_ = self._common_number(LITERAL, body, e.op, body)
        if isinstance(type_, Num) and type_.unit == ANY and e.op == "sum":
            type_ = INT
        if e.op in ("min", "max"):
            if default is None:
                return self.bad(
                    "RS226",
                    f"`{e.op}` over a set must say what it is when nothing fits",
                    e.span,
                    help=f"write `{e.op}(… for … in … , else 0)`",
                )
            type_ = self._common_number(type_, default, e.op, body)
        return typed.Each(type_, e.span, e.op, binder, body, default)

    def _reach(self, e: ast.Reach, env: Env) -> typed.Expr:
        start = self.infer(e.start, env)
        if not isinstance(start.type, SetOf):
            return start if start.type == BAD else self.bad("RS301", "`reach` begins with a set", start.span)
        if start.type.kind == ANY:
            return self.bad("RS301", "the kind of this set cannot be told", start.span, str(start.type))
        self.no_shadow(e.name, env)
        var = typed.Var(e.name.text, Ent(start.type.kind), e.name.span)
        self.decls.refer(var.span, var)
        step = self.check(e.step, env.bind(var), start.type, "the step of `reach`")
        return typed.Reach(start.type, e.span, var, start, step)


def _folded(op: str, a: int, b: int) -> int:
    """The value of an arithmetic operator. Division rounds down; `b` is not 0 then."""
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    return a // b if op == "/" else a % b
