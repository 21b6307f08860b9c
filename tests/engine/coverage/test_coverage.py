"""Coverage: counts of executed parts, gaps and reasons, and no unexplained gap in a shipped ruleset."""

from __future__ import annotations

import json
import os
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cases import small, write
from commands import invoke
from folders import ROOT, RULESETS, shipped_files
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from rulespec.diagnostics.report import Report
from rulespec.engine.coverage.coverage_report import CoverageReport
from rulespec.engine.coverage.items import Point
from rulespec.engine.coverage.trace import Coverage, trace_playouts, trace_scenario, trace_suite
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.seating import seat_names
from rulespec.engine.simulate.checked_playouts import play_out
from rulespec.engine.verify.scenario_files import load_scenarios
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema
from rulespec.typed import nodes as typed
from rulespec.typed.meaning import written

NIM = RULESETS / "nim"

MILL = """
def heavy(n: int) -> bool:
    "MIL-01: more than two."
    n > 2

def spare() -> int:
    7

procedure play():
    "MIL-02: everybody grinds."
    for p in player:
        grind(p)
    repeat at most 3:
        if sacks == 0:
            leave
        set sacks to sacks - 1
    match mood:
        case calm:
            pass
        case wild, mad:
            set sacks to 9
        else:
            rest()
    end game

procedure rest():
    pass

procedure grind(p: player):
    decide grinding by p:
        "MIL-03"
        option grind(n in 1 .. 5 "MIL-04: one to five"):
            "MIL-05: the mill takes it."
            require not heavy(n) or strong      "MIL-06: too heavy"
            set sacks to sacks + (1 if strong else n)
        include pauses

options pauses:
    "MIL-07: nobody has to."
    option wait:
        pass

invariant never_negative:
    "MIL-08: no debts."
    sacks >= 0

scoring p in player:
    "MIL-09: all alike."
    score sacks * 1 points
--- game.yaml
id: mill
title: <Mill & Co>
version: "1.0"
players: {kind: player, min: 1, max: 3}
units: [points]
start: play
settings:
  strong: {default: false}
--- kinds.yaml
kinds:
  humour: {entities: {calm: {}, wild: {}, mad: {}, sad: {}}}
state:
  sacks: {type: int 0..99}
  mood: {type: humour, start: calm}
--- scenarios/all.yaml
scenarios:
  - id: M.1
    title: Two sacks
    rules: [MIL-05, MIL-06]
    then: {illegal: {grind(3): MIL-06, grind(6): MIL-04}}
    steps:
      - when: ["A: grind(2)", "B: wait"]
        then: {scores: {A: 0}}
"""
SEEN = {
    "definition heavy: run",
    "procedure play: run",
    "procedure grind: run",
    "branch for p: a turn",
    "branch for p: its end",
    "branch repeat: a turn",
    "branch if: holds",
    "branch if: fails",
    "branch match: case calm",
    "branch … if … else: fails",
    "decision grinding: asked",
    "option grind: legal",
    "option grind: taken",
    "option wait: legal",
    "option wait: taken",
    "range grind(n): holds",
    "range grind(n): fails",
    "require grind: require: holds",
    "require grind: require: fails",
    "invariant never_negative: holds",
    "scoring p: run",
}
UNSEEN = {
    "definition spare: run",
    "procedure rest: run",
    "branch repeat: its end",
    "branch match: case wild, mad",
    "branch match: else",
    "branch … if … else: holds",
}


def named(points: set[Point]) -> set[str]:
    return {f"{p.item.kind} {p.item.name}: {p.outcome}" for p in points if p.item.kind != "statement"}


def covered(ruleset: typed.Ruleset, report: Report | None = None) -> CoverageReport:
    report = report or Report()
    coverage = Coverage()
    for trace in trace_suite(coverage.trace(ruleset), report):
        assert not trace.error, trace
        coverage.add(trace)
    return CoverageReport(coverage, report)


# --- what is counted -------------------------------------------------------------------------


def test_what_a_scenario_runs_is_seen_and_nothing_else(tmp_path: Path) -> None:
    result = covered(small(tmp_path, MILL))
    assert named(set(result.coverage.runs)) == SEEN
    assert {f"{g.item.kind} {g.item.name}: {g.outcome}" for g in result.gaps if not g.implied} == UNSEEN
    # Implied gaps are the statements in cases that are not taken.
    assert [result.line(g.span) for g in result.gaps if g.implied] == ["set sacks to 9", "rest()"]


