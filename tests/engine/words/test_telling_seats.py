"""Equal views give equal words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cases import small
from twins import observed, positions
from worlds import WORLD

from rulespec.engine.game import visibility
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import TakenBack
from rulespec.engine.words.changes import Changes
from rulespec.engine.words.moves import Moves
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words

SECRETS = """
--- rules/play.rules
procedure play():
    for p in player:
        roll deal(g in good private to p)
        set p.secret to g.index
    decide bidding together by p in player:
        option bid(k in 1 .. 2 private):
            set p.secret to p.secret + k
        option stay: pass
    let highest = max(q.secret for q in player)
    decide last by first(player):
        option rest: pass
        option tell(q in player) by q:
            require q.secret > 1         "S-01: not enough"
            set m to q.secret
    end game
--- titles.yaml
actor: "first(p in player where p.secret > 2)"
entities:
  claim: "claim of {claim.player.secret}"
options:
  deal.deal: "{p} is dealt {g}, number {g.index + 1}, and has {p.secret}"
  bidding.bid: {count: k, one: "bids one, with {decider} at {p.secret}", other: "bids {k}, {k + p.secret}"}
  bidding.stay: "stays with {p.secret}, all have {sum(q.secret for q in player)}"
  last.rest: "rests[ while the best has {highest}], {first(player).secret}, {first(claim)}"
  last.tell: "tells {q.secret} of {max(z.secret for z in player)}"
"""


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Game]:
    ruleset = small(tmp_path_factory.mktemp("words") / "small", SECRETS + WORLD)
    return lambda: Game(ruleset, ["A", "B"])


def words_for(game: Game, words: Words, seat: str | None) -> list[Any]:
    """All words for a seat: of the open decision, its options, the state, and the game so far."""
    narrator, view = Narrator(words, game, seat), game.view(seat)
    notes: list[Any] = [(narrator.option(o), narrator.move(o)) for o in (*view.options, *view.interrupts)]
    if game.decision is not None:
        notes.append((narrator.decision(game.decision), narrator.subject(game.decision)))
    notes.append(Changes(narrator).state())
    return [*notes, *Moves(words, game, seat=seat)]


def differences(make: Callable[[], Game], seat: str | None) -> tuple[int, int]:
    """The number of positions that look like another one to a seat, and of those whose words differ."""
    seen: dict[tuple[str, ...], list[Any]] = {}
    alike = different = 0
    words = Words(make().ruleset)
    for game in positions(make()):
        now = words_for(game, words, seat)
        first = seen.setdefault(observed(game, seat), now)
        alike += first is not now
        different += first != now
    return alike, different


@pytest.mark.proof  # 0.7 s
@pytest.mark.parametrize("seat", ["A", "B", None])
def test_what_looks_the_same_is_told_in_the_same_words(make: Callable[[], Game], seat: str | None) -> None:
    alike, different = differences(make, seat)
    assert alike > 50 and not different


@pytest.mark.parametrize("sabotage", ["cells", "arguments", "masks"])
@pytest.mark.sampled(1)
def test_a_leak_is_found(make: Callable[[], Game], monkeypatch: pytest.MonkeyPatch, sabotage: str) -> None:
    if sabotage == "cells":
        monkeypatch.setattr(visibility, "GuardedState", lambda state, unseen: list(state))
    elif sabotage == "arguments":
        monkeypatch.setattr(Moves, "__init__", _tells_all)
    else:
        monkeypatch.setattr(Changes, "snapshot", lambda self: _snapshot(self))
    assert differences(make, "B")[1]


_init = Moves.__init__


def _tells_all(moves: Moves, *args: Any, **named: Any) -> None:
    _init(moves, *args, **named)
    moves._seen = None


def _snapshot(changes: Changes) -> Any:
    from rulespec.engine.words.changes import Snapshot

    state = changes.narrator.game.omniscient.numbers.state
    return Snapshot(tuple(state), (), state.copy())


def test_a_seat_is_told_what_it_knows_itself(make: Callable[[], Game]) -> None:
    game = make()
    for text in ("deal(corn)", "deal(salt)", "bid(2)", "stay"):
        game.apply(game.parse(text))
    words = Words(game.ruleset)
    mine = [move.text for move in Moves(words, game, seat="A")]
    assert mine[:2] == [
        "A is dealt corn, number 1, and has 0",
        "B is dealt a hidden good, number a hidden number, and has a hidden number",
    ]
    assert "bids 2" in mine[2] and mine[3].endswith("stays with a hidden number, all have a hidden number")
    table = [move.text for move in Moves(words, game)]
    assert table[1] == "B is dealt salt, number 2, and has 0"


def test_a_seat_is_told_the_decisions_that_stand_after_fields_kept_what_they_held(make: Callable[[], Game]) -> None:
    game = make()
    first, second = (game.apply(game.parse(str(game.legal_options[0]))) for _ in range(2))
    back = TakenBack(1, keep=("player.secret",), set=(("m", 3),))
    game.omniscient.take_back(back)
    again = game.apply(game.parse(str(game.legal_options[1])))
    note = Moves(Words(game.ruleset), game, [first, second, back, again], "A")
    moves = list(note)
    assert [move.ply for move in moves] == [1, 2] and note.visible == [0, 3] and len(note) == 2
    assert note.game.hash == game.hash and note.game.omniscient.value("m") == "3"
    assert any("m: 0 → 3" in change.text for change in moves[1].changes)


def test_what_is_taken_back_at_the_end_is_made_unseen(make: Callable[[], Game]) -> None:
    game = make()
    first, second = (game.apply(game.parse(str(game.legal_options[0]))) for _ in range(2))
    back = TakenBack(1, set=(("m", 3),))
    game.omniscient.take_back(back)
    note = Moves(Words(game.ruleset), game, [first, second, back], "B")
    assert [move.ply for move in note] == [1] and note.game.hash == game.hash
