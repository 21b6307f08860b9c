"""Names and types of statements, decisions and options."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from rulespec.check.expressions import ExpressionChecker
from rulespec.check.scope import Env, known_if
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.suggestions import nearest
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, INT, Bad, Ent, Num, SetOf, Type

MAX_PARAMS = 12


class Place(Struct, frozen=True):
    """Where a statement stands: what `leave`, `again` and `require` would mean there."""

    in_loop: bool = False
    in_decide: bool = False
    again_is_decide: bool = False
    together: bool = False


class StatementChecker:
    """Types the bodies of procedures."""

    def __init__(self, expressions: ExpressionChecker, groups: dict[str, ast.OptionGroup]) -> None:
        self.x = expressions
        self.groups = groups
        self.procedures: dict[str, ast.Procedure] = {}
        self.originals: dict[str, str] = {}
        """What `original(…)` calls, by the name of the procedure it stands in."""
        self.understood = True
        """Whether all calls and matches have a typed form: those that have none may well lead to a decision."""
        self._effects: dict[str, frozenset[object]] = {}
        self._options_seen: dict[tuple[str, str], typed.OptionDef] = {}

    # --- effects: what a piece of rules may change -------------------------------------------

    def effects(self, stmts: tuple[ast.Stmt, ...], original: str) -> frozenset[object]:
        """Names of the fields, globals and variables that the statements may assign."""
        found: set[object] = set()
        for s in stmts:
            found |= self._effects_of(s, original)
        return frozenset(found)

    def _effects_of(self, s: ast.Stmt, original: str) -> frozenset[object]:
        if isinstance(s, ast.Assign):
            target = s.target
            if isinstance(target, ast.Attribute):
                return frozenset([target.name.text])
            return frozenset([target.name]) if isinstance(target, ast.Ref) else frozenset()
        if isinstance(s, ast.If):
            return frozenset().union(*(self.effects(b, original) for _, b in s.branches))
        if isinstance(s, ast.Match):
            cases = (self.effects(b, original) for _, b in s.cases)
            return frozenset().union(self.effects(s.other or (), original), *cases)
        if isinstance(s, ast.For | ast.Repeat):
            return self.effects(s.body, original)
        if isinstance(s, ast.Decide):
            return frozenset().union(*(self.effects(o.body, original) for o in self._options(s, report=False)))
        if isinstance(s, ast.CallStmt):
            return self._effects_of_procedure(original if s.name.text == "original" and original else s.name.text)
        return frozenset()

    def _effects_of_procedure(self, name: str) -> frozenset[object]:
        if name not in self._effects:
            self._effects[name] = frozenset()  # ends a recursion, which is an error anyway
            procedure = self.procedures.get(name)
            if procedure is not None:
                self._effects[name] = self.effects(procedure.body, self.originals.get(name, ""))
        return self._effects[name]

    def _forget(self, env: Env, stmts: tuple[ast.Stmt, ...]) -> Env:
        names = set(self.effects(stmts, env.original))
        names |= {env.vars[n] for n in list(names) if isinstance(n, str) and n in env.vars}
        return env.forget(frozenset(names))

    # --- blocks ----------------------------------------------------------------------------

    def block(self, stmts: tuple[ast.Stmt, ...], env: Env, place: Place) -> tuple[typed.Block, Env, bool]:
        """The typed block, what is known behind it, and whether control gets there at all."""
        result: list[typed.Stmt] = []
        alive = True
        for position, s in enumerate(stmts):
            if not alive:
                self.x.report.warning("RS404", "this is never reached", s.span, help="take it out")
                break
            if isinstance(s, ast.Jump) and s.word == "pass":
                if len(stmts) > 1 and position == len(stmts) - 1 and not isinstance(stmts[0], ast.Require):
                    self.x.report.warning("RS404", "`pass` does nothing here", s.span, help="take it out")
                continue
            out, env, alive = self._statement(s, env, place)
            if out is not None:
                result.append(out)
            elif isinstance(s, ast.CallStmt | ast.Match):
                self.understood = False
        return tuple(result), env, alive

    def _inner(self, stmts: tuple[ast.Stmt, ...], env: Env, place: Place) -> tuple[typed.Block, Env, bool]:
        body, after, alive = self.block(stmts, env, place)
        for name, var in after.vars.items():
            if name not in env.vars and not var.reads:
                self.unused(var)
        return body, replace(after, vars=env.vars), alive

    def unused(self, var: typed.Var) -> None:
        """Reports a variable that nobody reads."""
        self.x.report.warning("RS405", f"`{var.name}` is never used", var.span, help="take it out")

    def _statement(self, s: ast.Stmt, env: Env, place: Place) -> tuple[typed.Stmt | None, Env, bool]:
        x = self.x
        if isinstance(s, ast.Let):
            new = x.no_shadow(s.name, env)
            value = x.infer(s.value, env)
            type_ = value.type
            if isinstance(type_, Num) and type_.unit == ANY:
                type_ = INT
            elif isinstance(type_, Ent | SetOf) and type_.kind == ANY:
                help_ = "begin with a value of that kind"
                x.error("RS301", "the kind of this cannot be told", s.value.span, help=help_)
                type_ = BAD
            var = typed.Var(s.name.text, type_, s.name.span, reads=0 if new else 1)
            x.decls.refer(var.span, var)
            return typed.Let(s.span, var, value), env.bind(var), True
        if isinstance(s, ast.Assign):
            return self._assign(s, env)
        if isinstance(s, ast.Pay):
            return self._pay(s, env), env, True
        if isinstance(s, ast.Move):
            return self._move(s, env), env, True
        if isinstance(s, ast.CallStmt):
            return self._call(s, env, place)
        if isinstance(s, ast.EndGame):
            return self._end(s, env), env, False
        if isinstance(s, ast.Jump):
            return self._jump(s, place), env, False
        if isinstance(s, ast.If):
            return self._if(s, env, place)
        if isinstance(s, ast.Match):
            return self._match(s, env, place)
        if isinstance(s, ast.For):
            return self._for(s, env, place)
        if isinstance(s, ast.Repeat):
            return self._repeat(s, env, place)
        if isinstance(s, ast.Decide):
            return self._decide(s, env, place)
        assert isinstance(s, ast.Require)
        x.error("RS406", "`require` stands first in the body of an option", s.span)
        return None, env, True

    def _assign(self, s: ast.Assign, env: Env) -> tuple[typed.Stmt | None, Env, bool]:
        x = self.x
        wide = replace(env, known=frozenset())  # the target is a place, whatever is known of its value
        if isinstance(s.target, ast.Attribute):
            wide = env.forget(frozenset([s.target.name.text]))
        reads = {n: v.reads for n, v in env.vars.items()}
        target = x.infer(s.target, wide)
        if isinstance(target, typed.Local):
            target.var.reads = reads[target.var.name]
        if isinstance(target.type, Bad):
            x.infer(s.value, env)
            return None, env, True
        if isinstance(target, typed.PieceCount) or (isinstance(target, typed.Field) and target.decl.account):
            word = "pay … from … to …" if isinstance(target, typed.Field) else "move … of … from … to …"
            notes = (Label(target.decl.span, "an account"),) if isinstance(target, typed.Field) else ()
            x.error("RS304", "money and pieces are never set, they only move", s.target.span, notes=notes, help=word)
            return None, env, True
        if not isinstance(target, typed.Local | typed.Field):
            x.error("RS304", "only variables and state can be set", s.target.span)
            return None, env, True
        declared = target.var.span if isinstance(target, typed.Local) else target.decl.span
        value = x.check(s.value, env, target.type, "the new value", declared)
        if isinstance(target, typed.Field) and isinstance(value, typed.Lit):
            low, high = target.decl.low, target.decl.high
            if (low is not None and value.value < low) or (high is not None and value.value > high):
                x.error(
                    "RS307",
                    f"`{target.decl.name}` is between {low} and {high}",
                    value.span,
                    notes=(Label(target.decl.span, "declared here"),),
                )
        name: object = target.var if isinstance(target, typed.Local) else target.decl.name
        env = env.forget(frozenset([name]))
        if isinstance(value.type, Ent) and not value.type.optional:
            env = env.learn(known_if(typed.Op(INT, s.span, "some", (target,)), True))
        return typed.Assign(s.span, target, value), env, True

    def _pay(self, s: ast.Pay, env: Env) -> typed.Stmt | None:
        x = self.x
        ends: list[typed.Field] = []
        for e in (s.source, s.target):
            end = x.infer(e, env)
            if isinstance(end, typed.Field) and end.decl.account:
                ends.append(end)
            elif not isinstance(end.type, Bad):
                message, notes = "`pay` moves money between accounts, and this is none", x._declared(end)
                x.error("RS305", message, end.span, str(end.type), notes)
        amount = x.infer(s.amount, env)
        if len(ends) < 2:
            return None
        source, target = ends
        if source.type != target.type:
            x.error(
                "RS306",
                f"an account of {source.type} cannot pay into one of {target.type}",
                target.span,
                notes=(Label(source.decl.span, str(source.type)), Label(target.decl.span, str(target.type))),
            )
            return None
        return typed.Transfer(s.span, x.expect(amount, source.type, "the sum", source.decl.span), source, target)

    def _move(self, s: ast.Move, env: Env) -> typed.Stmt | None:
        """`move e of pile[ids] from place to place`: the places are written without the pile."""
        x = self.x
        amount = x.check(s.amount, env, INT, "the number of pieces")
        pile = s.pile.target if isinstance(s.pile, ast.Index) else s.pile
        if not isinstance(pile, ast.Ref) or pile.name not in x.decls.pieces:
            if isinstance(pile, ast.Ref) and pile.name in x.decls.broken:
                return None
            word = pile.name if isinstance(pile, ast.Ref) else ""
            hint, notes = nearest(word, {p.name: p.span for p in x.decls.pieces.values()})
            message = "`move` moves pieces: `move 1 of pile[e] from supply to at[r]`"
            x.error("RS305", message, s.pile.span, notes=notes, help=hint)
            return None
        ends: list[typed.PieceCount] = []
        for e in (s.source, s.target):
            place = e.target if isinstance(e, ast.Index) else e
            if not isinstance(place, ast.Ref):
                x.error("RS305", "a place of the pieces stands here, such as `supply` or `at[r]`", e.span)
                continue
            attribute: ast.Expr = ast.Attribute(e.span, s.pile, ast.Name(place.name, place.span))
            if isinstance(e, ast.Index):
                attribute = ast.Index(e.span, attribute, e.keys)
            end = x.infer(attribute, env)
            if isinstance(end, typed.PieceCount):
                ends.append(end)
        if len(ends) < 2:
            return None
        return typed.Transfer(s.span, amount, ends[0], ends[1])

    def _call(self, s: ast.CallStmt, env: Env, place: Place) -> tuple[typed.Stmt | None, Env, bool]:
        x = self.x
        name = env.original if s.name.text == "original" and env.original else s.name.text
        procedure = x.rules.procedures.get(name)
        if procedure is None:
            what = "a definition has a value and does nothing" if name in x.rules.definitions else ""
            places: dict[str, Span | None] = {p.name: p.span for p in x.rules.procedures.values()}
            hint, notes = nearest(name, places | dict.fromkeys(("let", "set", "pay", "move", "repeat", "decide")))
            x.error("RS221", f"no procedure is called `{name}`", s.name.span, notes=notes, help=what or hint)
            for arg in s.args:
                x.infer(arg, env)
            return None, env, True
        x.decls.used.add(f"procedure {name}")
        x.decls.refer(s.name.span, procedure)
        args = x._arguments(s, [p.type for p in procedure.params], env, procedure.span, procedure.params)
        if place.together and self._decides(name, set()):
            x.error("RS408", "what follows from a decision taken together holds no decision itself", s.span)
        return typed.CallProcedure(s.span, procedure, args), env.forget(self._effects_of_procedure(name)), True

    def _decides(self, name: str, seen: set[str]) -> bool:
        procedure = self.procedures.get(name)
        if procedure is None or name in seen:
            return False
        seen.add(name)
        return any(self._stmt_decides(s, self.originals.get(name, ""), seen) for s in procedure.body)

    def _stmt_decides(self, s: ast.Stmt, original: str, seen: set[str]) -> bool:
        if isinstance(s, ast.Decide):
            return True
        if isinstance(s, ast.CallStmt):
            return self._decides(original if s.name.text == "original" and original else s.name.text, seen)
        blocks: list[tuple[ast.Stmt, ...]] = []
        if isinstance(s, ast.If):
            blocks = [b for _, b in s.branches]
        elif isinstance(s, ast.Match):
            blocks = [b for _, b in s.cases] + [s.other or ()]
        elif isinstance(s, ast.For | ast.Repeat):
            blocks = [s.body]
        return any(self._stmt_decides(inner, original, seen) for block in blocks for inner in block)

    def _end(self, s: ast.EndGame, env: Env) -> typed.Stmt:
        winners = None
        if s.winners is not None:
            winners = self.x.check(s.winners, env, SetOf(self.x.decls.player_kind), "the winners")
        return typed.EndGame(s.span, s.ending.text if s.ending else "end", winners)

    def _jump(self, s: ast.Jump, place: Place) -> typed.Stmt | None:
        if s.word == "leave" and not place.in_loop:
            self.x.error("RS407", "there is no loop to leave here", s.span)
        elif s.word == "again" and not (place.in_loop or place.in_decide):
            self.x.error("RS407", "there is neither a loop nor a decision to go on with here", s.span)
        elif s.word == "return" and place.together:
            self.x.error("RS408", "`return` cannot stand in a decision taken together", s.span)
        elif place.together and not place.in_loop:
            self.x.error("RS408", f"`{s.word}` cannot stand in a decision taken together", s.span)
        word = "again decide" if s.word == "again" and place.again_is_decide else s.word
        return typed.Jump(s.span, word)

    def _if(self, s: ast.If, env: Env, place: Place) -> tuple[typed.Stmt | None, Env, bool]:
        branches: list[tuple[typed.Expr | None, typed.Block]] = []
        ends: list[Env] = []
        rest = env
        for condition, body in s.branches:
            if condition is None:
                block, after, alive = self._inner(body, rest, place)
                branches.append((None, block))
                if alive:
                    ends.append(after)
                return typed.If(s.span, tuple(branches)), self._meet(env, ends), bool(ends)
            test = self.x.condition(condition, rest)
            block, after, alive = self._inner(body, rest.learn(known_if(test, True)), place)
            branches.append((test, block))
            if alive:
                ends.append(after)
            rest = rest.learn(known_if(test, False))
        ends.append(rest)
        return typed.If(s.span, tuple(branches)), self._meet(env, ends), True

    def _meet(self, env: Env, ends: list[Env]) -> Env:
        if not ends:
            return env
        return replace(env, known=frozenset.intersection(*(e.known for e in ends)))

    def _match(self, s: ast.Match, env: Env, place: Place) -> tuple[typed.Stmt | None, Env, bool]:
        x = self.x
        subject = x.infer(s.subject, env)
        if not isinstance(subject.type, Ent) or subject.type.optional or subject.type.kind == ANY:
            if subject.type != BAD:
                x.expect(subject, Ent("entity"), "what is matched")
            return None, env, True
        kind = x.decls.kinds[subject.type.kind]
        seen: dict[int, ast.Expr] = {}
        cases: list[tuple[tuple[int, ...], typed.Block]] = []
        ends: list[Env] = []
        understood = True
        for values, body in s.cases:
            indices = []
            for e in values:
                value = x.check(e, env, Ent(kind.name), "a case")
                if not isinstance(value, typed.Lit):
                    x.error("RS301", "a case names an entity", e.span)
                    understood = False
                elif value.type == BAD:
                    understood = False
                else:
                    if value.value in seen:
                        notes = (Label(seen[value.value].span, "the first one"),)
                        x.error("RS409", "this case stands here twice", e.span, notes=notes)
                    seen[value.value] = e
                    indices.append(value.value)
            block, after, alive = self._inner(body, env, place)
            cases.append((tuple(indices), block))
            if alive:
                ends.append(after)
        other = None
        missing = [entity.name for i, entity in enumerate(kind.entities) if i not in seen]
        if s.other is not None:
            if not missing:
                x.report.warning("RS404", "every case is named already, `else` is never reached", s.span)
            other, after, alive = self._inner(s.other, env, place)
            if alive:
                ends.append(after)
        elif missing and understood:
            names = ", ".join(f"`{m}`" for m in missing[:6]) + (" …" if len(missing) > 6 else "")
            x.error(
                "RS403",
                f"`match` does not say what happens with {names}",
                s.span,
                notes=(Label(kind.span, "the kind is declared here"),),
                help="add the cases, or `else:`",
            )
        places = tuple(values[0].span.to(values[-1].span) for values, _ in s.cases)
        return typed.Match(s.span, subject, tuple(cases), other, places), self._meet(env, ends), bool(ends)

    def _for(self, s: ast.For, env: Env, place: Place) -> tuple[typed.Stmt | None, Env, bool]:
        env = self._forget(env, s.body)
        binder, inner = self.x.binder(s.binder, env)
        inside = replace(place, in_loop=True, again_is_decide=False)
        body, _, _ = self._inner(s.body, inner, inside)
        return typed.For(s.span, binder, body), env, True

    def _repeat(self, s: ast.Repeat, env: Env, place: Place) -> tuple[typed.Stmt | None, Env, bool]:
        limit = self.x.check(s.limit, env, INT, "the number of times") if s.limit is not None else None
        env = self._forget(env, s.body)
        inside = replace(place, in_loop=True, again_is_decide=False)
        body, _, _ = self._inner(s.body, env, inside)
        return typed.Repeat(s.span, limit, body), env, limit is not None or self._leaves(s.body)

    # --- decisions -------------------------------------------------------------------------

    def _options(self, s: ast.Decide, *, report: bool) -> list[ast.OptionDef]:
        options: list[ast.OptionDef] = []
        for o in s.options:
            if isinstance(o, ast.OptionDef):
                options.append(o)
            elif o.text in self.groups:
                self.x.decls.used.add(f"options {o.text}")
                self.x.decls.refer(o.span, self.groups[o.text])
                options.extend(self.groups[o.text].options)
            elif report:
                hint, notes = nearest(o.text, {g.name.text: g.name.span for g in self.groups.values()})
                self.x.error("RS221", f"no group of options is called `{o.text}`", o.span, notes=notes, help=hint)
        return options

    def _decide(self, s: ast.Decide, env: Env, place: Place) -> tuple[typed.Stmt | None, Env, bool]:
        x = self.x
        if place.together:
            x.error("RS408", "what follows from a decision taken together holds no decision itself", s.span)
        player = Ent(x.decls.player_kind)
        options = self._options(s, report=True)
        bodies = tuple(st for o in options for st in o.body)
        env = self._forget(env, bodies)
        by, each, scope = None, None, env
        if s.by is not None:
            by = x.check(s.by, env, player, "who decides")
        if s.each is not None:
            each, scope = x.binder(s.each, env)
            if each.var.type not in (player, BAD):
                x.error("RS301", f"players decide, and this is a {each.var.type}", s.each.span)
        together = s.form == "together"
        changed = bodies if together else ()
        seen: dict[str, ast.OptionDef] = {}
        typed_options: list[typed.OptionDef] = []
        ends: list[Env] = []
        for o in options:
            if o.name.text in seen:
                notes = (Label(seen[o.name.text].span, "the first one"),)
                x.error("RS223", f"this decision has an option `{o.name.text}` already", o.name.span, notes=notes)
            seen[o.name.text] = o
            inside = Place(place.in_loop and not together, True, not together, together)
            option, after, alive = self._option(o, scope, inside, s.form, changed)
            typed_options.append(option)
            self._one_form(s.name.text, option)
            if alive:
                ends.append(after)
        understood = all(isinstance(o, ast.OptionDef) or o.text in self.groups for o in s.options)
        if together or not understood:  # perhaps nobody is asked, perhaps something else may be chosen
            ends.append(env)
        decide = typed.Decide(s.span, s.form, s.name.text, by, each, s.doc.text, tuple(typed_options))
        return decide, replace(self._meet(env, ends), vars=env.vars), bool(ends) or together

    def _option(
        self, o: ast.OptionDef, env: Env, place: Place, form: str, changed: tuple[ast.Stmt, ...]
    ) -> tuple[typed.OptionDef, Env, bool]:
        """The typed option; `changed` is what others may have carried out between the choice and the body."""
        x = self.x
        params: list[typed.OptionParam] = []
        scope = env
        if len(o.params) > MAX_PARAMS:
            x.error("RS226", f"an option has at most {MAX_PARAMS} parameters", o.name.span)
        for p in o.params:
            param, scope = self._param(p, scope)
            params.append(param)
        by = weight = None
        if o.by is not None:
            by = x.check(o.by, scope, Ent(x.decls.player_kind), "who may take this option")
            if form != "decide":
                x.error("RS229", "only an option of a `decide` may have a `by` of its own", o.by.span)
        if o.weight is not None:
            weight = x.check(o.weight, scope, INT, "the weight")
            if form != "chance":
                x.error("RS229", "only an option of a `chance` has a weight", o.weight.span)
        requires: list[typed.Requirement] = []
        body = o.body
        while body and isinstance(body[0], ast.Require):
            r = body[0]
            condition = x.condition(r.condition, scope)
            scope = scope.learn(known_if(condition, True))
            requires.append(typed.Requirement(condition, r.reason.text, r.condition.span))
            body = body[1:]
        block, after, alive = self._inner(body, self._forget(scope, changed), place)
        option = typed.OptionDef(
            o.name.text, tuple(params), by, weight, tuple(requires), block, o.doc.text, o.name.span
        )
        return option, after, alive

    def _one_form(self, decision: str, option: typed.OptionDef) -> None:
        """Decisions of one name are one to logs and players: what is called the same there takes the same."""
        first = self._options_seen.setdefault((decision, option.name), option)
        if [(p.var.name, p.var.type) for p in first.params] != [(p.var.name, p.var.type) for p in option.params]:
            self.x.error(
                "RS223",
                f"another decision `{decision}` has an option `{option.name}` with other parameters",
                option.span,
                notes=(Label(first.span, "the other one"),),
                help="give one of the decisions or options another name",
            )

    def _param(self, p: ast.OptionParam, env: Env) -> tuple[typed.OptionParam, Env]:
        x = self.x
        x.no_shadow(p.name, env)
        low = x.infer(p.low, env)
        high: typed.Expr | None = None
        type_: Type = BAD
        if p.high is not None:
            high = x.infer(p.high, env)
            type_ = x._common_number(x._common_number(Num(ANY), low, "..", low), high, "..", low)
            type_ = INT if type_ == Num(ANY) else type_
        elif isinstance(low.type, SetOf) and low.type.kind != ANY:
            type_ = Ent(low.type.kind)
        elif low.type != BAD:
            x.wrong(low, "a parameter ranges over a set or over numbers `a .. b`")
        var = typed.Var(p.name.text, type_, p.name.span, reads=1)
        x.decls.refer(var.span, var)
        inner = env.bind(var)
        where = None
        if p.where is not None:
            where = x.condition(p.where, inner)
            inner = inner.learn(known_if(where, True))
        return typed.OptionParam(var, low, high, where, p.reason.text, p.low.span), inner

    def _leaves(self, stmts: tuple[ast.Stmt, ...]) -> bool:
        """Whether a `leave` in these statements belongs to the loop around them."""
        for s in stmts:
            if isinstance(s, ast.Jump) and s.word == "leave":
                return True
            blocks: list[tuple[ast.Stmt, ...]] = []
            if isinstance(s, ast.If):
                blocks = [b for _, b in s.branches]
            elif isinstance(s, ast.Match):
                blocks = [s.other or (), *(b for _, b in s.cases)]
            elif isinstance(s, ast.Decide):
                blocks = [o.body for o in self._options(s, report=False)]
            if any(self._leaves(b) for b in blocks):
                return True
        return False
