"""Scenarios: their expectations, and the report of each failed one at its place."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest
from cases import write
from folders import GAMES, RULESETS, shipped_files

from rulespec.diagnostics.report import Report
from rulespec.engine.game.machines import Backend, Machines
from rulespec.engine.game.seating import usual_seats
from rulespec.engine.verify.scenario_files import load_scenarios, suite_scenarios
from rulespec.engine.verify.scenario_run import Failure, run_scenario
from rulespec.engine.verify.suite import run_suite, short_games
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

BACKENDS: tuple[Backend, ...] = ("python", "interpreter")

ruleset = cache(load_ruleset)


def nim() -> typed.Ruleset:
    return ruleset(str(RULESETS / "nim"))


def run(tmp_path: Path, text: str, backend: Backend = "python") -> list[Failure]:
    path = tmp_path / "cases.yaml"
    path.write_text("scenarios:\n  - id: X\n    title: A case\n" + text, "utf-8")
    report = Report()
    result = load_scenarios(path, report, "cases.yaml")
    assert report.diagnostics == ()
    return [failure for scenario in result for failure in run_scenario(nim(), scenario, backend)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("ref", ["nim", "nim+tall", "wager", "harbour"])
def test_scenarios_of_our_rulesets_pass(ref: str, backend: Backend) -> None:
    report = Report()
    cases = list(run_suite(ruleset(f"{RULESETS}/{ref}"), [backend], report))
    assert cases and all(case.passed for case in cases), [c.diagnostics for c in cases]
    assert report.diagnostics == ()


FILES = [
    (str(folder.parent) if folder.name == "scenarios" else f"{folder.parent.parent}+{folder.name}", path)
    for folder in sorted({p.parent for p in shipped_files("scenarios/**/*.yaml")})
    for path in sorted(folder.glob("*.yaml"))
]


EVERY = {"python": 2, "interpreter": 20}
"""Backend → the interval at which `make test` samples scenarios."""
each_file = pytest.mark.parametrize("ref, path", FILES, ids=[str(p.relative_to(GAMES)) for _, p in FILES])


def failures(ref: str, path: Path, backend: Backend | Machines, every: int = 1) -> list[tuple[str, str]]:
    """The failures of a sample of a file's scenarios, under the rulesets to which they apply."""
    report = Report()
    scenarios = load_scenarios(path, report)
    assert report.diagnostics == () and scenarios
    return [
        (under, str(failure.diagnostic))
        for scenario in scenarios[::every]
        for under in [ref, *(f"{ref}+{overlay.text}" for overlay in scenario.also)]
        for failure in run_scenario(ruleset(under), scenario, backend)
    ]


@each_file
@pytest.mark.sampled(34)
def test_scenarios_of_games_pass(ref: str, path: Path) -> None:
    assert failures(ref, path, short_games, EVERY["python"]) == []


@each_file
@pytest.mark.sampled(18)
def test_scenarios_of_games_pass_with_the_interpreter(ref: str, path: Path) -> None:
    assert failures(ref, path, "interpreter", EVERY["interpreter"]) == []


@pytest.mark.parametrize(
    "ref, path", [(ref, path) for ref, path in FILES if "gallery" in path.parts], ids=lambda p: Path(p).stem
)
def test_all_scenarios_of_the_gallery_pass(ref: str, path: Path) -> None:
    """They are few, and a sample would omit whole games."""
    assert failures(ref, path, short_games) == []


@pytest.mark.proof
@pytest.mark.parametrize("backend", BACKENDS)
@each_file
def test_all_scenarios_of_games_pass_with_both_backends(ref: str, path: Path, backend: Backend) -> None:
    assert failures(ref, path, backend) == []


def test_an_overlay_has_scenarios_of_its_own() -> None:
    of_nim = {s.span.file for s in suite_scenarios(nim(), Report())}
    assert {Path(file).parent.name for file in of_nim} == {"scenarios"}
    of_tall = {s.span.file for s in suite_scenarios(ruleset(f"{RULESETS}/nim+tall"), Report())}
    assert {Path(file).parent.name for file in of_tall} == {"tall"}


