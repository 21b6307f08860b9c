"""Non-interference of tables: where a viewer cannot tell two games apart, all its frames are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from secret_games import DECIDED, HIDING, IN_TURN, SECRETIVE, played, sabotaged, twins
from shipped import NAMES, loaded
from tables import frames_along, new_table, send, still_table, table_of

from rulespec.engine.game import visibility
from rulespec.engine.game.game import Game, game_at, seen_state
from rulespec.engine.game.state_json import ShownCells
from rulespec.engine.table import table_sight, taking_back, telling, viewing
from rulespec.typed.rule_traversal import may_hide

pytestmark = pytest.mark.usefixtures("known_rulesets")


@pytest.mark.proof
def test_all_games_with_secrets_are_compared() -> None:
    secretive = [name for name in NAMES if may_hide(loaded(name)[0])]
    assert secretive == SECRETIVE
    assert [name for name in secretive if "hide_cash" not in loaded(name)[0].settings] == DECIDED


@pytest.mark.parametrize("ref", IN_TURN)
@pytest.mark.sampled(2)
def test_games_that_look_the_same_give_the_same_frames(ref: str) -> None:
    pairs = twins(ref, range(6), 10)
    assert pairs
    for game, twin, seat in pairs[:1]:
        assert frames_along(game, seat) == frames_along(twin, seat)


def frame_at(game: Game, seat: str | None) -> Any:
    """The whole frame of a position without a past."""
    return still_table(game_at(game, game.omniscient.numbers.cells)).say(seat)


@pytest.mark.proof  # 0.8 s
@pytest.mark.parametrize("ref", HIDING)
def test_a_sabotaged_position_gives_the_same_frame(ref: str) -> None:
    changed = 0
    for seed in range(3):
        for moves in (20, 45):
            game, other = played(ref, seed, moves), played(ref, seed + 7, moves + 9)
            for seat in (*game.seats, None):
                twin = sabotaged(game, seat, other)
                changed += twin.omniscient.numbers.cells != game.omniscient.numbers.cells
                assert frame_at(twin, seat) == frame_at(game, seat)
    assert changed > 3


@pytest.mark.proof
@pytest.mark.parametrize("ref", DECIDED)
def test_long_games_that_look_the_same_give_the_same_frames(ref: str) -> None:
    for game, twin, seat in twins(ref, range(40), 200):
        assert frames_along(game, seat) == frames_along(twin, seat)


def everything(game: Game, seat: str | None) -> Any:
    return tuple(game.omniscient.numbers.cells[at] for at in game.omniscient.program.declared)


def all_moves(words: Any, game: Game, seat: Any, first: int, last: Any = None) -> Any:
    """Moves as the omniscient table has them."""
    for option in game.history[first:last]:
        yield telling.SeenMove(str(option), option.by, (), True)


LEAKS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "the whole state": (viewing, "seen_cells", everything),
    "moves as the table knows them": (viewing, "seen_moves", all_moves),
    "no masks": (visibility.Visibility, "unseen", lambda self, state, seat: {}),
    "options of who is asked": (viewing, "own_options", lambda game, seat: list(game.legal_options)),
}


@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.sampled(1)
def test_a_leak_is_found(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    refs = ("kuhn_poker", "liars_dice", "shadow_of_the_emperor")
    pairs = [pair for ref in refs for pair in twins(ref, range(2), 40)]
    monkeypatch.setattr(*LEAKS[leak])
    assert any(frames_along(game, seat) != frames_along(twin, seat) for game, twin, seat in pairs)


# --- what a viewer can ask for --------------------------------------------------------------------


@pytest.mark.parametrize("ref", IN_TURN)
@pytest.mark.sampled(1)
def test_answers_to_messages_are_the_same_where_games_look_the_same(ref: str) -> None:
    for game, twin, seat in twins(ref, range(6), 20)[:3]:
        texts = sorted({str(option) for option in [*game.legal_options, *twin.legal_options, *game.history[-5:]]})
        for text in texts:
            assert answer(game, seat, "take", text) == answer(twin, seat, "take", text)
        assert answer(game, seat, "undo") == answer(twin, seat, "undo")
        assert table_of(game.copy()).earlier(seat, 9) == table_of(twin.copy()).earlier(seat, 9)


def answer(game: Game, seat: str, do: str, option: str = "") -> Any:
    """The refusal of a message, or the frame after it, where no chance has come between."""
    one = table_of(game.copy())
    if one.game.ply != game.ply:  # a decision of chance was open, and was taken
        return None
    refusal = send(one, seat, do=do, option=option)
    frame = one.say(seat)
    return refusal, (frame if do == "undo" else None)


def test_no_refusal_quotes_what_is_hidden() -> None:
    one = new_table("kuhn_poker", 2)
    assert send(one, "B", do="take", option="deal(king)") is not None
    assert all("card" not in str(send(one, seat, do="take", option="deal(king)")) for seat in "AB")


def put_together(game: Game, cells: dict[str, Any]) -> dict[str, Any]:
    """The state of cells, as `table.js` puts it together."""
    entities: dict[str, Any] = {}
    pieces: dict[str, Any] = {}
    for number, (group, owner, name, place) in enumerate(ShownCells(game).names()):
        value = cells.get(str(number), {})
        if group != "pieces":
            fields = entities.setdefault(group, {}).setdefault(owner, {})
            fields |= {} if value == {} else {name: value}
        elif value not in ({}, 0):
            pieces.setdefault(name, {}).setdefault(owner, {})[place] = value
    return {"entities": entities, "pieces": pieces}


@pytest.mark.parametrize("ref", NAMES)
@pytest.mark.sampled(7)
def test_cells_are_the_state_of_a_view(ref: str) -> None:
    game = played(ref, 3, 40)
    for seat in (game.seats[0], None):
        frame, seen = still_table(game.copy()).say(seat), seen_state(game, seat)
        assert put_together(game, frame["cells"]) | {"counts": frame.get("counts", {})} == seen


def test_a_sight_counts_what_its_viewer_could_see_alone() -> None:
    seen = table_sight.TableSight()
    for _ in range(3):
        seen.begin()
        seen.part("asked", table_sight.packed({"text": "same"}))
    assert seen.serial == 1


def test_a_request_to_take_back_tells_each_seat_its_own_part(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    def learned(game: Game, seat: str, number: int) -> tuple[str, ...]:
        asked.append(seat)
        return ()

    monkeypatch.setattr(taking_back, "learned", learned)
    one = new_table("nim", 3)
    send(one, "A", do="take", option="take(1)")
    send(one, "B", do="take", option="take(1)")
    send(one, "A", do="undo")
    asked.clear()
    one.say("B")
    assert asked == ["B"]
