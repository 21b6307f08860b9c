"""Tables of the parser, stored as JSON beside the grammar, since building them takes 0.4 s.

There are two sets of tables: Lark's, which locate errors, and the automaton's, which parse valid texts. Package builds
write both, as does `python -m rulespec.syntax.parse_table`; git ignores them. A file is used only if it matches the
grammar and, for Lark's tables, the Lark release; otherwise the tables are built in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

import lark
import msgspec
from lark import Lark
from lark.grammar import Rule, Terminal
from lark.indenter import Indenter
from lark.lexer import BasicLexer, TerminalDef
from lark.parsers.lalr_analysis import Shift

from rulespec.syntax import automaton
from rulespec.syntax.automaton import ParseTables, RuleTable, grammar_hash
from rulespec.syntax.automaton import grammar as grammar
from rulespec.syntax.lexer import Blocks, SharedLexer

STARTS = ("rules", "expr", "type")
FILE = "grammar.json"
_PLUGINS = {"ContextualLexer": SharedLexer}


def build(postlex: Indenter) -> Lark:
    """Lark's parser, built from the grammar."""
    return Lark(
        grammar(),
        parser="lalr",
        postlex=postlex,
        start=list(STARTS),
        maybe_placeholders=True,
        _plugins=_PLUGINS,
    )


def parser(postlex: Indenter) -> Lark:
    """Lark's parser, loaded from its table file if that is current."""
    stored = _stored()
    if stored is None:
        return build(postlex)
    table = stored["data"]["parser"]["parser"]
    table["tokens"] = _numbered(table["tokens"])
    table["states"] = {int(state): _numbered(actions) for state, actions in table["states"].items()}
    # Lark's generated stand-alone parsers call this, too.
    load: Callable[..., Lark] = Lark._load_from_dict
    return load(stored["data"], _numbered(stored["memo"]), postlex=postlex, _plugins=_PLUGINS)


def is_current() -> bool:
    """Whether both table files exist and match the grammar and the Lark release."""
    return automaton.stored() is not None and _stored() is not None


def write() -> None:
    """Writes the table files of Lark's parser and of the automaton."""
    folder, built = Path(__file__).parent, _built()
    (folder / automaton.FILE).write_bytes(msgspec.json.encode(_automaton_tables(built)) + b"\n")
    (folder / FILE).write_text(_lark_tables(built), "utf-8")


def _stored() -> dict[str, Any] | None:
    """The content of Lark's table file; None if it is not current."""
    try:
        result: dict[str, Any] = msgspec.json.decode(Path(__file__).with_name(FILE).read_bytes(), type=dict[str, Any])
    except (OSError, ValueError):
        return None
    return result if result.get("made_from") == _made_from() else None


def _made_from() -> list[str]:
    return [lark.__version__, grammar_hash()]


def _numbered(mapping: dict[str, Any]) -> dict[int, Any]:
    """The mapping with integer keys, which are texts in JSON."""
    return {int(k): v for k, v in mapping.items()}


def automaton_tables() -> ParseTables:
    """The automaton's tables for the current grammar."""
    return _automaton_tables(_built())


def _lark_tables(built: Lark) -> str:
    """The content of Lark's table file for a parser."""
    data, memo = built.memo_serialize([TerminalDef, Rule])
    data["options"] = {k: v for k, v in data["options"].items() if k not in ("postlex", "_plugins")}
    return json.dumps({"made_from": _made_from(), "data": data, "memo": memo}, sort_keys=True) + "\n"


def _automaton_tables(built: Lark) -> ParseTables:
    table = _table(built)
    rules = {rule: number for number, rule in enumerate(built.rules)}
    lexer: SharedLexer = cast(Any, built.parser).lexer.lexer
    shared = lexer.shared
    leaves = {
        str(part.name)
        for rule in built.rules
        for part in rule.expansion
        if isinstance(part, Terminal) and not part.filter_out
    }
    return ParseTables(
        made_from=grammar_hash(),
        starts={start: (table.start_states[start], table.end_states[start]) for start in STARTS},
        states=[
            {str(name): to if action is Shift else ~rules[to] for name, (action, to) in actions.items()}
            for actions in table.states.values()
        ],
        rules=[_rule_table(rule) for rule in built.rules],
        terminals=[(str(t.name), t.pattern.to_regexp()) for t in cast(BasicLexer, lexer.root_lexer).terminals],
        scanner=[str(t.name) for t in shared.scanner.terminals],
        words=[(terminal, text, word) for (terminal, text), word in sorted(shared.keywords.items())],
        ignored=sorted(map(str, built.lexer_conf.ignore)),
        leaves=sorted(leaves),
    )


def _built() -> Lark:
    """The parser with sorted states, as Lark's order differs from run to run."""
    built = build(Blocks())
    table = _table(built)
    order = _in_order(table.states, [table.start_states[start] for start in STARTS])
    table.states = {
        number: {
            name: (action, order[to] if action is Shift else to) for name, (action, to) in _sorted(table.states[state])
        }
        for state, number in order.items()
    }
    table.start_states = {start: order[state] for start, state in table.start_states.items()}
    table.end_states = {start: order[state] for start, state in table.end_states.items()}
    return built


def _table(built: Lark) -> Any:
    return cast(Any, built.parser).parser._parse_table


_Actions = dict[str, tuple[object, Any]]


def _sorted(actions: _Actions) -> list[tuple[str, tuple[object, Any]]]:
    return sorted(actions.items(), key=itemgetter(0))


def _in_order(states: dict[int, _Actions], starts: list[int]) -> dict[int, int]:
    """New numbers for states, in breadth-first order from the start states."""
    result = dict.fromkeys(starts)
    waiting = [*starts]
    for state in waiting:
        for _, (action, to) in _sorted(states[state]):
            if action is Shift and to not in result:
                result[to] = None
                waiting.append(to)
    return {state: number for number, state in enumerate(result)}


def _rule_table(rule: Rule) -> RuleTable:
    """The table entry of a rule, which matches Lark's own tree builder."""
    empty = rule.options.empty_indices or [False] * len(rule.expansion)
    parts: list[int | None] = []
    number = 0
    for missing in empty:
        if missing:
            parts.append(None)
            continue
        part = rule.expansion[number]
        if not isinstance(part, Terminal):
            parts.append(~number if part.name.startswith("_") else number)
        elif not part.filter_out:
            parts.append(number)
        number += 1
    name = str(rule.alias or rule.origin.name)
    alone = bool(rule.options.expand1 and not rule.alias)
    return RuleTable(
        str(rule.origin.name), len(rule.expansion), tuple(parts), "" if name.startswith("_") else name, alone
    )


if __name__ == "__main__":
    write()
