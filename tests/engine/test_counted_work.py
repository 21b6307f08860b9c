"""Work limits by counted steps, never seconds: in queries between decisions, in narration, in dialects."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from agreement import outcome
from cases import small
from folders import GAMES, RULESETS
from hard_work import LISTED, listing
from msgspec.structs import replace
from wasm_machine import wasm_machine
from worlds import WORLD

from rulespec.cli.main import run
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.dialects import known
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.projected import Projection
from rulespec.engine.dialects.projection import Projections
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.numbered import every_option
from rulespec.engine.lower import scope
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes import count_work
from rulespec.engine.passes.pipeline import optimized
from rulespec.engine.program import execution, interpreter, long_values
from rulespec.engine.program.budget import Budget, SpentError
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.python import choices
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.wasm import layout
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.engine.wasm.engine import NoWasmtimeError, wasmtime
from rulespec.engine.words import words as told_words
from rulespec.engine.words.moves import Moves
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

FEW = 500
"""The step limit for queries between decisions in these tests."""
DEAR = "sum(z.mark for z in all_towns() for u in all_towns() for v in all_towns() for w in all_towns())"
"""An expression that takes some thousand steps."""
ALL = "def all_towns() -> set town: {y in town where y.mark > -9}\n"


def listed(ruleset: typed.Ruleset, backend: Backend) -> str:
    """The options of the first decision, or the fault."""
    game = Game(ruleset, ["a", "b"], backend=backend)
    return str(outcome(lambda: [str(option) for option in every_option(game)]))


def machines() -> list[Backend]:
    try:
        wasmtime()
    except NoWasmtimeError:
        return ["interpreter", "python"]
    return ["interpreter", "python", "wasm"]


# --- lists of options -----------------------------------------------------------------------------


@pytest.mark.parametrize("params, condition", LISTED)
@pytest.mark.proof
def test_what_cannot_be_listed_has_its_place_its_option_and_its_steps(
    tmp_path: Path, params: str, condition: str
) -> None:
    ruleset = small(tmp_path / "small", listing(params, condition))
    results = {listed(ruleset, backend) for backend in machines()}
    (note,) = results
    last = params.rpartition(", ")[2].split()[0]
    assert f"`{last}` of `act.x`" in note
    assert "more than 5,000,000 steps" in note
    assert "play.rules:" in note


@pytest.mark.parametrize("others", [0, 12])
def test_a_listing_also_counts_options_without_ranges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    """The values of `x` take 48,000 steps, and those of the other options 13,000."""
    for module in (interpreter, choices, count_work, layout):
        monkeypatch.setattr(module, "MAX_LISTED", 50_000)
    text = listing("k in 1 .. 43", "d7(k) < 0")
    for i in range(others):
        option = [f"option y{i}(t in town):", "    require d5(t.tax) < 0", "    set n to 1"]
        text = text.replace("procedure q0", "".join(f"{' ' * 12}{line}\n" for line in option) + "procedure q0", 1)
    ruleset = small(tmp_path / "small", text)
    (note,) = {listed(ruleset, backend) for backend in machines()}
    assert ("takes more than" in note) == (others > 0)


EDGES = """
procedure play():
    for c in cell:
        if n < {marks}:
            set c.mark to 1
            set n to n + 1
    for p in player:
        decide act by p:
            option wait:
                pass
            option x(a in cell where a.mark > 0, b in cell where b.to(up) is none and b.mark + b.mark < 9):
                require b != a
                set a.mark to 0
--- kinds.yaml
kinds:
  cell: {{state: {{mark: {{type: int}}}}}}
  direction: {{}}
state:
  n: {{type: int}}
--- boards.yaml
boards:
  cell:
    grid: {{columns: a..z, rows: 1..{rows}}}
    directions: {{up: {{step: [0, 1]}}}}
