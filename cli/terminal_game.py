"""A game being played at the terminal: its random numbers, its log with remarks, and a seat's view of it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from rulespec.bundles.rules import own_bundle
from rulespec.cli import output
from rulespec.documents.json_text import to_json_text
from rulespec.documents.written_files import write_text
from rulespec.engine.game.game import Game
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.logs.notes import MAX_REMARK
from rulespec.engine.logs.saved_game import SavedGame, SaveError
from rulespec.engine.logs.seat_log import is_whole, seat_log
from rulespec.engine.program.draws import Draws


class Chance:
    """The random numbers of a table, which are fixed for each decision, or redrawn after each undo.

    Args:
        seed: the seed of chance.
        redraw: whether undone decisions get new random numbers, so that the table continues as a different game.

    Attributes:
        seed: the seed of chance.
    """

    def __init__(self, seed: int, *, redraw: bool = False) -> None:
        self.seed = seed
        self._redraw = redraw
        self._game = 0
        self.draws = Draws(seed)

    def taken_back(self) -> None:
        """Records an undo; with `redraw`, further decisions get new random numbers."""
        if self._redraw:
            self._game += 1
            self.draws = Draws(self.seed, self._game)


def new_header(game: Game) -> LogHeader:
    """The header of a new log, with today's date."""
    date = datetime.now().astimezone().date().isoformat()
    return LogHeader.of(game, {"date": date}, bundle=own_bundle(game.ruleset))


def remark(saved: SavedGame | None, text: str, seat: str) -> None:
    """Adds a person's remark to the game's log, if there is one.

    Raises:
        SaveError: if writing fails.
    """
    if saved is None:
        output.echo("there is no log: start the game with `--log FILE` to keep one")
    elif not text or len(text) > MAX_REMARK:
        output.echo(f"write a remark of 1 to {MAX_REMARK:,} characters, such as `r well played`")
    else:
        saved.remark({"remark": text, "by": seat})
        output.echo("remarked")


def write_game(game: Game, path: Path, seat: str) -> bool:
    """Writes a game, or only the part that a seat sees, as a native log; keeps an existing file if writing fails.

    Returns whether the file was written.
    """
    if path.exists():
        output.echo(f"{path} already exists")
        return False
    try:
        if is_whole(game, seat):
            with SavedGame(path, secret=game.omniscient.secretive) as saved:
                saved.begin(new_header(game))
                saved.add(*game.omniscient.numbers.steps)
                saved.leave(game)
        else:
            lines = "".join(f"{to_json_text(x, plain=True)}\n" for x in seat_log(game, seat))
            write_text(path, lines, secret=True)
    except (SaveError, OSError) as error:
        output.echo(str(error))
        return False
    output.echo(f"written: {path}")
    return True
