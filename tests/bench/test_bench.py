"""The speed benchmark: alternation, sound maps, and output. No test reads a clock."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from deadlines import pause
from speed_tables import page_of, sections

from bench import speed
from bench.big_maps import JOINED, write_big_map
from bench.figures import Bench, Figure, Target, number, table
from bench.in_c import FOLDER, NoCompilerError, limit
from bench.pairs import Sample, Slice, Spread, alternate, cost, once, timed
from bench.pairs import speed as times_as_fast
from bench.play import played, write_log
from bench.processes import ROOT, by_turns
from bench.sections.passes import machines
from bench.yardstick import INTERPRETER, TASKS, Chess, bytes_of
from rulespec.diagnostics.report import Report
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.native import read_log
from rulespec.engine.passes.pipeline import PASSES
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.python.features import ALL_FEATURES
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.wasm import WasmOutcomes
from rulespec.load import load_ruleset


class Steady:
    """A yardstick of constant speed that records its requests."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def slice(self, task: str, seconds: float) -> Slice:
        def run() -> Sample:
            self.asked.append(task)
            return Sample(1000, 0.1)

        return run

    def memory(self) -> dict[str, float]:
        return {"new": 100, "copy": 100, "move": 100}

    def games(self) -> list[list[str]]:
        return [["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "e1g1", "f8c5"]]


def counted(order: list[str], name: str, seconds: list[float]) -> Slice:
    taken = iter(seconds)

    def run() -> Sample:
        order.append(name)
        return Sample(10, next(taken))

    return run


def test_slices_take_turns_and_every_second_time_the_other_way_round() -> None:
    order: list[str] = []
    a, b = counted(order, "a", [0, 1, 2, 9]), counted(order, "b", [0, 2, 4, 1])
    ours, theirs = alternate([a, b], 3)
    assert order == ["a", "b", "a", "b", "b", "a", "a", "b"]  # the first two are not counted
    assert [sample.seconds for sample in ours] == [1, 2, 9]
    assert [sample.seconds for sample in theirs] == [2, 4, 1]


def test_the_turns_of_a_run_are_added_up() -> None:
    order: list[str] = []
    a, b = counted(order, "a", [1, 2, 9, 4]), counted(order, "b", [2, 4, 1, 5])
    assert alternate([a, b], 2, turns=2, warm=False) == [
        [Sample(20, 3), Sample(20, 13)],
        [Sample(20, 6), Sample(20, 6)],
    ]
    assert order == ["a", "b", "b", "a", "a", "b", "b", "a"]


def rows(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.proof
def test_a_process_stands_still_between_its_turns(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    args = ["simulate", "tutorial", "--players", "3", "--games", "4000", "--jobs", "2", "--out", str(out)]
    with by_turns("rulespec.cli.main", args) as go_on:
        assert go_on(lambda: rows(out) > 3) > 0
        pause(0.2)  # it does not stop at once
        before = rows(out)
        pause(0.3)
        assert 3 < rows(out) == before < 4001
        assert go_on(lambda: False) > 0  # never enough: runs until the end
        assert rows(out) == 4001
        assert go_on(lambda: False) >= 0 and rows(out) == 4001  # it has ended


@pytest.mark.proof
def test_a_process_ends_with_whoever_gave_it_turns(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    with by_turns(
        "rulespec.cli.main", ["simulate", "imperial", "--players", "2", "--games", "9999", "--out", str(out)]
    ) as go_on:
        go_on(lambda: rows(out) > 1)
    pause(0.2)
    before = rows(out)
    pause(0.3)
    assert 1 < rows(out) == before


def test_a_process_that_fails_in_its_turn_says_why() -> None:
    with (
        by_turns("rulespec.cli.main", ["simulate", "nowhere", "--players", "2"]) as go_on,
        pytest.raises(RuntimeError) as error,
    ):
        go_on(lambda: False)
    assert "nowhere" in str(error.value)


def test_ratios_are_those_of_the_same_runs() -> None:
    ours = [Sample(10, 1), Sample(10, 2), Sample(10, 9)]
    theirs = [Sample(10, 2), Sample(10, 4), Sample(10, 1)]
    assert times_as_fast(ours, theirs).median == 2
    assert cost(ours, theirs).median == 0.5
    assert Spread.of([4, 1, 3, 2, 5]) == Spread(3, 2, 4, 5)
    assert Spread.of([7]) == Spread(7, 7, 7, 1)


def test_a_slice_says_how_much_it_was() -> None:
    done: list[int] = []

    def work() -> int:
        done.append(1)
        return 3

    assert timed(work, 0.0)().count == 3
    assert timed(work, 0.001)().count == 3 * (len(done) - 1)
    assert once(work)().count == 1


@pytest.mark.parametrize("unit, value, ratio", [("moves", 100, 0.01), ("ms", 10, 100)])
@pytest.mark.sampled(1)
def test_a_figure_stands_beside_its_yardstick(unit: str, value: float, ratio: float) -> None:
    yardstick = Steady()
    bench = Bench(yardstick, Path(), runs=3, turns=2)
    figure = bench.beside_chess("name", lambda: Sample(10, 0.1), unit, target=Target(1, at_least=True))
    assert figure.value.median == pytest.approx(value)
    assert figure.ratio is not None
    assert figure.ratio.median == pytest.approx(ratio)
    assert figure.met is (ratio >= 1)
    assert yardstick.asked == ["playouts"] * (1 + 3 * 2)


@pytest.mark.parametrize(
    "target, met", [(Target(2, True), True), (Target(2, False), False), (Target(9, False, False), False), (None, None)]
)
def test_a_target_is_of_the_ratio_or_of_the_value(target: Target | None, met: bool | None) -> None:
    figure = Figure("s", "n", Spread.of([10]), "µs", "chess move", Spread.of([3]), target)
    assert figure.met is met


def test_numbers_have_three_digits() -> None:
    assert [number(x) for x in (12345.6, 123.45, 12.345, 1.2345, 0.12345, 0.012345, 0)] == [
        *("12,346", "123", "12.3", "1.23", "0.12", "0.012", "0.00"),
    ]


def test_the_table_has_a_row_for_each_figure() -> None:
    figures = [Figure("s", "n", Spread.of([1, 2, 3]), "µs", more={"options": 4.0})]
    assert table(figures).splitlines()[2].split("|")[1:4] == [" n ", " 2.00 µs ", " 1.50 to 2.50 "]


@pytest.mark.proof
def test_a_map_four_times_as_large_is_a_sound_ruleset(tmp_path: Path) -> None:
    report = Report()
    ruleset = load_ruleset(str(write_big_map(4, tmp_path)), report)
    assert not report.diagnostics
    names = {entity.name for entity in ruleset.declarations.kinds["region"].entities}
    assert len(names) == 4 * 54
    assert names >= {f"{name}_4" for joined in JOINED.values() for name in joined}
    game = played(ruleset, 4, 1, most=60)
    assert game.ply == 60
    assert not game.omniscient.broken_invariants()


@pytest.mark.parametrize("regions", [66, 108])
@pytest.mark.proof
def test_a_map_of_so_many_regions_is_played_in_wasm_as_in_python(tmp_path: Path, regions: int) -> None:
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    ruleset = load_ruleset(str(write_big_map(4, tmp_path, regions)))
    assert len(ruleset.declarations.kinds["region"].entities) == regions
    plan = GamePlan.of(ruleset.ref, ruleset, [4], 1, cap=200)
    in_wasm = WasmOutcomes(plan, ruleset)
    assert in_wasm.of(range(2)) == [Outcome.of(plan.play(ruleset, number)) for number in range(2)]
    assert not any(games.given_back for games in in_wasm.games.values())


@pytest.mark.proof  # 0.7 s
def test_passes_are_left_out() -> None:
    ruleset = load_ruleset("tutorial")
    make = machines((), ALL_FEATURES)
    machine = make(ruleset, 2, {})
    assert make(ruleset, 2, {}) is machine
    assert isinstance(machine, PythonBackend)
    whole = machines(PASSES, ALL_FEATURES)(ruleset, 2, {})
    assert isinstance(whole, PythonBackend)
    assert whole.source != machine.source


def test_a_log_of_so_many_decisions(tmp_path: Path) -> None:
    log = read_log(write_log(load_ruleset("tutorial"), 2, 30, tmp_path / "some.jsonl"))
    assert len(log.entries) == 30
    assert tuple(log.header.seats) == seat_names(2)


def test_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def small(bench: Bench) -> list[Figure]:
        return [bench.beside_chess("one", lambda: Sample(1, 0.001), "µs", target=Target(1, at_least=False))]

    sections: dict[str, Callable[[Bench], object]] = {"small": small}
    monkeypatch.setattr(speed, "SECTIONS", sections)
    shown: list[str] = []
    bench = Bench(Steady(), tmp_path, runs=2, seconds=0.001, quick=True)
    data = json.loads(json.dumps(speed.as_json(bench, speed.measure(bench, ["small"], shown.append))))
    assert data["rulespec_speed"] == speed.VERSION
    section = data["sections"]["small"]
    assert set(section) == {
        *(
            "date",
            "commit",
            "processor",
            "python",
            "machine",
            "system",
            "processors",
            "runs",
            "turns",
            "seconds",
            "quick",
            "note",
            "figures",
        ),
    }
    assert re.fullmatch(r"([0-9a-f]{12}\+?)?", section["commit"])
    (figure,) = section["figures"]
    assert (figure["section"], figure["name"], figure["unit"], figure["met"]) == ("small", "one", "µs", False)
    assert figure["value"]["median"] == pytest.approx(1000)
    assert figure["ratio"] == {"median": 10, "low": 10, "high": 10, "runs": 2}
    assert figure["target"] == "≤ 1x"
    assert "## small" in shown[0]


@pytest.mark.parametrize("game, shortest, longest", [("nim", 4, 16), ("connect_four", 7, 42), ("chess", 4, 10_000)])
@pytest.mark.sampled(2)
def test_games_in_c_count_their_moves(game: str, shortest: int, longest: int, tmp_path: Path) -> None:
    """A slice of no duration is one round of games, as many as the program has per round."""
    try:
        with limit(game, 0.0, tmp_path / "new") as play:
            sample = play()
    except NoCompilerError as error:
        pytest.skip(str(error))
    games = re.search(r"#define GAMES (\d+)", (FOLDER / f"{game}.c").read_text("utf-8"))
    assert games is not None
    assert shortest <= sample.count / int(games[1]) <= longest
    assert sample.seconds > 0


def test_without_a_compiler_games_in_c_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoCompilerError, match="no C compiler"), limit("nim", 0.0, tmp_path):
        pass


def test_sections_that_are_not_measured_again_stay(tmp_path: Path) -> None:
    path = tmp_path / "new" / "speed.json"
    for runs, names in enumerate((["one", "two"], ["two"])):
        sections = {name: {"runs": runs} for name in names}
        speed.write(path, {"rulespec_speed": speed.VERSION, "sections": sections})
    assert json.loads(path.read_text("utf-8"))["sections"] == {"one": {"runs": 0}, "two": {"runs": 1}}


def test_the_page_has_no_measured_figures_but_those_of_the_file() -> None:
    """The tables are generated from the file (see `test_generated_parts_are_current`), so figures outside would age."""
    page = (ROOT / "docs/explanation/speed.md").read_text("utf-8")
    results = page[page.index("## Results") : page.index("## Beside an earlier commit")]
    tables = re.findall(r"<!-- speed: (\w+) -->", results)
    between = re.sub(r"<!-- speed: .*?<!-- end of speed -->", "", results, flags=re.DOTALL)
    assert tables == [name for name in sections() if page_of(name) == "docs/explanation/speed.md"]
    assert re.findall(r"[\d.,]*\d ?(?:s|ms|µs|x|%|times|\w+/s)(?!\w)", between) == ["1x"]


def test_figures_of_an_older_form_do_not_stay(tmp_path: Path) -> None:
    path = tmp_path / "speed.json"
    path.write_text('{"rulespec_speed": 1, "figures": []}', "utf-8")
    speed.write(path, {"rulespec_speed": speed.VERSION, "sections": {}})
    assert json.loads(path.read_text("utf-8")) == {"rulespec_speed": speed.VERSION, "sections": {}}


def test_bytes_are_counted_of_what_is_kept() -> None:
    assert bytes_of(lambda: bytearray(10_000), 5) == pytest.approx(10_000, rel=0.05)


@pytest.mark.proof
def test_the_yardstick_answers() -> None:
    if not INTERPRETER.is_file():
        pytest.skip(f"python-chess is not set up: make {INTERPRETER.relative_to(ROOT)}")
    with Chess() as chess:
        assert all(chess.slice(task, 0.0)().count > 0 for task in TASKS)
        assert set(chess.memory()) == {"new", "copy", "move"}


def test_python_chess_is_in_no_extra_and_imported_by_its_own_program_alone() -> None:
    """python-chess is under the GPL."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    required = [*project["dependencies"], *(each for of in project["optional-dependencies"].values() for each in of)]
    assert not [each for each in required if re.match(r"(python-)?chess\b", each)]
    folders = ("bench", "tests", "tools", "fuzz", "release", "rulespec", "engine", "cli", "pages", "serve", "guests")
    files = {file for folder in folders for file in (ROOT / folder).rglob("*.py")} - {Path(__file__)}
    imports = re.compile(r"^\s*(?:import|from) chess\b|importorskip\(.chess", re.MULTILINE)
    assert {file.name for file in files if imports.search(file.read_text("utf-8"))} == {"python_chess.py"}


def test_an_unknown_section_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        speed.main(["playout"])
    assert "no section playout" in capsys.readouterr().err