WAITING = """
procedure play():
    for p in player:
        let twice = lucky(p)
        choose hat(n in 1 .. 3 where n != 2 "MIL-10: not the second") by p
        set sacks to n * 2 if twice else n
    end game

procedure lucky(p: player) -> bool:
    if p.index > 8: return true
    roll coin(side in 0 .. 1)
    return side == 1
--- game.yaml"""


def test_what_waits_is_counted_as_decisions_options_and_statements(tmp_path: Path) -> None:
    rest = MILL.partition("--- game.yaml")[2]
    scenario = "- {id: W.1, title: A hat, when: ['chance: coin(1)', 'A: hat(3)']}"
    result = covered(small(tmp_path, WAITING + rest.partition("  - id: M.1")[0] + f"  {scenario}\n"))
    seen = {point for point in named(set(result.coverage.runs)) if "branch" not in point}
    assert seen == {
        "procedure play: run",
        "procedure lucky: run",
        "decision coin: asked",
        "option coin: legal",
        "option coin: taken",
        "decision hat: asked",
        "option hat: legal",
        "option hat: taken",
        "range hat(n): holds",
    }
    lines = {result.line(p.item.span) for p in result.coverage.runs if p.item.kind == "statement"}
    assert {"let twice = lucky(p)", "return side == 1"} <= lines and "return true" not in lines


def test_how_often_and_by_what(tmp_path: Path) -> None:
    result = covered(small(tmp_path, MILL))
    runs = {f"{p.item.name}: {p.outcome}": r for p, r in result.coverage.runs.items()}
    assert [runs[k].count for k in ("grind: run", "for p: a turn", "for p: its end", "grind: taken")] == [2, 2, 1, 1]
    assert (runs["repeat: a turn"].count, runs["if: holds"].count, runs["if: fails"].count) == (3, 1, 2)
    assert (runs["wait: taken"].tests, runs["wait: taken"].by) == (1, ["M.1"])


def test_what_options_settle_is_counted_all_the_same(tmp_path: Path) -> None:
    """A choice by a setting is a constant in the program, but the branch taken is still recorded."""
    ruleset = small(tmp_path, MILL)
    coverage = Coverage()
    tracer = coverage.trace(ruleset)
    path = tmp_path / "strong.yaml"
    path.write_text(
        "scenarios:\n  - {id: S, title: Strong, settings: {strong: true}, when: ['A: grind(5)', 'B: grind(3)']}\n",
        "utf-8",
    )
    (scenario,) = load_scenarios(path, Report())
    seen = named(set(trace_scenario(tracer, scenario).hits))
    assert {"branch … if … else: holds", "require grind: require: holds"} <= seen
    assert not {"branch … if … else: fails", "require grind: require: fails"} & seen


@pytest.mark.parametrize("ref", [str(NIM), f"{NIM}+tall", str(RULESETS / "wager")])
def test_counting_changes_nothing(ref: str) -> None:
    ruleset = load_ruleset(ref)
    tracer = Coverage().trace(ruleset)
    low, high = ruleset.players
    for number in range(6):
        seats = seat_names(low + number % (high - low + 1))
        played = play_out(Game(ruleset, seats, backend="interpreter"), 7, number)
        game = Game(ruleset, seats, None, tracer.machines)
        for option in played.game.history:
            assert option in list(every_option(game))
            game.apply(option)
        other = played.game
        assert (game.omniscient.numbers.cells, game.hash, game.result) == (
            other.omniscient.numbers.cells,
            other.hash,
            other.result,
        )


def test_random_games_count_too() -> None:
    ruleset = load_ruleset(str(NIM))
    coverage = Coverage()
    for trace in trace_playouts(coverage.trace(ruleset), [2, 3], 4, 1):
        coverage.add(trace)
    assert [t.id for t in coverage.tests] == ["playout 0", "playout 1", "playout 2", "playout 3"]
    assert {"option take: taken", "branch if: holds", "branch if: fails", "scoring p: run"} <= named(set(coverage.runs))


def test_definitions_that_only_checks_of_facts_call_are_not_counted(tmp_path: Path) -> None:
    facts = """
--- kinds.yaml
kinds:
  wheel:
    facts: {teeth: int}
    checks: {even: {that: whole(wheel.teeth) and not heavy(wheel.teeth), text: "MIL-12: no half teeth"}}
    entities: {big: {teeth: 2}}
"""
    rules = MILL.replace(
        "def spare() -> int:\n    7", "def whole(n: int) -> bool:\n    n >= 0 if pair(n) else false", 1
    )
    rules = rules.replace("procedure play", "def pair(n: int) -> bool: n % 2 == 0\n\nprocedure play", 1)
    result = covered(small(tmp_path, rules.replace("\n--- kinds.yaml\nkinds:", facts, 1)))
    items = list(result.coverage.items)
    assert [i.name for i in items if i.kind == "definition"] == ["heavy"]
    assert [i.name for i in items].count("… if … else") == 1  # the one of `grind`


