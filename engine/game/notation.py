"""Options of a game: as texts such as `take(harbour)`, and as objects shared by all lists that contain them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

from msgspec import Struct

from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.game.option import Labels, Option, OptionKind
from rulespec.engine.program import ir
from rulespec.engine.program.columns import form_of
from rulespec.engine.program.ir import none_of
from rulespec.engine.program.machine import Listed, Listing, Machine
from rulespec.language.bags import BITS, MOST, amount
from rulespec.language.paths import MAX_STOPS, path_of
from rulespec.records import Brief
from rulespec.typed import nodes as typed

_MOST = 50_000
"""Capacity of the cache: lists plus the options in them, and separately option objects."""
_LONG = 500
"""Break-even: options of a list beyond which testing an option again is faster than finding it."""


class _Options(dict[Listed, Option]):
    """Option objects of a decision for a seat, shared by all lists.

    Args:
        kinds: the option kinds of the decision, by choice.
        by: the seat; None for chance.
    """

    def __init__(self, kinds: Sequence[OptionKind], by: str | None) -> None:
        self._kinds, self._by = kinds, by

    def __missing__(self, listed: Listed) -> Option:
        result = self[listed] = Option(self._kinds[listed[0]], listed[1], self._by)
        return result


class OptionLists(dict[Listing, Sequence[Option]]):
    """A cache of option lists, shared by all games with the same rules and players.

    Args:
        kinds: the kinds of options, by decision and choice.
        seats: names of the players.
    """

    def __init__(self, kinds: Sequence[Sequence[OptionKind]], seats: Sequence[str]) -> None:
        self._kinds, self._seats = kinds, seats
        self._options: dict[tuple[int, int], _Options] = {}
        self._size = 0

    def options_of(self, listing: Listing, listed: Iterable[Listed]) -> Sequence[Option]:
        """The option objects for a machine's listing, from the cache if possible."""
        decision, who, _ = listing
        if self._size > _MOST:
            self.clear()
            self._size = 0
            if sum(map(len, self._options.values())) > _MOST:
                self._options.clear()
        options = self._options.get((decision, who))
        if options is None:
            by = self._seats[who] if who >= 0 else None
            options = self._options[decision, who] = _Options(self._kinds[decision], by)
        results = self[listing] = list(map(options.__getitem__, listed))
        self._size += 1 + len(results)
        return results


def among(options: Sequence[Option], option: Option) -> bool:
    """Whether a list contains this very object; False for a long list, which would take too long to search."""
    if len(options) > _LONG:
        return False
    for one in options:  # noqa: SIM110 - by far the fastest way
        if one is option:
            return True
    return False


_MEMO_LIMIT = 10_000
"""Maximum number of texts in a reader's memo."""
_MEMO_TEXT = 200
"""Maximum length of a memoised text, in characters."""
_SIGNS = re.compile(r"([,{}\[\]])")
_MAX_TABLES = 16
"""Maximum number of seatings memoised per machine."""


class OptionReader:
    """A parser of option texts, with a memo because logs repeat the same texts."""

    def __init__(self, program: ir.Program, labels: Labels) -> None:
        self._program = program
        self._labels = labels
        self._read: dict[tuple[int, str, str], tuple[int, tuple[int, ...]]] = {}

    def read(self, decision: int, text: str, name: str = "") -> tuple[int, tuple[int, ...]]:
        """The choice number and the numeric arguments of the option that a text names, whether or not the option is
        legal.

        Args:
            decision: the number of the decision.
            text: the text of the option.
            name: if given, the expected name of the decision.

        Raises:
            ValueError: if the decision has a different name or no such option, or an argument is unknown.
        """
        result = self._read.get((decision, text, name))
        if result is None:
            d = self._program.decisions[decision]
            if name and d.name != name:
                raise ValueError(f"the open decision is `{d.name}`, not `{name}`")
            result = self._parse(d, text)
            if len(text) <= _MEMO_TEXT:
                if len(self._read) >= _MEMO_LIMIT:
                    self._read.clear()
                self._read[decision, text, name] = result
        return result

    def _parse(self, d: ir.Decision, text: str) -> tuple[int, tuple[int, ...]]:
        name, texts = split_option(text)
        for k, choice in enumerate(d.choices):
            if choice.name == name:
                return k, self._arguments(choice, texts)
        hint = did_you_mean(name, [c.name for c in d.choices])
        raise ValueError(f"this decision has no option `{name}`" + (f"; {hint}" if hint else ""))

    def _arguments(self, choice: ir.Choice, texts: list[str]) -> tuple[int, ...]:
        if len(texts) != len(choice.params):
            wanted = ", ".join(p.name for p in choice.params) or "no arguments"
            raise ValueError(f"`{choice.name}` takes {wanted}")
        pairs = zip(choice.params, texts, strict=True)
        return tuple(argument(self._labels, param.name, param.type, text) for param, text in pairs)


