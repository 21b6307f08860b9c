"""Kinds with more than 63 members in wasm: sets of several words, in filters and comparisons of all kinds."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from agreement import agree, take_back
from cases import small
from programs import with_rules
from programs_wide import SIZES, towns_of
from wasm_machine import wasm_machine

from rulespec.engine.game.game import Game
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program import ir
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.wasm import play_in_wasm
from rulespec.engine.wasm import compiler, small_python
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.engine.wasm.compiler import compile_program
from rulespec.engine.wasm.layout import Memory
from rulespec.engine.wasm.program import WasmProgram
from rulespec.engine.wasm.wasm_format import Code, Module
from rulespec.engine.wasm.widths import Widths
from rulespec.typed import nodes as typed

PLIES = 5
SETS = {
    "filtered by emptiness": "{c in t.near | towns where count(c.shun) > 0}",
    "filtered by an empty set": "{c in union(y.near for y in {t} | towns) where c.shun == {}}",
    "filtered by some set": "{c in town where c.shun != {}}",
    "filtered by a constant": "{c in town where c.shun == {oak, fir}}",
    "filtered by a value": "{c in town where c.shun == t.shun}",
    "filtered by a state": "{c in town where c.watched == towns or c.near == towns}",
    "filtered by members": "{c in town where t in c.shun} | {c in town where c in c.shun}",
    "in few": "{c in town where c in {oak, ash} or c == t}",
    "of a table": "haunts[t.tax % 3] - {fir}",
    "of one table or another": "haunts[1] if t in haunts[t.tax % 3] else haunts[abs(n) % 3]",
    "of nobody": "{c in town where c.tax > 100} | {c in town where c.twin is some and c.twin == ash}",
    "reached": "reach(c from {t} | towns: c.near | c.shun)",
    "reached by costs": "reach(c from {t} to d in c.near | c.shun costs d.tax within 20)",
    "the best": "best(c in town by c.tax, 0 - count(c.shun))",
    "mapped": "{next(c) for c in towns | c_all()} - towns",
    "ordered": "{c in queue} | {t}",
    "of a definition": "around(t) & (around(next(t)) | c_all())",
    "of a definition of a set": "more(towns, t) - more(t.near, oak)",
}
NUMBERS = {
    "first from a member": "(first(c in towns | {oak} from t) ?? oak).index",
    "first after the last": "(first(c in {oak, elm} after next(t)) ?? fir).index",
    "counted": "count(c in town where c.shun != {}) + count(towns)",
    "the only one": "the({t}).index + the(c in town where c == t).index",
    "least costs": "cheapest(c from {t} to d in c.near costs d.tax until d == fir, else 7)",
    "summed": "sum(c.index for c in towns - t.near) + (1 if towns == t.near else 0)",
    "in a loop": "looped(t)",
}
RULES = """
def around(t: town) -> set town: t.near | {{c in town where t in c.shun}}
def c_all() -> set town: {{c in town where c.shun != {{}}}}
def more(u: set town, t: town) -> set town: u | t.near | {{c in u where count(c.shun) > 1}}
procedure looped(t: town) -> int:
    set m to 0
    for c in towns | t.near | {{oak}} from t where c.shun != {{oak}}:
        set m to (m * 3 + c.index) % 1009
    for c in towns by 0 - c.index:
        set m to (m * 5 + c.index) % 1013
    return m
procedure play():
    repeat at most 9:
        for p in player:
            decide act by p:
                option grow(t in {{c in town where c not in towns}}):
                    let found = {found}
                    let much = {much}
                    set t.watched to found
                    set towns to towns | {{t}} | found
                    add t to queue
                    set n to (n + much) % 1000
                option shrink(t in towns):
                    set towns to towns - ({{t}} | t.watched)
                    take t from queue
                option rest:
                    set n to n + 1
invariant kept:
    all(t in town: t.mark < 9 and (t in towns or t.watched != {{t}}))