@pytest.fixture
def shared(tmp_path: Path) -> str:
    """A copy of nim with two overlays, and scenarios that apply to some of them."""
    folder = tmp_path / "nim"
    shutil.copytree(RULESETS / "nim", folder)
    shutil.rmtree(folder / "scenarios")
    (folder / "scenarios" / "tall").mkdir(parents=True)
    other = "id: other\ntitle: Other\nfor: nim\nversion: '1'\nchanges: {game.title: Another}\n"
    (folder / "variants" / "other.yaml").write_text(other, "utf-8")
    rows = ["{id: base, title: T}", "{id: tall, title: T, also: [tall]}", "{id: both, title: T, also: [other, tall]}"]
    text = "scenarios:\n" + "".join(f"  - {row}\n" for row in rows)
    (folder / "scenarios" / "cases.yaml").write_text(text, "utf-8")
    (folder / "scenarios" / "tall" / "own.yaml").write_text("scenarios: [{id: own, title: T}]\n", "utf-8")
    return str(folder)


@pytest.mark.parametrize(
    "overlays, ids",
    [("", "base tall both"), ("+tall", "tall both own"), ("+other", "both"), ("+tall+other", "both own")],
)
def test_a_scenario_may_hold_under_overlays_too(shared: str, overlays: str, ids: str) -> None:
    report = Report()
    assert [s.id for s in suite_scenarios(load_ruleset(shared + overlays), report)] == ids.split()
    assert report.diagnostics == ()


def test_an_overlay_that_is_not_there(shared: str) -> None:
    path = Path(shared, "scenarios", "cases.yaml")
    path.write_text("scenarios:\n  - {id: X, title: T, also: [toll]}\n", "utf-8")
    report = Report()
    assert not list(suite_scenarios(load_ruleset(f"{shared}+other"), report, lambda path: path.name))
    (result,) = report.diagnostics
    assert (result.code, str(result.span), result.help) == ("RS502", "cases.yaml:2:30", "did you mean `tall`?")


def test_an_empty_case_passes(tmp_path: Path) -> None:
    assert run(tmp_path, "") == []


