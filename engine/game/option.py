"""The decisions, options, refusals and results of a game, as plain values with readable names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Span
from rulespec.engine.program import ir
from rulespec.engine.program.columns import form_of
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.errors import RulespecError
from rulespec.language.bags import counts
from rulespec.language.orders import in_order
from rulespec.language.paths import stops
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import entity_names

Plain = int | bool | str | None
"""A plain value: a number, a truth value, the name of an entity or seat, or None for `none`."""


class Decision(Struct, frozen=True):
    """The open decision.

    `by` is the deciding seat, or None if chance decides. If any of several seats may decide, `among` lists them, with
    `by` first. `together` marks a simultaneous decision, which is secret until all seats have chosen.
    """

    name: str
    by: str | None
    doc: str
    together: bool
    among: tuple[str, ...] = ()


class OptionKind(Struct, frozen=True):
    """The data shared by all options with the same name at a decision.

    `interrupt` marks a right to act out of turn. `choice` is the number of the option, and `block` its first block.
    """

    decision: str
    name: str
    interrupt: bool
    choice: int
    labels: Labels
    block: int


class Option(Struct, frozen=True, eq=False, gc=False):
    """A possible choice. `args` are the arguments as numbers, and `by` is the acting seat.

    `legal_at` is the stamp of the position that listed the option, where its legality need not be tested again. It is 0
    for unlisted options, and for options in lists shared by many positions (`rulespec.engine.game.notation`).
    """

    kind: OptionKind
    args: tuple[int, ...]
    by: str | None
    legal_at: int = 0

    @property
    def decision(self) -> str:
        """The name of the decision."""
        return self.kind.decision

    @property
    def name(self) -> str:
        """The option's name, without its arguments."""
        return self.kind.name

    @property
    def interrupt(self) -> bool:
        """Whether the option is taken out of turn, during another seat's decision."""
        return self.kind.interrupt

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments: parameter → value, both by name."""
        labels = self.kind.labels
        params = labels.params(self.decision, self.name)
        return {n: labels.show(t, v) for (n, t), v in zip(params, self.args, strict=True)}

    @property
    def kinds(self) -> dict[str, str]:
        """The types of the arguments: parameter → a kind of entities, `int`, `bool`, `set kind` or `bag kind`."""
        return {n: t.removesuffix("?") for n, t in self.kind.labels.params(self.decision, self.name)}

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The arguments one by one, each as a kind (or `int` or `bool`) and a value.

        Members of sets, pieces of bags and stops of paths are separate entries.
        """
        labels, results = self.kind.labels, []
        for (_, type_), value in zip(labels.params(self.decision, self.name), self.args, strict=True):
            form, kind = form_of(type_)
            if not form:
                results.append((type_.removesuffix("?"), labels.show(type_, value)))
                continue
            held = labels.plain(type_, value)
            results += [(kind, name) for name in held for _ in range(held[name] if form == "bag" else 1)]
        return results

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Option):
            return NotImplemented
        return self._key() == other._key()

    def __ne__(self, other: object) -> bool:  # structs have their own, which ignores `__eq__`
        return not self == other

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, str, tuple[int, ...], str | None, bool]:
        return self.decision, self.name, self.args, self.by, self.interrupt

    def __str__(self) -> str:
        shown = ", ".join(self.arguments.values())
        return f"{self.name}({shown})" if shown else self.name

    def __repr__(self) -> str:
        return f"<Option {self} at {self.decision}>"


class Refusal(Struct, frozen=True):
    """The reason why an option is illegal: the rule's reason, and the text and the values of the failed condition."""

    reason: str
    rules: tuple[str, ...]
    condition: str
    values: dict[str, str]
    span: Span | None

    def __str__(self) -> str:
        seen = ", ".join(f"{text} = {value}" for text, value in self.values.items())
        return f"{self.reason} ({seen})" if seen else self.reason


class IllegalOptionError(RulespecError, ValueError):
    """Raised for an illegal option; `refusal` is the reason."""

    def __init__(self, option: str, refusal: Refusal) -> None:
        super().__init__(f"{option} is not legal: {refusal}")
        self.refusal = refusal


