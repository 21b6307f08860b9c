"""Scenario positions, shared and prepared; missing options, values with units, cases from outside."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from folders import RULESETS

from rulespec.cli.main import cli
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.verify.scenario_files import load_scenarios
from rulespec.engine.verify.scenario_run import run_scenario
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

BACKENDS: tuple[Backend, ...] = ("python", "interpreter")
EXTRA = """
procedure lend(p: player, amount: money):
    pay amount from bank to p.cash

procedure lend_all():
    for p in player:
        lend(p, 1 money)

procedure close():
    end game as closing
"""


@pytest.fixture(scope="module")
def wager(tmp_path_factory: pytest.TempPathFactory) -> typed.Ruleset:
    """The game of dice and bids, with procedures called only by scenarios."""
    folder = tmp_path_factory.mktemp("rules") / "wager"
    shutil.copytree(RULESETS / "wager", folder)
    (folder / "rules" / "extra.rules").write_text(EXTRA, "utf-8")
    return load_ruleset(str(folder))


def cases(folder: Path, wager: typed.Ruleset, backend: Backend, **files: str) -> list[Diagnostic]:
    """The faults of the scenarios in the first file: first in files, then in games."""
    for name, rows in files.items():
        (folder / f"{name}.yaml").write_text("scenarios:\n" + rows, "utf-8")
    report, first = Report(), next(iter(files))
    result = load_scenarios(folder / f"{first}.yaml", report, f"{first}.yaml")
    return [*report.diagnostics, *(f.diagnostic for s in result for f in run_scenario(wager, s, backend))]


BASE = """
  - id: rich
    title: A is rich
    seats: [A, B, C]
    settings: {gifts: "off"}
    given: {start: thanks(A), set: {A.cash: 9 money}}
"""

HOLDS = [
    # the position of another scenario, with its players, start and options
    "{id: X, title: T, given: {from: rich}, then: {decision: thanks, by: A, values: {A.cash: 9, players: 3}}}",
    "{id: X, title: T, given: {from: rich}, then: {illegal: {'give(A, B, 1)': WAG-05}}}",
    # its own values override that
    "{id: X, title: T, settings: {gifts: free}, given: {from: rich}, then: {legal: ['give(A, B, 1)']}}",
    "{id: X, title: T, given: {from: rich, start: thanks(B)}, then: {by: B, values: {A.cash: 9}}}",
    "{id: X, title: T, given: {from: rich, set: {A.cash: 3}}, then: {values: {A.cash: 3, B.cash: 4}}}",
    "{id: X, title: T, seats: [A, B], given: {from: rich}, then: {values: {players: 2}}}",
    # procedures run before values are set, and after those of the other scenario
    "{id: X, title: T, given: {run: [lend_all]}, then: {decision: die, values: {A.cash: 5, B.cash: 5, bank: -2}}}",
    "{id: X, title: T, given: {run: ['lend(B, 3 money)', lend_all()]}, then: {values: {A.cash: 5, B.cash: 8}}}",
    "{id: X, title: T, given: {run: [lend_all], set: {A.cash: 2}}, then: {values: {A.cash: 2, B.cash: 5}}}",
    "{id: X, title: T, given: {from: rich, run: [lend_all]}, then: {by: A, values: {A.cash: 10, C.cash: 5}}}",
    "{id: X, title: T, given: {run: [award, lend_all]}, when: ['chance: roll(sun)'], then: {decision: bidding}}",
    # an account that is set, too, pays nothing
    "{id: X, title: T, given: {set: {bank: 7, A.cash: 9}}, then: {values: {A.cash: 9, bank: 7}}}",
    "{id: X, title: T, given: {set: {A.cash: 9, bank: 7}}, then: {values: {A.cash: 9, bank: 7}}}",
    # values with their units
    "{id: X, title: T, then: {values: {A.cash: 4 money, bank: 0 money, sun.prize: 5 money, round: 1}}}",
    "{id: X, title: T, then: {values: {'A.cash + 1 money': 5  money, '1 money - A.cash': -3 money}}}",
    # illegal for any reason, or no such option
    "{id: X, title: T, given: {start: thanks(A)}, then: {illegal: ['give(A, B, 5)', 'give(A, A, 1)', roll(sun)]}}",
    "{id: X, title: T, given: {start: thanks(A)}, then: {absent: [roll, bid]}}",
    "{id: X, title: T, then: {absent: [give], illegal: ['give(A, B, 1)', bid(99), nod]}}",
    "{id: X, title: T, given: {start: close}, then: {ended: closing, absent: [nod], illegal: [nod, bid(1)]}}",
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("row", HOLDS)
def test_what_holds(tmp_path: Path, wager: typed.Ruleset, row: str, backend: Backend) -> None:
    assert cases(tmp_path, wager, backend, own=f"  - {row}\n", base=BASE) == []
    assert cases(tmp_path, wager, backend, one=f"{BASE}  - {row}\n") == []


WRONG = [
    ("given: {from: rch}", "RS716", "from", "there is no scenario `rch` in this file or in a file beside it"),
    ("given: {from: two}", "RS716", "from", "there is more than one scenario `two`"),
    ("given: {from: X}", "RS717", "from", "the position depends on itself: `X` → `X`"),
    ("given: {from: ring}", "RS717", "from", "the position depends on itself: `ring` → `round` → `ring`"),
    ("given: {run: [lend_al]}", "RS813", "run", "does not call a procedure of the ruleset; did you mean `lend_all`?"),
    (
        "given: {run: [lend]}",
        "RS813",
        "run",
        "`lend` takes 2 arguments; call it as it is declared: `procedure lend(p: player, amount: money)`",
    ),
    (
        "given: {run: ['lend_all(A)']}",
        "RS813",
        "run",
        "`lend_all` takes no arguments; call it as it is declared: `procedure lend_all()`",
    ),
    ("given: {run: ['lend(A, 3)']}", None, "", ""),
    ("given: {run: ['lend(A, 1 round)']}", "RS813", "run", "`round`"),
    ("given: {run: ['lend(A, 0 - 1 money)']}", "RS813", "run", "the game cannot begin"),
    ("given: {run: [die]}", "RS813", "run", "`die` cannot be run before the start: it asks for the decision `die`"),
    ("given: {run: [play]}", "RS813", "run", "it asks for the decision `die`"),
    ("given: {run: [lend_all, close]}", "RS813", "run", "`close` cannot be run before the start: it ends the game"),
    ("then: {values: {A.cash: 5 money}}", "RS812", "A.cash", "`A.cash` is 4 money, expected 5 money"),
    ("then: {values: {A.cash: 4 mony}}", "RS815", "A.cash", "`mony` is not a unit; did you mean `money`?"),
    ("then: {values: {round: 1 money}}", "RS815", "round", "money"),
    ("then: {values: {shown: 1 money}}", "RS815", "shown", "money"),
    ("then: {illegal: [roll(sun)]}", "RS812", "illegal", "`roll(sun)` is legal, expected a refusal"),
    ("then: {illegal: [rol(sun)]}", "RS719", "illegal", "has an option `rol`; did you mean `roll`?"),
    ("then: {illegal: [roll(moon)]}", "RS719", "illegal", "there is no face `moon`"),
    ("then: {illegal: [roll]}", "RS719", "illegal", "`roll` takes f"),
    ("then: {illegal: ['give(A, B)']}", "RS719", "illegal", "`give` takes q, to, amount"),
    ("then: {illegal: ['give(A, D, 1)']}", "RS719", "illegal", "there is no player `D`"),
    ("then: {illegal: ['give(A, B, one)']}", "RS719", "illegal", "`one` is not a number"),
    ("then: {illegal: ['give(A, B, 1']}", "RS719", "illegal", "does not end with `)`"),
    ("then: {absent: [roll]}", "RS812", "absent", "`roll` is an option of `die`, expected no option here"),
    ("then: {absent: [giv]}", "RS719", "absent", "has an option `giv`; did you mean `give`?"),
]
BESIDE = """
  - {id: two, title: One}
  - {id: ring, title: Ring, given: {from: round}}
  - {id: round, title: Ring, given: {from: ring}}
