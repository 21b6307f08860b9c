"""Migration of recorded games to changed rules: faithful, with other numbers, or kept with the first cause."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cases import small
from folders import GAMES
from jsonschema import Draft202012Validator

from rulespec.cli.main import run
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.migrate.migrate import Migrated, Verdict, migrate
from rulespec.engine.migrate.proposals import proposed
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema

BEGIN = """\
--- game.yaml
id: fair
title: Fair
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {state: {coins: {type: int, start: 20}, goods: {type: int}, happy: {type: bool}}}
  stall: {state: {sold: {type: int}}, entities: {fish: {}, fruit: {}}}
--- tables.yaml
constants: {price: 2, limit: 3}
--- rules/play.rules
"""
PLAIN = """\
procedure play():
    for p in player:
        buy(p)
        rest(p)
    end game

procedure buy(p: player):
    decide purchase by p:
        option take(s in stall, n in 1 .. 5):
            require n <= limit "FAIR-1: not so many"
            set s.sold to s.sold + n
            set p.goods to p.goods + n
            set p.coins to p.coins - n * price
        option nothing:
            pass

procedure rest(p: player):
    decide evening by p:
        option sing:
            set p.happy to true
        option sleep:
            pass

scoring p in player:
    score p.coins + 3 * p.goods
"""
SWAPPED = ("        buy(p)\n        rest(p)\n", "        rest(p)\n        buy(p)\n")
CHANGES = {
    "the same rules": ("", ""),
    "another order of parameters": ("take(s in stall, n in 1 .. 5)", "take(n in 1 .. 5, s in stall)"),
    "a question with two answers more": (
        "        rest(p)\n",
        "        haggle(p)\n        rest(p)\n",
    ),
    "a phase with one answer": (
        "    end game\n",
        "    for p in player:\n        decide closing by p:\n            option close:\n                pass\n"
        "    end game\n",
    ),
    "questions in another order": SWAPPED,
    "a question less": ("        rest(p)\n", ""),
    "a question that is gone": ("        rest(p)\n", ""),
    "a lower limit": ("n <= limit", "n <= limit - 1"),
    "a higher limit": ("n <= limit", "n <= limit + 1"),
    "another price": ("n * price", "n * (price + 1)"),
    "an option less": ("        option nothing:\n            pass\n", ""),
    "an end earlier": ("        rest(p)\n    end game\n", "        rest(p)\n        end game\n"),
}
HAGGLE = """
procedure haggle(p: player):
    decide haggling by p:
        option beg:
            set p.coins to p.coins + 1
        option smile:
            pass
