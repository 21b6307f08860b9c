"""The lexer: Lark's contextual lexer, with one scanner shared by all parser states, and the tokens for blocks.

Lark compiles a regular expression for each set of terminals accepted by a parser state, which takes longer than parsing
a small ruleset. Here a common expression for all terminals is tried first. Its alternatives have the same order as
those of each state's expression, so if the state accepts the match, the state's own expression would find the same
match. Otherwise the state's expression is compiled and used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from copy import copy
from functools import cached_property
from typing import Any, ClassVar

from lark import Token
from lark.common import LexerConf
from lark.indenter import Indenter
from lark.lexer import AbstractBasicLexer, BasicLexer, ContextualLexer, Scanner, UnlessCallback

Lexeme = tuple[str, str]
"""A token's text and its terminal."""


class _Shared:
    """The common scanner for all terminals.

    Attributes:
        keywords: (terminal, text) → the keyword with exactly this text, such as a reserved name.
    """

    def __init__(self, lexer: BasicLexer) -> None:
        self.scanner: Scanner = lexer.scanner
        self.keywords: dict[Lexeme, str] = {
            (terminal, word.pattern.value): word.name
            for terminal, callback in lexer.callback.items()
            if isinstance(callback, UnlessCallback)
            for word in callback.scanner.terminals
        }


class _StateLexer(BasicLexer):
    """The lexer of all states that accept the same terminals."""

    def __init__(self, conf: LexerConf, family: SharedLexer) -> None:
        super().__init__(conf)
        self.callback: dict[str, Any] = {}  # with its own scanner: callbacks that tell keywords from names
        self._family = family
        self._accepted = frozenset([t.name for t in self.terminals])

    def match(self, text: Any, pos: int) -> Lexeme | None:
        """The token at a position, if the state accepts it."""
        shared = self._family.shared
        result: tuple[str, Any] | None = shared.scanner.match(text, pos)
        if result is None:
            return None
        value, terminal = result
        word = shared.keywords.get((terminal, value))
        if word in self._accepted:
            return value, str(word)
        if terminal in self._accepted:
            return value, terminal
        own: Lexeme | None = super().match(text, pos)  # type: ignore[no-untyped-call]
        return own


class SharedLexer(ContextualLexer):
    """A contextual lexer with a scanner that all states share; further lexers are created on demand."""

    def __init__(self, conf: LexerConf, states: dict[int, Collection[str]], always_accept: Collection[str]) -> None:
        self._conf = conf
        self._always = {*conf.ignore, *always_accept}
        self._same: dict[frozenset[str], _StateLexer] = {}
        self.lexers: dict[int, AbstractBasicLexer] = _Lexers(self._lexer, states)
        self._whole = BasicLexer(copy(conf))
        self.root_lexer = self._whole

    def _lexer(self, accepts: Collection[str]) -> _StateLexer:
        key = frozenset(accepts)
        if key not in self._same:
            conf = copy(self._conf)
            named = conf.terminals_by_name
            conf.terminals = [named[name] for name in sorted(key | self._always) if name in named]
            self._same[key] = _StateLexer(conf, self)
        return self._same[key]

    @cached_property
    def shared(self) -> _Shared:
        """The common scanner, which is created for the first text."""
        return _Shared(self._whole)


class _Lexers(dict[int, AbstractBasicLexer]):
    """The lexer of each parser state, created on demand."""

    def __init__(self, make: Callable[[Collection[str]], _StateLexer], states: dict[int, Collection[str]]) -> None:
        super().__init__()
        self._make = make
        self._states = states

    def __missing__(self, state: int) -> AbstractBasicLexer:
        self[state] = self._make(self._states[state])
        return self[state]


class Blocks(Indenter):
    """An indenter that emits tokens at the start and end of blocks."""

    NL_type = "_NL"
    OPEN_PAREN_types: ClassVar[list[str]] = ["LPAR", "LSQB", "LBRACE"]
    CLOSE_PAREN_types: ClassVar[list[str]] = ["RPAR", "RSQB", "RBRACE"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8

    seen: list[Token] | None = None
    """A list that receives all tokens of the text, if set; for the formatter."""

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens of the text, including the tokens for blocks."""
        tokens: Iterator[Token] = super().process(stream)  # type: ignore[no-untyped-call]
        return tokens if self.seen is None else self._collected(tokens, self.seen)

    def _collected(self, tokens: Iterator[Token], seen: list[Token]) -> Iterator[Token]:
        for token in tokens:
            seen.append(token)
            yield token
