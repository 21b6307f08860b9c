"""Strangers' rules in wasm: bounded time and memory, the same end as in Python; modules that reach nothing else."""

from __future__ import annotations

import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from agreement import outcome
from cases import GAME, small, write
from folders import SHIPPED
from hard_work import ENDLESS, LISTED, WORK, listing, rules
from limits import soon
from programs import with_rules
from wasm_machine import wasm_machine

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.wasm import can_play
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.engine.wasm.compiler import NoWasmError, compile_program
from rulespec.engine.wasm.layout import MAX_BYTES
from rulespec.engine.wasm.program import WasmProgram
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

Files = dict[str, str]


def game(ruleset: typed.Ruleset, steps: int, *, wasm: bool) -> Game:
    """A game under a bound of steps."""
    if wasm:
        return Game(ruleset, ["a", "b"], {}, lambda r, n, o: wasm_machine(WasmProgram(lower(r, n, o), steps=steps)))
    return Game(ruleset, ["a", "b"], {}, lambda r, n, o: Interpreter(lower(r, n, o), steps=steps))


def size(it: Game) -> int:
    """The bytes of memory that a wasm game takes."""
    machine = it.omniscient.numbers.machine
    assert isinstance(machine, WasmBackend)
    return len(machine.instance.memory)


@pytest.mark.parametrize("body", WORK.values(), ids=WORK)
@pytest.mark.parametrize("steps", [60, 700, 6_000, 100_000])
@pytest.mark.sampled(1)
def test_work_ends_in_wasm_where_the_interpreter_ends_it(body: str, steps: int) -> None:
    ruleset = with_rules(rules(body))
    fast, plain = (game(ruleset, steps, wasm=wasm) for wasm in (True, False))
    for it in (fast, plain):
        it.omniscient.numbers.begin()
    assert outcome(lambda: fast.apply(fast.parse("work"))) == outcome(lambda: plain.apply(plain.parse("work")))
    assert fast.omniscient.numbers.cells == plain.omniscient.numbers.cells


@pytest.mark.proof  # 1.4 s
@pytest.mark.parametrize("body", ENDLESS)
def test_what_does_not_come_to_a_decision_is_given_up(body: str) -> None:
    it = game(with_rules(rules(body)), 200_000, wasm=True)
    before, begun = size(it), it.omniscient.numbers.cells
    with soon():
        assert "RS704" in str(outcome(lambda: it.apply(it.parse("work"))))
    assert it.omniscient.numbers.cells == begun
    assert size(it) == before


@pytest.mark.parametrize("params, condition", LISTED)
@pytest.mark.proof
def test_listing_is_bounded(tmp_path: Path, params: str, condition: str) -> None:
    ruleset = small(tmp_path / "small", listing(params, condition))
    with soon():
        result = outcome(lambda: list(every_option(Game(ruleset, ["a", "b"], backend="wasm"))))
    assert "have too many values" in str(result)
    assert result == outcome(lambda: list(every_option(Game(ruleset, ["a", "b"]))))


@pytest.mark.parametrize("values", [99_000, 100_000, 100_001])
@pytest.mark.sampled(1)
def test_options_are_bounded(tmp_path: Path, values: int) -> None:
    """There may be 100,000."""
    text = f"option x(k in 1 .. {values - 1}):"
    ruleset = with_rules(
        f"procedure play():\n    decide a by first(player):\n        {text}\n            set n to k\n"
        "        option y:\n            set n to 0\n        option z:\n            set n to 0\n"
    )
    fast = outcome(lambda: list(every_option(Game(ruleset, ["a", "b"], backend="wasm"))))
    assert fast == outcome(lambda: list(every_option(Game(ruleset, ["a", "b"]))))


def entities(name: str, count: int) -> str:
    return "{" + ", ".join(f"{name}_{i}: {{}}" for i in range(count)) + "}"


def squares(state: str) -> str:
    """4,900 regions."""
    return f"kinds:\n  k: {{entities: {entities('e', 70)}}}\n  b: {{product: [k, k], state: {{{state}}}}}\n"