"""


@pytest.mark.parametrize("rows", [38, pytest.param(40, marks=pytest.mark.proof)], ids=["988 members", "1,040 members"])
def test_a_set_that_passes_narrow_is_counted_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    for module in (interpreter, choices, count_work, layout):
        monkeypatch.setattr(module, "MAX_LISTED", 60_000)
    notes = []
    for marks in range(6, 18, 3):
        ruleset = small(tmp_path / f"small{marks}", EDGES.format(marks=marks, rows=rows))
        (decision,) = optimized(count_work.count_work(lower(ruleset, 2, {}))).decisions
        assert decision.choices[1].params[1].values == 26 * rows
        (note,) = {listed(ruleset, backend) for backend in machines()}
        notes.append("takes more than" in note)
    assert notes == sorted(notes) and len(set(notes)) == 2


@pytest.mark.parametrize("params", ["k in 1 .. 300000", "t in town, k in 0 .. 100000 or none"])
def test_too_many_numbers_have_their_place(tmp_path: Path, params: str) -> None:
    ruleset = small(tmp_path / "small", listing(params, "true"))
    for backend in machines():
        note = listed(ruleset, backend)
        assert "the parameter `k` of `act.x` ranges over" in note
        assert "play.rules:" in note


# --- between decisions ------------------------------------------------------------------------------

POINTS = "scoring points in player:\n    score DEAR\n"
BETWEEN = {
    "an invariant": ("pass", "invariant dear:\n    DEAR >= 0\n", lambda g: g.omniscient.broken_invariants()),
    "whether an option is legal": ("require DEAR >= 0", "", lambda g: g.why_not(g.parse("go"))),
    "who decides": ("pass", "BY", lambda g: g.decision),
    "the points": (
        "end game",
        POINTS,
        lambda g: (g.apply(g.parse("go")), g.result),
    ),
}


@pytest.mark.parametrize("body, more, ask", BETWEEN.values(), ids=BETWEEN)
@pytest.mark.sampled(1)
def test_what_is_asked_between_decisions_is_counted_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, more: str, ask: Callable[[Game], object]
) -> None:
    by = "the(p in player where p.index == 0 and DEAR >= 0)" if more == "BY" else "first(player)"
    rules = f"procedure play():\n    decide way by {by}:\n        option go:\n            {body}\n"
    text = (rules + more.replace("BY", "")).replace("DEAR", DEAR)
    ruleset = small(tmp_path / "small", text + ALL + WORLD)
    report = Report()
    load_ruleset(str(ruleset.folders[0]), report)
    assert report.ok

    def asked(steps: int, kind: str) -> object:
        monkeypatch.setattr(execution, "MAX_VALUE_STEPS", steps)
        monkeypatch.setattr(long_values, "MAX_VALUE_STEPS", steps)
        make = {"interpreter": Interpreter, "python": PythonBackend}.get(kind)
        if make is None:
            from rulespec.engine.wasm.program import WasmProgram

            return outcome(
                lambda: ask(Game(ruleset, ["a", "b"], {}, lambda r, n, o: wasm_machine(WasmProgram(lower(r, n, o)))))
            )
        return outcome(lambda: ask(Game(ruleset, ["a", "b"], {}, lambda r, n, o: make(lower(r, n, o)))))

    for kind in machines():
        result = str(asked(FEW, kind))
        assert result.startswith("RS704"), kind
        assert f"takes more than {FEW:,} steps" in result
        assert "RS704" not in str(asked(10_000_000, kind)), kind


def test_start_values_are_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dear = DEAR.replace("all_towns()", "town").replace("z.mark", "z.tax")
    world = WORLD.replace("town.elm.mark: 8", f'town.elm.mark: "{dear}", n: "{dear}"')
    ruleset = small(tmp_path / "small", "procedure play():\n    chance go:\n        option end: end game\n" + world)
    for steps in (10, 500, 900):
        monkeypatch.setattr(scope, "MAX_START_STEPS", steps)
        with pytest.raises(DiagnosticsError, match="RS415"):
            lower(ruleset, 2, {})
    monkeypatch.setattr(scope, "MAX_START_STEPS", 100_000)
    lower(ruleset, 2, {})


# --- what definitions declare -----------------------------------------------------------------------


@pytest.mark.parametrize("most, fails", [(1, True), (2, True), (3, False), (4, False)])
@pytest.mark.parametrize("kind", ["town", "many"])
@pytest.mark.sampled(2)
def test_a_set_has_no_more_members_than_it_declares(tmp_path: Path, most: int, fails: bool, kind: str) -> None:
    rules = f"""
procedure play():
    decide way by first(player):
        option go(t in some()):
            set n to count(some())
            end game
        option stop:
            end game
def some() -> set {kind} at most {most}: {{t in {kind} where t.index < 3}}
"""
    world = WORLD.replace(
        "  good: {", "  many: {entities: {" + ", ".join(f"e{i}: {{}}" for i in range(90)) + "}}\n  good: {"
    )
    ruleset = small(tmp_path / "small", rules + world)
    (note,) = {listed(ruleset, backend) for backend in machines()}
    assert (f"`some` has more than {most} members" in note) is fails
    assert fails or note.count("go(") == 3


def test_what_is_declared_is_counted_on(tmp_path: Path) -> None:
    many = ", ".join(f"e{i}: {{}}" for i in range(185))
    world = WORLD.replace("  good: {", f"  meld: {{state: {{mine: {{type: bool}}}}, entities: {{{many}}}}}\n  good: {{")
    rules = """
procedure play():
    decide way by first(player):
        option go:
            set n to max(a.index + b.index + c.index for a in held() for b in held() for c in held(), else 0)
            end game