# Failed expectations: the case (its lines start at line 4 of the file), the place, the code, and the message.
WRONG = [
    ("    then: {decision: end}", "4:22", "RS812", "X: decision is turn, expected end"),
    ("    then: {by: B}", "4:16", "RS812", "X: by is A, expected B"),
    ("    then: {by: none}", "4:16", "RS812", "X: by is A, expected none"),
    (
        "    then: {options: [take(1), take(2), take(3), take(4)]}",
        "4:49",
        "RS812",
        "X: `take(4)` is not among the options",
    ),
    ("    then: {options: [take(1), take(3)]}", "4:21", "RS812", "options is incomplete: there is also take(2)"),
    (
        "    then: {options: {take: [1, 3]}}",
        "4:28",
        "RS812",
        "`take` is incomplete: there is also 2",
    ),
    ("    then: {legal: [take(3), take(4)]}", "4:29", "RS812", "`take(4)` is refused: NIM-03"),
    ("    then: {legal: [grab(3)]}", "4:20", "RS812", "no option `grab`"),
    ("    then: {illegal: {take(3): NIM-03}}", "4:22", "RS812", "`take(3)` is legal, expected a refusal: NIM-03"),
    ("    then: {illegal: {take(4): NIM-77}}", "4:31", "RS812", "NIM-03: one to three stones (n = 4), expected NIM-77"),
    ("    then: {values: {stone.heap: 8}}", "4:33", "RS812", "`stone.heap` is 9, expected 8"),
    ("    then: {values: {stone.heep: 8}}", "4:21", "RS815", "heep"),
    ("    then: {values: {1 / (stone.heap - 9): 8}}", "4:21", "RS815", "zero"),
    ("    then: {ended: last_stone}", "4:19", "RS812", "ended is none, expected last_stone"),
    ("    then: {scores: {A: 1}}", "4:24", "RS812", "the score of A is 0, expected 1"),
    ("    then: {winners: [A]}", "4:21", "RS812", "winners is nobody yet, expected A"),
    ('    when: ["A: take(4)"]', "4:12", "RS814", "`take(4)` is not legal: NIM-03"),
    ('    when: ["B: take(2)"]', "4:12", "RS814", "is for A to do, not for B"),
    ('    when: ["A: grab(2)"]', "4:12", "RS814", "no option `grab`"),
    ('    when: ["A: take(two)"]', "4:12", "RS814", "`two` is not a number"),
    ("    given: {start: dance}", "4:20", "RS813", "`dance` does not call a procedure"),
    ("    given: {set: {stone.heep: 1}}", "4:19", "RS813", "heep"),
    ("    given: {set: {most: 1}}", "4:19", "RS813", "is neither state nor an account"),
    (
        '    given: {set: {"stone.hand[A]": 10}}',
        "4:19",
        "RS813",
        "also set `stone.heap` to the number of pieces left there",
    ),
    ("    seats: [A, B, C, D, E]", "2:9", "RS813", "for 2 to 4 players, not for 5"),
    ("    settings: {miser: true}", "2:9", "RS813", "has no setting `miser`; did you mean `misere`?"),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("text, at, code, message", WRONG, ids=[w[0].strip() for w in WRONG])
def test_what_does_not_hold_is_told_at_its_place(
    tmp_path: Path, text: str, at: str, code: str, message: str, backend: Backend
) -> None:
    failures = run(tmp_path, text, backend)
    assert len(failures) == 1
    diagnostic = failures[0].diagnostic
    assert str(diagnostic.span) == f"cases.yaml:{at}"
    assert message in diagnostic.message
    assert diagnostic.code == code
    assert failures[0].backend == backend


def test_one_step_that_fails_does_not_hide_the_next(tmp_path: Path) -> None:
    text = '    then: {by: B}\n    steps:\n      - when: ["A: take(1)"]\n        then: {by: A}\n'
    assert [f.what for f in run(tmp_path, text)] == ["by", "by"]


def test_a_decision_that_cannot_be_taken_ends_the_case(tmp_path: Path) -> None:
    text = '    when: ["A: take(4)"]\n    then: {by: A, decision: dance}\n'
    assert [f.what for f in run(tmp_path, text)] == ["when"]


@pytest.mark.parametrize("heap, hand", [(5, 2), (1, 9), (9, 9), (3, 0)])
@pytest.mark.parametrize("heap_first", [True, False])
def test_a_supply_holds_what_is_written_in_any_order(tmp_path: Path, heap: int, hand: int, heap_first: bool) -> None:
    places = [f"stone.heap: {heap}", f'"stone.hand[A]": {hand}']
    written = ", ".join(places if heap_first else places[::-1])
    assert run(tmp_path, f"    given: {{set: {{{written}}}}}\n    then: {{values: {{{written}}}}}") == []


def test_values_are_compared_as_values(tmp_path: Path) -> None:
    text = '    then: {values: {"{B, A}": "{A,B}", "stone.heap > 3": true, "first(p in player where false)": none}}'
    assert run(tmp_path, text) == []


def test_two_scenarios_of_one_id(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text("scenarios:\n  - {id: X, title: One}\n  - {id: X, title: Two}\n", "utf-8")
    report = Report()
    load_scenarios(path, report, "cases.yaml")
    assert [(d.code, str(d.span)) for d in report.diagnostics] == [("RS811", "cases.yaml:3:10")]


@pytest.mark.parametrize(
    "text, code, at",
    [
        ("scenarios: []", "RS217", "1:12"),
        ("scenarios: [{id: X}]", "RS212", "1:13"),
        ("scenarios: [{id: X, title: T, wehn: [a]}]", "RS211", "1:31"),
        ("scenarios: [{id: X, title: T, when: [take]}]", "RS215", "1:38"),
        ("scenarios: [{id: X, title: T, then: {value: {}}}]", "RS211", "1:38"),
        ("scenarios: [{id: X, title: T, also: [t, t]}]", "RS218", "1:37"),
        ("scenarios: [{id: X, title: T, also: tall}]", "RS213", "1:37"),
        ("scenarios: ]", "RS111", "1:12"),
    ],
)
def test_a_file_of_another_form(tmp_path: Path, text: str, code: str, at: str) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(text, "utf-8")
    report = Report()
    assert load_scenarios(path, report, "cases.yaml") == ()
    assert [(d.code, str(d.span)) for d in report.diagnostics] == [(code, f"cases.yaml:{at}")]


@pytest.mark.parametrize(
    "players, seats", [("min: 3, max: 5", "ABC"), ("min: 1, max: 4", "AB"), ("min: 1, max: 1", "A")]
)
def test_a_scenario_that_names_no_seats_has_as_many_as_the_game_needs(players: str, seats: str, tmp_path: Path) -> None:
    files = {
        "game.yaml": f'id: solo\ntitle: Solo\nversion: "1"\nplayers: {{kind: player, {players}}}\nstart: play\n',
        "rules/play.rules": "procedure play():\n    decide all_of_it by first(player):\n        option go: pass\n",
    }
    assert usual_seats(load_ruleset(str(write(tmp_path, files)))) == tuple(seats)
