"""Commands for a seat: where it has seen the same they say the same, and a leak in any of them is found."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from rulespec.cli.main import cli
from rulespec.engine.game import game as games
from rulespec.engine.game import views
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option
from rulespec.engine.game.refusal import refused
from rulespec.engine.game.state_json import state_json
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.words.changes import Changes, Snapshot
from rulespec.load import load_ruleset

Say = Callable[[Path], str]


def hand(folder: Path, other: str) -> Path:
    """The log of a hand of Kuhn poker: Ann has the queen, and is to act."""
    folder.mkdir(parents=True)
    game = Game(load_ruleset("kuhn_poker"), ["Ann", "Bob"])
    with LogWriter(folder / "log.jsonl", LogHeader.of(game)) as log:
        for text in ("deal(queen)", f"deal({other})"):
            log.add(game.apply(game.parse(text)))
    return folder


def invoke(folder: Path, *args: str, stdin: str = "") -> str:
    result = CliRunner().invoke(
        cli, [a.replace("@", f"{folder}/") for a in args], input=stdin.replace("@", f"{folder}/")
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return str(result.output).replace(str(folder), "")


def _play(folder: Path) -> str:
    commands = ["s", "h", "p", "o", "w @ann.jsonl", "99", "deal(jack)", "Bob: bet", "Bob: leave_it", "B", "leave_it(2)"]
    args = ("play", "kuhn_poker", "--players", "2", "--seed", "7", "--log", "@log.jsonl")
    note = invoke(folder, *args, stdin="\n".join(commands))
    return note + (folder / "ann.jsonl").read_text("utf-8")


def _draw(folder: Path) -> str:
    return (
        invoke(folder, "draw", "@log.jsonl", "--for", "Ann", "--out", "@board.svg") + (folder / "board.svg").read_text()
    )


def _view(folder: Path) -> str:
    return (
        invoke(folder, "view", "@log.jsonl", "--for", "Ann", "--out", "@page.html") + (folder / "page.html").read_text()
    )


COMMANDS: dict[str, Say] = {
    "log": lambda folder: invoke(folder, "log", "@log.jsonl", "--for", "Ann"),
    "replay": lambda folder: (
        invoke(folder, "replay", "@log.jsonl", "--moves", "--for", "Ann")
        + invoke(folder, "replay", "@log.jsonl", "--moves", "--for", "Ann", "--format", "json")
    ),
    "play": _play,
    "draw": _draw,
    "view": _view,
}


def telling(folder: Path) -> set[str]:
    """The commands that tell Ann whether Bob has the king or the jack."""
    return {
        name
        for name, say in COMMANDS.items()
        if say(hand(folder / name / "one", "king")) != say(hand(folder / name / "other", "jack"))
    }


def test_what_looks_the_same_is_told_the_same(tmp_path: Path) -> None:
    assert telling(tmp_path) == set()


_view_of = games.view_of


def _all_state(game: Game, seat: str | None, since: int = 0) -> views.View:
    return replace(_view_of(game, seat), state=state_json(game))


def _all_history(game: Game, seat: str | None, since: int = 0) -> views.View:
    events = [
        replace(event, option=str(o)) for event, o in zip(_view_of(game, seat).history, game.history, strict=True)
    ]
    return replace(_view_of(game, seat), history=tuple(events))


def _unhidden(self: Changes) -> Snapshot:
    state = self.narrator.game.omniscient.numbers.state
    return Snapshot(tuple(state), (), state.copy())


def _explained(self: Game, option: Option, seat: str | None = "") -> Any:
    return refused(str(list(map(str, self.history))))


def _as_often_as_dealt(game: Game) -> list[Option]:
    """An option, as often as the number of the card that was dealt last."""
    return [*every_option(game)][:1] * (1 + sum(game.history[-1].args))


SABOTAGE: dict[str, tuple[str, str, Any, set[str]]] = {
    "state in views": ("rulespec.engine.game.game", "view_of", _all_state, {"draw"}),
    "state in words": ("rulespec.engine.words.changes.Changes", "snapshot", _unhidden, {"play", "replay"}),
    "history in views": ("rulespec.engine.game.game", "view_of", _all_history, {"play", "log", "view", "replay"}),
    "a whole log that play writes": ("rulespec.cli.terminal_game", "is_whole", lambda game, seat: True, {"play"}),
    "what play lists": ("rulespec.cli.people", "every_option", _as_often_as_dealt, {"play"}),
    "why play refuses": ("rulespec.engine.game.game.Game", "why_not", _explained, {"play"}),
    "the whole state as JSON": ("rulespec.cli.replay", "seen_json", lambda result, _: result.to_json(), {"replay"}),
    "positions that a hint is from": (
        "rulespec.engine.bots.bot_seats.BotSeats",
        "_all_seen",
        lambda self, game: True,
        {"play"},
    ),
    "a picture of the table": ("rulespec.cli.draw", "_seen", lambda game, seat: game, {"draw"}),
}
"""Leaks to detect: place, name, replacement, and the commands that show the leak."""


@pytest.mark.parametrize("leak", SABOTAGE)
@pytest.mark.sampled(2)
def test_a_leak_is_found(leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, other, commands = SABOTAGE[leak]
    module, _, inner = where.rpartition(".") if where.rpartition(".")[2][0].isupper() else (where, "", "")
    owner = importlib.import_module(module)
    monkeypatch.setattr(getattr(owner, inner) if inner else owner, name, other)
    assert telling(tmp_path) >= commands
