"""A fixed, numbered action space for a table: whole options if there are few, otherwise words.

With whole options, an action is an option with its arguments. With words, an option is a sequence of actions: first its
name, then its arguments. In both cases, no option's sequence is a prefix of another's, so a mask contains the next
actions of all options that are still possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Literal, get_args

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Labels
from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_NUMBER, NO_NUMBER
from rulespec.language.bags import MOST, counts
from rulespec.language.orders import in_order
from rulespec.language.paths import MAX_STOPS, stops

MOST_OPTIONS = 1_000
"""The number of whole options up to which they count as few."""
SMALL = 100
"""The bound below which a number is a single word; larger numbers are written in digits."""
_MEMO = 200_000
"""The maximum number of cached sequences."""
Form = Literal["options", "words"]
_Key = tuple[int, int, tuple[int, ...]]
_Form = tuple[str, tuple[str, ...]]
"""The name of an option, and the types of its parameters."""


class ActionSpace:
    """The numbered actions of a table.

    They depend on the ruleset, the number of seats and the settings, but not on the position.

    Args:
        game: a game at the table, in any position.
        form: `options` or `words`; None for options if there are at most `MOST_OPTIONS`.

    Attributes:
        form: the chosen form.
        names: the text of each action, by action number.

    Raises:
        ValueError: if there is no such form, or if whole options are required but are too many or uncountable.
    """

    def __init__(self, game: Game, form: Form | None = None) -> None:
        if form not in (None, *get_args(Form)):
            raise ValueError(f"there is no action form `{form}`: choose between {' and '.join(get_args(Form))}")
        p, labels = game.omniscient.program, game.omniscient.labels
        self._decisions = [
            [(c.name, tuple([q.type for q in c.params])) for c in decision.choices] for decision in p.decisions
        ]
        whole = None if form == "words" else _whole(p, labels)
        if whole is None and form == "options":
            many = f"more than {MOST_OPTIONS:,} options, or some without a bound"
            raise ValueError(f"`{game.ruleset.ref}` has {many}: use the form `words`")
        self.form: Form = "words" if whole is None else "options"
        self._whole = whole or {}
        self._vocabulary = _Vocabulary(p, labels) if whole is None else None
        self.names = self._words() if whole is None else tuple(_shown(labels, *each) for each in whole)
        self._memo: dict[_Key, tuple[int, ...]] = {}

    def _words(self) -> tuple[str, ...]:
        assert self._vocabulary is not None
        return tuple(self._vocabulary.names)

    @property
    def size(self) -> int:
        """The number of actions."""
        return len(self.names)

    @property
    def longest(self) -> int:
        """An upper bound on the number of actions per decision."""
        if self._vocabulary is None:
            return 1
        return 1 + max(sum(map(self._vocabulary.longest, types)) for of in self._decisions for _, types in of)

    def sequence(self, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...]:
        """The sequence of actions that represents an option.

        Args:
            decision: the index of its decision in the program.
            choice: the index of its choice in the decision.
            args: its arguments.
        """
        key = (decision, choice, args)
        result = self._memo.get(key)
        if result is None:
            if len(self._memo) >= _MEMO:
                self._memo.clear()
            name, types = self._decisions[decision][choice]
            if self._vocabulary is None:
                result = (self._whole[(name, types), args],)
            else:
                result = self._vocabulary.sequence(name, types, args)
            self._memo[key] = result
        return result


def _forms(p: ir.Program) -> dict[_Form, ir.Choice]:
    """The distinct forms of options in all decisions, each with one choice that has it."""
    return {(c.name, tuple([q.type for q in c.params])): c for d in p.decisions for c in d.choices}


def _whole(p: ir.Program, labels: Labels) -> dict[tuple[_Form, tuple[int, ...]], int] | None:
    """The number of each option; None if they are too many or uncountable."""
    domains: dict[_Form, list[set[int]]] = {}
    for choice in (c for d in p.decisions for c in d.choices):
        values = [_domain(q, labels) for q in choice.params]
        form = (choice.name, tuple([q.type for q in choice.params]))
        before = domains.setdefault(form, [set() for _ in values])
        for known, some in zip(before, values, strict=True):
            if some is None:
                return None
            known |= some
        if sum(_size(sets) for sets in domains.values()) > MOST_OPTIONS:
            return None
    every = ((form, args) for form, sets in domains.items() for args in product(*map(sorted, sets)))
    return {each: number for number, each in enumerate(every)}


def _size(sets: list[set[int]]) -> int:
    size = 1
    for each in sets:
        size = min(size * len(each), MOST_OPTIONS + 1)
    return size


def _domain(param: ir.Param, labels: Labels) -> set[int] | None:
    """The values of a parameter; None if they depend on the position or are too many."""
    type_ = param.type.removesuffix("?")
    none = {param.none} if param.none is not None else set()
    if type_ == "bool":
        return {0, 1} | none
    if type_ == "int":
        if not isinstance(param.low, ir.Const) or not isinstance(param.high, ir.Const):
            return None
        numbers = range(param.low.value, param.high.value + 1)
        return {*numbers} | none if len(numbers) <= MOST_OPTIONS else None
    names = labels.names.get(type_)  # neither sets nor orders
    return {*range(len(names))} | none if names is not None and len(names) <= MOST_OPTIONS else None


def _shown(labels: Labels, form: _Form, args: tuple[int, ...]) -> str:
    name, types = form
    values = ", ".join(labels.show(type_, value) for type_, value in zip(types, args, strict=True))
    return f"{name}({values})" if values else name


class _Vocabulary:
    """The words of all options: names, entities by kind, numbers.

    Sets, orders, bags, paths and large numbers end with the word `end`; a bag has one word per piece, a path one per
    stop.
    """

    def __init__(self, p: ir.Program, labels: Labels) -> None:
        self.names: list[str] = []
        self._numbers: dict[tuple[str, str | int], int] = {}
        self._sizes = {kind: len(names) for kind, names in labels.names.items()}
        forms = _forms(p)
        for name in dict.fromkeys(name for name, _ in forms):
            self._add("", name, name)
        types = dict.fromkeys(type_ for _, types in forms for type_ in types)
        kinds = dict.fromkeys(type_.removesuffix("?").rpartition(" ")[2] for type_ in types)
        for kind in kinds:
            if kind == "int":
                for number in range(SMALL):
                    self._add("int", number, str(number))
            elif kind == "bool":
                self._add("bool", 0, "false")
                self._add("bool", 1, "true")
            else:
                for number, name in enumerate(labels.names.get(kind, ())):
                    self._add(kind, number, f"{kind} {name}")
        for word in ("none", "number", "-", *"0123456789", "end"):
            self._add("sign", word, f"[{word}]")

    def _add(self, kind: str, value: str | int, shown: str) -> None:
        self._numbers[kind, value] = len(self.names)
        self.names.append(shown)

    def sequence(self, name: str, types: tuple[str, ...], args: tuple[int, ...]) -> tuple[int, ...]:
        """The words of an option."""
        words = [self._numbers["", name]]
        for type_, value in zip(types, args, strict=True):
            words += [self._numbers[word] for word in self._value(type_, value)]
        return tuple(words)

    def longest(self, type_: str) -> int:
        """The maximum number of words for a value of a type."""
        kind, _, of = type_.removesuffix("?").partition(" ")
        if kind == "int":
            return len(str(MAX_NUMBER)) + 3
        if kind == "path":
            return MAX_STOPS + 1
        return self._sizes.get(of, 0) * (MOST if kind == "bag" else 1) + 1 if of else 1

    def _value(self, type_: str, value: int) -> Iterator[tuple[str, str | int]]:
        kind, _, of = type_.removesuffix("?").partition(" ")
        if type_[-1:] == "?" and value == (NO_NUMBER if kind == "int" else -1):
            yield "sign", "none"
        elif kind == "set":
            yield from ((of, member) for member in range(self._sizes.get(of, 0)) if value >> member & 1)
            yield "sign", "end"
        elif kind == "bag":
            yield from ((of, member) for member, pieces in counts(value) for _ in range(pieces))
            yield "sign", "end"
        elif kind == "path":
            yield from ((of, stop) for stop in stops(value, self._sizes[of]))
            yield "sign", "end"
        elif kind == "order":
            yield from ((of, member) for member in in_order(value, self._sizes[of].bit_length()))
            yield "sign", "end"
        elif kind == "int" and not 0 <= value < SMALL:
            yield "sign", "number"
            yield from (("sign", digit) for digit in str(value))
            yield "sign", "end"
        elif value < 0:
            yield "sign", "none"
        else:
            yield kind, value
