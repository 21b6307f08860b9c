"""Variations in logs: they change nothing, are kept and printed by each command, and what is no variation is named."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commands import invoke
from folders import ROOT, RULESETS

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.logs.native import read_log
from rulespec.engine.logs.variations import KeptLine, LineMove, SideLine, anchored, plain, tree_of, variations_in
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")
SCHEMA = json.loads((ROOT / "rulespec" / "schemas" / "log.schema.json").read_text("utf-8"))


def move(by: str, number: int, **more: Any) -> dict[str, Any]:
    return {"decision": "turn", "by": by, "option": f"take({number})", **more}


TREE = [
    {
        "at": 1,
        "name": "slow",
        "remark": "first\nsecond",
        "moves": [
            move("B", 1, glyphs=[1]),
            move("A", 2, remark="good", variations=[{"moves": [move("A", 3)], "name": "inner"}]),
        ],
    },
    {"at": 1, "moves": [move("B", 3)]},
    {"at": 2, "moves": [move("A", 9)], "name": "illegal"},
]


def noted(path: Path) -> Path:
    """A log of nim with a variation of its second decision, and a tree of three at its end."""
    game = Game(load_ruleset(str(RULESETS / "nim")), {"A": "Ann", "B": "Bob"})
    for text in ("take(1)", "take(2)"):
        game.apply(game.parse(text))
    write_log(path, game)
    header, first, second, end = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    second |= {"glyphs": [2], "variations": [{"moves": [move("B", 1)], "name": "one"}]}
    lines = [header, first, second, end, {"variations": TREE, "by": "A"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def ordered(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def read_back(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_tree_changes_nothing_and_is_kept_by_replay(tmp_path: Path) -> None:
    path, new = noted(tmp_path / "game.jsonl"), tmp_path / "new.jsonl"
    result = replay_log(path)
    assert result.divergence is None and result.other_end is None and result.game.ply == 2
    assert invoke("replay", path, "--out", new)[0] == 0
    before, after = read_back(path), read_back(new)
    assert sorted(map(json.dumps, after)) == sorted(map(json.dumps, before))
    for line in before:
        jsonschema.validate(line, SCHEMA)


def test_a_tree_is_printed_in_words_below_the_move_in_whose_place_it_stands(tmp_path: Path) -> None:
    code, out, _ = invoke("replay", noted(tmp_path / "game.jsonl"), "--moves")
    assert code == 0
    second = out.index("    2  ")
    assert out.index("Variation “one”") > second and out.index("Variation “slow” (Ann)") > second
    slow = next(line for line in out.splitlines() if "“slow”" in line)
    assert "! ·" in slow and "“good”" in slow
    inner = next(line for line in out.splitlines() if "“inner”" in line)
    assert inner.index("Variation") > slow.index("Variation")
    assert "“illegal” (Ann): (turn: take(9))" in out


@pytest.mark.parametrize("flags", [("--public",), ("--for", "A"), ("--for", "Bob")])
def test_the_log_of_a_seat_keeps_a_tree_of_a_game_without_secrets(tmp_path: Path, flags: tuple[str, ...]) -> None:
    path, new = noted(tmp_path / "game.jsonl"), tmp_path / "seat.jsonl"
    assert invoke("log", path, *flags, "--out", new)[0] == 0
    trees = [line["variations"] for line in read_back(new) if "variations" in line]
    assert sorted(map(ordered, trees)) == sorted(map(ordered, [TREE, [{"moves": [move("B", 1)], "name": "one"}]]))


def test_a_seat_has_its_own_variations_alone_in_a_game_with_secrets(tmp_path: Path) -> None:
    path, new = tmp_path / "game.jsonl", tmp_path / "seat.jsonl"
    game = Game(load_ruleset("kuhn_poker"), {"A": "Ann", "B": "Bob"})
    while game.decision is not None and game.decision.by is None:
        game.apply(game.legal_options[0])
    write_log(path, game)
    line = {"at": 0, "moves": [{"decision": "deal", "by": None, "option": "secret(card)"}]}
    with path.open("a", encoding="utf-8") as file:
        for seat in ("A", "B"):
            file.write(json.dumps({"variations": [line | {"name": f"of {seat}"}], "by": seat}) + "\n")
    for flags, names in ((("--for", "A"), ["of A"]), (("--for", "B"), ["of B"]), (("--public",), [])):
        assert invoke("log", path, *flags, "--out", new)[0] == 0
        seen = [of["name"] for each in read_back(new) for of in each.get("variations", ())]
        assert seen == names
        code, out, _ = invoke("replay", path, "--moves", *flags)
        assert code == 0 and ("of A" in out, "of B" in out) == ("of A" in names, "of B" in names)


def test_what_was_taken_back_takes_its_variations_with_it(tmp_path: Path) -> None:
    path, new = noted(tmp_path / "game.jsonl"), tmp_path / "seat.jsonl"
    more = [{"undo": 1}, move("B", 3), {"variations": [{"moves": [move("A", 1)], "name": "kept"}]}]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in more)
    assert invoke("log", path, "--for", "A", "--out", new)[0] == 0
    left = [of.get("name") for line in read_back(new) for of in line.get("variations", ())]
    assert left == ["slow", None, "kept"], "what began after the second decision is left out"
    code, out, _ = invoke("replay", path, "--moves")
    assert code == 0 and all(name in out for name in ("one", "slow", "illegal", "kept")), "the whole log has all"


@pytest.mark.parametrize(
    "value, says",
    [
        ({}, "must be a list of objects"),
        ([], "must be a list of objects"),
        ([{"moves": []}], "is malformed"),
        ([{"moves": [{"decision": "turn", "by": "A"}]}], "is malformed"),
        ([{"moves": [move("A", 1)], "colour": "red"}], "is malformed"),
        (
            [{"moves": [move("A", 1, variations=[{"at": 1, "moves": [move("A", 1)]}])]}],
            "has `at` in a nested variation",
        ),
        ([{"moves": [move("A", 1)] * 2_001}], "has more than 2,000 moves"),
        ([{"moves": [move("A", 1)], "at": -1}], "is malformed"),
        ([{"moves": [move("A", 1, glyphs=[256])]}], "is malformed"),
    ],
)
def test_what_is_no_variation_is_named_with_its_place(tmp_path: Path, value: object, says: str) -> None:
    path = noted(tmp_path / "game.jsonl")
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"variations": value}) + "\n")
    with pytest.raises(DiagnosticsError) as error:
        read_log(path)
    (wrong,) = error.value.diagnostics
    assert wrong.code in ("RS607", "RS602") and wrong.span is not None and wrong.span.line == 6
    assert says in wrong.message or wrong.code == "RS602"


def test_nesting_has_an_end(tmp_path: Path) -> None:
    value: list[dict[str, Any]] = [{"moves": [move("A", 1)]}]
    for _ in range(25):
        value = [{"moves": [move("A", 1, variations=value)]}]
    with pytest.raises(ValueError, match="nested more than 20 levels deep"):
        variations_in(value)


def random_lines(seed: int) -> list[KeptLine]:
    """Lines of few moves, so that many begin alike."""
    draw = random.Random(seed)
    moves = [("turn", "A", "x"), ("turn", "B", "y")]
    return [
        KeptLine(draw.randint(0, 2), tuple(draw.choices(moves, k=draw.randint(1, 4))), draw.choice(["", "a", "b"]))
        for _ in range(draw.randint(0, 8))
    ]


def paths(variation: SideLine, before: tuple[tuple[str, str, str], ...] = ()) -> set[tuple[tuple[str, str, str], ...]]:
    """All lines of a tree from its beginning, by their moves."""
    results = set()
    for each in variation.moves:
        for inner in each.variations:
            results |= paths(inner, before)
        before = (*before, (each.decision, each.by or "", each.option))
        results.add(before)
    return results


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.sampled(20)
def test_a_tree_has_the_moves_of_its_lines_and_no_others(seed: int) -> None:
    lines = random_lines(seed)
    tree = tree_of(lines)
    assert variations_in(plain(tree)) == tuple(tree) if tree else not lines
    wanted = {(of.at, of.moves[: end + 1]) for of in lines for end in range(len(of.moves))}
    assert {(of.at, path) for of in tree for path in paths(of)} == wanted


def test_a_place_that_does_not_exist_shows_nothing() -> None:
    notes = {3: {"variations": plain([SideLine((LineMove("turn", "A", "x"),), at=5)])}}
    assert not anchored([None, None], [2, 3], notes, {})
