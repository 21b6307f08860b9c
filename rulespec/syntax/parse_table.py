"""Tables of the parser, as JSON beside the grammar: building them takes half a second.

The file is used only if it comes from this grammar and this release of Lark; otherwise the tables are built again.
`python -m rulespec.syntax.parse_table` writes the file, and a test checks that it is current.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any

import lark
import msgspec
from lark import Lark
from lark.grammar import Rule, Terminal
from lark.indenter import Indenter
from lark.parse_tree_builder import PropagatePositions

from rulespec.syntax.indentation import Blocks
from rulespec.syntax.lexer import SharedLexer
from rulespec.syntax.positions import Positions

STARTS = ("rules", "expr", "type")
FILE = "grammar.json"
_PLUGINS = {"ContextualLexer": SharedLexer}


def grammar() -> str:
    """The text of the grammar."""
    return Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")


def build(postlex: Indenter) -> Lark:
    """The parser, from the grammar."""
    lark = Lark(
        grammar(),
        parser="lalr",
        postlex=postlex,
        start=list(STARTS),
        propagate_positions=True,
        maybe_placeholders=True,
        _plugins=_PLUGINS,
    )
    return _with_pass_through(lark)


def parser(postlex: Indenter) -> Lark:
    """The parser, from the file of tables if it is current."""
    file = Path(__file__).with_name(FILE)
    try:
        stored: dict[str, Any] = msgspec.json.decode(file.read_bytes())
    except (OSError, ValueError):
        return build(postlex)
    if stored.get("made_from") != _made_from():
        return build(postlex)
    table = stored["data"]["parser"]["parser"]
    table["tokens"] = _numbered(table["tokens"])
    table["states"] = {int(state): _numbered(actions) for state, actions in table["states"].items()}
    # The stand-alone parsers that Lark generates call it, too.
    load: Callable[..., Lark] = Lark._load_from_dict
    return _with_pass_through(load(stored["data"], _numbered(stored["memo"]), postlex=postlex, _plugins=_PLUGINS))


def _with_pass_through(lark: Lark) -> Lark:
    """Makes rules with a single part return it at once; most rules of precedence are such.

    Lark computes their positions each time, which stay the same: a quarter of the time of a parse. Those of the others
    are computed here, too.
    """
    callbacks: dict[Rule, Any] = getattr(lark, "_callbacks", {})  # other releases may have them elsewhere
    for rule, build in callbacks.items():
        if type(build) is PropagatePositions and build.node_filter is None:
            callbacks[rule] = Positions(build.node_builder)
        part = rule.expansion[0] if len(rule.expansion) == 1 else None
        hidden = part is None or part.name.startswith("_") or (isinstance(part, Terminal) and part.filter_out)
        if rule.options.expand1 and not rule.alias and not hidden:
            callbacks[rule] = itemgetter(0)
    return lark


def _made_from() -> list[str]:
    return [lark.__version__, hashlib.sha256(grammar().encode()).hexdigest()]


def _numbered(mapping: dict[str, Any]) -> dict[int, Any]:
    """A mapping of the file by its numbers, which are texts in JSON."""
    return {int(k): v for k, v in mapping.items()}


def tables(postlex: Indenter) -> str:
    """The content of the file for the current grammar."""
    from lark.lexer import TerminalDef

    data, memo = build(postlex).memo_serialize([TerminalDef, Rule])
    data["options"] = {k: v for k, v in data["options"].items() if k not in ("postlex", "_plugins")}
    return json.dumps({"made_from": _made_from(), "data": data, "memo": memo}, sort_keys=True) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name(FILE).write_text(tables(Blocks()), encoding="utf-8")
