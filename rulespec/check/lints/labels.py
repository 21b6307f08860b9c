"""Labels: what is private that the value of an expression may tell, and who sees that anyway."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from rulespec.check.lints.reasons import Reasons
from rulespec.diagnostics.diagnostic import Span
from rulespec.typed import nodes as typed
from rulespec.typed.traversal import expressions, parts, statement_expressions, walk
from rulespec.types import Ent, Order

Key = tuple[object, ...] | None
"""An expression that has the same value wherever it stands at one time; None: it is not known whose."""


UNKNOWN: Key = ("?",)


class Source(Struct, frozen=True):
    """Something private that is read.

    Attributes:
        what: what is private; a variable is the argument of an option, or stands for what a rule is given.
        seen_by: players who see it.
        exact: exactly who sees it, where that is no list of them; or `UNKNOWN`.
        when: the settings under which it is private.
        open: the condition under which it is open to all; None: nobody can tell, or it never is.
        at: where it was read, if what was read has been kept since.
    """

    what: typed.FieldDecl | typed.PlaceDecl | typed.Var
    seen_by: frozenset[Key]
    exact: Key = None
    when: Key = None
    open: Key = None
    at: Span | None = None


Label = frozenset[Source]
NOTHING: Label = frozenset()
Keys = Mapping[Key, Key]
"""Substitution of keys: key here → key in another scope."""


def _unknown(_: Key) -> bool:
    """Nothing is known to hold."""
    return False


class Labels:
    """Labels of expressions.

    Args:
        reasons: the places of what the rules tell on purpose.
        loose: variables that are assigned after their `let`: their names stand for different things.
        kinds: all kinds.

    Attributes:
        holds: whether a condition is known to hold where the rules are followed.
        of_vars: what variables may tell.
        same: what variables are other names of.
    """

    def __init__(self, reasons: Reasons, loose: Iterable[typed.Var], kinds: Iterable[typed.Kind]) -> None:
        self.reasons = reasons
        self.loose = frozenset(loose)
        self.places = {(str(Ent(kind.name)), place.name): place for kind in kinds for place in kind.sum_of}
        """Places of tokens, by the type of all places of a kind."""
        self.holds: Callable[[Key], bool] = _unknown
        self.of_vars: dict[typed.Var, Label] = {}
        self.same: dict[typed.Var, Key] = {}
        self._definitions: dict[typed.Definition, Label] = {}
        self._procedures: dict[typed.Procedure, Label] = {}

    def of(self, e: typed.Expr) -> Label:
        """The label of an expression: the private sources that its value may disclose."""
        result = self._of(e)
        return NOTHING if result and e.span in self.reasons.disclosures and self.reasons.tell(e.span) else result

    def _of(self, e: typed.Expr) -> Label:
        if isinstance(e, typed.Local):
            return self.of_vars.get(e.var, NOTHING)
        if (public := self._public(e)) is not None:
            return public
        result = self._all(parts(e))
        if isinstance(e, typed.Field):
            read = self.field_source(e)
            result |= {read} if read is not None else NOTHING
        elif isinstance(e, typed.PieceCount):
            if e.place.private is not None:
                result |= self.hidden(self.place_source(e, e.place.private))
        elif isinstance(e, typed.Call):
            result = self._called(e)
        elif isinstance(e, typed.Once):
            result |= self._run(e.procedure)
        elif result and isinstance(e, typed.Each | typed.Ways | typed.Reach):
            result = elsewhere(result, {}, {e.binder.var} if isinstance(e, typed.Each) else bound(e))
        return result

    def _public(self, e: typed.Expr) -> Label | None:
        """The label of what is seen although it is made of what is not: where a token is not, and how many there are.

        None if it is nothing of that.
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

    def of_number(self, e: typed.Expr) -> Label:
        """The secrets that the number of members of a set or an order may tell."""
        if (place := in_place(e)) is not None and (result := self.of_tokens(place)) is not None:
            return result
        order = e.args[0] if isinstance(e, typed.Op) and e.op == "members" else e
        if isinstance(order, typed.Field) and order.decl.private is not None and order.decl.private.counted:
            return self.of_length(order) if isinstance(order.type, Order) else self.of(e)
        return self.of(e)

    def of_tokens(self, place: typed.PlaceValue) -> Label | None:
        """The secrets that the number of tokens in a place may tell; None if not all see it."""
        if place.place.private is not None and not place.place.private.counted:
            return None
        return self._all(parts(place))

    def of_length(self, e: typed.Expr) -> Label:
        """The label of the number of members of an order.

        An added member counts as absent before, a removed one as present: cards of a deck are.
        """
        if isinstance(e, typed.Op) and e.op in ("append", "without"):
            return self.of_length(e.args[0])
        if isinstance(e, typed.Field) and e.owner is not None:
            return self.of(e.owner)
        return NOTHING if isinstance(e, typed.Field | typed.Lit) else self.of(e)

    def field_source(self, e: typed.Field) -> Source | None:
        """A field as who sees it; None: everybody."""
        if e.decl.private is None:
            return None
        result = source(e.decl, e.decl.private, [self.key(e.owner)] if e.owner is not None else [])
        return result if self.hidden(result) else None

    def is_open(self, secrecy: typed.Secrecy | None) -> bool:
        """Whether all see what is in each of the places of a name."""
        if secrecy is None:
            return True
        key = _key(secrecy.open, {}) if secrecy.open is not None else None
        return key is not None and moved(key, {}, secrecy.at) == key and self.holds(key)

    def hidden(self, read: Source) -> Label:
        """The secrets that are read, unless they are known to be open to all."""
        return NOTHING if read.open is not None and self.holds(read.open) else frozenset([read])

    def place_source(self, e: typed.PieceCount, secrecy: typed.Secrecy) -> Source:
        """A place of pieces that is private, as a source."""
        return source(e.place, secrecy, [self.key(k) for k in (*e.ids, *([e.index] if e.index is not None else []))])

    def token_place(self, e: typed.PlaceValue, token: typed.Expr) -> Source:
        """A place of tokens that is private, as who sees whether a token is there."""
        assert e.place.private is not None
        return source(
            e.place, e.place.private, [self.key(k) for k in (token, *([e.index] if e.index is not None else []))]
        )

    def _called(self, e: typed.Call) -> Label:
        """The label of a definition, with what it is given in the place of its parameters."""
        summary = self.definition(e.definition)
        if not summary:
            return NOTHING
        inputs = dict(zip(e.definition.params, e.args, strict=True))
        label: Label = frozenset(one for one in summary if one.what not in inputs)
        keys: dict[Key, Key] = {("var", param): self.key(arg) for param, arg in inputs.items()}
        label = frozenset().union(*map(self.hidden, elsewhere(label, keys, inputs)))
        return label | self._all(inputs[one.what] for one in summary if one.what in inputs)

    def definition(self, d: typed.Definition) -> Label:
        """The label of a definition; its parameters are sources, too."""
        if d not in self._definitions:
            self._definitions[d] = NOTHING
            place, self.holds = self.holds, _unknown  # it is asked in several places
            for param in d.params:
                self.of_vars[param] = frozenset([Source(param, frozenset())])
            for var, value in d.lets:
                self.of_vars[var] = self.of(value)
                self.same[var] = self.key(value)
            self._definitions[d] = self.of(d.body) if d.body is not None else NOTHING
            self.holds = place
        return self._definitions[d]

    def _run(self, procedure: typed.Procedure) -> Label:
        """The label of the private values that a procedure and its callees read."""
        if procedure not in self._procedures:
            self._procedures[procedure] = label = NOTHING
            place, self.holds = self.holds, _unknown
            for s in walk(procedure.body):
                label |= self._all(statement_expressions(s))
                if isinstance(s, typed.CallProcedure):
                    label |= self._run(s.procedure)
            self._procedures[procedure] = nobodys(label)
            self.holds = place
        return self._procedures[procedure]

    def key(self, e: typed.Expr) -> Key:
        """The key of an expression."""
        return _key(e, self.same)

    def lasts(self, key: Key) -> bool:
        """Whether a key stands for the same later on."""
        if key is None or key[0] in ("field", "call"):
            return False
        return all(
            self.lasts(part) if isinstance(part, tuple) else part not in self.loose
            for part in key[1:]
            if isinstance(part, tuple | typed.Var)
        )

    def noted(self, label: Label, at: Span | None) -> Label:
        """A label that is kept for later: who sees what is then known of those alone who are then the same."""
        results = []
        for one in label:
            seen_by = frozenset(k for k in one.seen_by if self.lasts(k))
            results.append(replace(one, seen_by=seen_by, exact=self._lasting(one.exact), open=None, at=one.at or at))
        return frozenset(results)

    def _lasting(self, exact: Key) -> Key:
        return exact if exact is None or all(self.lasts(k) for k in exact[1:] if isinstance(k, tuple)) else UNKNOWN


