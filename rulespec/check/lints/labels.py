"""Labels: the private sources that an expression's value may reveal, with their viewers."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct
from msgspec.structs import replace

from rulespec.check.lints.keys import UNKNOWN, Key, Keys, Knowledge, key_of, moved
from rulespec.check.lints.reasons import Reasons
from rulespec.check.lints.viewers import equal_keys, outsider, viewers
from rulespec.check.lints.wholes import all_of_pile, all_of_place, in_place, token_at
from rulespec.diagnostics.diagnostic import Span
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions, parts, statement_expressions, walk
from rulespec.types import Ent, Order

Binding = typed.Ways | typed.Reach | typed.PathDomain | typed.PathQuery | typed.Along | typed.IfSome | typed.OverSubsets
"""An expression that binds variables, other than an operator over members."""


class PrivateRead(Struct, frozen=True):
    """A read of private data.

    Attributes:
        what: the private declaration, or a variable: an argument of an option, or a parameter of a rule.
        seen_by: players who always see it.
        perhaps: other players, each with the condition under which they see it; nobody else does.
        exact: if the viewers cannot be listed as players, the key of the set of viewers, a key that consists of `BUT`
            and the only player outside this set, or `UNKNOWN`; otherwise None.
        when: the condition on settings under which it is private.
        open: the condition under which it is public; None if unknown or never.
        at: the place of the read, if the value was stored for later use.
    """

    what: typed.FieldDecl | typed.PlaceDecl | typed.Var
    seen_by: frozenset[Key]
    perhaps: frozenset[tuple[Key, Key]] = frozenset()
    exact: Key = None
    when: Key = None
    open: Key = None
    at: Span | None = None


BUT = "but"
"""The first part of the key of all players but one."""

Label = frozenset[PrivateRead]
NOTHING: Label = frozenset()


class _NothingKnown:
    """An empty state of knowledge, for rules analysed in isolation."""

    def holds(self, condition: Key) -> bool:
        return False

    def value(self, key: Key) -> Key:
        return key


_NOTHING_KNOWN = _NothingKnown()


class ReadLabels:
    """The labels of expressions.

    Args:
        reasons: the deliberate disclosures.
        loose: variables that are reassigned, so their keys may denote different values.
        kinds: all kinds.

    Attributes:
        known: the facts known at the current place of the analysis.
        of_vars: the label of each variable; `of_tables` is the same for local tables.
        of_sizes: the label of the size of each set variable.
        of_presence: the label of a test whether a variable has a value, if it reveals less than the value itself.
        same: the keys of aliased variables.
    """

    def __init__(self, reasons: Reasons, loose: Iterable[typed.Var], kinds: Iterable[typed.Kind]) -> None:
        self.reasons = reasons
        self.loose = frozenset(loose)
        self.places = {(str(Ent(kind.name)), place.name): place for kind in kinds for place in kind.sum_of}
        """The places of tokens by the type of the kind's places and the name."""
        self.known: Knowledge = _NOTHING_KNOWN
        self.of_vars: dict[typed.Var, Label] = {}
        self.of_tables: dict[typed.FieldDecl, Label] = {}
        self.of_sizes: dict[typed.Var, Label] = {}
        self.of_presence: dict[typed.Var, Label] = {}
        self.same: dict[typed.Var, Key] = {}
        self._definitions: dict[typed.Definition, Label] = {}
        self._procedures: dict[typed.Procedure, Label] = {}

    def of(self, e: typed.Expr) -> Label:
        """The label of an expression: the private sources that its value may reveal."""
        result = self._of(e)
        return NOTHING if result and e.span in self.reasons.disclosures and self.reasons.tell(e.span) else result

    def _of(self, e: typed.Expr) -> Label:
        if isinstance(e, typed.Local):
            return self.of_vars.get(e.var, NOTHING)
        if (public := self._public(e)) is not None:
            return public
        if isinstance(e, typed.IfSome) and (key := self.key(e.value)) is not None:
            self.same[e.var] = key
        result = self._all(parts(e))
        if isinstance(e, typed.Field):
            read = self.field_source(e)
            result |= {read} if read is not None else self.of_tables.get(e.decl, NOTHING)
        elif isinstance(e, typed.PieceCount):
            if e.place.private is not None:
                result |= self.hidden(self.place_source(e, e.place.private))
        elif isinstance(e, typed.Call):
            result = self._called(e)
        elif isinstance(e, typed.Once):
            result |= self._run(e.procedure)
        elif result and isinstance(e, typed.Each):
            result = elsewhere(result, equal_keys(e.binder, self.key), {e.binder.var})
        elif result and isinstance(e, Binding):
            result = elsewhere(result, {}, bound(e))
        return result

    def _public(self, e: typed.Expr) -> Label | None:
        """The label of a test whose result is partly public although tokens are hidden: the absence of a token, the
        number of tokens, or whether a pile has a first one; None for other expressions.
        """
        if isinstance(e, typed.Op) and e.op == "==":
            token, place = token_at(e)
            if token is not None and place is not None:
                label = self.of(token) | self._all(parts(place))
                if place.place.private is None:
                    return label
                return label | self.hidden(self.token_place(place, token))
        elif isinstance(e, typed.Fact) and isinstance(e.owner, typed.Field) and e.owner.owner is not None:
            at = self.places.get((str(e.owner.type), e.decl.name))
            return self.of(e.owner.owner) if at is not None and self.is_open(at.private) else None
        elif isinstance(e, typed.Op) and e.op == "count":
            return self.of_number(e.args[0])
        elif isinstance(e, typed.Op) and e.op == "some":
            return self.presence(e.args[0])
        elif isinstance(e, typed.Each) and e.op in ("count", "any") and e.body is None:
            place = all_of_place(e.binder)
            return self.of_tokens(place) if place is not None else None
        elif isinstance(e, typed.Each) and e.op == "sum" and (pile := all_of_pile(e)) is not None:
            if pile.place.private is None or pile.place.private.counted:
                return self._all([pile.index] if pile.index is not None else [])
        elif isinstance(e, typed.Room) and (e.place.place.private is None or e.place.place.private.counted):
            return self._all(parts(e.place))
        return None

    def _all(self, expressions: Iterable[typed.Expr]) -> Label:
        label = NOTHING
        for e in expressions:
            label |= self.of(e)
        return label

    def presence(self, e: typed.Expr) -> Label | None:
        """The label of a test whether `first(deck)`, or a variable with its value, is none; None for other forms."""
        if isinstance(e, typed.Local):
            return self.of_presence.get(e.var)
        return self.of_number(e.args[0]) if isinstance(e, typed.Op) and e.op == "front" else None

    def of_number(self, e: typed.Expr) -> Label:
        """The label of the size of a set or an order."""
        if isinstance(e, typed.Local) and (size := self.of_sizes.get(e.var)) is not None:
            return size
        if (place := in_place(e)) is not None and (result := self.of_tokens(place)) is not None:
            return result
        order = e.args[0] if isinstance(e, typed.Op) and e.op == "members" else e
        if isinstance(order, typed.Field) and order.decl.private is not None and order.decl.private.counted:
            return self.of_length(order) if isinstance(order.type, Order) else self.of(e)
        return self.of(e)

    def of_any(self, e: typed.Expr) -> Label:
        """The label of a nonemptiness test for a set or a place."""
        if not isinstance(e, typed.PieceCount):
            return self.of_number(e)
        if e.place.private is None or e.place.private.counted:
            return self.of(e.index) if e.index is not None else NOTHING
        return self.of(e)

    def of_tokens(self, place: typed.PlaceValue) -> Label | None:
        """The label of the number of tokens in a place; None if that number is also private."""
        if place.place.private is not None and not place.place.private.counted:
            return None
        return self._all(parts(place))

    def of_length(self, e: typed.Expr) -> Label:
        """The label of the length of an order.

        Assumes that a member was absent before it was added to an order, and present before it was removed.
        """
        if isinstance(e, typed.Op) and e.op in ("append", "without"):
            return self.of_length(e.args[0])
        if isinstance(e, typed.Field) and e.owner is not None:
            return self.of(e.owner)
        return NOTHING if isinstance(e, typed.Field | typed.Lit) else self.of(e)

    def field_source(self, e: typed.Field) -> PrivateRead | None:
        """The private source read by a field expression, with its viewers; None if the field is public."""
        if e.decl.private is None:
            return None
        keys = [self.key(e.owner)] if e.owner is not None else []
        return next(iter(self.hidden(source(e.decl, e.decl.private, keys))), None)

    def is_open(self, secrecy: typed.Secrecy | None) -> bool:
        """Whether content with this secrecy is known to be public for every entity."""
        if secrecy is None:
            return True
        key = key_of(secrecy.open, {}) if secrecy.open is not None else None
        return key is not None and moved(key, {}, secrecy.at) == key and self.known.holds(key)

    def hidden(self, read: PrivateRead) -> Label:
        """The label of a read; empty if it is known to be public."""
        if read.open is not None and self.known.holds(read.open):
            return NOTHING
        return frozenset([self.settled(read)])

    def settled(self, read: PrivateRead) -> PrivateRead:
        """A private read with its viewers resolved by the facts known at the current place."""
        sure, perhaps = set(read.seen_by), set()
        for player, condition in read.perhaps:
            if self.known.holds(condition):
                sure.add(player)
            elif not self.known.holds(("op", "not", condition)):
                perhaps.add((self.player(player), condition))
        seen_by = frozenset(self.player(k) for k in sure)
        return replace(read, seen_by=seen_by - {None}, perhaps=frozenset(one for one in perhaps if one[0] is not None))

    def actor(self, e: typed.Expr) -> Key:
        """The key of the player that an expression denotes."""
        return self.player(self.key(e))

    def argument(self, var: typed.Var, private: typed.Privacy, who: Key) -> PrivateRead:
        """The private source for a private argument of the decider, with its viewers."""
        listed = viewers(private.to, self.key) or []
        seen_by = frozenset([who, *(player for player, condition in listed if condition is None)]) - {None}
        perhaps = frozenset((player, condition) for player, condition in listed if player is not None and condition)
        other = outsider(private.to, self.key) if who is None else None
        return self.settled(PrivateRead(var, seen_by, perhaps, (BUT, None, other) if other is not None else None))

    def player(self, key: Key) -> Key:
        """The key of the player that a key is known to denote, else the key itself; None if the player is none."""
        value = self.known.value(key)
        if value is None or value[0] not in ("var", "lit"):
            return key
        return None if value[0] == "lit" and value[2] == -1 else value

    def place_source(self, e: typed.PieceCount, secrecy: typed.Secrecy) -> PrivateRead:
        """The private source for a private place of pieces."""
        keys = [self.key(k) for k in (*e.ids, *([e.index] if e.index is not None else []))]
        return self.settled(source(e.place, secrecy, keys))

    def token_place(self, e: typed.PlaceValue, token: typed.Expr) -> PrivateRead:
        """The private source for a test whether a token is in a private place."""
        assert e.place.private is not None
        keys = [self.key(k) for k in (token, *([e.index] if e.index is not None else []))]
        return self.settled(source(e.place, e.place.private, keys))

    def _called(self, e: typed.Call) -> Label:
        """The label of a call of a definition, with arguments substituted for parameters."""
        summary = self.definition(e.definition)
        if not summary:
            return NOTHING
        inputs = dict(zip(e.definition.params, e.args, strict=True))
        label: Label = frozenset(one for one in summary if one.what not in inputs)
        keys: dict[Key, Key] = {("var", param): self.key(arg) for param, arg in inputs.items()}
        label = frozenset().union(*map(self.hidden, elsewhere(label, keys, inputs)))
        return label | self._all(inputs[one.what] for one in summary if one.what in inputs)

    def definition(self, d: typed.Definition) -> Label:
        """The label of a definition analysed in isolation; its parameters count as sources, too."""
        if d not in self._definitions:
            self._definitions[d] = NOTHING
            place, self.known = self.known, _NOTHING_KNOWN  # it is called from several places
            for param in d.params:
                self.of_vars[param] = frozenset([PrivateRead(param, frozenset())])
            for var, value in d.lets:
                self.of_vars[var] = self.of(value)
                self.same[var] = self.key(value)
            self._definitions[d] = self.of(d.body) if d.body is not None else NOTHING
            self.known = place
        return self._definitions[d]

    def _run(self, procedure: typed.Procedure) -> Label:
        """The label of all private values read by a procedure and its callees."""
        if procedure not in self._procedures:
            self._procedures[procedure] = label = NOTHING
            place, self.known = self.known, _NOTHING_KNOWN
            for s in walk(procedure.body):
                label |= self._all(statement_expressions(s))
                if isinstance(s, typed.CallProcedure):
                    label |= self._run(s.procedure)
            self._procedures[procedure] = nobodys(label)
            self.known = place
        return self._procedures[procedure]

    def key(self, e: typed.Expr) -> Key:
        """The key of an expression, given the variables known to be aliases."""
        return key_of(e, self.same)

    def noted(self, label: Label, at: Span | None) -> Label:
        """The label of a value stored for later use, restricted to viewers whom later changes cannot replace."""
        results, loose = [], self.loose
        for one in label:
            seen_by = frozenset(k for k in one.seen_by if lasts(loose, k))
            perhaps = frozenset((k, when) for k, when in one.perhaps if lasts(loose, k) and lasts(loose, when))
            exact = one.exact
            if exact is not None and not all(lasts(loose, k) for k in exact[1:] if isinstance(k, tuple)):
                exact = UNKNOWN
            results.append(replace(one, seen_by=seen_by, perhaps=perhaps, exact=exact, open=None, at=one.at or at))
        return frozenset(results)


