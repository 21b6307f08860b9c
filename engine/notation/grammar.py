"""The grammar of a notation, which parses the text of a move into fields in linear time.

The templates become one automaton whose states are their characters (the positions of Glushkov, 1961). It must be
unambiguous: no two states reachable by the same text may both be final, or lead to the same state (Book, Even,
Greibach and Ott, 1971).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct, field

from rulespec.engine.notation.templates import Characters, NamedPart, Template

MAX_RULES = 64
"""Maximum number of templates in a notation, including those of its parts."""
MAX_STATES = 512
MAX_PAIRS = 200_000
"""Maximum steps of the search for ambiguous texts."""
MAX_TEXT = 1_000
"""Maximum length of a move's text, in characters."""
START = -1


class ListPart(Struct, frozen=True):
    """A list of at least `least` items, each matching the part `of`, separated by the literal `by`."""

    of: str
    by: str
    least: int = 1


Part = Mapping[str, Any] | tuple[Template, ...] | ListPart
"""A part: a mapping from texts to values, templates whose text is the value, or a list."""


class GrammarError(ValueError):
    """Raised for an invalid grammar; the text gives the reason."""


class Read(Struct, frozen=True):
    """The result of parsing a text: the type and the fields of the move."""

    type: str
    fields: Mapping[str, Any]


class _Piece(Struct):
    """A fragment of the automaton: its possible first and last states, and whether it accepts the empty text."""

    first: list[int]
    last: list[int]
    empty: bool


class _Rule(Struct, frozen=True):
    """A template for a type of move: its named parts, in the order to which states refer."""

    type: str
    named: tuple[NamedPart, ...]


class Grammar(Struct):
    """A checked grammar; `read` parses a text with it.

    Attributes:
        parts: the parts by name.
        numbers: the names of the integer parts.
        states: for each state, its characters, the number of its rule, and the number of its named part in the rule, or
            -1 if it belongs to no named part.
        follow: for each state, its successors.
        first: the possible first states.
        last: the final states.
        rules: the templates.
    """

    parts: Mapping[str, Part]
    numbers: frozenset[str] = frozenset()
    states: list[tuple[frozenset[str], int, int]] = field(default_factory=list)
    follow: list[list[int]] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: set[int] = field(default_factory=set)
    rules: list[_Rule] = field(default_factory=list)

    def read(self, text: str) -> Read | None:
        """The move that a text denotes; None if it denotes none."""
        if not 0 < len(text) <= MAX_TEXT:
            return None
        ways: list[dict[int, int]] = [{}]  # for each character: state → the state before it
        before: Iterable[int] = [START]
        for character in text:
            reached: dict[int, int] = {}
            for state in before:
                for after in self.first if state == START else self.follow[state]:
                    if character in self.states[after][0]:
                        reached[after] = state
            if not reached:
                return None
            ways.append(reached)
            before = reached
        end = next((state for state in ways[-1] if state in self.last), None)
        return None if end is None else self._read(text, ways, end)

    def _read(self, text: str, ways: Sequence[Mapping[int, int]], state: int) -> Read:
        rule = self.rules[self.states[state][1]]
        texts = {n: "" for n, named in enumerate(rule.named) if not named.optional}
        for at in range(len(text), 0, -1):
            named = self.states[state][2]
            if named >= 0:
                texts[named] = text[at - 1] + texts.get(named, "")
            state = ways[at][state]
        return Read(rule.type, {rule.named[n].field: self.value(rule.named[n].part, t) for n, t in texts.items()})

    def value(self, name: str, text: str) -> Any:
        """The value denoted by the text of a part."""
        part = self.parts[name]
        if isinstance(part, Mapping):
            return part[text]
        if isinstance(part, ListPart):
            return [self.value(part.of, each) for each in text.split(part.by)]
        return int(text) if name in self.numbers and text else text

    def text(self, name: str, value: Any) -> str:
        """The first text of a part that denotes a value; the values True and False stand for the part's presence and
        absence.
        """
        part = self.parts[name]
        if isinstance(part, ListPart):
            return part.by.join(self.text(part.of, each) for each in value or ())
        if isinstance(part, Mapping):
            texts = [t for t, v in part.items() if value is True or (v == value and type(v) is type(value))]
            if texts:
                return texts[0]
        elif value is True:
            return "".join(min(e.of) * e.least for e in part[0] if isinstance(e, Characters))
        return "" if value is None or value is False else str(value)

    def part_of(self, type_: str, name: str) -> str:
        """The part that parses a field of a move type; by default, the part with the field's name."""
        fields = {named.field: named.part for rule in self.rules if rule.type == type_ for named in rule.named}
        return fields.get(name, name)