# --- rules by their ids ----------------------------------------------------------------------

LIST = """
--- rules.yaml
rules:
  - {id: MIL-01, text: More than two is heavy.}
  - {id: MIL-05, text: The mill takes it., editions: ["2e"]}
  - {id: MIL-06, text: Heavy is too much.}
  - {id: MIL-07, text: Nobody has to.}
  - {id: MIL-10, text: The mill is brown.}
  - {id: MIL-11, text: Nobody says this.}
unreached:
  - {rule: MIL-11, reason: nobody can}
  - {at: rules/play.rules, text: "def spare", reason: kept for later}
  - {at: rules/play.rules, text: "case wild", outcome: "case wild, mad", reason: nobody gets wild}
"""


def test_a_rule_is_proved_by_a_scenario_that_cites_it_and_runs_it(tmp_path: Path) -> None:
    text = (MILL + LIST).replace("rules: [MIL-05, MIL-06]", "rules: [MIL-05, MIL-10]")
    result = covered(small(tmp_path, text))
    rules = {r.rule.id: r for r in result.rules}
    assert {id_: bool(r.proved_by) for id_, r in rules.items()} == {
        "MIL-01": False,
        "MIL-05": True,  # cited and run
        "MIL-06": False,  # run, but not cited
        "MIL-07": False,  # cited by a docstring of an option group
        "MIL-10": True,  # in the data: not cited by any unit
        "MIL-11": False,
    }
    assert (rules["MIL-07"].runs.tests, rules["MIL-07"].runs.by) == (1, ["M.1"])
    assert (rules["MIL-11"].reason, rules["MIL-05"].rule.editions) == ("nobody can", ("2e",))
    assert result.totals["rule"].explained == 1


def test_reasons_explain_gaps_and_nothing_else(tmp_path: Path) -> None:
    report = Report()
    result = covered(small(tmp_path, MILL + LIST), report)
    reasons = {f"{g.item.name}: {g.outcome}": g.reason for g in result.gaps}
    assert (reasons["spare: run"], reasons["match: case wild, mad"]) == ("kept for later", "nobody gets wild")
    assert (reasons["match: else"], reasons["rest: run"]) == ("", "")
    assert [g.reason for g in result.gaps if g.implied] == ["nobody gets wild", ""]
    assert not [d for d in report.diagnostics if d.code == "RS841"]
    stale = (
        LIST
        + '  - {at: rules/play.rules, text: "if sacks == 0", reason: it is run}\n  - {rule: MIL-05, reason: nothing}\n'
    )
    covered(small(tmp_path, MILL + stale), report)
    assert [d.message for d in report.diagnostics if d.code == "RS841"] == [
        "stale explanation: `rules/play.rules: if sacks == 0` is covered or gone",
        "stale explanation: `MIL-05` is covered or gone",
    ]


def test_the_list_of_rules_does_not_change_the_ruleset(tmp_path: Path) -> None:
    with_list, without = small(tmp_path / "a", MILL + LIST), small(tmp_path / "b", MILL)
    assert with_list.hash == without.hash
    assert (with_list.listed["MIL-10"].text, without.listed) == ("The mill is brown.", {})


def test_rules_of_what_a_ruleset_extends_are_known_but_not_counted(tmp_path: Path) -> None:
    small(tmp_path / "mill", MILL + LIST)
    write(
        tmp_path / "water",
        {
            "game.yaml": "id: water\ntitle: Water\nversion: '1'\nextends: mill\n",
            "rules/more.rules": 'replace procedure rest():\n    "MIL-01, MIL-77: it rests."\n    pass\n',
        },
    )
    report = Report()
    ruleset = load_ruleset(str(tmp_path / "water"), report)
    notes = [d.message for d in report.diagnostics if d.code == "RS239" and "more.rules" in str(d.span)]
    assert notes == ["no rule `MIL-77` is listed"]
    result = covered(ruleset)
    assert [Path(f).name for f in result.by_file] == ["more.rules"]
    assert (result.rules, [u.name for u in result.items]) == ([], ["rest"])


# --- the command -----------------------------------------------------------------------------