def token_at(e: typed.Op) -> tuple[typed.Expr | None, typed.PlaceValue | None]:
    """The token and the place of a test whether a token is there."""
    of, place = e.args
    if isinstance(of, typed.Field) and isinstance(place, typed.PlaceValue):
        return of.owner, place
    return None, None


def in_place(e: typed.Expr) -> typed.PlaceValue | None:
    """The place of which an expression is the set of all tokens there."""
    return _place_of(e.binder) if isinstance(e, typed.Each) and e.op == "set" and e.body is None else None


def all_of_place(b: typed.Binder) -> typed.PlaceValue | None:
    """The place whose tokens are all that a variable stands for, one after the other."""
    return in_place(b.source) if b.where is None else _place_of(b)


def _place_of(b: typed.Binder) -> typed.PlaceValue | None:
    if not isinstance(b.source, typed.KindSet) or not isinstance(b.where, typed.Op) or b.where.op != "==":
        return None
    token, place = token_at(b.where)
    return place if isinstance(token, typed.Local) and token.var is b.var else None


def all_of_pile(e: typed.Each) -> typed.PieceCount | None:
    """The place of which an expression is the number of all pieces there, of one kind of owners."""
    pile, b = e.body, e.binder
    if not isinstance(pile, typed.PieceCount) or not isinstance(b.source, typed.KindSet) or b.where is not None:
        return None
    whole = [isinstance(k, typed.Local) and k.var is b.var for k in pile.ids]
    return pile if whole == [True] and not b.source.kind.by_seat else None


