"""The parser for correct texts: Lark's tables with our own driver, and reductions that build the syntax tree.

It accepts the same texts as Lark, without importing it: Lark's tables and trees took a quarter of a check's time. If a
text does not fit, it raises `UnfitError` without details; Lark then locates the error.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from rulespec.syntax.origin import Origin, Place

FILE = "automaton.json"
"""The tables, beside the grammar; a build writes them (`rulespec.syntax.parse_table`)."""
NEWLINE, INDENT, DEDENT, END = "_NL", "_INDENT", "_DEDENT", "$END"
OPENING, CLOSING = frozenset(["LPAR", "LSQB", "LBRACE"]), frozenset(["RPAR", "RSQB", "RBRACE"])


class UnfitError(Exception):
    """A text that violates the grammar."""


class Token(str):
    """A word that the tree needs: a name, a number, a text."""

    __slots__ = ("place", "type")

    place: Place
    type: str


class RuleTable(Struct, frozen=True, array_like=True):
    """A rule of the grammar.

    Attributes:
        makes: its left-hand side.
        size: the number of its parts.
        parts: the parts of its node: numbers of parts, ~number for all components of a part, None for a missing
            optional part.
        method: the builder method for the node; "" if it only groups parts.
        alone: whether a single part replaces the node.
    """

    makes: str
    size: int
    parts: tuple[int | None, ...]
    method: str
    alone: bool


class ParseTables(Struct, frozen=True):
    """The tables of the parser.

    Attributes:
        made_from: the hash of the grammar.
        starts: start rule → the first state, and that of a complete text.
        states: for each state its action on a terminal, or after a rule's node: a state ≥ 0, or ~number of a rule.
        rules: the rules.
        terminals: each with its regular expression, in Lark's order.
        scanner: the terminals without words that also match others, such as names.
        words: (terminal, text, word): a terminal's text that is this word where the word is accepted.
        ignored: terminals between the others.
        leaves: terminals whose words appear in trees.
    """

    made_from: str
    starts: dict[str, tuple[int, int]]
    states: list[dict[str, int]]
    rules: list[RuleTable]
    terminals: list[tuple[str, str]]
    scanner: list[str]
    words: list[tuple[str, str, str]]
    ignored: list[str]
    leaves: list[str]


def grammar() -> str:
    """The text of the grammar."""
    return Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")


def grammar_hash() -> str:
    """The hash of the grammar, for matching tables to it."""
    return hashlib.sha256(grammar().encode()).hexdigest()


def stored() -> ParseTables | None:
    """The tables from their file; None if they belong to another grammar."""
    try:
        result = msgspec.json.decode(Path(__file__).with_name(FILE).read_bytes(), type=ParseTables)
    except (OSError, ValueError):
        return None
    return result if result.made_from == grammar_hash() else None


class Automaton:
    """Parses texts.

    Args:
        tables: its tables.
        builder: has a method for each rule, which makes a node from its place and parts.

    Attributes:
        rules: the rules, with bound methods.
        leaves: as in the tables.
    """

    def __init__(self, tables: ParseTables, builder: Any) -> None:
        self.tables = tables
        patterns = dict(tables.terminals)
        self._match = re.compile("|".join(f"(?P<{name}>{patterns[name]})" for name in tables.scanner)).match
        self._words = {(terminal, text): word for terminal, text, word in tables.words}
        self._ignored = frozenset(tables.ignored)
        self.leaves = frozenset(tables.leaves)
        self.rules: list[tuple[str, int, tuple[int | None, ...], Callable[..., Any] | None, bool]] = [
            (r.makes, r.size, r.parts, getattr(builder, r.method, None), r.alone) for r in tables.rules
        ]

    def parse(self, text: str, start: str, origin: Origin) -> Any:
        """The tree of a text.

        Raises:
            UnfitError: if it violates the grammar.
            Exception: any exception of the builder; the rest of the text is then unread.
        """
        first, last = self.tables.starts[start]
        run = _Run(self, origin, first)
        end = run.read(text)
        return run.finish(end, last)

    @cached_property
    def _alone(self) -> list[tuple[str, Callable[..., re.Match[str] | None]]]:
        return [(name, re.compile(pattern).match) for name, pattern in self.tables.terminals]

    def scan(self, text: str, at: int, accepted: dict[str, int]) -> tuple[str, int]:
        """The next terminal among the accepted ones, and its end."""
        result = self._match(text, at)
        if result is None:
            raise UnfitError
        name = result.lastgroup or ""
        word = self._words.get((name, result[0]))
        if word in accepted:
            return word, result.end()
        if name in accepted or name in self._ignored or name == NEWLINE:
            return name, result.end()
        for name, match in self._alone:
            taken = name in accepted or name in self._ignored or name == NEWLINE
            if taken and (result := match(text, at)):
                word = self._words.get((name, result[0]))
                return (word if word in accepted else name), result.end()
        raise UnfitError


class _Run:
    """One text.

    Attributes:
        states: of the automaton, the present one last.
        values: the values read that are not yet part of a node.
        places: the place of each of these, with the brackets around it that make no node; None if it is empty.
    """

    def __init__(self, automaton: Automaton, origin: Origin, first: int) -> None:
        self.a = automaton
        self.origin = origin
        self.states = [first]
        self.values: list[Any] = []
        self.places: list[Place | None] = []
        self.levels = [0]

    def read(self, text: str) -> Place:
        """Reads a text; returns the place of its last word."""
        states, table = self.states, self.a.tables.states
        leaves, ignored = self.a.leaves, frozenset(self.a.tables.ignored)
        scan, feed = self.a.scan, self.feed
        at, line, begin, brackets = 0, 1, 0, 0
        place: Place = (1, 1, 1, 1)
        while at < len(text):
            name, end = scan(text, at, table[states[-1]])
            column = at - begin + 1
            if name == NEWLINE:
                written = text[at:end]
                before, line, begin = line, line + written.count("\n"), at + written.rindex("\n") + 1
                place = (before, column, line, end - begin + 1)
                if not brackets:
                    feed(NEWLINE, None, place)
                    self._indent(end - begin, place)
            elif name not in ignored:
                place = (line, column, line, end - begin + 1)
                value = None
                if name in leaves:
                    value = Token(text[at:end])
                    value.type, value.place = name, place
                feed(name, value, place)
                if name in OPENING:
                    brackets += 1
                elif name in CLOSING:
                    brackets -= 1
            at = end
        return place

    def _indent(self, indent: int, place: Place) -> None:
        """Opens a block, or closes blocks, before a line with `indent` spaces."""
        if indent > self.levels[-1]:
            self.levels.append(indent)
            self.feed(INDENT, None, place)
            return
        while indent < self.levels[-1]:
            self.levels.pop()
            self.feed(DEDENT, None, place)
        if indent != self.levels[-1]:
            raise UnfitError

    def finish(self, end: Place, last: int) -> Any:
        """The tree, at the end of a text."""
        while len(self.levels) > 1:
            self.levels.pop()
            self.feed(DEDENT, None, end)
        while self.states[-1] != last:
            action = self.a.tables.states[self.states[-1]].get(END)
            if action is None:
                raise UnfitError
            self._reduce(~action)
        return self.values[-1]

    def feed(self, name: str, value: Any, place: Place) -> None:
        """Processes a word: completes the preceding nodes, and continues."""
        states, table = self.states, self.a.tables.states
        while True:
            action = table[states[-1]].get(name)
            if action is None:
                raise UnfitError
            if action >= 0:
                states.append(action)
                self.values.append(value)
                self.places.append(place)
                return
            self._reduce(~action)

    def _reduce(self, number: int) -> None:
        """Makes a node from the last symbols."""
        states = self.states
        makes, size, parts, build, alone = self.a.rules[number]
        if size == 1 and alone and parts:  # most rules of precedence: nothing but the state changes
            states.pop()
            states.append(self.a.tables.states[states[-1]][makes])
            return
        if not size:
            read, within = [], None
        else:
            read, result = self.values[-size:], self.places[-size:]
            del self.values[-size:], self.places[-size:], states[-size:]
            within = _around(result)
        children: list[Any] = []
        for part in parts:
            if part is None:
                children.append(None)
            elif part >= 0:
                children.append(read[part])
            elif children:
                children += read[~part]
            else:  # a list that grows from the left is not copied each time
                children = read[~part]
        value: Any = children
        if alone and len(children) == 1:
            value = children[0]
        elif build is not None:
            value = build(self.origin.span_of(within), children)
        self.values.append(value)
        self.places.append(within)
        states.append(self.a.tables.states[states[-1]][makes])


def _around(places: list[Place | None]) -> Place | None:
    """The place from the first to the last of some places."""
    first, last = places[0], places[-1]
    if first is None or last is None:
        results = [place for place in places if place is not None]
        if not results:
            return None
        first, last = results[0], results[-1]
    return first if first is last else (*first[:2], *last[2:])
