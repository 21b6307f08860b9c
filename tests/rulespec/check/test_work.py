"""Work bounds of the checker: the most steps of an expression, and the message where they are too many."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, write

from rulespec.check.ranges import Ranges
from rulespec.check.set_sizes import SetSizes
from rulespec.check.steps import Work
from rulespec.diagnostics.diagnostic import Severity
from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

KINDS = """
kinds:
  town:
    facts: {roads: set town, twin: town}
    entities:
      ash: {roads: [birch, cedar, elm], twin: fir}
      birch: {roads: [ash], twin: fir}
      cedar: {roads: [ash, elm], twin: fir}
      elm: {roads: [ash, cedar], twin: ash}
      fir: {roads: [ash], twin: ash}
  road:
    facts: {ends: set square}
    entities: {one: {ends: [a1, h8]}, two: {ends: [a1]}}
  tile:
    number: 40
    places: {stack: {}, hall: {index: town}}
state: {taken: {type: set square}}
pieces:
  man: {each: [player], places: {box: {}, at: {index: square}}}
  flag: {places: {box: {}, at: {index: town}}}
"""
BOARD = """
boards:
  square: {grid: {columns: a..h, rows: 1..8}, directions: {n: [0, 1], e: [1, 0], s: [0, -1], w: [-1, 0]}}
"""
PLAY = """
procedure play():
    decide d by first(player):
        option o:
            pass
"""


def loaded(folder: Path, rules: str, report: Report | None = None) -> typed.Ruleset:
    files = {"game.yaml": GAME, "kinds.yaml": KINDS, "boards.yaml": BOARD, "rules/play.rules": PLAY + rules}
    write(folder / "game", files)
    return load_ruleset(str(folder / "game"), Report() if report is None else report)


def work_of(ruleset: typed.Ruleset) -> Work:
    return Work(SetSizes(ruleset.declarations, Ranges(ruleset.declarations, ruleset.rules).values))


@pytest.mark.parametrize(
    "text, most",
    [
        ("{s in square where man[p].at[s] > 0}", 64),
        ("{a, b, a.to(n)}", 3),
        ("{s in square where s == a}", 1),
        ("{s in square where s.row == 3 and s != a}", 8),
        ("{s in square where s in r.ends and s != a}", 2),
        ("{s.to(n) for s in r.ends}", 2),
        ("ray(a, n)", 8),
        ("union(ray(a, d) for d in {n, e})", 16),
        ("union(ray(a, d) for d in direction)", 32),
        ("ray(a, n) if a == b else r.ends", 8),
        ("square - r.ends", 64),
        ("taken & (ray(a, n) | r.ends)", 10),
        ("(taken | r.ends) once shift(p, a)", 64),
        ("r.ends once shift(p, a)", 2),
        ("ends_of(r) & taken", 2),
        ("best(s in r.ends by s.row)", 2),
    ],
)
def test_the_most_members_of_a_set(tmp_path: Path, text: str, most: int) -> None:
    rules = f"""
procedure shift(p: player, a: square):
    move 1 of man[p] from box to at[a]
def ends_of(r: road) -> set square:
    let found = r.ends
    found
def asked(p: player, a: square, b: square, r: road) -> set square: {text}
"""
    ruleset = loaded(tmp_path, rules)
    body = ruleset.rules.definitions["asked"].body
    assert body is not None
    assert work_of(ruleset).sizes.of(body) == most


@pytest.mark.parametrize(
    "text, most",
    [("t in a.roads", 3), ("a in t.roads", 4), ("t.twin == a", 3), ("t == a or t == b", 5), ("flag.at[t] > 0", 5)],
)
def test_facts_of_the_map_bound_what_a_condition_finds(tmp_path: Path, text: str, most: int) -> None:
    ruleset = loaded(tmp_path, f"def asked(a: town, b: town) -> set town: {{t in town where {text}}}\n")
    body = ruleset.rules.definitions["asked"].body
    assert body is not None
    assert work_of(ruleset).sizes.of(body) == most


def steps(folder: Path, text: str, type_: str = "set square") -> int:
    ruleset = loaded(folder, f"def asked(p: player, a: square) -> {type_}: {text}\n")
    return work_of(ruleset).of_definition(ruleset.rules.definitions["asked"])


def test_a_set_that_is_kept_costs_a_step(tmp_path: Path) -> None:
    assert steps(tmp_path, "{s in square where man[p].at[s] > 0}") < 5
    assert steps(tmp_path, "count(s in square where man[p].at[s] != 0)", "int") < 5
    assert steps(tmp_path, "tile.hall[ash]", "set tile") < 6
    assert steps(tmp_path, "tile.stack", "set tile") < 6
    assert steps(tmp_path, "{s in square where man[p].at[s] > 1}") > 64
    assert steps(tmp_path, "{s in square where man[p].at[s] > 0 and s != a}") > 64
    assert steps(tmp_path, "{s in square where man[p].at[s.to(n) ?? s] > 0}") > 64


DEEP = """
def own(p: player) -> set square: {s in square where man[p].at[s] > 0}
def near(p: player, s: square) -> set square: union(ray(s, d until own(p)) for d in direction)
procedure shift(p: player, a: square, b: square):
    move 1 of man[p] from at[a] to at[b]