"""


def changed(folder: Path, change: str) -> str:
    """The rules with one change."""
    old, new = CHANGES[change]
    assert old in PLAIN
    rules = (PLAIN.replace(old, new, 1) if old else PLAIN) + HAGGLE
    if change == "a question that is gone":
        rules = rules[: rules.index("procedure rest")] + rules[rules.index("scoring") :]
    small(folder, BEGIN + rules)
    return str(folder)


def recorded(folder: Path, decisions: list[str]) -> Path:
    """A game under the original rules, as a log."""
    small(folder / "fair", BEGIN + PLAIN + HAGGLE)
    game = Game(load_ruleset(str(folder / "fair")), ["Ann", "Bob"])
    for text in decisions:
        game.apply(game.parse(text))
    write_log(folder / "game.jsonl", game)
    return folder / "game.jsonl"


BUSY = ["take(fish, 3)", "sing", "take(fruit, 1)", "sleep"]
QUIET = ["nothing", "sleep", "take(fish, 2)", "sleep"]


def carried(tmp_path: Path, decisions: list[str], change: str) -> Migrated:
    replay = replay_log(recorded(tmp_path, decisions))
    return migrate(replay, load_ruleset(changed(tmp_path / "changed", change)))


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    "change, verdict, cause",
    [
        ("the same rules", "faithful", None),
        ("another order of parameters", "faithful", None),
        ("a question with two answers more", "faithful", None),
        ("a phase with one answer", "faithful", None),
        ("questions in another order", "faithful", None),
        ("a question less", "kept", "the open decision is `purchase`, not `evening`"),
        ("a question that is gone", "kept", "`evening` is no longer asked, but it changed the game"),
        ("a lower limit", "kept", "FAIR-1: not so many"),
        ("a higher limit", "faithful", None),
        ("another price", "numbers", "`player.Ann.coins` differs"),
        ("an option less", "faithful", None),
        ("an end earlier", "kept", "the game ends earlier"),
    ],
)
def test_verdicts(change: str, verdict: str, cause: str | None, tmp_path: Path) -> None:
    result = carried(tmp_path, BUSY, change)
    assert (str(result.verdict), result.cause and result.cause.reason) == (verdict, cause)


@pytest.mark.parametrize(
    "change, verdict, cause",
    [
        ("a question less", "faithful", None),
        ("a question that is gone", "faithful", None),
        ("a lower limit", "faithful", None),
        ("another price", "numbers", "`player.Bob.coins` differs"),
        ("an option less", "kept", "this decision has no option `nothing`"),
    ],
)
def test_what_a_game_has_met_counts(change: str, verdict: str, cause: str | None, tmp_path: Path) -> None:
    result = carried(tmp_path, QUIET, change)
    assert (str(result.verdict), result.cause and result.cause.reason) == (verdict, cause)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("decisions", [BUSY, QUIET], ids=["busy", "quiet"])
@pytest.mark.sampled(7)
def test_no_decision_of_a_person_is_dropped_or_chosen(change: str, decisions: list[str], tmp_path: Path) -> None:
    replay = replay_log(recorded(tmp_path, decisions))
    result = migrate(replay, load_ruleset(changed(tmp_path / "changed", change)))
    if result.verdict is Verdict.STAYS:
        return
    taken = {p.source: p.move for p in result.walk.moves if p.source is not None and isinstance(p.move, Option)}
    for number, move in enumerate(replay.moves):
        assert isinstance(move, Option)
        if number in taken:
            other = taken[number]
            assert (other.decision, other.name, other.by) == (move.decision, move.name, move.by)
            assert other.arguments == {name: move.arguments[name] for name in other.arguments}
        else:  # dropped: it changed nothing known to the changed rules
            assert move.decision == "evening" and str(move) == "sleep"
    # An inserted answer leaves the shared state unchanged, or is the only one.
    assert all(answer.why == "state" for answer in result.walk.answers)
    assert {a.option for a in result.walk.answers} <= {"smile"}


def test_a_carried_game_replays_strictly_and_its_notes_stay(tmp_path: Path) -> None:
    log = recorded(tmp_path, BUSY)
    lines = log.read_text("utf-8").splitlines()
    lines[2] = json.dumps(json.loads(lines[2]) | {"remark": "a song"})
    log.write_text("\n".join(lines) + "\n", "utf-8")
    to = changed(tmp_path / "changed", "a question with two answers more")
    assert run(["migrate", str(log), "--to", to, "--out", str(tmp_path / "carried")]) == 0
    replay = replay_log(tmp_path / "carried" / "game.jsonl", rules=to)
    assert replay.divergence is None and replay.other_end is None
    assert [str(move) for move in replay.moves] == [BUSY[0], "smile", BUSY[1], BUSY[2], "smile", BUSY[3]]
    assert replay.native is not None
    assert [n["remark"] for n in replay.native.notes.values() if "remark" in n] == ["a song"]
    assert replay.native.notes[4]["remark"] == "a song"


RENAMED = {
    "an option": ("option sing", "option whistle", "evening.whistle: sing"),
    "a decision": ("decide evening", "decide night", "night: evening"),
    "an entity": ("fish", "herring", "stall.herring: fish"),
    "an option with parameters": ("option take(", "option grab(", "purchase.grab: take"),
}


def renamed(folder: Path, change: str, was: bool) -> str:
    old, new, line = RENAMED[change]
    text = (BEGIN + PLAIN + HAGGLE).replace(old, new)
    small(folder, text.replace("start: play\n", f"start: play\nwas: {{{line}}}\n") if was else text)
    return str(folder)


@pytest.mark.parametrize("change", RENAMED)
def test_what_is_renamed_is_carried_if_its_former_name_is_declared(change: str, tmp_path: Path) -> None:
    replay = replay_log(recorded(tmp_path, BUSY))
    known = load_ruleset(renamed(tmp_path / "known", change, was=True))
    result = migrate(replay, known)
    assert (result.verdict, result.cause) == (Verdict.FAITHFUL, None)
    undeclared = migrate(replay, load_ruleset(renamed(tmp_path / "unknown", change, was=False)))
    # Decisions are identified by their options.
    assert undeclared.verdict is (Verdict.FAITHFUL if change == "a decision" else Verdict.STAYS)
    assert known.hash == load_ruleset(str(tmp_path / "unknown")).hash  # no game depends on former names


def test_former_names_are_of_what_there_is_and_not_names_of_today(tmp_path: Path) -> None:
    text = (BEGIN + PLAIN + HAGGLE).replace("start: play\n", "start: play\nwas: {haggling: evening}\n")
    with pytest.raises(DiagnosticsError, match="`evening` is in use"):
        small(tmp_path / "again", text)
    with pytest.raises(DiagnosticsError, match="a former name is given for `night`, which does not exist"):
        small(tmp_path / "nothing", text.replace("haggling: evening", "night: evening"))


# --- the command ------------------------------------------------------------------------------------------------------


def test_games_whose_numbers_differ_are_carried_only_if_that_is_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, to = recorded(tmp_path, BUSY), changed(tmp_path / "changed", "another price")
    assert run(["migrate", str(log), "--to", to, "--out", str(tmp_path / "one")]) == 1
    out = capsys.readouterr().out
    assert "numbers, after 1 of 4 decisions: `player.Ann.coins` differs" in out
    assert list((tmp_path / "one").iterdir()) == []
    assert run(["migrate", str(log), "--to", to, "--out", str(tmp_path / "two"), "--allow", "numbers"]) == 0
    assert replay_log(tmp_path / "two" / "game.jsonl", rules=to).divergence is None


def test_originals_are_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, to = recorded(tmp_path, BUSY), changed(tmp_path / "changed", "the same rules")
    before = log.read_bytes()
    assert run(["migrate", str(log), "--to", to, "--out", str(tmp_path)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert log.read_bytes() == before


def test_causes_are_grouped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = tmp_path / "games"
    games.mkdir()
    for name, decisions in (("a", BUSY), ("b", BUSY), ("c", QUIET)):
        recorded(tmp_path, decisions).rename(games / f"{name}.jsonl")
    (games / "torn.json").write_text("{", "utf-8")
    to = changed(tmp_path / "changed", "a lower limit")
    assert run(["migrate", str(games), "--to", to]) == 2
    out = capsys.readouterr().out
    assert "4 games: 1 faithful, 2 kept, 1 not read" in out
    assert "  2 games kept: FAIR-1: not so many" in out
    assert f"    for example {games / 'a.jsonl'}, where Ann: take(fish, 3)" in out
    assert run(["migrate", str(games), "--to", to, "--format", "json"]) == 2
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    Draft202012Validator(load_schema("migrate")).validate(data)
    assert data["totals"] == {"faithful": 1, "numbers": 0, "kept": 2}
    [cause] = data["causes"]
    assert (cause["rules"], cause["games"]) == (["FAIR-1"], 2)


def test_a_log_that_is_not_legal_under_its_own_rules_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = recorded(tmp_path, BUSY)
    log.write_text(log.read_text("utf-8").replace("take(fish, 3)", "take(fish, 5)"), "utf-8")
    assert run(["migrate", str(log), "--to", str(tmp_path / "fair")]) == 2
    assert "breaks its own rules" in capsys.readouterr().out


@pytest.mark.proof
def test_shipped_games_stay_as_they_are_under_their_own_rules() -> None:
    for log in ("imperial:quickstart", "tetrarchia:diarchia/random", "chess:mate"):
        replay = replay_log(log)
        assert migrate(replay, load_ruleset(replay.game.ruleset.reference)).verdict is Verdict.FAITHFUL
    logs = GAMES / "imperial" / "logs"
    foreign = replay_log(logs / "playimperial" / "u000-standard-3p.json")  # with undone decisions
    result = migrate(foreign, foreign.game.ruleset)
    assert result.verdict is Verdict.FAITHFUL


# --- former names that are proposed -----------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [change for change in RENAMED if change != "a decision"])
@pytest.mark.sampled(1)
def test_the_line_that_makes_all_games_faithful_is_proposed(
    change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "games"
    games.mkdir()
    for name, decisions in (("a", BUSY), ("b", QUIET), ("c", BUSY)):
        recorded(tmp_path, decisions).rename(games / f"{name}.jsonl")
    to = renamed(tmp_path / "changed", change, was=False)
    for jobs in ("1", "2"):
        assert run(["migrate", str(games), "--to", to, "--format", "json", "--jobs", jobs]) == 1
        data = json.loads(capsys.readouterr().out)
        assert data["proposed"] == [RENAMED[change][2]]
        assert data["totals"]["kept"] >= 1
    declared = renamed(tmp_path / "declared", change, was=True)
    assert run(["migrate", str(games), "--to", declared, "--out", str(tmp_path / "out"), "--jobs", "2"]) == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.jsonl", "b.jsonl", "c.jsonl"]


def test_several_lines_are_proposed_together(tmp_path: Path) -> None:
    text = (BEGIN + PLAIN + HAGGLE).replace("option sing", "option whistle").replace("fish", "herring")
    small(tmp_path / "changed", text)
    replay = replay_log(recorded(tmp_path, BUSY))
    lines = [each.line for each in proposed([replay], load_ruleset(str(tmp_path / "changed")))]
    assert sorted(lines) == ["evening.whistle: sing", "stall.herring: fish"]


@pytest.mark.parametrize("change", ["a lower limit", "another price", "an option less"])
def test_nothing_is_proposed_where_no_name_has_changed(change: str, tmp_path: Path) -> None:
    replay = replay_log(recorded(tmp_path, BUSY))
    ruleset = load_ruleset(changed(tmp_path / "changed", change))
    if migrate(replay, ruleset).verdict is Verdict.STAYS:
        assert proposed([replay], ruleset) == []


def test_what_fits_in_two_ways_is_not_proposed(tmp_path: Path) -> None:
    text = (BEGIN + PLAIN + HAGGLE).replace("option sing", "option whistle")
    twice = text.replace(
        "        option sleep:", "        option hum:\n            set p.happy to true\n        option sleep:"
    )
    assert twice != text
    small(tmp_path / "changed", twice)
    replay = replay_log(recorded(tmp_path, BUSY))
    assert proposed([replay], load_ruleset(str(tmp_path / "changed"))) == []


DINNER = """\
procedure play():
    for p in player:
        dine(p)
    end game