"""


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("text, code, where, message", WRONG, ids=[w[0] for w in WRONG])
def test_what_is_wrong_is_told_at_its_place(
    tmp_path: Path, wager: typed.Ruleset, text: str, code: str | None, where: str, message: str, backend: Backend
) -> None:
    own, other = f"  - id: X\n    title: T\n    {text}\n", BASE + "  - {id: two, title: Two}\n"
    result = cases(tmp_path, wager, backend, own=own, base=BESIDE, other=other)
    if code is None:
        assert result == []
        return
    (diagnostic,) = result
    shown = f"{diagnostic.message}; {diagnostic.help}"
    assert (diagnostic.code, message in shown) == (code, True), shown
    assert diagnostic.span is not None and diagnostic.span.file.endswith("own.yaml") and diagnostic.span.line == 4
    assert diagnostic.span.column > own.split("\n")[2].index(where), diagnostic.span


def test_a_mistake_in_a_shared_position_is_told_where_it_stands(tmp_path: Path, wager: typed.Ruleset) -> None:
    base = "  - {id: base, title: Base, given: {set: {A.csh: 1}}}\n"
    (result,) = cases(tmp_path, wager, "python", own="  - {id: X, title: T, given: {from: base}}\n", base=base)
    assert (result.code, str(result.span)) == ("RS813", f"{tmp_path}/base.yaml:2:43")
    assert [str(note.span) for note in result.notes] == ["own.yaml:2:10"]


def test_the_decisions_of_the_other_scenario_are_not_taken(tmp_path: Path, wager: typed.Ruleset) -> None:
    base = "  - {id: base, title: T, given: {run: [lend_all]}, when: ['chance: roll(sun)']}\n"
    row = "  - {id: X, title: T, given: {from: base}, then: {decision: die, values: {A.cash: 5}}}\n"
    assert cases(tmp_path, wager, "python", own=base + row) == []


def test_an_id_of_its_own_file_comes_first(tmp_path: Path, wager: typed.Ruleset) -> None:
    own = "  - {id: rich, title: T, given: {set: {A.cash: 2}}}\n"
    own += "  - {id: X, title: T, given: {from: rich}, then: {values: {A.cash: 2}}}\n"
    assert cases(tmp_path, wager, "python", own=own, base=BASE) == []


def test_a_chain_of_positions_has_an_end(tmp_path: Path, wager: typed.Ruleset) -> None:
    links = (f"  - {{id: {n}, title: T, given: {{from: {n + 1}, run: [lend_all]}}}}\n" for n in range(150))
    result = cases(tmp_path, wager, "python", own="".join(links) + "  - {id: 150, title: T}\n")
    assert {d.code for d in result} == {"RS717"} and len(result) == 50
    assert result[0].message == "0: the position depends on a chain of more than 100 other scenarios"


def test_a_procedure_is_run_only_before_the_game_begins(wager: typed.Ruleset) -> None:
    game = Game(wager, "AB")
    game.omniscient.prepare("lend(A, 2 money)")
    assert game.decision is not None and game.omniscient.value("A.cash") == "6"
    with pytest.raises(DiagnosticsError, match="the game has begun"):
        game.omniscient.prepare("lend(A, 2 money)")
    assert game.omniscient.value("A.cash") == "6"


# --- cases from outside the ruleset ----------------------------------------------------------


def outcome(*args: str | Path) -> tuple[int, dict[str, int], list[str]]:
    result = CliRunner().invoke(cli, ["test", "--format", "json", *map(str, args)])
    data = json.loads(result.stdout)
    notes = [d["code"] for case in data["failures"] for d in case["diagnostics"]]
    return result.exit_code, data["scenarios"] | {"logs": sum(data["logs"].values())}, notes


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "cases"
    (folder / "tall").mkdir(parents=True)
    rows = ["{id: 1, title: T}", "{id: 2, title: T, also: [tall]}", "{id: 3, title: T, when: ['A: take(9)']}"]
    (folder / "some.yaml").write_text("scenarios:\n" + "".join(f"  - {row}\n" for row in rows), "utf-8")
    own = "{id: 4, title: T, given: {from: 5}}, {id: 5, title: T}"
    (folder / "tall" / "own.yaml").write_text(f"scenarios: [{own}]\n", "utf-8")
    return folder


def test_the_cases_of_another_folder(outside: Path) -> None:
    nim = RULESETS / "nim"
    assert outcome(nim, "--scenarios", outside) == (1, {"passed": 2, "failed": 1, "logs": 0}, ["RS814"])
    assert outcome(f"{nim}+tall", "--scenarios", outside) == (1, {"passed": 4, "failed": 1, "logs": 0}, ["RS814"])
    assert outcome(f"{nim}+tall", "--scenarios", outside, "--only", "own") == (
        0,
        {"passed": 2, "failed": 0, "logs": 0},
        [],
    )


def test_the_cases_of_a_file(outside: Path) -> None:
    for ref in (RULESETS / "nim", f"{RULESETS / 'nim'}+tall"):
        assert outcome(ref, "--scenarios", outside / "some.yaml")[1] == {"passed": 2, "failed": 1, "logs": 0}
    both = outcome(RULESETS / "nim", "--scenarios", outside / "some.yaml", "--scenarios", outside / "tall")
    assert both[1] == {"passed": 4, "failed": 1, "logs": 0}


def test_an_overlay_from_elsewhere_is_not_counted_among_others(outside: Path) -> None:
    rows = ["{id: 1, title: T}", "{id: 2, title: T, also: [tall]}"]
    (outside / "some.yaml").write_text("scenarios:\n" + "".join(f"  - {row}\n" for row in rows), "utf-8")
    (outside / "mine.yaml").write_text("id: mine\ntitle: Mine\nfor: nim\nversion: '1'\n", "utf-8")
    ref = f"{RULESETS / 'nim'}+{outside / 'mine.yaml'}"
    assert outcome(ref, "--scenarios", outside / "some.yaml")[1] == {"passed": 2, "failed": 0, "logs": 0}
    result = CliRunner().invoke(cli, ["test", ref])
    assert (result.exit_code, f"--scenarios {RULESETS / 'nim' / 'scenarios'}" in result.stderr) == (2, True)


def test_a_case_that_names_other_overlays_is_left_out(outside: Path) -> None:
    (outside / "some.yaml").write_text("scenarios: [{id: 1, title: T, also: [toll]}]\n", "utf-8")
    result = CliRunner().invoke(cli, ["test", f"{RULESETS / 'nim'}+tall", "--scenarios", str(outside / "some.yaml")])
    assert result.exit_code == 1 and "error[RS502]: 1: there is no overlay `toll`" in result.stderr


def test_a_folder_that_is_not_there() -> None:
    result = CliRunner().invoke(cli, ["test", str(RULESETS / "nim"), "--scenarios", "nowhere"])
    assert result.exit_code == 2 and "nowhere" in result.stderr
