"""Tables that show everybody all after the end: nothing before it, everything then, and never without that choice."""

from __future__ import annotations

from typing import Any

import pytest
from secret_games import HIDING, IN_TURN, SHORT, played, sabotaged, twins
from shipped import loaded
from tables import FRAME, new_table, proceed, send, still_table
from tables import frames_along as along

from rulespec.engine.game.game import Game, game_at, hidden_paths, seen_events
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.table.messages import MessageRefusal
from rulespec.engine.table.viewing import TableStanding
from rulespec.engine.words.moves import Moves
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")


def ended(ref: str, seed: int) -> Game:
    """A game that was played at random to its end."""
    ruleset = loaded(ref)[0] if ref in SHORT else load_ruleset(ref)
    settings = {"hide_cash": "true"} if "hide_cash" in ruleset.settings else {}
    game, draws = Game(ruleset, "ABCDEF"[: max(2, ruleset.players[0])], settings), Draws(seed)
    while (option := choose(game, draws, interrupt_rate=0.0)) is not None:
        game.apply(option)
    assert game.is_over
    return game


def with_hidden(ref: str) -> Game:
    """A game of whose moves something is hidden at the end."""
    return next(game for seed in range(60) if "?" in str(game_events(game := ended(ref, seed))))


def game_events(game: Game) -> list[str | None]:
    return [event.option for event in seen_events(game, None, 0)]


def texts(moves: dict[str, Any]) -> dict[str, str]:
    """Number of a move → its sentence."""
    return {number: move["text"] for number, move in moves.items()}


def frame_at(game: Game, seat: str | None, reveals: bool) -> Any:
    frame = still_table(game_at(game, game.omniscient.numbers.cells), reveals=reveals).say(seat)
    FRAME.validate(frame)
    return frame


@pytest.mark.parametrize("ref", [ref if ref in SHORT else pytest.param(ref, marks=pytest.mark.proof) for ref in HIDING])
def test_until_the_end_a_table_that_reveals_shows_no_more(ref: str) -> None:
    for seed in range(2):
        game, other = played(ref, seed, 20), played(ref, seed + 7, 29)
        for seat in (*game.seats, None):
            frame = frame_at(game, seat, True)
            assert frame == frame_at(sabotaged(game, seat, other), seat, True)
            assert frame["reveals"] and frame == {**frame_at(game, seat, False), "reveals": True}


@pytest.mark.parametrize("ref", IN_TURN)
@pytest.mark.sampled(2)
def test_games_that_look_the_same_give_the_same_frames_until_the_end(ref: str) -> None:
    for game, twin, seat in twins(ref, range(4), 12)[:2]:
        assert along(game, seat, reveals=True) == along(twin, seat, reveals=True)


def test_a_leak_before_the_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TableStanding, "eyes", lambda self, viewer: OMNISCIENT if self.reveals else viewer)
    game, other = played("kuhn_poker", 0, 20), played("kuhn_poker", 7, 29)
    differs = [frame_at(game, seat, True) != frame_at(sabotaged(game, seat, other), seat, True) for seat in "AB"]
    assert any(differs)


@pytest.mark.parametrize("ref", SHORT)
def test_after_the_end_all_stays_hidden_that_was(ref: str) -> None:
    game, other = with_hidden(ref), played(ref, 3, 30)
    table = still_table(game.copy())
    for seat in (*game.seats, None):
        assert frame_at(game, seat, False) == frame_at(sabotaged(game, seat, other), seat, False)
        assert table.say(seat)["reveals"] is False
    assert still_table(game).say(None)["moves"] != still_table(game, reveals=True).say(None)["moves"]


@pytest.mark.parametrize("ref", SHORT)
def test_after_the_end_everybody_sees_everything(ref: str) -> None:
    """The cells are those of the state, and no argument of a move is hidden."""
    game = with_hidden(ref)
    table = still_table(game, reveals=True)
    frames = [table.say(viewer) for viewer in (*game.seats, None)]
    for frame in frames:
        FRAME.validate(frame)
        assert frame["cells"] == frames[0]["cells"] and frame["moves"] == frames[0]["moves"]
        assert {} not in frame["cells"].values()
    whole = {str(n): move.text for n, move in enumerate(Moves(Words(game.ruleset), game))}
    assert texts(frames[0]["moves"]["texts"]) == whole
    earlier = [texts(each.earlier(None, game.ply)["earlier"]) for each in (table, still_table(game))]
    assert earlier[0] == whole != earlier[1]


@pytest.mark.parametrize("ref", SHORT)
@pytest.mark.parametrize("reveals", [False, True])
def test_the_last_decision_opens_earlier_moves_in_the_difference(ref: str, reveals: bool) -> None:
    """Whoever looks on has had them without what is hidden."""
    game = with_hidden(ref)
    last = game.undo()
    table = still_table(game, reveals=reveals)
    first = table.say(None)
    before, serial = texts(first["moves"]["texts"]), first["serial"]
    whole = [move.text for move in Moves(Words(game.ruleset), game)]
    hidden = {number for number, text in before.items() if text != whole[int(number)]}
    assert hidden
    table.played.take(game.parse(str(last), last.by))
    proceed(table)
    now = texts(table.say(None, serial)["moves"]["texts"])
    assert hidden <= now.keys() if reveals else not hidden & now.keys()
    whole = [move.text for move in Moves(Words(game.ruleset), game)]
    assert all(text == whole[int(number)] for number, text in now.items() if reveals)


def test_cells_that_are_hidden_at_the_end_are_shown_then() -> None:
    """Nobody else sees cash and bid of a player of `wager`."""
    game = ended("wager", 1)
    hides, reveals = still_table(game.copy()), still_table(game.copy(), reveals=True)
    for viewer, hidden in (("A", 2), ("B", 2), (None, 4)):
        assert len(hidden_paths(game, viewer)) == hidden
        assert len(reveals.say(viewer)["cells"]) - len(hides.say(viewer)["cells"]) == hidden
        assert reveals.say(viewer)["cells"] == reveals.say("A")["cells"]


def test_nothing_is_taken_back_when_all_has_been_shown() -> None:
    for reveals in (False, True):
        table = still_table(with_hidden("kuhn_poker"), reveals=reveals)
        refusal = send(table, "A", do="undo")
        assert refusal == (MessageRefusal("everything has been shown: nothing can be taken back") if reveals else None)
        assert (table.say("B")["undo"] is None) == reveals


def test_it_is_chosen_before_anybody_decides() -> None:
    table = new_table("kuhn_poker", 2)
    assert table.say("A")["reveals"] is False
    for reveals in (True, False, True):
        assert table.set_reveals(reveals) is None
        proceed(table)
        assert [table.say(viewer)["reveals"] for viewer in ("A", "B", None)] == [reveals] * 3
    send(table, "A", do="take", option=table.say("A")["options"][0]["text"])
    assert table.set_reveals(False) is not None and table.say("B")["reveals"]


def test_a_choice_of_a_round_is_a_decision() -> None:
    table = new_table("wager", 3)
    send(table, "C", do="take", option="bid(1)")
    assert table.set_reveals(True) is not None


@pytest.mark.parametrize("ref", ["nim", "connect_four"])
def test_a_game_that_hides_nothing_says_nothing_of_it(ref: str) -> None:
    table = new_table(ref, 2, reveals=True)
    assert table.say("A")["reveals"] is False and not table.is_revealed