"""
"""Rules that store a set in `found` and a number in `much`, both about the town `t`."""


def rules(result: str = "{t}", much: str = "t.index") -> str:
    return RULES.format(found=result, much=much)


def check(ruleset: typed.Ruleset, seed: int, *, interpreted: bool = False) -> None:
    """Plays in wasm, generated Python and the interpreter, comparing them."""
    machines: list[WasmBackend] = []

    def wasm(r: typed.Ruleset, seats: int, settings: dict[str, str]) -> WasmBackend:
        machines.append(wasm_machine(WasmProgram(lower(r, seats, settings))))
        return machines[-1]

    for other in ("python", "interpreter")[: 1 + interpreted]:
        fast = Game(ruleset, ["ann", "bob"], backend=wasm)  # type: ignore[arg-type]
        plain = Game(ruleset, ["ann", "bob"], backend=other)  # type: ignore[arg-type]
        hashes = agree(fast, plain, random.Random(seed).randrange, PLIES, reasons=False)
        assert len(hashes) == PLIES
        take_back(fast, hashes)
    assert not any(machine.given_back for machine in machines)


@pytest.mark.parametrize("size", [64, 66, 257, 1025])
@pytest.mark.parametrize("name", SETS)
@pytest.mark.sampled(1)
def test_sets_are_the_same_in_all_machines(name: str, size: int) -> None:
    added = towns_of(size)
    check(with_rules(rules(SETS[name]), added, added // 3), size, interpreted=size == 66)


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize("size", [65, 129])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_sets_are_the_same_in_all_machines(name: str, size: int) -> None:
    check(with_rules(rules(much=NUMBERS[name]), towns_of(size), 0), size, interpreted=size == 65)


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("first", [0, 62])
def test_sets_of_few_members_of_a_large_kind(size: int, first: int) -> None:
    """A set in the first word only is a single number, but is asked for members of other words too."""
    added = towns_of(size)
    result = "{fir} if t in (towns & {oak, elm}) else {c in town where c in {oak, elm} and c != t}"
    much = "(first(c in towns & {oak, elm} from t) ?? t).index + (1 if t in {oak, elm} & towns else 0)"
    check(with_rules(rules(result, much), added, min(first, added)), size)


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("size", [63, 64, 66, 129, 257, pytest.param(1025, marks=pytest.mark.proof)])
@pytest.mark.sampled(1)
def test_whole_games_are_those_of_python(size: int, broken: bool) -> None:
    """Invariants over all members, and tiebreaks over sets, are evaluated in wasm too."""
    added = towns_of(size)
    text = rules("{c in town where c.shun != {}}")
    if broken:
        last = f"the(c in town where c.index == {size - 1}).mark"
        text = text.replace("set n to (n", f"if n % 3 == 0: set {last} to {last} + 4\n                    set n to (n")
    text += "scoring p in player:\n    score n % 3\n    tiebreak for t in towns by t.index % 7: t.mark + p.index\n"
    ruleset = with_rules(text, added, added // 2)
    plan = GamePlan.of(ruleset.ref, ruleset, [2], 5)
    python = [Outcome.of(plan.play(ruleset, number)) for number in range(8)]
    assert list(play_in_wasm(plan, ruleset, range(8))) == python
    assert any(outcome.failure for outcome in python) == broken
    assert broken or all(outcome.scores for outcome in python)


def called(monkeypatch: pytest.MonkeyPatch, ruleset: typed.Ruleset) -> set[str]:
    """The functions called by a program, except those in every module."""
    results: set[str] = set()
    call, functions = Code.call, small_python.compile_functions

    def noted(code: Code, name: str) -> None:
        results.add(name)
        call(code, name)

    def fixed(each: Iterable[small_python.SmallFunction], module: Module, constants: dict[str, int]) -> None:
        monkeypatch.setattr(Code, "call", call)
        functions(each, module, constants)

    monkeypatch.setattr(Code, "call", noted)
    monkeypatch.setattr(compiler, "compile_functions", fixed)
    compile_program(lower(ruleset, 2, {}))
    monkeypatch.undo()
    return results


@pytest.mark.proof  # 1.3 s
@pytest.mark.parametrize("size", [65, 66, 128, 193, 256, 257, 1024])
def test_sets_of_up_to_sixteen_words_are_no_rows_in_memory(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Orders, and sets converted from orders, are exceptions."""
    forms = [result for result in SETS.values() if "queue" not in result]
    text = rules(
        " | ".join(f"({result})" for result in forms),
        " + ".join(f"({much})" for much in NUMBERS.values() if "looped" not in much),
    )
    text = text.replace("let much", "let far = looped(t)\n                    let much")
    text = text.replace("add t to queue", "set m to 1").replace("take t from queue", "set m to 2")
    text = text.replace("for c in towns by 0 - c.index:", "for c in towns:")
    result = called(monkeypatch, with_rules(text, towns_of(size)))
    assert {name for name in result if name.startswith("wide_")} == set()
    assert "wide_or" in called(monkeypatch, with_rules(text, towns_of(1025)))