def seen(p: player) -> bool: any(s in own(p) where count(near(p, s)) > 3)
"""


def test_sets_that_a_board_bounds_may_stand_in_one_another(tmp_path: Path) -> None:
    inner = "any(b in near(p, a) where seen(p) once shift(p, a, b))"
    loaded(tmp_path, f"{DEEP}def go(p: player) -> bool: any(a in own(p) where {inner})\n")


FAR = """
def far(s: square) -> int:
    cheapest(x from {s} to y in square - {x} costs row(x) until y == a1, else 9)
def row(x: square) -> int: count(z in square where z.row > x.row)
"""


@pytest.mark.parametrize(
    "rules, message, notes",
    [
        (
            "def go() -> int: count(s in square where far(s) > 9)",
            "64 s · 1,593,860 far",
            ["`far`: 64 x · 64 y · 386 row", "`row`: 64 z · 5 steps"],
        ),
        (
            "def go() -> bool: any(r in road where sum(far(e) for e in r.ends) + far(a1) + far(h8) + far(a2) > 9)",
            "2 r · 3 times · 1,593,860 far",
            ["`far`: 64 x · 64 y · 386 row", "`row`: 64 z · 5 steps"],
        ),
        (
            "def few(a: square, b: square) -> bool: all(c in square: any(d in square - {a, b, c} where d.row > 3))\n"
            "invariant few_rows:\n    all(s in square: all(t in square: few(s, t)))",
            "64 s · 64 t · 20,994 few",
            ["`few`: 64 c · 64 d · 4 steps"],
        ),
    ],
)
def test_where_the_steps_come_from_is_told(tmp_path: Path, rules: str, message: str, notes: list[str]) -> None:
    loaded(tmp_path, FAR + rules, report := Report())
    (result,) = [d for d in report.diagnostics if d.code == "RS411"]
    assert result.severity is Severity.WARNING
    assert (result.code, result.message.split(": ", 1)[1]) == ("RS411", message)
    assert [note.text for note in result.notes] == notes


def test_where_the_steps_of_a_list_of_options_come_from_is_told(tmp_path: Path) -> None:
    rules = """
procedure more():
    decide far_away by first(player):
        option o(a in square, b in square, c in road, d in square, e in square, n in 1 .. 9):
            require far(a) > 3
            pass
"""
    loaded(tmp_path, FAR + rules, report := Report())
    messages = [d.message for d in report.diagnostics if d.code == "RS411"]
    assert [m.split(": ", 1)[1] for m in messages] == ["64 a · 64 b · 2 c · 64 d · 64 e · 1,593,860 far"]


BOUGHT = """
procedure buying():
    decide purchase by first(player):
        option buy(one in choose 0 .. much() of {0}, two in choose 0 .. much() of {0}):
            require far(a1) > count(one) + count(two)
            pass
def much() -> int: count(square)
"""


def test_a_choice_of_several_is_bounded_by_min(tmp_path: Path) -> None:
    """The way out that the message names works."""
    rules = BOUGHT.replace("{0}", "square")
    loaded(tmp_path / "open", FAR + rules, report := Report())
    (result,) = [d for d in report.diagnostics if d.code == "RS411"]
    assert result.message.endswith("10,000 one · 10,000 two · 1,593,860 far")
    assert "`choose 0 .. min(3, n) of …`" in result.help
    bounded = rules.replace("much() of", "min(much(), 1) of", 2)
    loaded(tmp_path / "bounded", FAR + bounded, report := Report())
    assert [d.code for d in report.diagnostics if d.code in ("RS411", "RS418")] == []


@pytest.mark.parametrize(
    "rules, way_out",
    [
        (
            "def most() -> int: longest(w in path(x from square to y in square once any of {x, y} within 9)\n"
            "    where far(last(w)) > 0 worth 1, else 0)",
            "`longest` visits each path",
        ),
        (
            "def ends() -> int: count(trail(x from square to y in square where far(y) > 1 once x within 9))",
            "`reach(x from s: t)`",
        ),
        (
            "def along(w: path square) -> int: sum(far(x) for x to y in w)",
            "name its value with `let`",
        ),
        (
            "procedure more():\n    decide tour by first(player):\n"
            "        option go(w in path(x from square to y in square where y.row > x.row within 9)):\n"
            "            require all(s in square: all(t in square: far(s) > far(t)))\n            pass",
            "each path is an option",
        ),
    ],
)
def test_the_way_out_for_paths_is_one_of_paths(tmp_path: Path, rules: str, way_out: str) -> None:
    loaded(tmp_path, FAR + rules + "\n", report := Report())
    assert [way_out in d.help for d in report.diagnostics if d.code == "RS411"][:1] == [True]