procedure dine(p: player):
    set p.goods to p.goods + 2
    repeat at most 3:
        decide dinner by p:
            option eat:
                require p.goods > 0
                set p.goods to p.goods - 1
            option leave:
                leave

scoring p in player:
    score p.goods
"""
SEATING = "    decide seating by p:\n        option sit:\n            pass\n"


def test_decisions_after_which_the_state_is_that_before_a_new_question_are_not_gone(tmp_path: Path) -> None:
    """Two players have eaten before the new question, as if the game had run ahead of them."""
    plain, asking = tmp_path / "plain", tmp_path / "asking"
    small(plain, BEGIN + DINNER)
    small(asking, BEGIN + DINNER.replace("    set p.goods to p", SEATING + "    set p.goods to p", 1))
    game, dinner = Game(load_ruleset(str(plain)), ["Ann", "Bob"]), ["eat", "eat", "leave"]
    for text in [*dinner, *dinner]:
        game.apply(game.parse(text))
    write_log(tmp_path / "game.jsonl", game)
    result = migrate(replay_log(tmp_path / "game.jsonl"), load_ruleset(str(asking)))
    assert (result.verdict, result.cause) == (Verdict.FAITHFUL, None)
    assert [str(placed.move) for placed in result.walk.moves] == ["sit", *dinner, "sit", *dinner]
    assert (result.walk.legal, result.walk.skipped) == (6, 0)


ROUNDS = """\
procedure play():
    round()
    round()
    for p in player:
        set p.goods to p.goods + 3
    round()
    end game

