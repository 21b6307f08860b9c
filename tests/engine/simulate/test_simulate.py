"""Random playouts: reproducible, bounded, fair, and quick to see what is broken."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from folders import RULESETS

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.native import parse_log
from rulespec.engine.program.draws import Draws
from rulespec.engine.replay.replay import ReplayRequest, replay_log
from rulespec.engine.simulate.checked_playouts import Playout, choose, play_out, simulate
from rulespec.engine.simulate.game_plans import Outcome
from rulespec.engine.simulate.game_totals import Totals
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed


@cache
def ruleset(name: str) -> typed.Ruleset:
    return load_ruleset(str(RULESETS / name))


def outcome(playout: Playout) -> tuple[object, ...]:
    return (playout.number, playout.ending, playout.winners, playout.game.hash, [str(o) for o in playout.game.history])


@pytest.mark.parametrize("name", ["nim", "wager"])
def test_the_seed_decides(name: str) -> None:
    first = [outcome(p) for p in simulate(ruleset(name), [2, 3], 20, seed=1)]
    assert first == [outcome(p) for p in simulate(ruleset(name), [2, 3], 20, seed=1)]
    assert first != [outcome(p) for p in simulate(ruleset(name), [2, 3], 20, seed=2)]


def test_a_game_depends_on_its_number_and_not_on_those_before() -> None:
    whole = [outcome(p) for p in simulate(ruleset("wager"), [3], 10, seed=5)]
    assert outcome(play_out(Game(ruleset("wager"), seat_names(3)), 5, 7)) == whole[7]


def test_both_backends_play_the_same_games() -> None:
    generated = [outcome(p) for p in simulate(ruleset("wager"), [4], 10, seed=3)]
    assert generated == [outcome(p) for p in simulate(ruleset("wager"), [4], 10, seed=3, backend="interpreter")]


FIRST_GAME = "roll(star) bid(4) bid(0) give(B,A,1) nod roll(blank) bid(3) bid(0) nod roll(star) bid(0) bid(2) nod"


def test_the_games_are_those_of_every_machine_and_version() -> None:
    playout = play_out(Game(ruleset("wager"), ["A", "B"]), 20, 0)
    assert " ".join(str(o).replace(", ", ",") for o in playout.game.history) == FIRST_GAME


def test_numbers_of_players_take_turns() -> None:
    assert [len(p.game.seats) for p in simulate(ruleset("nim"), [2, 4], 5, seed=0)] == [2, 4, 2, 4, 2]


def test_a_long_game_is_given_up_at_the_cap() -> None:
    playout = play_out(Game(ruleset("nim"), ["A", "B"]), 0, 0, cap=2)
    assert (playout.decisions, playout.ending, playout.failure) == (2, None, None)
    totals = Totals()
    totals.add(Outcome.of(playout))
    assert totals.to_json()["capped"] == 1


def test_dice_fall_by_their_weights() -> None:
    game = Game(ruleset("wager"), ["A", "B"])
    draws = Draws(1)
    faces = Counter(str(choose(game, draws, at)) for at in range(6_000))
    assert {face: round(count / 1_000) for face, count in faces.items()} == {
        "roll(blank)": 1,
        "roll(star)": 3,
        "roll(sun)": 2,
    }


def test_people_choose_uniformly_and_seldom_out_of_turn() -> None:
    game = Game(ruleset("wager"), ["A", "B"], start="thanks(A)")
    draws = Draws(1)
    chosen = [choose(game, draws, at) for at in range(5_000)]
    results = Counter(option.interrupt for option in chosen if option is not None)
    assert 60 < results[True] < 140
    chosen = [choose(game, draws, at, interrupt_rate=0) for at in range(500)]
    assert not any(option.interrupt for option in chosen if option is not None)


def broken_ruleset(tmp_path: Path, old: str, new: str) -> typed.Ruleset:
    """Nim with a mistake in its rules."""
    folder = tmp_path / "nim"
    for file in ["game.yaml", "kinds.yaml", "tables.yaml", "setup.yaml", "rules/play.rules"]:
        text = (RULESETS / "nim" / file).read_text("utf-8")
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text.replace(old, new).replace("overlays: [tall]\n", ""), "utf-8")
    return load_ruleset(str(folder))


@pytest.mark.parametrize(
    "old, new, kind, detail",
    [
        ("+ stone.heap == stones", "+ stone.heap == stones or stone.heap < 5", "", ""),
        ("+ stone.heap == stones", "< 5", "invariant", "stones_stay: No stone is lost."),
        ("require n <= stone.heap", "require n <= 9", "fault", "play.rules:13:"),
        (
            "require n <= stone.heap",
            "require n + 1 < stone.heap",
            "no_option",
            "nothing is legal at the decision `turn`",
        ),
    ],
)
def test_what_is_broken_is_found(tmp_path: Path, old: str, new: str, kind: str, detail: str) -> None:
    broken = broken_ruleset(tmp_path, old, new)
    playouts = list(simulate(broken, [2], 30, seed=1))
    failures = [p.failure for p in playouts if p.failure is not None]
    assert {f.kind for f in failures} == ({kind} if kind else set())
    assert all(detail in f.detail for f in failures)


def test_a_failure_comes_with_its_log(tmp_path: Path) -> None:
    broken = broken_ruleset(tmp_path, "+ stone.heap == stones", "< 5")
    playout = next(p for p in simulate(broken, [2], 30, seed=1) if p.failure is not None)
    text = "".join(json.dumps(line) + "\n" for line in playout.log())
    assert len(parse_log(text, "log").entries) == playout.decisions
    (tmp_path / "log.jsonl").write_text(text, "utf-8")
    again = ReplayRequest(tmp_path / "log.jsonl", load=lambda _: broken).replay()
    assert again.game.hash == playout.game.hash
    assert again.game.omniscient.broken_invariants() == ["stones_stay: No stone is lost."]


def test_totals() -> None:
    totals = Totals()
    for playout in simulate(ruleset("nim"), [2], 40, seed=9):
        totals.add(Outcome.of(playout))
    data = totals.to_json()
    assert data["games"] == sum(data["endings"].values()) == 40
    assert sum(seat["wins"] for seat in data["seats"].values()) == pytest.approx(40)
    assert sum(seat["mean_score"] for seat in data["seats"].values()) == pytest.approx(9)
    assert 3 <= data["decisions"]["least"] <= data["decisions"]["median"] <= data["decisions"]["most"] <= 9


def test_the_log_of_a_simulated_game_names_its_generator(tmp_path: Path) -> None:
    lines = play_out(Game(ruleset("nim"), ["A", "B"]), 1, 0).log()
    assert lines[0]["random"] == "splitmix64-1"
    path, again = tmp_path / "game.jsonl", tmp_path / "again.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    result = replay_log(path, rules=str(RULESETS / "nim"))
    assert result.divergence is None and result.random == "splitmix64-1"
    result.write_native(again)
    header = json.loads(again.read_text("utf-8").splitlines()[0])
    assert header.pop("bundle") and header == lines[0]


@pytest.mark.parametrize("name", [7, None, ["splitmix64-1"], "\x1b[2J", "x" * 81])
def test_a_generator_of_a_log_is_a_name(name: object, tmp_path: Path) -> None:
    header, *rest = play_out(Game(ruleset("nim"), ["A", "B"]), 1, 0).log()
    path = tmp_path / "game.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in [header | {"random": name}, *rest]), "utf-8")
    with pytest.raises(DiagnosticsError) as error:
        replay_log(path, rules=str(RULESETS / "nim"))
    assert [each.code for each in error.value.diagnostics] == ["RS607"]
