"""The parser's tables, worked out once and kept as JSON beside the grammar: building them takes half a second.

The tables are used only if they were made from this very grammar by this very release of Lark; otherwise they are built
anew. `python -m rulespec.syntax.parse_table` writes the file, and a test says whether it is current.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib import resources
from operator import itemgetter
from pathlib import Path
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule, Terminal
from lark.indenter import Indenter

from rulespec.syntax.indentation import Blocks

STARTS = ("rules", "expr", "type")
FILE = "grammar.json"


def grammar() -> str:
    """The text of the grammar."""
    return resources.files("rulespec.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")


def build(postlex: Indenter) -> Lark:
    """The parser, from the grammar."""
    lark = Lark(
        grammar(),
        parser="lalr",
        postlex=postlex,
        start=list(STARTS),
        propagate_positions=True,
        maybe_placeholders=True,
    )
    return _passing_on(lark)


def parser(postlex: Indenter) -> Lark:
    """The parser, from the kept tables where they fit."""
    file = resources.files("rulespec.syntax").joinpath(FILE)
    try:
        kept = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=_numbered)
    except (OSError, ValueError):
        return build(postlex)
    if kept.get("made_from") != _made_from():
        return build(postlex)
    # What the stand-alone parsers that Lark writes call, too.
    load: Callable[..., Lark] = Lark._load_from_dict
    return _passing_on(load(kept["data"], kept["memo"], postlex=postlex))


def _passing_on(lark: Lark) -> Lark:
    """Rules that only pass on what they are made of, as most steps of precedence do, pass it on and do nothing else.

    Lark looks for positions each time, which it finds unchanged: that is a quarter of the time it takes for a text.
    """
    callbacks: dict[Rule, Any] = getattr(lark, "_callbacks", {})  # other releases may keep them elsewhere
    for rule in callbacks:
        part = rule.expansion[0] if len(rule.expansion) == 1 else None
        hidden = part is None or part.name.startswith("_") or (isinstance(part, Terminal) and part.filter_out)
        if rule.options.expand1 and not rule.alias and not hidden:
            callbacks[rule] = itemgetter(0)
    return lark


def _made_from() -> list[str]:
    return [lark.__version__, hashlib.sha256(grammar().encode()).hexdigest()]


def _numbered(pairs: list[tuple[str, Any]]) -> dict[str | int, Any]:
    """A mapping of the file: JSON has only texts as keys, and Lark wants its numbers back."""
    return {int(k) if k.isdigit() else k: v for k, v in pairs}


def tables(postlex: Indenter) -> str:
    """What the file should hold."""
    from lark.lexer import TerminalDef

    data, memo = build(postlex).memo_serialize([TerminalDef, Rule])
    data["options"] = {k: v for k, v in data["options"].items() if k != "postlex"}
    return json.dumps({"made_from": _made_from(), "data": data, "memo": memo}, sort_keys=True) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name(FILE).write_text(tables(Blocks()), encoding="utf-8")
