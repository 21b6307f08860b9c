"""Differences between two rulesets, as records and as text; equivalent rulesets have none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import write
from click.testing import CliRunner
from folders import RULESETS
from jsonschema import Draft202012Validator
from limits import soon

from rulespec.cli.main import cli, run
from rulespec.diagnostics.report import Report
from rulespec.diff import Difference, diff
from rulespec.load import load_source
from rulespec.schemas import load_schema

NIM, WAGER, ERRORS = (str(RULESETS / name) for name in ("nim", "wager", "errors"))

Changed = Callable[..., str]


@pytest.fixture
def changed(tmp_path: Path) -> Changed:
    """Writes a copy of Nim with an overlay, and returns both references: `changed(yaml, rules)`."""

    def make(yaml: str = "", rules: str = "", base: str = NIM) -> str:
        name = Path(base).name
        head = f'id: house\ntitle: House\nfor: {name}\nversion: "1"\n'
        files = {"variants/house.yaml": head + yaml} | ({"variants/house.rules": rules} if rules else {})
        return f"{write(tmp_path / name, files, Path(base))}+house"

    return make


def differences(old: str, new: str) -> list[Difference]:
    return diff(load_source(old, Report()), load_source(new, Report()))


def brief(differences: list[Difference]) -> list[tuple[str, str, Any, Any]]:
    return [(d.kind, d.path, d.old, d.new) for d in differences]


def edited(folder: Path, base: str, file: str, old: str, new: str) -> str:
    """A copy of a ruleset with a part of one file replaced."""
    text = (Path(base) / file).read_text("utf-8")
    assert old in text
    return str(write(folder / Path(base).name, {file: text.replace(old, new)}, Path(base)))


def printed(old: str, new: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["diff", old, new], env={"COLUMNS": "100"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout


# --- facts ------------------------------------------------------------------------------------------------------------


def test_a_fact_has_its_path_both_values_and_the_comment_beside_it(changed: Changed) -> None:
    ref = changed("changes:\n  constants.most: 4   # NIM-03: one more\nsettings: {misere: true}\n")
    first, second = differences(NIM, ref)
    assert (first.kind, first.section, first.path) == ("changed", "game", "game.settings.misere.default")
    assert (first.old, first.new) == (False, True)
    assert (second.path, second.old, second.new, second.note) == ("constants.most", 3, 4, "NIM-03: one more")
    assert second.rules == ("NIM-03",)


def test_a_whole_thing_is_one_difference(changed: Changed) -> None:
    ref = changed(
        "add:\n  kinds.good.entities.wine: {}\n  tables.purses.rows.5: 4\n"
        "  kinds.barrel: {state: {full: {type: bool}}}\nremove: [map.regions.ash, tables.gains]\n",
        base=ERRORS,
    )
    gains = {"key": ["guild", "int"], "value": "points", "rows": {"red": {"1": 2}, "blue": {"1": 3}}}
    assert brief(differences(ERRORS, ref)) == [
        ("added", "kinds.good.entities.wine", None, {}),
        ("added", "kinds.barrel", None, {"state": {"full": {"type": "bool"}}}),
        ("removed", "map.regions.ash", {"tax": 3, "road": ["elm"]}, None),
        ("added", "tables.purses.rows.5", None, 4),
        ("removed", "tables.gains", gains, None),
    ]


def test_a_place_of_removal_says_why(changed: Changed) -> None:
    (option,) = differences(NIM, changed("remove:\n  - game.settings.misere    # NIM-09: settled\n"))
    assert (option.kind, option.note, option.rules) == ("removed", "NIM-09: settled", ("NIM-09",))
    (again,) = differences(changed("remove: [game.settings.misere]\n"), NIM)
    assert (again.kind, again.note) == ("added", "NIM-05: who takes the last stone loses")


@pytest.mark.parametrize(
    "file, old, new",
    [
        ("game.yaml", "title: Errors", "title: Other"),
        ("game.yaml", "a bool", "another text"),
        ("kinds.yaml", 'owner: {type: "guild?"}', "owner: {type: 'guild?'}"),
        ("kinds.yaml", "{corn: {}, salt: {}}", "{corn: , salt: {doc: white}}"),
        ("kinds.yaml", "{seat: oak, ally: blue, rank: 1}", "{rank: 1, ally: blue, seat: oak}"),
        ("tables.yaml", "toll: 2 money", "toll: 2   money"),
        ("map.yaml", "road: [oak, ash]", "road: [ash, oak]"),
        ("map.yaml", "{tax: 3, road: [elm]}", "{tax: 3, road: [elm], position: [1, 2]}"),
        ("map.yaml", "  regions:", "  checks: {taxed: {that: town.tax > 0, text: T}}\n  regions:"),
    ],
)
def test_what_means_the_same_is_no_difference(file: str, old: str, new: str, tmp_path: Path) -> None:
    assert differences(ERRORS, edited(tmp_path, ERRORS, file, old, new)) == []


def test_things_called_doc_and_position_are_things(tmp_path: Path) -> None:
    old, new = '{owner: {type: "guild?"}}', '{owner: {type: "guild?"}, position: {type: int}}'
    ref = edited(tmp_path / "a", ERRORS, "kinds.yaml", old, new)
    more = edited(tmp_path / "b", ref, "tables.yaml", "limit: 3", "limit: 3, doc: 5")
    assert brief(differences(ERRORS, more)) == [
        ("added", "kinds.town.state.position", None, {"type": "int"}),
        ("added", "constants.doc", None, 5),
    ]


def test_the_order_of_entities_is_that_of_their_kind(tmp_path: Path) -> None:
    old, path = "{corn: {}, salt: {}}", "kinds.good.entities.(order)"
    swapped = edited(tmp_path / "a", ERRORS, "kinds.yaml", old, "{salt: {}, corn: {}}")
    assert brief(differences(ERRORS, swapped)) == [("changed", path, ["corn", "salt"], ["salt", "corn"])]
    between = edited(tmp_path / "b", ERRORS, "kinds.yaml", old, "{corn: {}, rice: {}, salt: {}}")
    assert brief(differences(ERRORS, between)) == [
        ("added", "kinds.good.entities.rice", None, {}),
        ("changed", path, ["corn", "salt"], ["corn", "rice", "salt"]),
    ]
    last = edited(tmp_path / "c", ERRORS, "kinds.yaml", old, "{corn: {}, salt: {}, rice: {}}")
    assert brief(differences(ERRORS, last)) == [("added", "kinds.good.entities.rice", None, {})]


def test_five_and_five_coins_are_not_the_same(changed: Changed) -> None:
    (one,) = differences(ERRORS, changed("changes: {constants.toll: 2}", base=ERRORS))
    assert (one.old, one.new) == ("2 money", 2)


def test_there_and_back_is_the_opposite() -> None:
    there, back = differences(NIM, WAGER), differences(WAGER, NIM)
    opposite = {"added": "removed", "removed": "added", "changed": "changed"}
    assert {(d.kind, d.path) for d in there} == {(opposite[d.kind], d.path) for d in back}


# --- rules ------------------------------------------------------------------------------------------------------------


def test_rules_that_are_replaced_added_and_removed(changed: Changed) -> None:
    rules = """\
