"""Untrusted texts at the terminal: a ruleset and logs with arbitrary names, titles and paths, and their messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fuzz.session import Session
from rulespec.documents.text_files import MISLEADING

_GAME = """\
id: home
title: {title}
version: {version}
doc: {doc}
players: {{kind: player, min: 2, max: 4}}
units: [money]
start: play
settings:
  fast: {{default: false, doc: {doc}}}
"""
_RULES = """\
procedure play():
    for p in player:
        decide turn by p:
            option take(n in 1 .. 3):
                require n < 3 "{reason}"
                set total to total + n
    end game as done won by {{p in player}}

invariant small:
    "{reason}"
    total < 2
"""
_KINDS = "state:\n  total: {type: int 0..9}\n"


def texts(data: bytes) -> dict[str, str]:
    """The texts of an input, which is a JSON object; {} for any other input."""
    try:
        result: Any = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return {str(k): v for k, v in result.items() if isinstance(v, str)} if isinstance(result, dict) else {}


def tell(home: Path, session: Session) -> None:
    """Writes files that contain the texts, and runs commands that print them."""
    said = texts((home / "texts.json").read_bytes())

    refused = session.rng.random() < 0.3  # characters that YAML rejects even as escapes

    def quoted(name: str) -> str:  # JSON is valid YAML
        text = said.get(name, name)
        return json.dumps(text if refused else MISLEADING.sub("", text))

    (home / "rules").mkdir(exist_ok=True)
    game = _GAME.format(title=quoted("title"), version=quoted("version"), doc=quoted("doc"))
    (home / "game.yaml").write_text(game, "utf-8")
    (home / "kinds.yaml").write_text(_KINDS, "utf-8")
    reason = "".join(c for c in said.get("reason", "too many") if c.isprintable() and c != '"')
    (home / "rules" / "play.rules").write_text(_RULES.format(reason=reason), "utf-8")
    header = {"rulespec_log": 1, "ruleset": "home", "ruleset_hash": said.get("hash", "0")}
    header |= {"seats": [said.get("seat", "A"), "B"], "settings": {}}
    moves = [{"decision": "turn", "by": said.get("seat", "A"), "option": said.get("option", "take(1)")}]
    lines = [header, *moves, {"decision": said.get("decision", "turn"), "by": "B", "option": "take(2)"}]
    log = home / _name(said.get("file", "log"), ".jsonl")
    foreign = home / _name(said.get("file", "log"), ".json")
    try:
        log.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        foreign.write_text(json.dumps([said, {"kind": said.get("title", ""), "data": said}]), "utf-8")
    except (OSError, UnicodeEncodeError):
        return
    ref = str(home)
    how = ("--format", session.rng.choice(("text", "json")))
    session.command("validate", ref, "--format", session.rng.choice(("text", "json", "github", "sarif")))
    session.command("replay", str(log), "--rules", ref, *how)
    session.command("replay", str(log), "--check", "--rules", ref, "--out", "out.jsonl")
    session.command("replay", str(foreign), *how)
    session.command("replay", str(log), "--under", ref, *how)
    session.command("identify", str(log), *how)
    session.command("diff", ref, "nim", *how)
    session.command("coverage", ref, str(log), *how)
    session.command("play", ref, "--players", "2", "--bots", "2", "--names", f"{said.get('seat', 'A')},B")
    session.command(*(text for text in (said.get("command", "replay"), said.get("file", "x")) if text not in ("lsp",)))


def _name(text: str, suffix: str) -> str:
    """A file name that contains a text."""
    return text.replace("/", "_").replace("\0", "_")[:100] + suffix