def make_grammar(parts: Mapping[str, Part], numbers: Iterable[str], moves: Sequence[tuple[str, Template]]) -> Grammar:
    """The grammar built from parts and from pairs of a move type and a template.

    Raises:
        GrammarError: if a part is missing or recursive, there are too many states, or a text is ambiguous.
    """
    count = len(moves) + sum(len(part) if isinstance(part, tuple) else 1 for part in parts.values())
    if count > MAX_RULES:
        raise GrammarError(f"the notation has {count} templates and parts, but the limit is {MAX_RULES}")
    sizes = _Sizes(parts)
    total = sum(sizes.of(template) for _, template in moves)
    if total > MAX_STATES:
        shown = f"{total:,}" if total < 10**12 else "far more"
        raise GrammarError(f"the grammar has {shown} states, but the limit is {MAX_STATES}")
    grammar = Grammar(parts, frozenset(numbers))
    for type_, template in moves:
        _Writer(grammar, type_, template).write()
    if text := _conflict(grammar):
        raise GrammarError(f"`{text}` can be read in two ways")
    return grammar


class _Sizes:
    """Numbers of states, computed before any are built, because nested parts may multiply."""

    def __init__(self, parts: Mapping[str, Part]) -> None:
        self._parts = parts
        self._of_part: dict[str, int | None] = {}

    def of(self, template: Template) -> int:
        """The number of states of a template."""
        return sum(e.most if isinstance(e, Characters) else self._part(e.part) for e in template)

    def _part(self, name: str) -> int:
        if name not in self._parts:
            raise GrammarError(f"there is no part `{name}`")
        if name not in self._of_part:
            self._of_part[name] = None
            part = self._parts[name]
            if isinstance(part, ListPart):
                size = max(part.least, 2) * (self._part(part.of) + len(part.by))
            else:
                size = sum(map(len, part)) if isinstance(part, Mapping) else sum(map(self.of, part))
            self._of_part[name] = size
        result = self._of_part[name]
        if result is None:
            raise GrammarError(f"the part `{name}` contains itself")
        return result