def emptied(s: typed.For) -> typed.Transfer | None:
    """The move of a loop that takes all pieces of a place to another one, of whichever kind they are."""
    b, move = s.binder, s.body[0] if len(s.body) == 1 else None
    if not isinstance(move, typed.Transfer) or not isinstance(b.source, typed.KindSet) or b.source.kind.by_seat:
        return None
    if b.start is not None or not _is_pile(move.amount, move.source) or not isinstance(move.source, typed.PieceCount):
        return None
    if b.where is not None and not _is_some(b.where, move.source):
        return None
    return move if [isinstance(e, typed.Local) and e.var is b.var for e in move.source.ids] == [True] else None


def _is_some(e: typed.Expr, pile: typed.Expr) -> bool:
    """Whether an expression is that there are any pieces in a pile."""
    if not isinstance(e, typed.Op) or e.op != ">" or not isinstance(e.args[1], typed.Lit):
        return False
    return _is_pile(e.args[0], pile) and e.args[1].value == 0


def _is_pile(e: typed.Expr, pile: typed.Expr) -> bool:
    """Whether an expression is the number of the pieces of a pile."""
    if not isinstance(e, typed.PieceCount) or not isinstance(pile, typed.PieceCount) or e.place is not pile.place:
        return False
    keys = [[_key(part, {}) for part in parts(one)] for one in (e, pile)]
    return keys[0] == keys[1] and None not in keys[0]


def bound(e: typed.Ways | typed.Reach) -> set[typed.Var]:
    """The variables that an expression binds."""
    return {e.var, e.near.var} if isinstance(e, typed.Ways) else {e.var}


def _key(e: typed.Expr, same: Mapping[typed.Var, Key]) -> Key:
    if isinstance(e, typed.Local):
        return same.get(e.var) or ("var", e.var)
    if isinstance(e, typed.Lit):
        return ("lit", e.type, e.value)
    if isinstance(e, typed.Field):
        return ("field", e.decl) if e.owner is None else _composite_key("field", e.decl, [_key(e.owner, same)])
    if isinstance(e, typed.Fact):
        return _fact(e.decl.name, _key(e.owner, same))
    if isinstance(e, typed.ProductEntity):
        return _composite_key("product", e.kind, [_key(part, same) for part in e.parts])
    if isinstance(e, typed.Call):
        return _composite_key("call", e.definition, [_key(arg, same) for arg in e.args])
    if isinstance(e, typed.Op):
        return _composite_key("op", e.op, [_key(arg, same) for arg in e.args])
    return None


