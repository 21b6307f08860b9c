"""The parser for valid texts: Lark's tables with our own driver, whose reductions build the syntax tree.

It accepts the same texts as Lark, but does not import it, because Lark's tables and trees took a quarter of a check's
time. For an invalid text it raises `UnfitError` without details; Lark then locates the error.
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
"""The name of the table file beside the grammar, written by builds (`rulespec.syntax.parse_table`)."""
NEWLINE, INDENT, DEDENT, END = "_NL", "_INDENT", "_DEDENT", "$END"
OPENING, CLOSING = frozenset(["LPAR", "LSQB", "LBRACE"]), frozenset(["RPAR", "RSQB", "RBRACE"])


class UnfitError(Exception):
    """A text violates the grammar."""


class Token(str):
    """A token whose content is part of the tree: a name, a number or a string."""

    __slots__ = ("place", "type")

    place: Place
    type: str


class RuleTable(Struct, frozen=True, array_like=True):
    """A rule of the grammar.

    Attributes:
        makes: the nonterminal on its left-hand side.
        size: the number of symbols on its right-hand side.
        parts: the children of its node: the index of a symbol, ~index to splice in all children of a symbol, or None
            for a missing optional symbol.
        method: the builder method for the node; "" if the rule only groups children.
        alone: whether a single child replaces the node.
    """

    makes: str
    size: int
    parts: tuple[int | None, ...]
    method: str
    alone: bool


class ParseTables(Struct, frozen=True):
    """The tables of the parser.

    Attributes:
        made_from: the hash of their grammar.
        starts: the initial and the accepting state for each start rule.
        states: the action of each state on a terminal or nonterminal: the next state ≥ 0, or ~index of the rule to
            reduce.
        rules: the rules.
        terminals: the terminals with their regular expressions, in Lark's order.
        scanner: the terminals to match, except for keywords that also match another terminal, such as a name; those are
            in `words`.
        words: triples of a terminal, a text and a keyword: if the terminal matches this text, the token is the keyword
            in states that accept the keyword.
        ignored: terminals to skip, such as spaces.
        leaves: terminals whose tokens appear in trees.
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
    """The hash of the grammar, which identifies the tables made from it."""
    return hashlib.sha256(grammar().encode()).hexdigest()


def stored() -> ParseTables | None:
    """The tables in the file, or None if the file is missing or its tables were made from another grammar."""
    try:
        result = msgspec.json.decode(Path(__file__).with_name(FILE).read_bytes(), type=ParseTables)
    except (OSError, ValueError):
        return None
    return result if result.made_from == grammar_hash() else None


class Automaton:
    """A parser for valid texts.

    Args:
        tables: its tables.
        builder: an object with one method for each rule, which makes a node from its place and children.

    Attributes:
        rules: the rules, with bound builder methods.
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
            UnfitError: if the text violates the grammar.
            Exception: any exception of the builder, before the rest of the text is read.
        """
        first, last = self.tables.starts[start]
        run = _Run(self, origin, first)
        end = run.read(text)
        return run.finish(end, last)

    @cached_property
    def _alone(self) -> list[tuple[str, Callable[..., re.Match[str] | None]]]:
        return [(name, re.compile(pattern).match) for name, pattern in self.tables.terminals]

    def scan(self, text: str, at: int, accepted: dict[str, int]) -> tuple[str, int]:
        """The next token: its terminal, which is one of the accepted ones, and the position of its end."""
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
    """A run over one text.

    Attributes:
        states: the stack of states, the current one last.
        values: the stack of values that are not yet part of a node.
        places: the place of each value, including brackets around it that have no node; None for an empty value.
    """

    def __init__(self, automaton: Automaton, origin: Origin, first: int) -> None:
        self.a = automaton
        self.origin = origin
        self.states = [first]
        self.values: list[Any] = []
        self.places: list[Place | None] = []
        self.levels = [0]

    def read(self, text: str) -> Place:
        """Feeds all tokens of a text; returns the place of the last one."""
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
        """Opens a block, or closes blocks, before a line that is indented by `indent` spaces."""
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
        """Closes open blocks at the end of a text, and returns the tree."""
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
        """Processes a token: reduces all complete rules, then shifts the token."""
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
        """Reduces a rule: replaces the top of the stacks by its node."""
        states = self.states
        makes, size, parts, build, alone = self.a.rules[number]
        if size == 1 and alone and parts:  # most precedence rules: only the state changes
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
            else:  # appends to a left-recursive list instead of copying it
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
    """The place from the first to the last of several places; None if all are empty."""
    first, last = places[0], places[-1]
    if first is None or last is None:
        results = [place for place in places if place is not None]
        if not results:
            return None
        first, last = results[0], results[-1]
    return first if first is last else (*first[:2], *last[2:])
