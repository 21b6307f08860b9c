"""Comparison of two rulesets by play: effects are attributed to the changed rule; other changes are silent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import write
from commands import invoke
from folders import RULESETS
from jsonschema import Draft202012Validator

from rulespec.cli.diff_play import lines
from rulespec.engine.behaviour import walks
from rulespec.engine.behaviour.compare import compare
from rulespec.engine.behaviour.comparison_report import Comparison
from rulespec.engine.behaviour.pair import Pair
from rulespec.engine.behaviour.walks import Effort
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema

PLAY, TABLES, KINDS = "rules/play.rules", "tables.yaml", "kinds.yaml"
Changed = Callable[..., Path]


@pytest.fixture
def changed(tmp_path: Path) -> Changed:
    """A copy of a ruleset with replaced texts in its files."""

    def changed(ref: str, *edits: tuple[str, str, str], name: str = "") -> Path:
        folder = write(tmp_path / (name or f"changed{len(list(tmp_path.iterdir()))}"), {}, RULESETS / ref)
        for file, old, new in edits:
            text = (folder / file).read_text("utf-8")
            assert old in text
            (folder / file).write_text(text.replace(old, new), "utf-8")
        return folder

    return changed


def compared(ref: str, folder: Path, decisions: int = 500) -> Comparison:
    return compare(load_ruleset(str(RULESETS / ref)), load_ruleset(str(folder)), Effort(decisions))


def said(comparison: Comparison) -> list[tuple[str, str, list[str]]]:
    return [(g.rule.name, g.kind, list(g.options)) for g in comparison.groups]


CHANGES: list[tuple[str, str, tuple[tuple[str, str, str], ...], set[tuple[str, str]]]] = [
    (
        "a forbidden option",
        "nim",
        ((PLAY, "require n <= stone.heap ", "require n <= stone.heap and n != 2 "),),
        {("procedure turn", "illegal")},
    ),
    ("a new option", "nim", ((TABLES, "most: 3", "most: 4"),), {("procedure turn", "legal")}),
    (
        "another effect",
        "wager",
        ((PLAY, "pay best from winner.cash to bank", "pay best - 0 money from winner.cash to bank"),),
        set(),
    ),
    (
        "a price of its own",
        "wager",
        ((PLAY, "pay shown.prize from bank to winner.cash", "pay 1 money from bank to winner.cash"),),
        {("procedure award", "effect")},
    ),
    ("another end", "nim", ((PLAY, "won by {p}", "won by {next(p)}"),), {("procedure turn", "effect")}),
    ("different odds", "wager", ((KINDS, "prize: 5, chance: 2", "prize: 5, chance: 1"),), {("procedure die", "odds")}),
    ("other points", "nim", ((PLAY, "score stone.hand[p]", "score 2 * stone.hand[p]"),), {("scoring", "points")}),
    ("another start", "nim", ((TABLES, "stones: 9", "stones: 8"),), {("set-up", "start")}),
    (
        "another question",
        "nim",
        ((PLAY, "            turn(p)", "            turn(next(p))"),),
        {("set-up", "start")},
    ),
]


@pytest.mark.parametrize("ref, edits, expected", [each[1:] for each in CHANGES], ids=[each[0] for each in CHANGES])
@pytest.mark.sampled(4)
def test_a_change_is_found_at_its_rule(
    ref: str, edits: tuple[tuple[str, str, str], ...], expected: set[tuple[str, str]], changed: Changed
) -> None:
    result = compared(ref, changed(ref, *edits))
    assert expected <= {(name, kind) for name, kind, _ in said(result)}
    assert bool(result.groups) == bool(expected)


@pytest.mark.parametrize(
    "edits",
    [
        ((PLAY, '"NIM-02: whose turn it is takes stones."', '"NIM-02: in other words."'),),
        (
            ("game.yaml", "title: Nim", "title: Another title"),
            (PLAY, "procedure play():", "# a comment\nprocedure play():"),
        ),
        ((PLAY, "turn(p", "one_turn(p"),),
        ((KINDS, "pieces:", "state:\n  spare: {type: int 0..9}\npieces:"),),
        ((TABLES, "{most: 3, stones: 9}", "{stones: 9, most: 3}"),),
    ],
    ids=["words", "title and comment", "name of a procedure", "a new field", "another order"],
)
@pytest.mark.sampled(2)
def test_what_changes_nothing_is_not_reported(edits: tuple[tuple[str, str, str], ...], changed: Changed) -> None:
    result = compared("nim", changed("nim", *edits))
    assert said(result) == []


def test_files_in_another_order_make_no_difference(changed: Changed) -> None:
    folder = changed("nim")
    text = (folder / PLAY).read_text("utf-8")
    play, _, rest = text.partition("procedure turn")
    (folder / PLAY).write_text(f"procedure turn{rest}", "utf-8")
    (folder / "rules" / "a_first.rules").write_text(play, "utf-8")
    assert said(compared("nim", folder)) == []


def test_the_game_of_a_group_is_the_shortest(changed: Changed) -> None:
    """At least two decisions leave four of nine stones on the table."""
    folder = changed("nim", (PLAY, "require n <= stone.heap ", "require n <= stone.heap and stone.heap + n != 4 "))
    (group,) = (g for g in compared("nim", folder).groups if g.kind == "illegal")
    assert (len(group.example.moves), group.example.option) == (2, "take(1)")


def test_a_position_counts_once_however_often_it_is_met(changed: Changed) -> None:
    """All games start alike for each number of players, which gives three positions."""
    folder = changed(
        "nim", (PLAY, "require n <= stone.heap ", "require n <= stone.heap and (stone.heap < 9 or n != 2) ")
    )
    result = compared("nim", folder)
    (group,) = result.groups
    assert (group.kind, group.positions, result.at_least) == ("illegal", 3, False)


def test_more_positions_than_are_told_apart_are_said(changed: Changed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "_MOST_KNOWN", 20)
    folder = changed("nim", (PLAY, "require n <= stone.heap ", "require n <= stone.heap and n != 2 "))
    result = compared("nim", folder)
    assert (result.positions, result.at_least) == (20, True)
    assert list(lines(result))[-1].startswith("  compared at least 20 positions · ")


def test_renamed_options_are_the_same(changed: Changed) -> None:
    folder = changed(
        "nim",
        (PLAY, "option take(", "option grab("),
        ("game.yaml", "start: play", "start: play\nwas: {turn.grab: take}"),
    )
    assert said(compared("nim", folder)) == []
    bare = changed("nim", (PLAY, "option take(", "option grab("))
    assert {kind for _, kind, _ in said(compared("nim", bare))} == {"illegal", "legal"}


def test_recorded_games_are_compared(changed: Changed) -> None:
    """The change matters if a player with seven stones takes the last one, which few random decisions reach."""
    old = load_ruleset(str(RULESETS / "nim"))
    edit = (PLAY, "last_stone won by {p}", "last_stone won by {q in player where q == p or stone.hand[p] == 7}")
    new = load_ruleset(str(changed("nim", edit)))
    game = Game(old, ("A", "B"))
    moves = [game.apply(game.parse(f"take({number})")) for number in (3, 1, 3, 1, 1)]
    assert compare(old, new, Effort(16), []).groups == []
    (group,) = compare(old, new, Effort(16), [(Game(old, ("A", "B")), moves)]).groups
    assert [str(move) for move in group.example.moves] == ["take(3)", "take(1)", "take(3)", "take(1)"]


def test_both_games_are_put_in_step_where_all_options_differ(changed: Changed) -> None:
    """Each option has another effect, but later positions are compared nevertheless."""
    edit = (PLAY, "move n of stone from heap to hand[p]", "move n of stone from heap to hand[next(p)]")
    result = compared("nim", changed("nim", edit))
    assert ("procedure turn", "effect", ["turn.take"]) in said(result)
    assert result.positions >= 30


def test_a_pair_is_given_the_state_of_the_first(changed: Changed) -> None:
    old, new = (load_ruleset(str(f)) for f in (RULESETS / "nim", changed("nim", (TABLES, "stones: 9", "stones: 7"))))
    pair = Pair(Game(old, ("A", "B")), Game(new, ("A", "B")))
    assert pair.compared() is not None
    assert pair.align()
    assert pair.compared() is None
    assert pair.other.omniscient.value("stone.heap") == "9"


def test_the_same_rulesets_give_the_same_result(changed: Changed) -> None:
    folder = changed("wager", (PLAY, "at most 3:", "at most 2:"))
    one, other = (compared("wager", folder, 600).to_json() for _ in range(2))
    assert one == other


def test_other_numbers_of_players_are_left_out(changed: Changed) -> None:
    folder = changed("nim", ("game.yaml", "min: 2, max: 4", "min: 3, max: 5"))
    result = compared("nim", folder, 300)
    assert result.left_out == ["2 to 4 players before, 3 to 5 now"]
    assert result.groups == []


def test_a_fault_is_a_difference(changed: Changed) -> None:
    folder = changed("wager", (PLAY, "score p.cash / 1 money", "score p.cash / (p.bid - p.bid + 1 money)"))
    assert said(compared("wager", folder, 300)) == []
    edit = (PLAY, "            set p.bid to amount", "            set p.bid to 98 money + amount")
    result = compared("wager", changed("wager", edit), 600)
    assert any("at fault" in line for group in result.groups for line in group.example.lines)


def test_time_is_a_bound() -> None:
    effort = Effort(1_000_000, 0.0)
    result = compare(load_ruleset(str(RULESETS / "nim")), load_ruleset("nim"), effort)
    assert result.stopped
    assert result.decisions == 0


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_lists_the_differences_in_play(changed: Changed) -> None:
    old, new = changed("nim", name="old"), changed("nim", (TABLES, "most: 3", "most: 2"), name="new")
    code, out, _ = invoke("diff", old, new, "--play", "--decisions", 400)
    assert code == 1
    assert "Play\n  procedure turn · NIM-03 · " in out
    assert "    turn.take: illegal now, at " in out
    assert "      with 2 players, A: take(3)\n" in out
    data = json.loads(invoke("diff", old, new, "--play", "--decisions", 400, "--format", "json")[1])
    Draft202012Validator(load_schema("play")).validate(data)
    assert data["play"]["groups"][0]["example"]["option"] == "take(3)"


def test_the_exit_code_is_that_of_play(changed: Changed) -> None:
    old, new = (
        changed("nim", name="old"),
        changed("nim", (KINDS, "pieces:", "state:\n  spare: {type: int 0..9}\npieces:")),
    )
    assert invoke("diff", old, new)[0] == 1
    code, out, _ = invoke("diff", old, new, "--play", "--decisions", 300)
    assert (code, "no difference found: compared" in out) == (0, True)
    code, out, _ = invoke("diff", old, old, "--play")
    assert (code, "they play alike" in out) == (0, True)
    assert invoke("diff", old, old, "--decisions", 3)[0] == 2
