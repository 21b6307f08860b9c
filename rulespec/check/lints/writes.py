"""Visible changes of state, accounts, piles and tokens."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.lints.labels import NOTHING, Label, PrivateRead, ReadLabels
from rulespec.check.lints.tellings import Tellings
from rulespec.diagnostics.diagnostic import Span
from rulespec.typed import nodes as typed
from rulespec.types import Order


class ChangeLeaks:
    """Leak checks for changes of state.

    Attributes:
        drawn: for each public argument, the label of its set of possible values.
        left: the known place of the token, or of the set of tokens, in each variable.
    """

    def __init__(self, c: Context, labels: ReadLabels, tellings: Tellings) -> None:
        self.kinds = c.declarations.kinds
        self.labels = labels
        self.tellings = tellings
        self.drawn: dict[typed.Var, Label] = {}
        self.left: dict[typed.Var, typed.PlaceValue] = {}

    def assign(self, s: typed.Assign, field: typed.Field, label: Label, under: Label) -> None:
        """Checks an assignment; the value and the conditions under which it is executed may be secret."""
        owner = self.labels.of(field.owner) if field.owner is not None else NOTHING
        target = self.labels.field_source(field)
        self.tellings.changed(field.decl.name, target, label | owner, s.value.span, under)
        self._stored(s, field)
        secrecy = field.decl.private
        if secrecy is not None and secrecy.counted and isinstance(field.type, Order):
            number = f"the number in `{field.decl.name}`"
            self.tellings.changed(number, None, self.labels.of_length(s.value), s.value.span, under)

    def transfer(
        self,
        source_: typed.Field | typed.PieceCount,
        target: typed.Expr | None,
        amount: typed.Expr,
        under: Label,
        *,
        whole: bool = False,
    ) -> None:
        """Checks `pay`, `move` and costs; `whole` means that the source is emptied, regardless of its content."""
        much = self.labels.of(amount)
        for end in (source_, target):
            if isinstance(end, typed.Field) and not end.decl.unlimited:
                owner = self.labels.of(end.owner) if end.owner is not None else NOTHING
                self.tellings.changed(
                    end.decl.name, self.labels.field_source(end), much | owner, _at(end, amount, much), under
                )
            elif isinstance(end, typed.PieceCount):
                self._pile(end, much, amount.span, under, NOTHING if whole and _is_counted(source_) else much)
        if isinstance(source_, typed.PieceCount) and isinstance(target, typed.PieceCount):
            self._drawn_openly(source_, target)

    def _pile(self, end: typed.PieceCount, much: Label, span: Span, under: Label, total: Label) -> None:
        of = self.labels.of
        which = frozenset[PrivateRead]().union(*(of(e) for e in end.ids))
        where = of(end.index) if end.index is not None else NOTHING
        span = next((e.span for e in end.ids if of(e)), span)
        secrecy = end.place.private
        if secrecy is None or not self.labels.hidden(self.labels.place_source(end, secrecy)):
            self.tellings.changed(end.place.name, None, which | where | much, span, under)
            return
        self.tellings.changed(end.place.name, self.labels.place_source(end, secrecy), which | where | much, span, under)
        if secrecy.counted:
            apart = [e for e, kind in zip(end.ids, end.piece.each, strict=True) if self.kinds[kind].by_seat]
            number = frozenset[PrivateRead]().union(total, where, *(of(e) for e in apart))
            self.tellings.changed(f"the number in `{end.place.name}`", None, number, span, under)

    def put(self, s: typed.Put, under: Label) -> None:
        """Checks `move t to place`: viewers of the old place also see the token leave."""
        which, where = self.labels.of(s.token), self.labels.of(s.place)
        name = f"the place of `{s.kind.name}`"
        place = s.place if isinstance(s.place, typed.PlaceValue) else None
        left = self.left.get(s.token.var) if isinstance(s.token, typed.Local) else None
        for at in (left, place):
            if at is None or at.place.private is None:
                self.tellings.changed(name, None, which | where, s.token.span, under)
                continue
            seen = self.labels.token_place(at, s.token)
            if not self.labels.hidden(seen):
                self.tellings.changed(name, None, which | where, s.token.span, under)
                continue
            self.tellings.changed(name, seen, which | where, s.token.span, under)
            if at.place.private.counted:
                self.tellings.changed(f"the number in `{at.place.name}`", None, where, s.token.span, under)
            if at is place and isinstance(s.token, typed.Local) and self.drawn.get(s.token.var):
                self.tellings.openly(s.token.var, at.place.private, at.place.name, s.token.span)

    def chosen(self, var: typed.Var, place: typed.PlaceValue | None) -> None:
        """Records the place of the token that a variable contains, if the place is known."""
        if place is not None:
            self.left[var] = place

    def place_of(self, tokens: typed.Expr) -> typed.PlaceValue | None:
        """The place of the tokens in a set variable; None if it is not known."""
        return self.left.get(tokens.var) if isinstance(tokens, typed.Local) else None

    def _stored(self, s: typed.Assign, field: typed.Field) -> None:
        """Reports a public argument stored in a private field."""
        e = s.value
        if field.decl.private is None or self.labels.field_source(field) is None:
            return
        if isinstance(e, typed.Op) and e.op == "append" and isinstance(e.args[1], typed.Local):
            if self.drawn.get(e.args[1].var):
                self.tellings.openly(e.args[1].var, field.decl.private, field.decl.name, e.args[1].span)
        elif isinstance(e, typed.Local) and e.var in self.drawn:
            self.tellings.openly(e.var, field.decl.private, field.decl.name, e.span)

    def _drawn_openly(self, source_: typed.PieceCount, target: typed.PieceCount) -> None:
        if source_.place.private is None or target.place.private is None:
            return
        for e in source_.ids:
            if isinstance(e, typed.Local) and e.var in self.drawn:
                self.tellings.openly(e.var, target.place.private, target.place.name, e.span)


def _is_counted(end: typed.Field | typed.PieceCount) -> bool:
    """Whether the number of pieces in a place is public."""
    return isinstance(end, typed.PieceCount) and (end.place.private is None or end.place.private.counted)


def _at(end: typed.Field, amount: typed.Expr, much: Label) -> Span:
    return amount.span if much else end.span