def lasts(loose: Collection[typed.Var], key: Key) -> bool:
    """Whether a key keeps its value after later changes of state and reassignments."""
    if key is None or key[0] in ("field", "call"):
        return False
    return all(
        lasts(loose, part) if isinstance(part, tuple) else part not in loose
        for part in key[1:]
        if isinstance(part, tuple | typed.Var)
    )


def bound(e: Binding) -> set[typed.Var]:
    """The variables bound by an expression."""
    if isinstance(e, typed.PathQuery):
        return {e.paths.so_far}
    if isinstance(e, typed.PathDomain):
        return {e.so_far, e.var, e.near.var}
    if isinstance(e, typed.Along):
        return {e.var, e.then}
    return {e.var, e.near.var} if isinstance(e, typed.Ways) else {e.var}


def source(what: typed.FieldDecl | typed.PlaceDecl, secrecy: typed.Secrecy, keys: list[Key]) -> PrivateRead:
    """The private source for a declaration, given the keys of the entities that the private value belongs to."""
    of: dict[Key, Key] = {("var", var): key for var, key in zip(secrecy.at, keys, strict=True)}
    gone = () if isinstance(what, typed.FieldDecl) and what.local else None  # tables use variables of their procedure
    listed = viewers(secrecy.to, lambda e: moved(key_of(e, {}), of, gone))
    when = _settings(secrecy.open)
    open_ = moved(key_of(secrecy.open, {}), of) if secrecy.open is not None else None
    if listed is None:
        if (other := outsider(secrecy.to, lambda e: moved(key_of(e, {}), of, gone))) is not None:
            return PrivateRead(what, frozenset(), exact=(BUT, None, other), when=when, open=open_)
        to = moved(key_of(secrecy.to, {}), of, gone)
        exact = ("to", None, to) if to is not None else ("to", id(secrecy), *keys) if None not in keys else UNKNOWN
        return PrivateRead(what, frozenset(), exact=exact, when=when, open=open_)
    seen_by = frozenset(player for player, condition in listed if condition is None)
    perhaps = frozenset((player, condition) for player, condition in listed if player is not None and condition)
    exact = UNKNOWN if any(player is None for player, _ in listed) else None
    return PrivateRead(what, seen_by - {None}, perhaps, exact, when, open_)


