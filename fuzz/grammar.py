"""Texts generated from the grammar: they always parse, and often pass further checks with existing names."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache

from lark.grammar import NonTerminal, Rule, Symbol

from rulespec.syntax import parse_table
from rulespec.syntax.lexer import Blocks

_TERMINALS = {"NAME": "", "INT": "1", "STRING": '"A-1: so"', "REMOVABLE": "def", "MINMAX": "max"}
_TERMINALS |= {
    "BEST": "best",
    "CHEAPEST": "cheapest",
    "THE": "the",
    "TOLD": "told",
    "CHANGE": "change",
    "BEFORE": "before",
    "_CASES": "match",
    "ORDER": "order",
    "BAG": "bag",
    "PATH": "path",
    "TRAIL": "trail",
    "LONGEST": "longest",
    "PATH_OF": "path",
}
_FAR = 1_000_000
_PLAIN = 0.8  # probability of skipping a precedence level; otherwise, most texts are chains of operators


class Writer:
    """A generator of random texts of the language.

    Args:
        rng: the source of all random choices.
        names: the names to use.
    """

    def __init__(self, rng: random.Random, names: Sequence[str]) -> None:
        self.rng = rng
        self.names = names

    def text(self, start: str, depth: int) -> str:
        """A random text derived from `start`, such as `expr` or `rules`, with a nesting depth of roughly `depth`."""
        words: list[str] = []
        self._write(NonTerminal(start), depth, words)
        return _laid_out(words)

    def _write(self, symbol: Symbol, depth: int, words: list[str]) -> None:
        rules, least, literals = _grammar()
        if symbol not in rules:
            words.append(self._word(symbol.name, literals))
            return
        fitting = [r for r in rules[symbol] if _depth(r, least) <= depth]
        plain = [r for r in fitting if _cost(r) == 0 and r.expansion[0] in rules]
        if plain and self.rng.random() < _PLAIN:
            fitting = plain
        nearest = min(_depth(r, least) for r in rules[symbol])
        rule = self.rng.choice(fitting or [r for r in rules[symbol] if _depth(r, least) == nearest])
        for part in rule.expansion:
            self._write(part, depth - _cost(rule), words)

    def _word(self, name: str, literals: dict[str, list[str]]) -> str:
        if name == "NAME":
            return self.rng.choice(self.names)
        if name == "INT":
            return str(self.rng.choice((0, 1, 2, 3, 9, 10**15 - 1)))
        return name if name in ("_NL", "_INDENT", "_DEDENT") else self.rng.choice(literals[name])


_Known = tuple[dict[Symbol, list[Rule]], dict[Symbol, int], dict[str, list[str]]]


@cache
def _grammar() -> _Known:
    """The grammar rules by origin, the least nesting depth of each, and patterns of terminals."""
    lark = parse_table.parser(Blocks())
    rules: dict[Symbol, list[Rule]] = {}
    for rule in lark.rules:
        rules.setdefault(rule.origin, []).append(rule)
    least = dict.fromkeys(rules, _FAR)
    changed = True
    while changed:
        changed = False
        for symbol, ways in rules.items():
            depth = min(_depth(way, least) for way in ways)
            changed |= depth < least[symbol]
            least[symbol] = depth
    literals = {t.name: _literals(t.name, t.pattern.value, t.pattern.type == "str") for t in lark.terminals}
    return rules, least, literals


def _depth(rule: Rule, least: dict[Symbol, int]) -> int:
    return _cost(rule) + max((least.get(part, 0) for part in rule.expansion), default=0)


def _cost(rule: Rule) -> int:
    """The depth added by a rule: 1, or 0 for a unit rule such as `sum_expr: product`."""
    return 0 if len(rule.expansion) == 1 else 1


def _literals(name: str, pattern: str, plain: bool) -> list[str]:
    if name in _TERMINALS:
        return [_TERMINALS[name]]
    if plain:
        return [pattern]
    return [re.sub(r"\\(.)", r"\1", part) for part in re.sub(r"\(\?:|\)", "", pattern).split("|")]


def _laid_out(words: list[str]) -> str:
    """The words in lines, indented as blocks open and close."""
    lines, line, level = [], "", 0
    for word in words:
        if word == "_NL":
            lines.append(line)
            line = ""
        elif word in ("_INDENT", "_DEDENT"):
            level += 1 if word == "_INDENT" else -1
        else:
            line = f"{line} {word}" if line else " " * 4 * level + word
    return "\n".join([*lines, line])