def _composite_key(word: str, of: object, keys: list[Key]) -> Key:
    return (word, of, *keys) if None not in keys else None


def _fact(name: str, owner: Key) -> Key:
    """A fact of something; of a product, the part that it names."""
    if owner is not None and owner[0] == "product":
        kind = owner[1]
        assert isinstance(kind, typed.Kind)
        if name in kind.product:
            part = owner[2 + kind.product.index(name)]
            assert isinstance(part, tuple)
            return part
    return ("fact", name, owner) if owner is not None else None


def source(what: typed.FieldDecl | typed.PlaceDecl, secrecy: typed.Secrecy, keys: list[Key]) -> Source:
    """The private source that stands for the entities with these keys."""
    of: dict[Key, Key] = {("var", var): key for var, key in zip(secrecy.at, keys, strict=True)}
    listed = seers(secrecy.to)
    when = _settings(secrecy.open)
    open_ = moved(_key(secrecy.open, {}), of) if secrecy.open is not None else None
    if listed is None:
        to = moved(_key(secrecy.to, {}), of)
        exact = ("to", None, to) if to is not None else ("to", id(secrecy), *keys) if None not in keys else UNKNOWN
        return Source(what, frozenset(), exact, when, open_)
    seen_by = frozenset(moved(_key(e, {}), of) for e in listed)
    return Source(what, seen_by - {None}, UNKNOWN if None in seen_by else None, when, open_)


def seers(to: typed.Expr | None) -> list[typed.Expr] | None:
    """The players of a set that is written out; None if it is not."""
    if to is None or (isinstance(to, typed.Lit) and to.value == 0):
        return []
    if isinstance(to, typed.Op) and to.op == "set":
        return list(to.args)
    return None


def _settings(e: typed.Expr | None) -> Key:
    """The key of a condition that reads settings alone; None of any other."""
    if e is None or not all(isinstance(part, typed.SettingValue | typed.Op | typed.Lit) for part in expressions(e)):
        return None
    named: list[object] = [
        part.setting if isinstance(part, typed.SettingValue) else part.op if isinstance(part, typed.Op) else part.value
        for part in expressions(e)
        if isinstance(part, typed.SettingValue | typed.Op | typed.Lit)
    ]
    return ("when", *named)


def moved(key: Key, keys: Keys, gone: Iterable[typed.Var] | None = None) -> Key:
    """A key elsewhere: variables become what they stand for there; what stands for nothing there is not known.

    `gone`: the variables that are not there; None: none is but those in `keys`.
    """
    if key is None or key in keys:
        return keys.get(key)
    if key[0] == "var":
        return key if gone is not None and all(key[1] is not var for var in gone) else None
    if key[0] == "fact":
        owner = key[2]
        assert owner is None or isinstance(owner, tuple)
        return _fact(str(key[1]), moved(owner, keys, gone))
    results = [moved(part, keys, gone) if isinstance(part, tuple) else part for part in key[1:]]
    return (key[0], *results) if None not in results else None


def elsewhere(label: Label, keys: Keys, gone: Iterable[typed.Var] | None = None) -> Label:
    """A label, seen from another rule or from outside of what binds variables: see `moved`."""
    results = []
    for one in label:
        exact = one.exact
        if exact is not None:
            rest = [moved(k, keys, gone) for k in exact[2:] if isinstance(k, tuple)]
            exact = (*exact[:2], *rest) if None not in rest else UNKNOWN
        seen_by = frozenset(moved(k, keys, gone) for k in one.seen_by) - {None}
        results.append(replace(one, seen_by=seen_by, exact=exact, open=moved(one.open, keys, gone)))
    return frozenset(results)


def nobodys(label: Label) -> Label:
    """A label of which it is not known who sees it."""
    return frozenset(replace(one, seen_by=frozenset(), exact=UNKNOWN, open=None) for one in label)