def test_constant_sets_and_numbers_have_places_of_their_own() -> None:
    program = ir.Program(seats=2, sizes={"town": 70})
    memory = Memory(Module(), Widths(program, 0, {}), [], 0)
    values = [5, 6]
    places = [memory.numbers([-count, *values]) for count in (1, 2)] + [memory.sets(values, count) for count in (1, 2)]
    assert len({*places, memory.numbers(values)}) == 5


@pytest.mark.parametrize("size", [61, 62, 63, 64])
@pytest.mark.parametrize("seed", [11, 13, 18])
@pytest.mark.sampled(3)
def test_ties_are_broken_by_sets_of_one_word_where_others_have_several(size: int, seed: int) -> None:
    """Each member counts once, although the widest sets of the program, of wares, have two words."""
    added = towns_of(size)
    text = rules("{c in town where c.shun != {}}")
    text += "scoring p in player:\n    score n % 3\n    tiebreak for t in towns by t.index % 7: t.mark + p.index\n"
    plan = GamePlan.of("wide", ruleset := with_rules(text, added, added // 2), [2], seed)
    python = [Outcome.of(plan.play(ruleset, number)) for number in range(8)]
    assert list(play_in_wasm(plan, ruleset, range(8))) == python


def alike(folder: Path, text: str, *options: str) -> list[Game]:
    """A game in Python and the same one in wasm after some options, with equal hashes after each."""
    ruleset = small(folder / "small", text)
    games = [Game(ruleset, ["A", "B"], backend=of) for of in ("python", "wasm")]
    for option in options:
        assert [*map(str, games[0].legal_options)] == [*map(str, games[1].legal_options)]
        for game in games:
            game.apply(game.parse(option))
        assert games[0].hash == games[1].hash
    return games


def test_tokens_in_a_place_are_an_argument_beside_a_wide_kind(tmp_path: Path) -> None:
    """A set of tokens kept in a cell by a pass, and passed to a definition with another, large kind."""
    sleepers = ", ".join(f"s{n}: {{}}" for n in range(70))
    text = f"""def much(them: set engine) -> int: count(them) + sum(e.index for e in them)
procedure play():
    for s in siding:
        decide drive by first(player):
            option go(e in engine, n in sleeper where much(engine.on[s]) < 3):
                move e to on[s]
                set laid to laid | {{n}}
            option stay: pass
--- kinds.yaml
kinds:
  sleeper: {{entities: {{{sleepers}}}}}
  siding: {{entities: {{east: {{}}, west: {{}}}}}}
  engine: {{entities: {{ant: {{}}, bee: {{}}, cow: {{}}}}, places: {{shed: {{}}, on: {{index: siding}}}}}}
  player: {{}}
state: {{laid: {{type: set sleeper}}}}
"""
    assert [len(game.legal_options) for game in alike(tmp_path, text)] == [211, 211]
    alike(tmp_path, text, "go(cow, s69)", "go(bee, s1)")


def test_a_long_path_is_taken_whole(tmp_path: Path) -> None:
    """A path wider than a word, besides a second argument, is read from the option's row."""
    stops = ", ".join(f"s{n}: {{next: s{(n + 1) % 300}}}" for n in range(300))
    text = f"""procedure play():
    repeat at most 2:
        decide walk by first(player):
            option go(n in 1 .. 3, way in path(x from {{s0, s295}} to y in {{x.next}} once y within 7)):
                let goal_of = last(way)
                set goal to goal_of
                set much to count(way) * n
                set seen to seen | way
--- kinds.yaml
kinds:
  spot: {{facts: {{next: spot}}, entities: {{{stops}}}}}
  player: {{}}
state: {{seen: {{type: set spot}}, goal: {{type: spot, start: s0}}, much: {{type: int}}}}
"""
    games = alike(
        tmp_path, text, "go(2, [s295, s296, s297, s298, s299, s0])", "go(3, [s0, s1, s2, s3, s4, s5, s6, s7])"
    )
    assert [game.omniscient.value("much") for game in games] == ["24", "24"]
