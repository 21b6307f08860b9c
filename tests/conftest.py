"""Shared set-up of the tests: a folder of kept results for a whole run, none of the user's; games under each backend.

Contents of `make test`, and the rest in `make proof` (marker `proof`, or a variable of the environment):

    sampled     some cases of costly tests, spread evenly               the others (`proof`)
    scenarios   every second, generated Python by quick machines;       all, generated Python with all passes, and
                all of the gallery; every twentieth, interpreter        interpreter (`proof`)
    perft       every 32nd position, generated Python; the first two,   all, both backends (RULESPEC_PERFT) interpreter
    mutants     6 damaged rulesets                                      1,000 (RULESPEC_MUTANTS)
    playouts    20 games                                                1,000 (RULESPEC_PLAYOUTS)
    machines    some rulesets and overlays, 40 decisions of each        all; 50 whole games of each (RULESPEC_AGREE),
                machine, and some games by seed                         10,000 by seed (RULESPEC_SEEDS)
    levels      some levels of Tetrarchia, a game each                  20 games at all 81 (RULESPEC_LEVELS)
    rulings     a game of the Emperor's with each answer                100 with 2, 3, 4 players (RULESPEC_RULINGS)
    secrets     4 random programs with secrets                          2,000 (RULESPEC_SECRETS)
    programs    1 to 5 random programs for each property and machine    20; 1,000, and 2,100 (RULESPEC_EXAMPLES)
    pages       some games of a module in Node and Chromium             1,000 of each ruleset (RULESPEC_PAGES)
    overlays    each alone                                              every two together (RULESPEC_PAIRS)
    coverage    of the tests' own rulesets                              of all shipped rules (RULESPEC_COVERAGE)
    examples    16 of Hypothesis, the same in each run                  100, new ones in each run (RULESPEC_NEW)

`make proof` goes on where its last run ended (`support/proofs.py`). RULESPEC_CPU=2 prints the seconds of the processor
that each folder takes (`support/cpu_seconds.py`).
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
import yaml
from browser import browser, chromium, open_page
from cases import small
from chosen_cases import ChosenCases
from clusters import cluster, dask
from commands import known_rulesets
from cpu_seconds import CpuSeconds
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from kept_rulesets import KeptRulesets
from map_pages import drive
from proofs import ProofOrder
from recorder import courier, errands, replay
from small_errors import ruleset
from worlds import Play

from rulespec import load
from rulespec.documents.yaml_reader import parse_again
from rulespec.engine.game import machines
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.python import code_memo
from rulespec.engine.replay import replay as replay_module
from rulespec.engine.verify import play_check
from rulespec.engine.wasm import engine as wasm_engine
from rulespec.engine.wasm import program
from rulespec.lsp import files as editor_files
from rulespec.syntax import parse_table
from rulespec.syntax.parser import parse_rules
from rulespec.typed.nodes import Ruleset

__all__ = [
    "browser",
    "chromium",
    "cluster",
    "courier",
    "dask",
    "drive",
    "errands",
    "known_rulesets",
    "open_page",
    "replay",
    "ruleset",
]  # fixtures of several files

# A machine beside others is slow: no example has a deadline, and none is blamed for the time that it takes to make.
settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fixed", settings.get_profile("any"), derandomize=True, max_examples=16)
settings.register_profile("new", settings.get_profile("any"), derandomize=False, print_blob=True)
settings.load_profile("new" if os.environ.get("RULESPEC_NEW") else "fixed")
if not os.environ.get("RULESPEC_NEW"):  # otherwise examples depend on the modules that other tests have imported
    vars(providers)["_get_local_constants"] = lambda: vars(providers)["_local_constants"]

vars(yaml)["SafeLoader"] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast for `yaml.safe_load`


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # workers inherit the environment of the process that starts them
        own = tempfile.mkdtemp(prefix="rulespec-tests-")
        os.environ["RULESPEC_CACHE"], os.environ["XDG_STATE_HOME"] = f"{own}/cache", f"{own}/state"
        if not parse_table.is_current():  # a checkout that has not been built since its grammar changed
            parse_table.write()
    config.pluginmanager.register(ChosenCases(config))
    if name := os.environ.get("RULESPEC_PROOF"):
        config.pluginmanager.register(ProofOrder(name))
    if depth := os.environ.get("RULESPEC_CPU"):
        config.pluginmanager.register(CpuSeconds(int(depth)))


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(Path(os.environ["RULESPEC_CACHE"]).parent, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Has random tests among the proofs, too, which play new examples."""
    if config.option.markexpr == "proof":
        for item in items:
            if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
                item.add_marker(pytest.mark.proof)


def pytest_collection(session: pytest.Session) -> None:
    """Collects no garbage while tests are collected: nearly all that is made stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leaves the collected tests, a large heap, out of every garbage collection, and has fewer of these."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000)


@pytest.fixture(autouse=True, scope="session")
def short_plays() -> Iterator[None]:
    """Lets `validate` play a tenth as much; its own tests choose their own amount."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play_check, "STEPS", play_check.STEPS // 10)
        yield


@pytest.fixture(autouse=True, scope="session")
def kept_machines() -> Iterator[None]:
    """Keeps more programs and machines than a player needs, and those of single replays, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machines, "MEMO_SIZE", 200)
        patch.setattr(code_memo, "MAX_SOURCE", 10_000_000)
        patch.setattr(replay_module, "quick_machine", machines.MachineMemo(machines.quick_machine))
        yield


@pytest.fixture(autouse=True, scope="session")
def kept_modules() -> Iterator[None]:
    """Keeps the machine code of modules by their bytes: copies of one ruleset have the same module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "loaded", lru_cache(200)(wasm_engine.loaded))
        yield


@pytest.fixture(autouse=True, scope="session")
def kept_rulesets() -> Iterator[None]:
    """Keeps the rulesets of this repository, which do not change during a run: most tests load one of a few."""
    with pytest.MonkeyPatch.context() as patch:
        rulesets = KeptRulesets()
        patch.setattr(load, "load_source", rulesets.load_source)
        patch.setattr(load, "_check", rulesets.check)
        yield


@pytest.fixture(autouse=True, scope="session")
def kept_texts() -> Iterator[None]:
    """Keeps what editors' files have parsed: each map that a test edits has the rules of the same few games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(editor_files, "parse_rules", lru_cache(10_000)(parse_rules))
        patch.setattr(editor_files, "parse_again", lru_cache(500)(parse_again))
        yield


@pytest.fixture(scope="session")
def texts_read() -> dict[tuple[str, str], Ruleset]:
    """Rulesets by their texts: each is read once for all backends."""
    return {}


@pytest.fixture(params=["python", "interpreter"])
def play(request: pytest.FixtureRequest, tmp_path: Path, texts_read: dict[tuple[str, str], Ruleset]) -> Play:
    """Starts a game of a ruleset that is given as text."""
    backend: Backend = request.param

    def start(text: str, seats: str = "ann bob", overlays: str = "", **options: str | int) -> Game:
        if (text, overlays) not in texts_read:
            if len(texts_read) >= 200:
                texts_read.clear()
            texts_read[text, overlays] = small(tmp_path / "small", text, overlays)
        return Game(texts_read[text, overlays], seats.split(), options, backend)

    return start