def _settings(e: typed.Expr | None) -> Key:
    """The key of a condition that reads only settings; None for any other."""
    if e is None or not all(isinstance(part, typed.SettingValue | typed.Op | typed.Lit) for part in expressions(e)):
        return None
    named: list[object] = [
        part.setting if isinstance(part, typed.SettingValue) else part.op if isinstance(part, typed.Op) else part.value
        for part in expressions(e)
        if isinstance(part, typed.SettingValue | typed.Op | typed.Lit)
    ]
    return ("when", *named)


def elsewhere(label: Label, keys: Keys, gone: Iterable[typed.Var] | None = None) -> Label:
    """A label translated to another rule, or to the scope outside a binder; see `moved`."""
    results = []
    for one in label:
        exact = one.exact
        if exact is not None:
            rest = [moved(k, keys, gone) for k in exact[2:] if isinstance(k, tuple)]
            exact = (*exact[:2], *rest) if None not in rest else UNKNOWN
        seen_by = frozenset(moved(k, keys, gone) for k in one.seen_by) - {None}
        listed = ((moved(k, keys, gone), moved(when, keys, gone)) for k, when in one.perhaps)
        perhaps = frozenset((k, when) for k, when in listed if k is not None and when is not None)
        results.append(replace(one, seen_by=seen_by, perhaps=perhaps, exact=exact, open=moved(one.open, keys, gone)))
    return frozenset(results)


def nobodys(label: Label) -> Label:
    """A copy of the label whose viewers are unknown."""
    return frozenset(replace(one, seen_by=frozenset(), perhaps=frozenset(), exact=UNKNOWN, open=None) for one in label)