def argument(labels: Labels, param: str, type_: str, text: str) -> int:
    """The number that encodes an argument of an option.

    Args:
        labels: the names of entities and seats.
        param: the name of the parameter.
        type_: the parameter's type, as in `ir.Param`.
        text: the text of the argument.

    Raises:
        ValueError: if the text is not a value of the type; the message gives the type.
    """
    none = none_of(type_)
    if none is not None and text == "none":
        return none
    type_ = type_.removesuffix("?")
    form, kind = form_of(type_)
    if form == "path":
        return _path(labels, param, kind, text)
    if form:
        return _several(labels, param, form, kind, text)
    if type_ == "int":
        if not re.fullmatch(r"-?[0-9]{1,15}", text):
            raise ValueError(f"`{text}` is not a number (for `{param}`)")
        return int(text)
    return _entity(labels, type_, text)


def _entity(labels: Labels, kind: str, text: str) -> int:
    """The number of an entity or a seat by its name."""
    number = labels.number(kind, text)
    if number < 0:
        hint = did_you_mean(text, labels.names[kind])
        raise ValueError(f"there is no {kind} `{text}`" + (f"; {hint}" if hint else ""))
    return number


def _path(labels: Labels, param: str, kind: str, text: str) -> int:
    """The number of a path such as `[a, b, c]`."""
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(f"`{text}` is not a path (for `{param}`): write its stops in square brackets, `[…, …]`")
    members = [_entity(labels, kind, part.strip()) for part in text[1:-1].split(",") if part.strip()]
    if len(members) > MAX_STOPS:
        raise ValueError(f"`{param}` has {len(members)} stops, but a path may have at most {MAX_STOPS}")
    return path_of(members, len(labels.names[kind]))


def _several(labels: Labels, param: str, form: str, kind: str, text: str) -> int:
    """The number of a set such as `{a, b}`, or of a bag such as `{2 a, b}`, in any order."""
    if not (text.startswith("{") and text.endswith("}")):
        example = f"{{2 {labels.names[kind][0]}}}" if form == "bag" and labels.names[kind] else "{…, …}"
        raise ValueError(f"`{text}` is not a {form} (for `{param}`): write it in braces, `{example}`")
    result, inner = 0, text[1:-1].strip()
    for part in inner.split(",") if inner else ():
        words = part.split()
        number = 1
        if form == "bag" and len(words) == 2 and re.fullmatch(r"[0-9]{1,3}", words[0]):
            number = int(words.pop(0))
        member = _entity(labels, kind, " ".join(words))
        if (result >> member & 1) if form == "set" else amount(result, member):
            raise ValueError(f"`{labels.names[kind][member]}` is in `{text}` twice")
        if not 1 <= number <= MOST:
            raise ValueError(f"`{number}` is not a number of pieces (for `{param}`): write 1 to {MOST}")
        result |= 1 << member if form == "set" else number << BITS * member
    return result


def split_option(text: str) -> tuple[str, list[str]]:
    """The name and the arguments of an option's text: `take(harbour)` → `take`, [`harbour`].

    Commas in braces or square brackets do not separate arguments.
    """
    text = text.strip()
    name, bracket, rest = text.partition("(")
    if not bracket:
        return text, []
    if not rest.endswith(")"):
        raise ValueError(f"`{text}` does not end with `)`")
    inner = rest[:-1].strip()
    return name.strip(), _arguments(inner) if inner else []


def _arguments(text: str) -> list[str]:
    """The parts of a text between commas outside braces and square brackets."""
    results, depth = [""], 0
    for part in _SIGNS.split(text):
        if part == "," and not depth:
            results.append("")
            continue
        depth += (part in ("{", "[")) - (part in ("}", "]"))
        results[-1] += part
    return [result.strip() for result in results]


class GameNotation(Brief, Struct, frozen=True):
    """The notation shared by all games with the same rules and players.

    Attributes:
        labels: the names of entities and seats.
        kinds: the kinds of options by decision and choice; row -1, for a finished game, is empty.
        reader: the parser of option texts.
        lists: the option lists for machines that list all options at once.
        interruptible: whether each decision has out-of-turn options; entry -1 is for a finished game.
    """

    labels: Labels
    kinds: tuple[tuple[OptionKind, ...], ...]
    reader: OptionReader
    lists: OptionLists
    interruptible: tuple[bool, ...]


_words: WeakKeyDictionary[Machine, dict[tuple[str, ...], GameNotation]] = WeakKeyDictionary()


def words(machine: Machine, ruleset: typed.Ruleset, seats: tuple[str, ...]) -> GameNotation:
    """The memoised notation for a machine's games with the given seats."""
    tables = _words.setdefault(machine, {})
    if seats not in tables:
        if len(tables) >= _MAX_TABLES:
            tables.clear()
        labels = Labels(ruleset.kinds, machine.p, seats)
        kinds = tuple(tuple(_kind(d, k, labels) for k in range(len(d.choices))) for d in machine.p.decisions)
        kinds = (*kinds, ())
        lists, interruptible = OptionLists(kinds, labels.seats), tuple(any(k.interrupt for k in of) for of in kinds)
        tables[seats] = GameNotation(labels, kinds, OptionReader(machine.p, labels), lists, interruptible)
    return tables[seats]


def _kind(d: ir.Decision, number: int, labels: Labels) -> OptionKind:
    c = d.choices[number]
    return OptionKind(d.name, c.name, c.by is not None, number, labels, c.block)
