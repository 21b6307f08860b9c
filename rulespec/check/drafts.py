"""Drafts that would leak a secret to their seat: withdrawing a draft does not undo what the seat has learned."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rulespec.check.context import Context
from rulespec.check.lints.wholes import token_at
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import (
    definition_expressions,
    expressions,
    head_expressions,
    parts,
    secrecies,
    statement_expressions,
    walk,
)

_Calls = dict[typed.Procedure, list[tuple[typed.Procedure, typed.CallProcedure]]]
_HELP = (
    "move it before or after the draft, or use only the seat's own information, such as `hand[p]` in `draft … by p:`"
)


def check_drafts(c: Context) -> None:
    """Reports private state that is read in a draft, and visibility that changes in a draft."""
    if not any(True for _ in secrecies(c.declarations, c.rules)):
        return
    opening, calls = _opening(c), _calls(c)
    for procedure in c.rules.procedures.values():
        for s in walk(procedure.body):
            if isinstance(s, typed.Decide) and s.draft is not None:
                _Plan(c, s, opening, calls).check(procedure)


def _calls(c: Context) -> _Calls:
    """The calls of each procedure, with the calling procedures."""
    results: _Calls = {}
    for caller in c.rules.procedures.values():
        for s in walk(caller.body):
            if isinstance(s, typed.CallProcedure):
                results.setdefault(s.procedure, []).append((caller, s))
    return results


def _opening(c: Context) -> frozenset[typed.FieldDecl]:
    """The state fields that determine the viewers of private state."""
    seen = [e for secrecy in secrecies(c.declarations, c.rules) for e in (secrecy.to, secrecy.open) if e is not None]
    return frozenset([part.decl for e in seen for part in _whole(e) if isinstance(part, typed.Field)])


def _whole(e: typed.Expr) -> Iterator[typed.Expr]:
    """An expression and its parts, including those of the definitions that it calls."""
    queue, known = [e], set[typed.Definition]()
    while queue:
        for part in expressions(queue.pop()):
            yield part
            if isinstance(part, typed.Call) and part.definition not in known:
                known.add(part.definition)
                queue += definition_expressions(part.definition)


class _Plan:
    """The check of one draft.

    `own` are the variables that contain the planning seat; `offered` those that contain a choice offered to it.
    """

    def __init__(self, c: Context, decide: typed.Decide, opening: frozenset[typed.FieldDecl], calls: _Calls) -> None:
        self._c, self._decide, self._opening, self._calls = c, decide, opening, calls
        by = decide.by
        self._own = {by.var} if isinstance(by, typed.Local) else set[typed.Var]()
        self._offered: set[typed.Var] = set()
        self._visited: set[typed.Procedure] = set()
        self._reported: set[Span] = set()
        self._hidden: dict[typed.Var, tuple[str, typed.Secrecy]] = {}
        self._of_definitions: dict[tuple[typed.Definition, frozenset[typed.Var]], tuple[str, typed.Secrecy] | None] = {}

    def check(self, procedure: typed.Procedure) -> None:
        """Reports leaks to the planning seat in a draft of `procedure`."""
        own, known = frozenset(self._own), -1
        while known != len(self._hidden):  # procedures may be mutually recursive
            known = len(self._hidden)
            self._own |= self._note(procedure, own, set())
        for option in self._decide.options:
            self._offered |= {p.var for p in option.params}
            for e in head_expressions(option.head):
                self._read(e)
            for p in option.params:
                for e in (*p.domain, *([p.where] if p.where is not None else [])):
                    self._read(e)
            self._block(option.body)

    def _note(
        self, procedure: typed.Procedure, own: frozenset[typed.Var], visited: set[tuple[typed.Procedure, object]]
    ) -> frozenset[typed.Var]:
        """Records the parameters and variables of a procedure whose values come from private state.

        Variables that contain the planning seat are exempt, as it knows that it is asked. Returns these variables:
        `own` and their aliases.
        """
        values = [(s.var, s.value) for s in walk(procedure.body) if isinstance(s, typed.Let)]
        assigned = [
            (s.target.var, s.value)
            for s in walk(procedure.body)
            if isinstance(s, typed.Assign) and isinstance(s.target, typed.Local)
        ]
        changed = {var for var, _ in assigned}
        own = own.union(var for var, value in values if var not in changed and _is_one_of(value, own))
        if (procedure, own) in visited:
            return own
        visited.add((procedure, own))
        for caller, call in self._calls.get(procedure, ()):
            arguments = [*zip(procedure.params, call.args, strict=True)]
            theirs = frozenset([arg.var for param, arg in arguments if param in own and isinstance(arg, typed.Local)])
            self._note_secrets([(v, e) for v, e in arguments if v not in own], self._note(caller, theirs, visited))
        self._note_secrets([(v, e) for v, e in (*values, *assigned) if v not in own], own)
        return own

    def _note_secrets(self, values: Sequence[tuple[typed.Var, typed.Expr]], own: frozenset[typed.Var]) -> None:
        """Records the variables whose values come from private state."""
        known = -1
        while known != len(self._hidden):
            known = len(self._hidden)
            for var, value in values:
                if var not in self._hidden and (secret := self._secret(value, own)) is not None:
                    self._hidden[var] = secret

    def _block(self, block: typed.Block) -> None:
        for s in walk(block):
            self._statement(s)

    def _statement(self, s: typed.Stmt) -> None:
        if isinstance(s, typed.Put) and _has_secrets(s.kind) and not _is_one_of(s.token, self._offered):
            self._tell(s.span, f"some seats do not see where each `{s.kind.name}` is", s.kind.span)
            return
        target = s.target if isinstance(s, typed.Assign | typed.Transfer) else None
        for e in statement_expressions(s):
            for part in parts(e) if e is target else (e,):
                self._read(part)
        if isinstance(s, typed.Assign) and isinstance(s.target, typed.Field) and s.target.decl in self._opening:
            self._tell(s.span, f"the viewers of private state depend on `{s.target.decl.name}`", s.target.decl.span)
        if isinstance(s, typed.CallProcedure) and s.procedure not in self._visited:
            self._visited.add(s.procedure)
            for param, arg in zip(s.procedure.params, s.args, strict=True):
                self._own |= {param} if _is_one_of(arg, self._own) else set()
                self._offered |= {param} if _is_one_of(arg, self._offered) else set()
            self._block(s.procedure.body)

    def _read(self, e: typed.Expr) -> None:
        """Reports a read of private state that the planning seat may not see."""
        if (secret := self._secret(e, frozenset(self._own))) is not None:
            name, secrecy = secret
            self._tell(e.span, f"some seats do not see `{name}`", secrecy.span)

    def _secret(self, e: typed.Expr, own: frozenset[typed.Var]) -> tuple[str, typed.Secrecy] | None:
        """The private state read by a value that may be hidden from the planning seat, contained in the variables
        `own`.
        """
        inside = parts(e)
        if isinstance(e, typed.Local) and e.var in self._hidden:
            return self._hidden[e.var]
        if isinstance(e, typed.Op) and e.op == "==":
            token, place = token_at(e)
            if token is not None and place is not None:  # tests a single place; the token's place itself is not read
                inside = [token, place]
        elif isinstance(e, typed.Call):
            params = [v for v, arg in zip(e.definition.params, e.args, strict=True) if _is_one_of(arg, own)]
            if (secret := self._secret_of(e.definition, frozenset(params))) is not None:
                return secret
        elif (secret := _private(e, own)) is not None:
            return secret
        return next((secret for part in inside if (secret := self._secret(part, own)) is not None), None)

    def _secret_of(self, d: typed.Definition, own: frozenset[typed.Var]) -> tuple[str, typed.Secrecy] | None:
        """The private state read by a definition; see `_secret`."""
        if (d, own) not in self._of_definitions:
            self._of_definitions[d, own] = None
            values = (self._secret(part, own) for part in definition_expressions(d))
            self._of_definitions[d, own] = next((secret for secret in values if secret is not None), None)
        return self._of_definitions[d, own]

    def _tell(self, span: Span, why: str, at: Span) -> None:
        if span not in self._reported:
            self._reported.add(span)
            message = f"the draft `{self._decide.name}` may reveal a secret: {why}"
            self._c.report.error("RS373", message, span, notes=[Label(at, "declared here")], help=_HELP)


def _private(e: typed.Expr, own: frozenset[typed.Var]) -> tuple[str, typed.Secrecy] | None:
    """The private state denoted by an expression, unless it belongs to the seat in the variables `own`."""
    entities: tuple[typed.Expr | None, ...]
    if isinstance(e, typed.Field):
        name, secrecy, entities = e.decl.name, e.decl.private, (e.owner,)
    elif isinstance(e, typed.PieceCount):
        name, secrecy, entities = e.place.name, e.place.private, (*e.ids, e.index)
    elif isinstance(e, typed.PlaceValue):
        name, secrecy, entities = e.place.name, e.place.private, (None, e.index)
    else:
        return None
    if secrecy is None:
        return None
    seers = secrecy.to.args if isinstance(secrecy.to, typed.Op) and secrecy.to.op == "set" else ()
    sees = {seer.var for seer in seers if isinstance(seer, typed.Local)}
    if any(at in sees and x is not None and _is_one_of(x, own) for at, x in zip(secrecy.at, entities, strict=False)):
        return None
    return name, secrecy


def _has_secrets(kind: typed.Kind) -> bool:
    """Whether the places of some tokens of a kind are hidden from some seats."""
    return any(place.private is not None for place in kind.places.values())


def _is_one_of(e: typed.Expr, variables: Collection[typed.Var]) -> bool:
    return isinstance(e, typed.Local) and e.var in variables
