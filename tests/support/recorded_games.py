"""The shipped games recorded at playimperial.club: their locations, and how to open them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from folders import GAMES

from rulespec.engine.dialects.dialect import Dialect, read_dialect
from rulespec.engine.dialects.first_entry import seats_and_settings
from rulespec.engine.dialects.foreign_log import ForeignLog, parse_foreign
from rulespec.engine.dialects.importer import Importer
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

IMPERIAL = GAMES / "imperial"
LOGS = IMPERIAL / "logs" / "playimperial"
FOLDERS = {
    LOGS: "imperial+playimperial",
    IMPERIAL / "logs" / "playimperial_2030": "imperial+playimperial_2030",
    GAMES / "imperial_2030" / "logs" / "playimperial": "imperial_2030+playimperial",
    GAMES / "imperial_asia" / "logs" / "playimperial": "imperial_asia+playimperial",
}
"""The folders of the site's recorded games, by rules."""
ALL = sorted(p for folder in FOLDERS for p in folder.glob("*.json") if p.stem != "quickstart")
BEGINNINGS = {"d004-no_investor_card-4p": 150, "u009-auction-5p": 100}
"""The number of shipped entries of long games, which are truncated."""
WHOLE = [p for p in ALL if p.stem not in BEGINNINGS]
IMPOSSIBLE = sorted((LOGS / "impossible").glob("*.json"))


@cache
def ruleset(ref: str = "imperial+playimperial") -> typed.Ruleset:
    return load_ruleset(f"{GAMES}/{ref}")


@cache
def dialect() -> Dialect:
    return read_dialect(IMPERIAL / "dialects" / "playimperial.yaml")


def opened(path: Path, backend: Backend = "python") -> tuple[Game, Importer, ForeignLog]:
    log = parse_foreign(path.read_text(encoding="utf-8"), str(path))
    ref = dialect().ruleset_for(log.entries[0])
    assert ref is not None
    seats, options = seats_and_settings(dialect(), log, ruleset(ref))
    game = Game(ruleset(ref), seats, options, backend)
    return game, Importer(game, dialect(), log), log


def folder_of(path: Path) -> Path:
    return path.parent.parent if path.parent.name == "impossible" else path.parent


def name_of(path: Path) -> str:
    return f"{path.relative_to(GAMES).parts[0]}-{path.stem}"