class RulesetFaultError(RulespecError):
    """Raised for an error in the ruleset during play; `diagnostic` locates the error."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(f"{diagnostic.span}: {diagnostic.message}" if diagnostic.span else diagnostic.message)
        self.diagnostic = diagnostic


class UnlistedOptionsError(RulesetFaultError):
    """Raised if a parameter of the open decision has too many possible sets or bags to list.

    `Game.is_legal` still tests a given option, and `Game.drawn` draws one at random.

    Attributes:
        number: the number of sets or bags.
    """

    def __init__(self, diagnostic: Diagnostic, number: int) -> None:
        super().__init__(diagnostic)
        self.number = number


class Result(Struct, frozen=True):
    """The result of a game: the name of the ending, the points by seat and the winning seats."""

    ending: str
    scores: dict[str, int]
    winners: list[str]


class Labels:
    """Conversion between numbers and readable values, with names for entities and seats."""

    def __init__(self, kinds: Mapping[str, typed.Kind], program: ir.Program, seats: Sequence[str]) -> None:
        self.seats = tuple(seats)
        self._kinds = kinds
        self.names = {name: entity_names(kinds, name, self.seats) for name in kinds}
        self._numbers: dict[str, dict[str, int]] = {}
        self._params = {
            (d.name, c.name): tuple((q.name, q.type) for q in c.params) for d in program.decisions for c in d.choices
        }

    def params(self, decision: str, option: str) -> tuple[tuple[str, str], ...]:
        """Names and types of an option's parameters."""
        return self._params[decision, option]

    def number(self, kind: str, name: str) -> int:
        """The number of an entity or seat; -1 for an unknown name."""
        numbers = self._numbers.get(kind)
        if numbers is None:
            numbers = self._numbers[kind] = self._read(kind)
        return numbers.get(name, -1)

    def _read(self, kind: str) -> dict[str, int]:
        """Name → number; seats also by their names in the rules."""
        called = [seat.name for of in self._kinds.values() if of.is_player for seat in of.entities]
        seats = [*called, *self.seats[len(called) :]]
        by_rules = {n: i for i, n in enumerate(entity_names(self._kinds, kind, seats))}
        return by_rules | {n: i for i, n in enumerate(self.names[kind])}

    def show(self, type_: str, value: int) -> str:
        """A value as text."""
        type_ = type_.removesuffix("?")
        if type_ == "int":
            return "none" if value == NO_NUMBER else str(value)
        if type_ == "bool":
            return "true" if value else "false"
        if type_.startswith("set "):
            names = self.names.get(type_[4:], ())  # `{}` alone is of no kind
            return "{" + ", ".join(n for i, n in enumerate(names) if value >> i & 1) + "}"
        if type_.startswith("order "):
            return "[" + ", ".join(self._in_order(type_, value)) + "]"
        if type_.startswith("bag "):
            return "{" + ", ".join(n if k == 1 else f"{k} {n}" for n, k in self._in_bag(type_, value)) + "}"
        if type_.startswith("path "):
            return "[" + ", ".join(self._along(type_, value)) + "]"
        return "none" if value < 0 else self.names[type_][value]

    def _along(self, type_: str, value: int) -> list[str]:
        names = self.names[type_[5:]]
        return [names[i] for i in stops(value, len(names))]

    def _in_order(self, type_: str, value: int) -> list[str]:
        names = self.names[type_[6:]]
        return [names[i] for i in in_order(value, len(names).bit_length())]

    def _in_bag(self, type_: str, value: int) -> list[tuple[str, int]]:
        names = self.names[type_[4:]]
        return [(names[i], number) for i, number in counts(value)]

    def plain(self, type_: str, value: int) -> Any:
        """A value as JSON data: a number, a boolean, a name, null, a list of names or, for a bag, an object that maps
        names to numbers.
        """
        type_ = type_.removesuffix("?")
        if type_ == "int":
            return None if value == NO_NUMBER else value
        if type_ == "bool":
            return bool(value)
        if type_.startswith("set "):
            return [n for i, n in enumerate(self.names[type_[4:]]) if value >> i & 1]
        if type_.startswith("order "):
            return self._in_order(type_, value)
        if type_.startswith("bag "):
            return dict(self._in_bag(type_, value))
        if type_.startswith("path "):
            return self._along(type_, value)
        return None if value < 0 else self.names[type_][value]


class TakenBack(Struct, frozen=True):
    """An undo of several decisions at once.

    Fields are named as in the rules: `card` is a field of the game, `player.points` a field of every player.

    Attributes:
        decisions: the number of decisions; 0 if only fields are set.
        keep: the state fields that keep their values.
        set: the fields of the game itself that get new values, with these values.
    """

    decisions: int
    keep: tuple[str, ...] = ()
    set: tuple[tuple[str, Plain], ...] = ()
