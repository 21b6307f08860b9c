"""Reports of leaks of private state."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.lints.keys import UNKNOWN, Key
from rulespec.check.lints.labels import BUT, Label, PrivateRead
from rulespec.check.lints.reasons import Reasons
from rulespec.diagnostics.diagnostic import Label as Note
from rulespec.diagnostics.diagnostic import Span
from rulespec.typed import nodes as typed
from rulespec.types import PathOf

_DISCLOSURE = 'in `told(…, "why")` if the rules disclose it on purpose'


class Tellings:
    """Reporter of leaks: at most one warning for each place of a private read.

    Attributes:
        heard: whether the fixed point has been reached; until then, nothing is reported.
        apart: the pairs of players known to differ wherever the current option is legal.
    """

    def __init__(self, c: Context, reasons: Reasons) -> None:
        self.c = c
        self.reasons = reasons
        self.heard = False
        self.apart: set[frozenset[Key]] = set()
        self._seen: set[object] = set()

    def changed(self, name: str, target: PrivateRead | None, label: Label, span: Span, under: Label) -> None:
        """Reports a visible change that depends on a secret; a `target` of None is public."""
        shown = f"`{name}`" if name.isidentifier() else name
        for one in label:
            if not _within(target, one):
                message = f"{shown} depends on {_of(one)}, but is visible to seats that do not see {_of(one)}"
                if shown == _of(one):
                    message = (
                        f"{shown} depends on its previous place, but is visible to seats that do not see that place"
                    )
                self._warn("RS345", message, one, span, "changed here", _ways_out(shown, target, one))
        for one in under:
            if not _within(target, one):
                message = f"whether {shown} changes depends on {_of(one)}, but other seats see the change"
                self._warn("RS346", message, one, span, "changed here", _ways_out(shown, target, one))

    def asked(self, span: Span, under: Label) -> None:
        """Reports a decision whose occurrence depends on a secret, since everybody sees whether it occurs."""
        for one in under:
            message = f"whether a decision arises depends on {_of(one)}, but everybody sees whether it does"
            help_ = f"always offer the decision, with an option that does nothing, {self._counted(one)}"
            help_ += f"or wrap {_of(one)} {_DISCLOSURE}"
            self._warn("RS344", message, one, span, "the decision", help_)

    def offered(self, option: typed.OptionDef, label: Label, span: Span, who: Key) -> None:
        """Reports an option whose availability reveals a secret to the decider."""
        for one in label:
            if who is None or not self._sees(who, one):
                message = f"whether `{option.name}` is offered depends on {_of(one)}, which the decider may not see"
                other = "offer positions that everybody sees instead"
                help_ = f"let a player who sees {_of(one)} decide, {other}, {self._counted(one)}"
                help_ += f"or wrap {_of(one)} {_DISCLOSURE}"
                self._warn("RS343", message, one, span, "offered here", help_)

    def _counted(self, one: PrivateRead) -> str:
        """The way out for a private place of tokens without an index: several places, whose numbers are public."""
        tokens = (place for kind in self.c.declarations.kinds.values() for place in kind.places.values())
        if not any(place is one.what and not place.index for place in tokens):
            return ""
        return f"give {_of(one)} an `index` (everybody sees how many tokens are in each of its places), "

    def _sees(self, who: Key, one: PrivateRead) -> bool:
        """Whether a player is known to see a source."""
        if one.exact is not None and one.exact[0] == BUT:
            return any(pair == {who, one.exact[2]} for pair in self.apart)
        return who in one.seen_by

    def openly(self, var: typed.Var, secrecy: typed.Secrecy, name: str, span: Span) -> None:
        """Reports a public argument stored in a private field."""
        if not self.heard or ("RS347", span) in self._seen:
            return
        self._seen.add(("RS347", span))
        if not self.reasons.tell(span):
            message = f"everybody sees the argument `{var.name}`, but it is stored in `{name}`, which is private"
            notes = (Note(var.span, "the argument"), Note(secrecy.span, "declared private here"))
            help_ = f"write `private` after the parameter, or wrap the argument {_DISCLOSURE}"
            self.c.report.warning("RS347", message, span, notes=notes, help=help_)

    def _warn(self, code: str, message: str, one: PrivateRead, span: Span, note: str, help_: str) -> None:
        """Warns at a private read, with a note on the leak."""
        place = one.at or span
        if not self.heard or (place, one.what) in self._seen:
            return
        self._seen.add((place, one.what))
        if self.reasons.tell(place):
            return
        notes = [Note(span, note)] if place != span else []
        private = one.what.private.span if not isinstance(one.what, typed.Var) and one.what.private else one.what.span
        self.c.report.warning(code, message, place, notes=[*notes, Note(private, "declared private here")], help=help_)


def _within(target: PrivateRead | None, one: PrivateRead) -> bool:
    """Whether all viewers of a target are also viewers of a source."""
    if target is None or (target.when is not None and target.when != one.when):
        return False
    if target.exact is not None:
        return target.exact == one.exact and target.exact != UNKNOWN
    return target.seen_by <= one.seen_by and all(
        viewer in one.perhaps or viewer[0] in one.seen_by for viewer in target.perhaps
    )


def _ways_out(shown: str, target: PrivateRead | None, one: PrivateRead) -> str:
    """The ways out of a visible change: other viewers of what changes, or a disclosure."""
    if shown == _of(one):  # tokens of many places
        return f"move the tokens of one place at a time, `for t in hand[p]: …`, or wrap the set of them {_DISCLOSURE}"
    if isinstance(one.what, typed.Var) and isinstance(one.what.type, PathOf):
        parts = f'`told(last({one.what.name}), "why")`, `for x in told({one.what.name}, "why"):`'
        return (
            f"omit `private` if the rules disclose the path, wrap what they disclose of it in `told`, {parts}, or make "
            f"{shown} `private` as well"
        )
    private = f"make {shown} `private` as well" if target is None else f"show {shown} only to those who see {_of(one)}"
    return f"{private}, or wrap {_of(one)} {_DISCLOSURE}"


def _of(one: PrivateRead) -> str:
    if isinstance(one.what, typed.Var):
        return f"the argument `{one.what.name}`"
    if isinstance(one.what, typed.FieldDecl) and one.what.name == "place":
        return f"the place of `{one.what.kind}`"
    return f"`{one.what.name}`"
