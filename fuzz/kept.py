"""The cache folder of a stranger: a ruleset is checked and played with entries that anybody may have written."""

from __future__ import annotations

import os
from pathlib import Path

from fuzz.session import Session
from rulespec import cache
from rulespec.syntax.parser import parse_rules

FOLDER = Path("kept")


def forge(home: Path, session: Session) -> bool:
    """Puts `entry.json` where the tree of `rules/play.rules` belongs; whether there was something to put."""
    rules, entry = home / "rules" / "play.rules", home / "entry.json"
    if not rules.is_file() or not entry.is_file():
        return False
    try:
        text = rules.read_text("utf-8")
    except UnicodeDecodeError:
        return False
    os.environ["RULESPEC_CACHE"] = str(FOLDER.absolute())
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    body = entry.read_bytes()
    # Half of the entries have a right checksum: the others are damaged.
    head = cache.header(body) if session.rng.random() < 0.9 else cache.header(body[:-1])
    path = FOLDER / cache.key("tree", "rules", text.replace("\r\n", "\n") + "\n")
    path.write_bytes(head + b"\n" + body)
    path.chmod(0o600)
    tree = parse_rules(text, "play.rules", cached=True)
    session.said.add("as written" if tree == parse_rules(text, "play.rules") else "forged")
    return True