LARGE = """
procedure play():
    for p in player:
        decide act by p:
            option grow(x in {y in b where y.v < 1 and not y in s and y.mine == none}):
                set s to s | {x} | {y in b where y.v > 0}
                set x.v to count(s)
                set x.mine to p
                add x to o
            option shrink(x in s):
                set s to s - {x}
                take x from o
                set n to sum(y.v for y in s)
            option look:
                set n to count(reach(x from s: s - {x}))
    play_on()
procedure play_on():
    repeat at most 3:
        for p in player:
            choose one(x in s) by p
            set x.v to x.v + 1
"""
STATE = "state: {n: {type: int}, s: {type: set b}, o: {type: order b}}\n"


def large(folder: Path) -> Path:
    """A ruleset with sets and orders of 4,900 members."""
    kinds = STATE + squares("v: {type: int}, mine: {type: player?}")
    write(folder, {"game.yaml": GAME, "kinds.yaml": kinds, "rules/play.rules": LARGE})
    return folder


@pytest.mark.proof  # 0.7 s
def test_thousands_of_regions_are_played_in_wasm(tmp_path: Path) -> None:
    ruleset = load_ruleset(str(large(tmp_path / "large")))
    with soon():
        fast, plain = Game(ruleset, ["a", "b"], backend="wasm"), Game(ruleset, ["a", "b"])
        for _ in range(8):
            if fast.is_over:
                break
            one, other = (list(islice(it.legal_options, 0, None, 97)) for it in (fast, plain))
            assert one == other
            fast.apply(one[len(one) // 2])
            plain.apply(other[len(other) // 2])
            assert fast.hash == plain.hash
        machine = fast.omniscient.numbers.machine
        assert isinstance(machine, WasmBackend) and machine.given_back == 0
        assert size(fast) < MAX_BYTES


@pytest.mark.proof
def test_what_needs_too_much_memory_is_played_in_python(tmp_path: Path) -> None:
    """Forty sets of 4,900 members for each of 4,900 regions."""
    state = ", ".join(f"v{i}: {{type: set b}}" for i in range(40))
    play = "procedure play():\n    decide a by first(player):\n        option x(y in b):\n            set y.v1 to {y}\n"
    write(tmp_path / "large", {"game.yaml": GAME, "kinds.yaml": squares(state), "rules/play.rules": play})
    ruleset = load_ruleset(str(tmp_path / "large"))
    with soon(), pytest.raises(NoWasmError, match="more memory"):
        WasmProgram(lower(ruleset, 2, {}))
    assert not can_play(GamePlan.of("large", ruleset, [2], 1), ruleset)


def test_a_store_has_a_limit_of_memory() -> None:
    wasm = WasmProgram(lower(with_rules(rules("set n to 1")), 2, {}))
    instance = wasm.instance()
    with pytest.raises(Exception, match="memory"):
        instance.grow(MAX_BYTES + (64 << 20))
    assert len(instance.memory) < MAX_BYTES
    instance.call("reset")


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.proof
def test_modules_validate_and_import_nothing(tmp_path: Path) -> None:
    """Of all shipped rulesets, and of one with large sets; V8 says so."""
    folders = [*SHIPPED, large(tmp_path / "large")]
    for folder in folders:
        ruleset = load_ruleset(str(folder))
        options = {key: o.default for key, o in ruleset.settings.items()}
        code = compile_program(lower(ruleset, ruleset.players[1], options)).code
        (tmp_path / f"{folder.name}.wasm").write_bytes(code)
    script = (
        "const fs = require('fs'); let of = 0;"
        "for (const name of fs.readdirSync('.').filter((n) => n.endsWith('.wasm'))) {"
        "  const bytes = fs.readFileSync(name);"
        "  if (!WebAssembly.validate(bytes)) throw new Error(name + ' does not validate');"
        "  const module = new WebAssembly.Module(bytes);"
        "  if (WebAssembly.Module.imports(module).length) throw new Error(name + ' imports something');"
        "  new WebAssembly.Instance(module); of += 1;"
        "} console.log(of);"
    )
    said = subprocess.run(["node", "-e", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout.split() == [str(len(folders))]
