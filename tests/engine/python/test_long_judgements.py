"""Generated code counts no fewer steps than the interpreter takes, whatever passes and features leave out."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from agreement import EXAMPLES, agree, take_back
from counting import Counting
from folders import GAMES, RULESETS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from programs import programs, with_rules
from programs_seats import SETTINGS

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes import count_work
from rulespec.engine.program import cost
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.journal import Journal, State
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.python.backend import PythonBackend
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed


@pytest.fixture
def all_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every expression counts for itself, as only those of long judgements do otherwise."""
    for name in ("LONG", "LONG_VALUE", "LONG_LISTING"):
        monkeypatch.setattr(count_work, name, 0)
    monkeypatch.setattr(count_work, "_GRAIN", 3)
    monkeypatch.setattr(cost, "FEW_TESTS", 3)


class CountedError(Exception):
    """The bound was met, and the interpreter would be asked."""


class Unasked(PythonBackend):
    """A machine that says when it would ask the interpreter, under a bound that may be set for each run."""

    def bound(self, steps: int) -> None:
        self._begin, self._uncounted = (steps, 0), range(0)

    def _again(self, state: State, block: int, args: tuple[int, ...]) -> Journal:
        raise CountedError


@pytest.mark.usefixtures("all_long")
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999), chosen=SETTINGS)
def test_no_run_counts_fewer_steps_than_it_takes(text: str, seed: int, chosen: dict[str, str | int]) -> None:
    ruleset = with_rules(text)
    try:
        plain = Game(ruleset, ["ann", "bob"], chosen, lambda r, n, o: Counting(lower(r, n, o)))
    except RulesetFaultError:
        return
    machine = plain.position.machine
    assert isinstance(machine, Counting)
    fast = Unasked(machine.p)
    rng = random.Random(seed)
    for _ in range(12):
        try:
            options = list(every_option(plain))
        except RulesetFaultError:
            return
        if not options:
            return
        option = rng.choice(options)
        state = fast.start()
        state[: len(machine.p.cells)] = plain.position.cells
        fast.write(state, dict(enumerate(plain.position.cells)))
        before = [*state]
        try:
            plain.apply(option)
        except RulesetFaultError:
            return
        fast.bound(machine.taken - 1)
        with pytest.raises((CountedError, ProgramFaultError)) as caught:
            fast.run(state, option.kind.block, option.args)
        assert caught.type is CountedError and state == before


@pytest.mark.usefixtures("all_long")
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999), chosen=SETTINGS, steps=st.integers(10, 4_000) | st.just(MAX_STEPS))
def test_programs_whose_every_expression_counts_mean_the_same(
    text: str, seed: int, chosen: dict[str, str | int], steps: int
) -> None:
    ruleset, names = with_rules(text), ["ann", "bob", "cid"]
    fast = Game(ruleset, names, chosen, lambda r, n, o: PythonBackend(lower(r, n, o), steps=steps))
    plain = Game(ruleset, names, chosen, lambda r, n, o: Interpreter(lower(r, n, o), steps=steps))
    take_back(fast, agree(fast, plain, random.Random(seed).randrange, 12))


def variant(folder: Path, *changes: tuple[str, str, str]) -> typed.Ruleset:
    """Chess with other lines: (file, what stands there, what stands there then)."""
    shutil.copytree(GAMES / "gallery" / "chess", folder)
    for name in ("scenarios", "logs", "perft"):
        shutil.rmtree(folder / name)
    for name, before, after in changes:
        file = folder / name
        assert before in file.read_text()
        file.write_text(file.read_text().replace(before, after))
    return load_ruleset(str(folder))


TAKEN = "    let taken = b in own(next(c))\n"
UNSAFE = (
    "rules/play.rules",
    '            require safe(c, a, b)                               "CHS-03: the king would be attacked"\n',
    "",
)


def walk(ruleset: typed.Ruleset, plies: int) -> PythonBackend:
    """Plays decisions by chance; the machine that played them."""
    game, rng = Game(ruleset, [f"P{i}" for i in range(ruleset.players[1])]), random.Random(1)
    machine = game.position.machine
    assert isinstance(machine, PythonBackend)
    for _ in range(plies):
        options = game.legal_options
        game.apply(options[rng.randrange(len(options))])
    return machine


def test_a_long_judgement_is_not_interpreted() -> None:
    """Orders of seven powers: by the sizes of kinds, to judge them might take a thousand million steps."""
    assert "_exact" not in vars(walk(load_ruleset(str(RULESETS / "diplomacy")), 600))


def test_a_rule_that_asks_less_is_not_interpreted(tmp_path: Path) -> None:
    assert "_exact" not in vars(walk(variant(tmp_path / "chess", UNSAFE), 60))


def test_what_is_kept_instead_of_found_is_not_interpreted(tmp_path: Path) -> None:
    """The occupied squares as a state."""
    kept = [
        ("kinds.yaml", "  clock: {", "  held: {type: set square, start: [a1, b1, c1, d1, e1, f1, g1, h1]}\n  clock: {"),
        ("rules/attacks.rules", "    let men = own(white) | own(black)\n", "    let men = held\n"),
        (
            "rules/play.rules",
            "    let taken = b in own(next(c))\n",
            "    let taken = b in own(next(c))\n    set held to held - {a} | {b}\n",
        ),
    ]
    assert "_exact" not in vars(walk(variant(tmp_path / "chess", *kept), 40))