def held() -> set meld: {x in meld where x.mine}
"""
    for text, codes in ((rules, {"RS411"}), (rules.replace("meld:", "meld at most 10:", 1), set[str]())):
        ruleset = small(tmp_path / "small", text + world)
        report = Report()
        load_ruleset(str(ruleset.folders[0]), report)
        assert {d.code for d in report.diagnostics} & {"RS411"} == codes
        game = Game(ruleset, ["a", "b"])
        game.apply(game.parse("go"))
        assert game.is_over


# --- words and measures -----------------------------------------------------------------------------

VISITS = """
def all_towns() -> set town: {y in town where y.mark > -9}
procedure play():
    repeat at most 9:
        errand(oak)
    end game as harvest
procedure errand(t: town):
    decide visit by first(player):
        option go(to in town):
            set to.mark to to.mark + 1
--- titles.yaml
"""
TITLES = {
    "`options.visit.go`": "options: {visit.go: 'goes to {to} for {DEAR}'}\n",
    "`entities.town`": "entities: {town: '{town.tax} and {DEAR}'}\n",
    "`decisions.visit`": "decisions: {visit: 'where to for {DEAR}'}\n",
    "actor of `visit`": "actor: 'first(a in town where DEAR > 0)'\n",
    "`options.visit.go` ": "options: {visit.go: {count: DEAR, one: one, other: '{to}'}}\n",
}


def warnings_of(folder: Path, titles: str, steps: int) -> tuple[Words, list[str]]:
    ruleset = small(folder / "small", VISITS + titles.replace("DEAR", DEAR) + WORLD)
    game, words = Game(ruleset, ["Ann", "Bob"]), Words(ruleset, budget=Budget(steps))
    narrator = Narrator(words, game)
    texts = []
    while (decision := game.decision) is not None:
        texts += [narrator.decision(decision), narrator.subject(decision)]
        game.apply(game.parse("go(elm)"))
    texts += [move.text for move in Moves(words, game)]
    return words, texts


@pytest.mark.parametrize("name, titles", TITLES.items(), ids=[name.strip() for name in TITLES])
def test_a_text_that_takes_long_is_named_and_the_rest_is_told_by_ids(tmp_path: Path, name: str, titles: str) -> None:
    words, texts = warnings_of(tmp_path, titles, 10_000_000)
    assert not words.too_long()
    one = sum(words.budget.used.values()) / 9
    words, short = warnings_of(tmp_path, titles, round(4 * one))
    assert len(short) == len(texts)
    assert sum(words.budget.used.values()) == round(4 * one)
    (warning,) = words.too_long()
    assert warning.code == "RS575"
    assert name.strip() in warning.message
    assert warning.span is not None and warning.span.file.endswith("titles.yaml")
    assert short[-1].endswith("go(elm)")


def test_without_a_shared_budget_each_text_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_words, "Budget", lambda: Budget(100))
    ruleset = small(tmp_path / "small", VISITS + TITLES["`options.visit.go`"].replace("DEAR", DEAR) + WORLD)
    game, words = Game(ruleset, ["Ann", "Bob"]), Words(ruleset)
    narrator = Narrator(words, game)
    assert narrator.option(game.parse("go(elm)")) == "go(elm)"
    monkeypatch.setattr(told_words, "Budget", Budget)
    assert narrator.option(game.parse("go(elm)")).startswith("goes to elm for ")
    assert not words.too_long()


@pytest.mark.parametrize(
    "of", ["{of: town, value: 'town.mark + DEAR'}", "{value: 'n + DEAR'}", "{of: good, value: 'good.index + DEAR'}"]
)
def test_measures_of_all_positions_have_one_budget(tmp_path: Path, of: str) -> None:
    measures = "--- measures.yaml\nmeasures:\n  dear: " + of.replace("DEAR", DEAR) + "\n"
    ruleset = small(tmp_path / "small", VISITS.replace("--- titles.yaml\n", "") + measures + WORLD)
    game, budget = Game(ruleset, ["Ann", "Bob"]), Budget(60_000)
    results = []
    for _ in range(8):
        results.append(game.omniscient.measures(budget=budget)["dear"])
        game.apply(game.parse("go(elm)"))
        game.omniscient.set_value("n", str(game.ply))
    assert sum(budget.used.values()) <= 60_000
    assert all(value is not None for value in results[0].values())
    assert budget.spent is (None in results[-1].values())


# --- dialects ---------------------------------------------------------------------------------------

FIELD = Projection("go", (("a", f"{DEAR} + t.mark", False),), "", "", "", "", "", False)
FORMS = {
    "a field": FIELD,
    "two fields": Projection("go", (("a", "t", False), ("b", f"t.mark * {DEAR}", False)), "", "", "", "", "", False),
    "a condition": replace(FIELD, match=(("a", "t", False),), when=f"{DEAR} + t.mark > 0"),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_expressions_of_a_dialect_have_one_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: Projection
) -> None:
    rules = "procedure play():\n    decide way by first(player):\n        option go(t in town):\n            end game\n"
    game = Game(small(tmp_path / "small", rules + ALL + WORLD), ["ann", "bob"])
    dialect = read_dialect(RULESETS / "errands" / "dialects" / "postman.yaml")
    monkeypatch.setattr(known, "Budget", lambda: Budget(20_000))
    projections = Projections(game, replace(dialect, names={}, decisions={"way.go": (form,)}), True)
    (compiled,) = projections.forms["way", "go"]

    def read() -> None:
        for _ in range(50):
            for at in range(4):
                projections.equal((at,), compiled, {"a": "oak", "b": 1}, game.omniscient.numbers.state)

    with pytest.raises(SpentError):
        read()
    budget = projections.known.budget
    assert sum(budget.used.values()) == 20_000
    assert [use.name for use in budget.used] == [f"`way.go` of the dialect `{dialect.id}`"]


@pytest.mark.proof
def test_a_log_whose_dialect_takes_too_long_diverges_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    log = GAMES / "imperial" / "logs" / "playimperial" / "u000-standard-3p.json"
    legal = replay_log(log)
    assert legal.divergence is None
    for steps in (5, 100, 300):
        monkeypatch.setattr(known, "Budget", lambda steps=steps: Budget(steps))
        report = Report()
        result = replay_log(log, report=report)
        (error,) = [d for d in report.diagnostics if d.code == "RS638"]
        assert error.span is not None and error.span.file.endswith("playimperial.yaml")
        assert result.divergence is not None
        assert result.game.ply == sum(1 for move in result.moves if not hasattr(move, "decisions")) - sum(
            move.decisions for move in result.moves if hasattr(move, "decisions")
        )


# --- the machine that was asked for -----------------------------------------------------------------

LOG = str(GAMES / "imperial" / "logs" / "quickstart.jsonl")
COMMANDS = [
    ["perft", "nim", "--players", "2", "--depth", "0"],
    ["perft", "nim", "--players", "2", "--depth", "2", "--limit", "8000000"],
    ["perft", "nim", "--check"],
    ["replay", LOG],
    ["replay", LOG, LOG],
    ["replay", LOG, "--under", "+no_investor_card"],
    ["test", "nim"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.sampled(1)
def test_a_machine_that_hands_back_is_told_with_exit_code_1(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    before = run([*command, "--backend", "wasm"])
    assert "RS727" not in capsys.readouterr().err
    monkeypatch.setattr(WasmBackend, "_ran", lambda *_: 0)
    monkeypatch.setattr("rulespec.engine.verify.wasm_perft.wasm_perft", lambda *_, **__: None)
    code = run([*command, "--backend", "wasm"])
    result = capsys.readouterr()
    assert "RS727" in result.err
    assert (before, code) == (1 if "--under" in command else 0, 1)
    assert result.out


def test_games_that_are_handed_back_are_told_at_the_head(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    from rulespec.engine.wasm.playouts import WasmGames

    def trapped(self: WasmGames, seed: int, numbers: Sequence[int], cap: int) -> list[None]:
        return [None for _ in numbers]

    simulate = ["simulate", "nim", "--players", "2", "--games", "100"]
    assert run(simulate) == 0
    assert "wasm)" in capsys.readouterr().out.split("\n")[0]
    monkeypatch.setattr(WasmGames, "rows", trapped)
    assert run(simulate) == 0
    assert re.search(r"wasm, Python \d+ decisions\)", capsys.readouterr().out)
    assert run([*simulate, "--backend", "wasm"]) == 1
    assert "RS727" in capsys.readouterr().err
    assert run([*simulate, "--backend", "python"]) == 0
    assert "Python)" in capsys.readouterr().out.split("\n")[0]


def test_wasm_code_that_cannot_be_made_is_told_with_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    from rulespec.engine.game import machines as made
    from rulespec.engine.wasm import program
    from rulespec.engine.wasm.compiler import NoWasmError

    def refuse(*_: object) -> None:
        raise NoWasmError("it is too large")

    monkeypatch.setattr(program, "compile_program", refuse)
    monkeypatch.setattr(made, "wasm_program", made.MachineMemo(made._wasm_program))
    monkeypatch.setitem(made._MACHINES, "wasm", made.MachineMemo(made._wasm))
    monkeypatch.setattr("rulespec.engine.simulate.wasm.wasm_program", made.wasm_program)
    monkeypatch.setattr("rulespec.engine.verify.wasm_perft.wasm_program", made.wasm_program)
    for command in (
        ["simulate", "nim", "--players", "2"],
        ["perft", "nim", "--players", "2", "--depth", "1"],
        ["replay", LOG],
    ):
        assert run([*command, "--backend", "wasm"]) == 1
        assert "there is no wasm module for these rules: it is too large" in capsys.readouterr().err
