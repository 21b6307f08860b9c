"""Forged cache entries: a ruleset is checked and played with entries that anybody could have written."""

from __future__ import annotations

import os
from hashlib import blake2b, sha256
from pathlib import Path

from fuzz.session import Session, Wrong
from rulespec import cache
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.kept_trees import parse_kept
from rulespec.documents.yaml_nodes import DEFAULT_LIMITS
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.syntax.parser import parse_rules

FOLDER = Path("kept")


def forge(home: Path, session: Session) -> bool:
    """Puts `entry.json` in place of the cached tree of `rules/play.rules`; returns whether both files exist.

    Raises:
        Wrong: if the parser returns another tree than that of the text.
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
    key = cache.key("tree", "rules", text.replace("\r\n", "\n") + "\n", rooms=cache.LANGUAGE)
    _put(entry.read_bytes(), key, session)
    if parse_rules(text, "play.rules", cached=True) != parse_rules(text, "play.rules"):
        raise Wrong("a forged entry is taken for the tree of the rules")
    _put(entry.read_bytes(), key, session)
    _forge_section(home, session)
    return True


def _put(body: bytes, key: str, session: Session) -> None:
    """Writes an entry with a first line that requires no key of this user, or with a signature of other content."""
    signed = key.encode() + b"\n" + body
    ways = {
        "a checksum": sha256(body).hexdigest().encode(),
        "another key": blake2b(signed, key=b"k" * 32, digest_size=32).hexdigest().encode(),
        "nothing": b"",
    }
    heads = {way: b"rulespec cache entry " + line for way, line in ways.items()}
    heads["of another name"] = cache.header(key[::-1], body)
    heads["of another value"] = cache.header(key, body + b" ")
    way = session.rng.choice(sorted(heads))
    session.said.add(way)
    path = FOLDER / key
    path.write_bytes(heads[way] + b"\n" + body)
    path.chmod(0o600)


def _forge_section(home: Path, session: Session) -> None:
    """Puts `section.json` in place of the cached tree of game.yaml."""
    section, game = home / "section.json", home / "game.yaml"
    if not section.is_file() or not game.is_file():
        return
    try:
        text = game.read_text("utf-8")
        written = parse_yaml(text, "game.yaml")
    except (UnicodeDecodeError, DiagnosticsError):
        return
    limits = f"{DEFAULT_LIMITS.depth} {DEFAULT_LIMITS.events}"
    _put(section.read_bytes(), cache.key("yaml", limits, text, rooms=cache.LANGUAGE), session)
    if parse_kept(text, "game.yaml") != written:
        raise Wrong("a forged entry is taken for the tree of game.yaml")
