"""Procedures that call themselves: they are what copies of them for each depth are, in every machine."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest
from agreement import agree, outcome
from cases import GAME, write
from programs import Writer, with_rules
from programs_deep import unrolled
from proofs import examples

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.lower.lowering import lower
from rulespec.engine.verify.play_check import play_check
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

SEATS = ["ann", "bob"]
PLIES = examples(30, 60)


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.sampled(1)
def test_a_deep_procedure_is_what_its_copies_are(seed: int) -> None:
    """No machine knows the depth: what is kept for a call within a call is seen in what the copies come to."""
    text = Writer(random.Random(seed).randrange).program()
    deep, plain = (_game(with_rules(rules), "interpreter") for rules in (text, unrolled(text)))
    rng = random.Random(seed)
    for _ in range(PLIES):
        over = outcome(lambda: deep.is_over)
        assert _said(over) == _said(outcome(lambda: plain.is_over))
        if over is not False:
            break
        listed = outcome(lambda: list(every_option(deep)))
        assert _said(listed) == _said(outcome(lambda: list(every_option(plain))))
        assert _state(deep) == _state(plain)
        if not isinstance(listed, list) or not listed:
            break
        at = rng.randrange(len(listed))
        done = [outcome(partial(game.apply, list(every_option(game))[at])) for game in (deep, plain)]
        assert isinstance(done[0], str) == isinstance(done[1], str)
        if isinstance(done[0], str):
            break


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.sampled(1)
def test_generated_python_agrees_about_deep_procedures(seed: int) -> None:
    ruleset = with_rules(Writer(random.Random(seed).randrange).program())
    rng = random.Random(seed)
    agree(_game(ruleset, "python"), _game(ruleset, "interpreter"), rng.randrange, PLIES)


def _game(ruleset: typed.Ruleset, backend: Backend) -> Game:
    return Game(ruleset, SEATS, backend=backend)


def _said(result: object) -> object:
    """A result but for places: those of faults are others in copies."""
    if isinstance(result, list):
        return [str(option) for option in result]
    return "a fault" if isinstance(result, str) else result


def _state(game: Game) -> list[int]:
    numbers = game.omniscient.numbers
    return [numbers.cells[at] for at in numbers.machine.p.declared]


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.sampled(1)
def test_wasm_agrees_about_deep_procedures(seed: int) -> None:
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    ruleset = with_rules(Writer(random.Random(seed).randrange).program())
    rng = random.Random(seed)
    agree(_game(ruleset, "wasm"), _game(ruleset, "interpreter"), rng.randrange, PLIES, reasons=False)


# --- what is true of each of them --------------------------------------------------------------

TILES = """
kinds:
  tile: {each: [player], number: 3, alike: true, places: {bag: {fresh: true}, board: {}}}
state: {total: {type: int}}
"""
NESTED = """
procedure play():
    for p in player:
        nest(p, 1)
        let n = tree(3)
        set total to total + n
procedure nest(p: player, n: int) at most 3 deep:
    let seen[q in player] = n
    decide next_one by p:
        option pick(t in tile[p].bag):
            nest(p, n + 1)
            move t to board
            set total to total + seen[p] * 10
        option stop: pass
procedure tree(n: int) -> int at most 4 deep:
    if n == 0: return 1
    let a = tree(n - 1)
    let b = tree(n - 1)
    return a + b + n