replace procedure turn(p: player):
    "NIM-02, NIM-07: two at once."
    take_two(p)   # a comment

procedure take_two(p: player):
    "NIM-07"
    move 2 of stone from heap to hand[p]

remove invariant stones_stay
"""
    turn, gone, take = differences(NIM, changed(rules=rules))
    assert (turn.kind, turn.path, turn.rules) == ("changed", "procedure turn", ("NIM-02", "NIM-07"))
    assert turn.new == "procedure turn(p: player):\n    take_two(p)"
    assert "NIM-03: one to three stones" in turn.old
    assert (gone.kind, gone.path, gone.new) == ("removed", "invariant stones_stay", None)
    assert gone.note == "No stone is lost."
    assert (take.kind, take.path, take.old, take.rules) == ("added", "procedure take_two", None, ("NIM-07",))


def test_a_rule_that_is_wrapped(changed: Changed) -> None:
    rules = 'wrap procedure turn(p: player):\n    "NIM-08: twice."\n    original(p)\n    original(p)\n'
    (turn,) = differences(NIM, changed(rules=rules))
    assert (turn.kind, turn.path, turn.rules) == ("wrapped", "procedure turn", ("NIM-08",))
    assert turn.new == "wrap procedure turn(p: player):\n    original(p)\n    original(p)"
    assert turn.old.startswith("procedure turn(p: player):\n    decide turn by p:")


def test_a_decision_that_is_extended(changed: Changed) -> None:
    rules = 'extend decision turn:\n    option rest:\n        "NIM-06"\n        pass   # nothing\n'
    (turn,) = differences(NIM, changed(rules=rules))
    assert turn.kind == "changed"
    added = [line for line in turn.new.split("\n") if line not in turn.old.split("\n")]
    assert added == ["        option rest:", "            pass"]
    assert turn.new.split("\n")[-5:-3] == ["            pass", "    if stone.heap == 0:"]


@pytest.mark.parametrize(
    "old, new",
    [
        ("NIM-02: whose turn it is takes stones.", "NIM-02: another text."),
        ("    decide turn by p:", "    # a comment\n\n    decide turn by p:   # and another"),
        ("            turn(p)", "            turn( p )"),
        ('            "Take stones from the heap."\n', ""),
    ],
)
def test_comments_docstrings_and_blanks_are_no_difference(old: str, new: str, tmp_path: Path) -> None:
    assert differences(NIM, edited(tmp_path, NIM, "rules/play.rules", old, new)) == []


def test_a_rule_that_has_moved_is_no_difference(tmp_path: Path) -> None:
    parts = (RULESETS / "nim" / "rules" / "play.rules").read_text("utf-8").split("\n\n")
    files = {"rules/play.rules": "\n\n".join(parts[:2]) + "\n", "rules/a.rules": "\n\n".join(parts[:1:-1]) + "\n"}
    assert differences(NIM, str(write(tmp_path / "n", files, Path(NIM)))) == []


def test_another_reason_is_a_difference(tmp_path: Path) -> None:
    ref = edited(tmp_path, NIM, "rules/play.rules", "there are not so many stones", "too few")
    assert [d.path for d in differences(NIM, ref)] == ["procedure turn"]


# --- the command ------------------------------------------------------------------------------------------------------


def test_no_difference() -> None:
    assert printed(NIM, NIM) == (0, f"{NIM} (Nim 1.0) → {NIM} (Nim 1.0)\nno difference\n")


def test_a_line_for_each_fact(changed: Changed) -> None:
    code, out = printed(NIM, changed("changes:\n  constants.most: 4   # NIM-03: one more\n  constants.stones: 12\n"))
    assert code == 1
    assert "\nTables\n  constants.most: 3 → 4  # NIM-03: one more\n  constants.stones: 9 → 12\n" in out
    assert out.endswith("\n2 differences\n")


def test_the_diff_of_a_rule(changed: Changed) -> None:
    _, out = printed(NIM, changed(rules='replace scoring p in player:\n    "NIM-10"\n    score stone.hand[p] * 2\n'))
    assert out.split("\n\n")[1] == (
        "Rules\n  changed  scoring\n      NIM-10\n          scoring p in player:\n"
        "        -     score stone.hand[p]\n        +     score stone.hand[p] * 2"
    )


def test_members_of_a_collection_stand_together(changed: Changed) -> None:
    text = (
        "changes: {tables.purses.rows: {2: 11, 3: 9}}\nadd:\n  map.regions.yew: {tax: 2, road: [ash]}\n"
        "  map.regions.ash.road: [yew]\n  map.regions.ash.river: [oak]\n"
    )
    _, out = printed(ERRORS, changed(text, base=ERRORS))
    assert "  map.regions: 1 added, 1 changed\n+   yew  tax 2, road {ash}\n    ash  road + yew, river - → oak\n" in out
    assert "  tables.purses.rows: 2 changed\n    2  10 → 11\n    3  8 → 9\n" in out


def test_another_track_stands_beside_the_old_one(changed: Changed) -> None:
    text = (
        "replaces: [tracks.scale.spaces]\nchanges:\n  tracks.scale.spaces:\n"
        "    a: {upto: 3, bonus: 0}\n    b: {upto: 12, bonus: 2}\n    c: {bonus: 4}\n"
    )
    _, out = printed(ERRORS, changed(text, base=ERRORS))
    assert "  tracks.scale.spaces: 3 removed, 3 added\n" in out
    assert "    - low      5      0      + a     3      0\n    - mid      9      1      + b    12      2\n" in out


def test_another_map_is_told_by_names(changed: Changed) -> None:
    text = "replaces: [map.regions]\nchanges:\n  map.regions:\n    oak: {tax: 5}\n" + "".join(
        f"    r{n}: {{tax: {n}, road: [oak]}}\n" for n in range(60)
    )
    _, out = printed(ERRORS, changed(text, base=ERRORS))
    assert "  map.regions: 2 removed, 60 added, 1 changed\n-   elm, ash\n+   r0, r1, r2," in out
    assert "    changed: oak\n" in out
    assert all(len(line) <= 100 for line in out.split("\n")[1:])


def test_one_fact_of_many_members_is_told_once(tmp_path: Path) -> None:
    towns = "".join(f"    r{n}: {{tax: {n}}}\n" for n in range(9))
    old = edited(tmp_path / "a", ERRORS, "map.yaml", "  regions:\n", f"  regions:\n{towns}")
    new = edited(
        tmp_path / "b", ERRORS, "map.yaml", "  regions:\n", f"  regions:\n{towns.replace('}', ', river: [oak]}')}"
    )
    _, out = printed(old, new)
    assert "  map.regions: 9 changed\n+   river: r0 oak, r1 oak, r2 oak," in out


def test_json_is_what_the_schema_says(changed: Changed) -> None:
    ref = changed("changes: {constants.most: 4}\n", 'wrap procedure play():\n    "NIM-01"\n    original()\n')
    for old, new in ((NIM, ref), (NIM, WAGER), (WAGER, ERRORS), (ERRORS, NIM), (NIM, NIM)):
        result = CliRunner().invoke(cli, ["diff", old, new, "--format", "json"])
        data = json.loads(result.stdout)
        Draft202012Validator(load_schema("diff")).validate(data)
        assert result.exit_code == bool(data)
    result = CliRunner().invoke(cli, ["diff", NIM, ref, "--format", "json"])
    fact, rule = json.loads(result.stdout)
    expected = {"kind": "changed", "section": "tables", "path": "constants.most", "old": 3, "new": 4}
    assert fact == expected | {"note": "", "rules": []}
    assert (rule["kind"], rule["section"], rule["rule"]) == ("wrapped", "rules", "procedure play")


@pytest.mark.parametrize("refs", [("nothing", NIM), (NIM, "nothing"), (NIM, f"{NIM}+nothing")])
def test_what_cannot_be_read(refs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", *refs]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "`nothing`" in captured.err


@pytest.mark.proof  # 1.3 s
def test_large_rules_are_compared_in_bounded_time(tmp_path: Path) -> None:
    # Repeated lines in another order, the worst case of a search for longest common runs.
    def body(step: int) -> str:
        return "".join(f"    let a{i} = {(i * step) % 90}\n" for i in range(2_000))

    rules = [f"procedure play():\n    turn()\n{body(step)}\nprocedure turn():\n    pass\n" for step in (1, 7)]
    refs = [str(write(tmp_path / f"g{i}", {"rules/a.rules": text})) for i, text in enumerate(rules)]
    with soon():
        assert printed(refs[0], refs[1])[0] == 1


@pytest.mark.parametrize("base", [NIM, WAGER, ERRORS, str(RULESETS / "errands")])
def test_a_ruleset_does_not_differ_from_itself_extended(base: str, tmp_path: Path) -> None:
    shutil.copytree(base, tmp_path / "base")
    game = 'id: same\ntitle: Same\nversion: "9"\nextends: ../base\n'
    assert differences(base, str(write(tmp_path / "same", {"game.yaml": game}))) == []