@pytest.fixture
def mill(tmp_path: Path) -> Path:
    small(tmp_path / "mill", MILL + LIST)
    return tmp_path / "mill"


def test_text_tells_totals_files_gaps_and_rules(mill: Path) -> None:
    code, out, err = invoke("coverage", mill)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "mill · 1 scenario"
    assert any(line.split() == ["option", "4", "4", "0", "100.0"] for line in lines)
    gaps = lines[lines.index("not run") + 1 : lines.index("not run, with a reason")]
    assert any(line.split()[1:] == ["rest:", "run", "procedure", "rest():"] for line in gaps)
    assert any("MIL-07" in line and "run, not cited" in line for line in lines)
    assert not any("MIL-11" in line for line in gaps)


def test_json_fits_its_schema(mill: Path) -> None:
    code, out, _ = invoke("coverage", mill, "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("coverage")).validate(data)
    assert code == 0
    assert data["tests"] == {"scenarios": 1, "logs": 0, "playouts": 0, "failed": [], "stopped": []}
    assert data["totals"]["branch"]["outcomes"] == 11
    missing = {(m["name"], m["outcome"], m["reason"]) for m in data["missing"]}
    assert ("match", "case wild, mad", "nobody gets wild") in missing


class _Page(HTMLParser):
    """The lines of the sources with their classes, and all external resources."""

    def __init__(self) -> None:
        super().__init__()
        self.states: dict[str, str] = {}
        self.loads: list[str] = []
        self.text = ""
        self.title = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        results = dict(attrs)
        if tag == "span" and "id" in results:
            self.states[str(results["id"]).rpartition("/")[2]] = results["class"] or ""
        self.loads += [v for k, v in attrs if k in ("src", "href") and v and not v.startswith("#")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_colours_every_line_and_loads_nothing(mill: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.html"
    assert invoke("coverage", mill, "--format", "html", "--out", file) == (0, "", "")
    html = file.read_text("utf-8")
    page = _Page()
    page.feed(html)
    assert page.loads == []
    assert "<Mill" not in html
    assert "Coverage of <Mill & Co>: " in page.text

    def line(text: str) -> str:
        return f"play.rules:{MILL.split(chr(10)).index(text) + 1}"

    states = {text: page.states[line(text)] for text in MILL.split("\n--- ")[0].split("\n") if text}
    assert states["    n > 2"] == "run"
    assert states["    7"] == "explained"
    assert states["    match mood:"] == "partly"
    assert states["procedure rest():"] == "missed"
    assert states['    "MIL-02: everybody grinds."'] == ""


def test_paths_and_random_games_stand_for_the_tests_of_the_ruleset(mill: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text("scenarios:\n  - {id: S, title: Wait, when: ['A: wait']}\n", "utf-8")
    data = json.loads(invoke("coverage", mill, path, "--format", "json")[1])
    assert data["tests"]["scenarios"] == 1
    assert not [m for m in data["missing"] if (m["name"], m["outcome"]) == ("wait", "taken")]
    assert [m for m in data["missing"] if (m["name"], m["outcome"]) == ("grind", "taken")]
    data = json.loads(invoke("coverage", mill, "--playouts", 5, "--players", "2-3", "--seed", 3, "--format", "json")[1])
    assert data["tests"] == {"scenarios": 0, "logs": 0, "playouts": 5, "failed": [], "stopped": []}


def test_a_log_counts_what_was_decided() -> None:
    data = json.loads(invoke("coverage", NIM, NIM / "logs" / "short.jsonl", "--format", "json")[1])
    (take,) = [u for u in data["units"] if u["name"] == "take" and u["kind"] == "option"]
    expected = len((NIM / "logs" / "short.jsonl").read_text("utf-8").splitlines()) - 2
    assert take["outcomes"]["taken"] == {"count": expected, "tests": 1, "by": ["short.jsonl"]}


def test_overlays_count_for_the_same_files() -> None:
    alone, both = (json.loads(invoke("coverage", NIM, *more, "--format", "json")[1]) for more in ((), ("--overlays",)))
    assert both["rulesets"] == ["nim", "nim+tall"]
    assert both["tests"]["scenarios"] > alone["tests"]["scenarios"]
    assert len(both["units"]) == len(alone["units"])


def test_exit_codes(mill: Path, tmp_path: Path) -> None:
    assert invoke("coverage", mill, "--fail-under", 50)[0] == 0
    assert invoke("coverage", mill, "--fail-under", 100)[0] == 1
    bad = tmp_path / "bad.yaml"
    bad.write_text("scenarios:\n  - {id: S, title: Wait, when: ['B: wait']}\n", "utf-8")
    code, out, _ = invoke("coverage", mill, bad)
    assert (code, "fails: S: " in out) == (1, True)
    bad.write_text("scenarios: 7\n", "utf-8")
    assert invoke("coverage", mill, bad)[0] == 1
    with (mill / "rules.yaml").open("a") as file:
        file.write("  - {rule: MIL-05, reason: nothing}\n")
    code, _, err = invoke("coverage", mill)
    assert (code, "RS841" in err) == (1, True)


@pytest.mark.parametrize(
    "args, message",
    [
        (["--under", "+x"], "--under needs logs in PATHS"),
        (["--under", str(NIM), str(NIM / "game.yaml")], "has no rules beyond"),
        (["--overlays", "--playouts", "3"], "--overlays cannot be combined with overlays in REF"),
        (["--playouts", "0"], "not in the range"),
        (["nowhere.yaml"], "is not a file"),
        (["--out", "nowhere/x.html"], "cannot be written"),
        (["--players", "many"], "not a player count"),
        (["--playouts", "2", "--players", "9"], "for 2 to 4 players, not for 9"),
    ],
)
def test_wrong_usage(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    from rulespec.cli.main import run

    assert run(["coverage", str(NIM), *args]) == 2
    assert message in capsys.readouterr().err


# --- the rulesets that come along ------------------------------------------------------------


WITH_RULES = sorted({path.parts[-3] for path in shipped_files("*/*.rules")})
"""The shipped rulesets with rules of their own; the others are maps, with nothing to run."""


@pytest.mark.skipif(not os.environ.get("RULESPEC_COVERAGE"), reason="some minutes; `make proof` runs it")
@pytest.mark.parametrize("game", WITH_RULES)
def test_all_of_the_shipped_rules_is_run_or_explained(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every outcome in the files of a ruleset and its overlays is executed, and every listed rule by a scenario that
    cites it. Each exception has a reason in rules.yaml, and no reason is out of date."""
    monkeypatch.chdir(ROOT)
    coverage, report = Coverage(), Report()
    base = load_ruleset(game)
    for ref, only in [(game, ""), *((f"{game}+{name}", f"{name}/") for name in base.offered)]:
        for trace in trace_suite(coverage.trace(load_ruleset(ref)), report, only):
            assert not trace.error, trace.error
            coverage.add(trace)
    result = CoverageReport(coverage, report)
    assert not [f"{g.span}: {g.item.name}: {g.outcome}" for g in result.gaps if not g.reason]
    assert not [r.rule.id for r in result.rules if not r.proved_by and not r.reason]
    assert report.diagnostics == ()
    assert result.items


SHUFFLED = """
procedure play():
    for h in humour:
        add h to deck
    take calm from deck
    shuffle deck
    repeat at most 2:
        shuffle deck
    if sacks > 0:
        shuffle deck
    end game
--- game.yaml"""


def test_a_shuffle_is_one_statement_by_its_name(tmp_path: Path) -> None:
    rest = MILL.partition("--- game.yaml")[2].replace("sacks: {type", "deck: {type: order humour}\n  sacks: {type")
    draws = ["chance: next(wild)", "chance: next(mad)"] * 3
    scenario = f"- {{id: S.1, title: A deck, when: {draws}}}"
    result = covered(small(tmp_path, SHUFFLED + rest.partition("  - id: M.1")[0] + f"  {scenario}\n"))
    runs = {(p.item.span.line, p.item.kind, p.item.name): r.count for p, r in result.coverage.runs.items()}
    assert {key: count for key, count in runs.items() if key[0] in (4, 5, 6, 8) and key[1] == "statement"} == {
        (4, "statement", "add"): 4,
        (5, "statement", "take"): 1,
        (6, "statement", "shuffle"): 1,
        (8, "statement", "shuffle"): 2,
    }
    assert [result.line(g.span) for g in result.gaps if g.item.kind == "statement"] == ["shuffle deck"]


def test_the_mark_of_a_shuffle_is_no_part_of_the_meaning(tmp_path: Path) -> None:
    rest = MILL.partition("--- game.yaml")[2].replace("sacks: {type", "deck: {type: order humour}\n  sacks: {type")
    ruleset = small(tmp_path, SHUFFLED + rest.partition("--- scenarios")[0])
    (loop,) = [s for s in ruleset.rules.procedures["play"].body if isinstance(s, typed.Repeat) and s.draws]
    assert written(loop) == written(replace(loop, draws=False)) != written(replace(loop, word="turns"))