procedure round():
    for p in player:
        sell(p)

procedure sell(p: player):
    decide sale by p:
        option sell(n in 1 .. 5):
            require n <= p.goods
            set p.goods to p.goods - n
        option nothing:
            pass

scoring p in player:
    score p.coins
"""


def test_a_decision_that_nothing_else_was_legal_for_is_the_recorded_one_of_its_round(tmp_path: Path) -> None:
    """Bob, who has sold everything, now precedes Ann: his `nothing` is inserted, and is not that of the next round."""
    begin = BEGIN.replace("max: 2", "max: 3").replace("goods: {type: int}", "goods: {type: int, start: 3}")
    others = "    for p in player where p.index > 0:\n        sell(p)\n    sell(first(player))\n"
    small(tmp_path / "plain", begin + ROUNDS)
    small(tmp_path / "turned", begin + ROUNDS.replace("    for p in player:\n        sell(p)\n", others))
    game = Game(load_ruleset(str(tmp_path / "plain")), ["Ann", "Bob", "Cid"])
    sold = ["sell(1)", "sell(3)", "sell(1)", "sell(1)", "nothing", "sell(1)", "sell(1)", "sell(2)", "sell(1)"]
    for text in sold:
        game.apply(game.parse(text))
    write_log(tmp_path / "game.jsonl", game)
    result = migrate(replay_log(tmp_path / "game.jsonl"), load_ruleset(str(tmp_path / "turned")))
    assert (result.verdict, result.cause) == (Verdict.FAITHFUL, None)
    assert [placed.source for placed in result.walk.moves] == [1, 2, 0, 4, 5, 3, 7, 8, 6]
