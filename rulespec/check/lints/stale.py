"""Repeated decisions that use a local variable computed from state that has since changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import (
    called,
    callees,
    definition_expressions,
    head_expressions,
    parts,
    rings,
    walk,
)

_EVERY, _SOME = ("every",), ("some",)
_Key = tuple[object, ...]
"""The owner of a cell: a variable, an entity or a field; all of them, in a loop; or an unknown one."""


class _Cell(NamedTuple):
    """A field, an account or a place of a pile, with the owner."""

    name: tuple[str, ...]
    of: tuple[_Key, ...]


_Cells = frozenset[_Cell]
_NONE: _Cells = frozenset()


def check_stale(c: Context) -> None:
    """Warns of `ask again` after an option changed the state from which a local variable of the decision was computed.

    Skips reassigned variables, and conditions that also read the changed state, because they compare it with its
    earlier value.
    """
    effects = _Effects(c.rules)
    for procedure in c.rules.procedures.values():
        if any(map(_opens_anew, walk(procedure.body))):
            _Finder(c, effects, procedure).block(procedure.body, _Before({}, None, _NONE, _IDENTITY))


class _Scope(NamedTuple):
    """A substitution of variables by keys of the caller; in a called rule, only parameters have one."""

    known: Mapping[typed.Var, _Key]
    called: bool = False

    def of(self, var: typed.Var) -> _Key:
        return self.known.get(var, _SOME if self.called else (var,))

    def every(self, *variables: typed.Var) -> _Scope:
        """The scope inside a loop, in which each loop variable stands for every entity."""
        return _Scope({**self.known, **dict.fromkeys(variables, _EVERY)}, self.called)


_IDENTITY = _Scope({})


class _Asked(NamedTuple):
    """A decision that may be asked again, with the local variables before it."""

    decide: typed.Decide
    lets: Mapping[typed.Var, typed.Let]


class _Before(NamedTuple):
    """The context of a statement: locals, the enclosing decision, and the cells written since it was asked."""

    lets: Mapping[typed.Var, typed.Let]
    asked: _Asked | None
    written: _Cells
    scope: _Scope


def _opens_anew(s: typed.Stmt) -> bool:
    if isinstance(s, typed.Decide):
        return any(option.by is not None for option in s.options)
    return isinstance(s, typed.Jump) and s.word == "ask again"


class _Finder:
    """A walk through one procedure that tracks the cells written since a decision was asked."""

    def __init__(self, c: Context, effects: _Effects, procedure: typed.Procedure) -> None:
        self.c = c
        self.effects = effects
        targets = [s.target for s in walk(procedure.body) if isinstance(s, typed.Assign)]
        self.set_anew = {t.var for t in targets if isinstance(t, typed.Local)}

    def block(self, block: typed.Block, before: _Before) -> _Cells:
        """Walks through a block; returns the cells written on the paths that reach its end."""
        lets, written = dict(before.lets), before.written
        for s in block:
            place = _Before(lets, before.asked, written, before.scope)
            if isinstance(s, typed.Let) and s.var not in self.set_anew:
                lets[s.var] = s
            elif isinstance(s, typed.Jump) and s.word == "ask again" and place.asked is not None:
                self._ask_again(place.asked, written, s.span)
            elif isinstance(s, typed.Decide):
                written |= self._decide(s, place)
            elif isinstance(s, typed.For):
                scope = place.scope.every(s.binder.var) if place.asked is not None else place.scope
                written |= self.block(s.body, place._replace(scope=scope))
            if isinstance(s, typed.Jump | typed.Return | typed.EndGame):
                return before.written
            written |= self.effects.direct(s, place.scope)
            written = written.union(*(self.block(inner, place) for inner in _blocks(s)))
        return written

    def _decide(self, s: typed.Decide, before: _Before) -> _Cells:
        result = before.written
        asked = _Asked(s, before.lets)
        for option in s.options:
            inner = self.block(option.body, _Before(before.lets, asked, self.effects.paid(option), _IDENTITY))
            if option.by is not None:  # an interrupt asks the decision again
                self._ask_again(asked, inner, option.span)
            result |= inner
        return result | self.block(s.otherwise.body, before) if s.otherwise is not None else result

    def _ask_again(self, asked: _Asked, written: _Cells, span: Span) -> None:
        """Reports each local variable of the decision that was computed from written cells."""
        if not written:
            return
        for var, let in asked.lets.items():
            changed = {r.name for r in self._came_from(let.value, asked.lets) for w in written if _meet(r, w)}
            if changed and any(self._is_asked(var, changed, option) for option in asked.decide.options):
                names = " and ".join(f"`{'.'.join(name)}`" for name in sorted(changed))
                message = f"`{var.name}` is outdated: it was computed from {names}, which has changed since"
                help_ = f"use the expression itself in the options, instead of `{var.name}`"
                self.c.report.warning("RS413", message, span, notes=[Label(var.span, "computed once here")], help=help_)

    def _came_from(self, e: typed.Expr, lets: Mapping[typed.Var, typed.Let]) -> _Cells:
        """The cells read by an expression, directly or through local variables."""
        result, todo, seen = _NONE, [e], set[typed.Var]()
        while todo:
            value = todo.pop()
            result |= self.effects.read(value, _IDENTITY)
            inner = {x.var for x in _all(value) if isinstance(x, typed.Local)} & set(lets) - seen
            seen |= inner
            todo += [lets[var].value for var in inner]
        return result

    def _is_asked(self, var: typed.Var, changed: set[tuple[str, ...]], option: typed.OptionDef) -> bool:
        """Whether a condition or a domain of an option reads a local variable, but no changed cell."""
        asked = [e for p in option.params for e in (*p.domain, p.where) if e is not None]
        asked += [*head_expressions(option.head), *([option.weight] if option.weight is not None else [])]
        return any(
            any(isinstance(x, typed.Local) and x.var is var for x in _all(e))
            and not changed & {r.name for r in self.effects.read(e, _IDENTITY)}
            for e in asked
        )


class _Effects:
    """The cells read by expressions and written by statements, including those of callees."""

    def __init__(self, rules: typed.Rules) -> None:
        self._rings = rings(rules)
        self._of_definitions: dict[typed.Definition, _Cells] = {}
        self._of_procedures: dict[typed.Procedure, _Cells] = {}

    def read(self, e: typed.Expr, scope: _Scope) -> _Cells:
        """The cells read by an expression; `scope` has the keys of its variables."""
        if isinstance(e, typed.Each | typed.Reach | typed.Ways):
            inner = [e.binder.var] if isinstance(e, typed.Each) else [e.var]
            scope = scope.every(*inner, *([e.near.var] if isinstance(e, typed.Ways) else []))
        elif isinstance(e, typed.PathDomain):
            scope = scope.every(e.so_far, e.var, e.near.var)
        elif isinstance(e, typed.PathQuery):
            scope = scope.every(e.paths.so_far)
        elif isinstance(e, typed.Along):
            scope = scope.every(e.var, e.then)
        elif isinstance(e, typed.IfSome | typed.OverSubsets):
            scope = scope.every(e.var)
        result = _NONE.union(*(self.read(part, scope) for part in parts(e)))
        if isinstance(e, typed.Field | typed.PieceCount):
            result |= {_cell(e, scope)}
        elif isinstance(e, typed.Room):
            result |= {_Cell((e.place.kind.name, "place"), (_EVERY,))}
        elif isinstance(e, typed.Call):
            if e.definition not in self._of_definitions:
                own = _own(e.definition.params)
                asked = definition_expressions(e.definition)
                self._of_definitions[e.definition] = _NONE.union(*(self.read(x, own) for x in asked))
            result |= _called(self._of_definitions[e.definition], e.definition.params, e.args, scope)
        return result

    def direct(self, s: typed.Stmt, scope: _Scope) -> _Cells:
        """The cells written by a statement, excluding nested blocks."""
        if isinstance(s, typed.Assign):
            return frozenset([_cell(s.target, scope)]) if isinstance(s.target, typed.Field) else _NONE
        if isinstance(s, typed.Transfer):
            return frozenset([_cell(s.source, scope), _cell(s.target, scope)])
        if isinstance(s, typed.Put):
            return frozenset([_Cell((s.kind.name, "place"), (_whom(s.token, scope),))])
        if isinstance(s, typed.CallProcedure):
            return _called(self._written(s.procedure), s.procedure.params, s.args, scope)
        return _NONE

    def _written(self, procedure: typed.Procedure) -> _Cells:
        todo, ahead = [procedure], dict.fromkeys([procedure])
        while todo:  # callees first; iterative, as a chain of calls may exceed Python's stack
            calls = [p for p in callees(todo[-1]) if p not in self._of_procedures and p not in ahead]
            if calls:
                todo.append(calls[0])
                ahead[calls[0]] = None
            else:
                self._note(todo.pop())
        return self._of_procedures[procedure]

    def _note(self, procedure: typed.Procedure) -> None:
        if procedure in self._of_procedures:
            return
        own = _own(procedure.params)
        result = _NONE
        ring = procedure in self._rings
        for p in called([procedure]) if ring else (procedure,):
            for s in walk(p.body):
                own = own.every(s.binder.var) if isinstance(s, typed.For) else own
                if not ring or not isinstance(s, typed.CallProcedure):
                    result |= self.direct(s, own)
                for option in s.options if isinstance(s, typed.Decide) else ():
                    result |= self.paid(option, own)
        if ring:  # the owner may differ between recursive calls
            result = frozenset(_Cell(cell.name, tuple([_SOME] * len(cell.of))) for cell in result)
        self._of_procedures[procedure] = result

    def paid(self, option: typed.OptionDef, scope: _Scope = _IDENTITY) -> _Cells:
        """The cells changed by the costs of an option."""
        costs = [part for part in option.head if isinstance(part, typed.Cost)]
        ends = [end for cost in costs for end in (cost.source, cost.target) if end is not None]
        return frozenset(_cell(end, scope) for end in ends)


def _own(params: Iterable[typed.Var]) -> _Scope:
    return _Scope({var: (var,) for var in params}, called=True)


def _called(
    cells: Iterable[_Cell],
    params: Iterable[typed.Var],
    args: Iterable[typed.Expr],
    scope: _Scope,
) -> _Cells:
    """The cells of a rule in terms of its caller's variables."""
    inputs: dict[_Key, _Key] = {(var,): _whom(arg, scope) for var, arg in zip(params, args, strict=True)}
    return frozenset(_Cell(cell.name, tuple([inputs.get(key, key) for key in cell.of])) for cell in cells)


