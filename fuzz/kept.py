"""The cache folder of a stranger: a ruleset is checked and played with entries that anybody may have written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from fuzz.session import Session, Wrong
from rulespec import cache
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.kept_trees import parse_kept
from rulespec.documents.nodes import Mapping, Node, Sequence, to_plain
from rulespec.documents.reader import parse_yaml
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_rules

FOLDER = Path("kept")


def forge(home: Path, session: Session) -> bool:
    """Puts `entry.json` where the tree of `rules/play.rules` belongs; whether there was something to put.

    Raises:
        Wrong: if another tree than that of the text comes of it.
    """
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
    _put(body, cache.key("tree", "rules", text.replace("\r\n", "\n") + "\n", rooms=cache.LANGUAGE), session)
    tree, written = parse_rules(text, "play.rules", cached=True), parse_rules(text, "play.rules")
    session.said.add("as written" if tree == written else "other places")
    if _meaning(tree) != _meaning(written):
        raise Wrong("a forged entry is taken for the tree of the rules")
    _forge_section(home, session)
    return True


def _put(body: bytes, key: str, session: Session) -> None:
    """Writes an entry; one in ten has a wrong checksum."""
    head = cache.header(body) if session.rng.random() < 0.9 else cache.header(body[:-1])
    path = FOLDER / key
    path.write_bytes(head + b"\n" + body)
    path.chmod(0o600)


def _forge_section(home: Path, session: Session) -> None:
    """Puts `section.json` where the tree of game.yaml belongs."""
    section, game = home / "section.json", home / "game.yaml"
    if not section.is_file() or not game.is_file():
        return
    try:
        text = game.read_text("utf-8")
        written = parse_yaml(text, "game.yaml")
    except (UnicodeDecodeError, DiagnosticsError):
        return
    _put(section.read_bytes(), cache.key("yaml", text, rooms=cache.LANGUAGE), session)
    if _in_order(parse_kept(text, "game.yaml")) != _in_order(written):
        raise Wrong("a forged entry is taken for the tree of game.yaml")


def _meaning(node: Any) -> Any:
    """A tree without its places."""
    if type(node) is tuple:
        return tuple(_meaning(each) for each in node)
    if type(node) in ast.NODES:
        return (type(node), *(_meaning(getattr(node, f)) for f in node.__struct_fields__ if f != "span"))
    return node


def _in_order(node: Node) -> Any:
    """A tree of YAML as plain data, in which the order of keys counts."""
    if isinstance(node, Mapping):
        return [(key, _in_order(value)) for key, (_, value) in node.entries.items()]
    return [_in_order(item) for item in node.items] if isinstance(node, Sequence) else to_plain(node)