"""


@pytest.fixture
def nested(tmp_path: Path) -> typed.Ruleset:
    files = {"game.yaml": GAME, "kinds.yaml": TILES, "rules/play.rules": NESTED}
    return load_ruleset(str(write(tmp_path / "nested", files)))


@pytest.fixture(params=["interpreter", "python", "wasm"])
def game(nested: typed.Ruleset, request: pytest.FixtureRequest) -> Game:
    if request.param == "wasm":
        pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    return _game(nested, request.param)


def option(game: Game, text: str) -> Option:
    """The legal option of a text."""
    return next(each for each in game.legal_options if str(each) == text)


def test_a_call_beyond_the_depth_is_a_fault_at_its_place(game: Game) -> None:
    game.apply(option(game, "pick(ann_tile_1)"))
    game.apply(option(game, "pick(ann_tile_2)"))
    before = game.hash
    with pytest.raises(RulesetFaultError, match="`nest` may call itself at most 3 deep") as fault:
        game.apply(option(game, "pick(ann_tile_3)"))
    assert fault.value.diagnostic.code == "RS703"
    assert fault.value.diagnostic.span is not None
    assert fault.value.diagnostic.span.line == 11
    assert game.hash == before


def test_variables_and_tables_are_those_of_the_call_across_decisions(game: Game) -> None:
    for move in ("pick(ann_tile_1)", "pick(ann_tile_2)", "stop"):
        game.apply(option(game, move))
    tree = 1, 1 + 1 + 1, 3 + 3 + 2, 8 + 8 + 3
    assert game.omniscient.value("total") == f"{2 * 10 + 1 * 10 + tree[3]}"
    assert game.omniscient.value("count(tile[ann].board)") == "2"


def test_a_position_within_a_call_is_taken_back_and_hashed(game: Game) -> None:
    hashes = [game.hash]
    for move in ("pick(ann_tile_1)", "pick(ann_tile_2)"):
        game.apply(option(game, move))
        hashes.append(game.hash)
    assert len(set(hashes)) == 3
    other = game.copy()
    for wanted in hashes[1::-1]:
        game.undo()
        assert game.hash == wanted
    other.apply(option(other, "stop"))
    assert other.decision is not None and other.decision.by != "ann"
    numbers = other.omniscient.numbers
    cells = [at for frame in numbers.machine.p.frames.values() for at in (frame.depth, *frame.rows.values())]
    assert [numbers.cells[at] for at in cells] == [0] * len(cells)


def test_a_token_that_waits_in_a_call_is_told_from_those_alike(game: Game) -> None:
    """During a call within a call, the token that the outer one will move is no longer interchangeable with others."""
    assert [str(option) for option in game.legal_options] == ["pick(ann_tile_1)", "stop"]
    game.apply(option(game, "pick(ann_tile_1)"))
    assert [str(option) for option in game.legal_options] == ["pick(ann_tile_1)", "pick(ann_tile_2)", "stop"]
    game.apply(option(game, "pick(ann_tile_2)"))
    expected = ["pick(ann_tile_1)", "pick(ann_tile_2)", "pick(ann_tile_3)", "stop"]
    assert [str(option) for option in game.legal_options] == expected


def test_wasm_carries_them_out_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    from wasm_machine import wasm_machine

    from rulespec.engine.wasm.backend import WasmBackend
    from rulespec.engine.wasm.program import WasmProgram

    def none(*_: object) -> NoReturn:
        raise AssertionError("wasm leaves a decision to another machine")

    monkeypatch.setattr(WasmBackend, "_run_by_fallback", none)
    rules = NESTED.replace("            nest(p", "            require n < 3\n            nest(p")
    files = {"game.yaml": GAME, "kinds.yaml": TILES, "rules/play.rules": rules}
    ruleset = load_ruleset(str(write(tmp_path / "nested", files)))
    program = WasmProgram(lower(ruleset, len(SEATS), {}))
    for seed in range(4):
        alone = Game(ruleset, SEATS, backend=lambda *_: wasm_machine(program))
        agree(alone, _game(ruleset, "interpreter"), random.Random(seed).randrange, PLIES, reasons=False)
        assert alone.is_over


@pytest.mark.proof  # 0.4 s
def test_validate_says_how_deep_its_games_went(nested: typed.Ruleset) -> None:
    depths = {d.procedure: (d.reached, d.deep) for d in play_check(nested).depths}
    assert depths == {"nest": (3, 3), "tree": (4, 4)}


def test_too_many_frames_are_too_many_cells(tmp_path: Path) -> None:
    rules = NESTED.replace("at most 3 deep", "at most 100 deep").replace("[q in player] = n", "[q in post] = n")
    rules = rules.replace("seen[p]", "seen[first(post)]")
    kinds = TILES.replace("kinds:\n", "kinds:\n  post: {product: [spot, spot]}\n")
    files = {"game.yaml": GAME, "kinds.yaml": kinds, "rules/play.rules": rules}
    files["boards.yaml"] = "boards: {spot: {grid: {columns: a..h, rows: 1..8}, directions: {n: [0, 1]}}}\n"
    ruleset = load_ruleset(str(write(tmp_path / "nested", files)))
    with pytest.raises(DiagnosticsError, match="more than 200,000 cells") as error:
        _game(ruleset, "interpreter").legal_options  # noqa: B018
    (diagnostic,) = error.value.diagnostics
    assert (
        diagnostic.code == "RS701"
        and diagnostic.help == "store less, or lower the depth: 4,101 numbers are stored for each of 99 calls"
    )