def _cell(e: typed.Field | typed.PieceCount, scope: _Scope) -> _Cell:
    if isinstance(e, typed.Field):
        of = [e.owner] if e.owner is not None else []
        kind = getattr(e.owner.type, "kind", "") if e.owner is not None else ""
        return _Cell(
            (kind, e.decl.name) if kind and not e.decl.local else (e.decl.name,), tuple([_whom(x, scope) for x in of])
        )
    of = [*e.ids, *([e.index] if e.index is not None else [])]
    return _Cell((e.piece.name, e.place.name), tuple([_whom(x, scope) for x in of]))


def _whom(e: typed.Expr, scope: _Scope) -> _Key:
    if isinstance(e, typed.Local):
        return scope.of(e.var)
    if isinstance(e, typed.Lit):
        return (e.value,)
    if isinstance(e, typed.Field | typed.Fact):
        owner = _whom(e.owner, scope) if e.owner is not None else ()
        return owner if owner in (_EVERY, _SOME) else (e.decl.name, *owner)
    return _SOME


def _meet(read: _Cell, written: _Cell) -> bool:
    """Whether a read and a written cell may be the same; unknown owners never match."""
    pairs = zip(read.of, written.of, strict=False)
    same = read.name == written.name and len(read.of) == len(written.of)
    return same and all(a == b != _SOME or _EVERY in (a, b) for a, b in pairs)


def _all(e: typed.Expr) -> Iterator[typed.Expr]:
    yield e
    for part in parts(e):
        yield from _all(part)


def _blocks(s: typed.Stmt) -> list[typed.Block]:
    """The blocks of a branch or of a loop without a variable."""
    if isinstance(s, typed.If):
        return [body for _, body in s.branches]
    if isinstance(s, typed.Match):
        return [*(body for _, body in s.cases), s.other or ()]
    return [s.body] if isinstance(s, typed.Repeat) else []