class _Writer:
    """A builder of the states for one template."""

    def __init__(self, grammar: Grammar, type_: str, template: Template) -> None:
        self._g, self._template = grammar, template
        self._named = [e for e in template if isinstance(e, NamedPart)]
        self._rule = len(grammar.rules)
        grammar.rules.append(_Rule(type_, tuple(self._named)))

    def write(self) -> None:
        """Adds the states of the template to the grammar."""
        result = self._sequence(self._template, -1)
        self._g.first += result.first
        self._g.last |= {*result.last}

    def _state(self, characters: frozenset[str], named: int) -> _Piece:
        self._g.states.append((characters, self._rule, named))
        self._g.follow.append([])
        number = len(self._g.states) - 1
        return _Piece([number], [number], False)

    def _sequence(self, template: Template, named: int) -> _Piece:
        result = _Piece([], [], True)
        numbers = iter(range(len(self._named)))
        for element in template:
            own = next(numbers) if named < 0 and isinstance(element, NamedPart) else named
            piece = self._repeated(element, own) if isinstance(element, Characters) else self._part(element, own)
            result = self._joined(result, piece)
        return result

    def _repeated(self, element: Characters, named: int) -> _Piece:
        pieces = [self._state(element.of, named) for _ in range(element.most)]
        for one, other in pairwise(pieces):
            self._g.follow[one.last[0]] += other.first
        last = [piece.last[0] for piece in pieces[max(element.least, 1) - 1 :]]
        return _Piece(pieces[0].first, last, not element.least)

    def _part(self, element: NamedPart, named: int) -> _Piece:
        part = self._g.parts[element.part]
        ways: Iterable[_Piece]
        if isinstance(part, ListPart):
            ways = [self._list(part, named)]
        elif isinstance(part, Mapping):
            ways = [self._sequence(tuple(Characters(frozenset(c)) for c in text), named) for text in part]
        else:
            ways = [self._sequence(template, named) for template in part]
        result = _Piece([], [], element.optional)
        for way in ways:
            result = _Piece(result.first + way.first, result.last + way.last, result.empty or way.empty)
        return result

    def _list(self, part: ListPart, named: int) -> _Piece:
        """The fragment for a list, in which the last separator and element may repeat after the minimum number."""
        of, by = NamedPart("", part.of, False), tuple(Characters(frozenset(c)) for c in part.by)
        result = one = self._part(of, named)
        if one.empty or any(part.by[0] in characters for characters, *_ in self._g.states[min(one.first) :]):
            raise GrammarError(f"the elements of a list must not be empty, nor contain their separator `{part.by[0]}`")
        for _ in range(max(part.least - 1, 1)):
            between, before = self._sequence(by, named), one
            self._follows(before, between)
            one = self._part(of, named)
            self._follows(between, one)
        self._follows(one, between)
        last = one.last if part.least > 1 else [*result.last, *one.last]
        return _Piece(result.first, last, False)

    def _follows(self, one: _Piece, other: _Piece) -> None:
        for state in one.last:
            self._g.follow[state] += other.first

    def _joined(self, one: _Piece, other: _Piece) -> _Piece:
        self._follows(one, other)
        first = one.first + (other.first if one.empty else [])
        last = other.last + (one.last if other.empty else [])
        return _Piece(first, last, one.empty and other.empty)


def _conflict(g: Grammar) -> str:
    """An ambiguous text; "" if there is none.

    Raises:
        GrammarError: if the search takes too long.
    """
    origin = (START, START)
    before: dict[tuple[int, int], tuple[tuple[int, int], str]] = {origin: (origin, "")}
    waiting, steps = deque([origin]), 0
    while waiting:
        one, other = pair = waiting.popleft()
        differ = one != other
        if differ and one in g.last and other in g.last:
            return _way(before, pair)
        firsts = g.first if one == START else g.follow[one]
        for number, a in enumerate(firsts):
            for b in firsts[number:] if not differ else g.first if other == START else g.follow[other]:
                steps += 1
                if steps > MAX_PAIRS:
                    raise GrammarError("checking for ambiguous texts takes too long; use fewer parts")
                common = g.states[a][0] & g.states[b][0]
                following = (min(a, b), max(a, b))
                if not common:
                    continue
                if differ and a == b:
                    return _way(before, pair) + min(common) + _rest(g, a)
                if following not in before:
                    before[following] = pair, min(common)
                    waiting.append(following)
    return ""


def _way(before: Mapping[tuple[int, int], tuple[tuple[int, int], str]], pair: tuple[int, int]) -> str:
    """The text that leads to a pair of states."""
    text = ""
    while pair != (START, START):
        pair, character = before[pair]
        text = character + text
    return text


def _rest(g: Grammar, state: int) -> str:
    """A text that leads from a state to a final one."""
    texts, waiting = {state: ""}, deque([state])
    while waiting:
        at = waiting.popleft()
        if at in g.last:
            return texts[at]
        for after in g.follow[at]:
            if after not in texts:
                texts[after] = texts[at] + min(g.states[after][0])
                waiting.append(after)
    return ""
