"""The order of `make proof`: runs that are stopped go round all proofs, whether anything is kept or not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from folders import ROOT
from proofs import add, end_round, order, read, turned

NAMES = ["short", "perft", "agree", "wasm", "pages"]
TESTS = [f"test_{n}" for n in range(100)]


def test_a_run_has_each_test_once() -> None:
    for number in range(30):
        for workers in (1, 2, 3):
            assert sorted(turned(TESTS, number, TESTS[::7], workers)) == sorted(TESTS)
        assert sorted(order(NAMES, number, {"wasm"})) == sorted(NAMES)


def test_without_a_record_runs_of_a_fifth_go_round() -> None:
    seen: set[str] = set()
    for number in range(1_234, 1_234 + 13):
        seen |= set(turned(TESTS, number)[:20])
    assert seen == set(TESTS)


def test_each_proof_is_the_first_of_some_run() -> None:
    firsts = [order(NAMES, number)[0] for number in range(1_234, 1_234 + 8)]
    assert firsts[::2] == ["short"] * 4
    assert set(firsts[1::2]) == set(NAMES) - {"short"}


def test_the_same_commit_begins_at_the_same_place() -> None:
    assert turned(TESTS, 7) == turned(TESTS, 7) != turned(TESTS, 8)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_what_has_passed_comes_last_with_each_worker(workers: int) -> None:
    passed = set(TESTS[10:70])
    tests = turned(TESTS, 5, passed, workers)
    size = len(tests) / workers
    for at in range(workers):
        part = [test in passed for test in tests[int(size * at) : int(size * (at + 1))]]
        assert part[0] is False and part == sorted(part)
    assert order(NAMES, 0, {"short", "agree"})[-2:] == ["short", "agree"]


def test_a_round_ends_with_its_last_proof(tmp_path: Path) -> None:
    for name in NAMES:
        add(tmp_path / f"{name}.tests", "a test")
        end_round(name, NAMES, tmp_path)
        assert not (tmp_path / f"{name}.tests").exists()
    assert read(tmp_path / "proofs") == frozenset()


def test_a_line_that_was_cut_off_is_no_test_that_has_passed(tmp_path: Path) -> None:
    add(tmp_path / "x", "one[a\nb]")
    with (tmp_path / "x").open("a", encoding="utf-8") as file:
        file.write('"tw')
    assert read(tmp_path / "x") == {"one[a\nb]"}


MODULE = """
import pytest

@pytest.mark.parametrize("n", range(6))
def test(n):
    assert n != 1
"""
PLUGIN = """
import sys
from pathlib import Path
import pytest
from proofs import ProofOrder
sys.exit(pytest.main(["-p", "no:cacheprovider", "-p", "no:xdist", *sys.argv[1:]],
                     plugins=[ProofOrder("short", Path("kept"))]))
"""


@pytest.mark.proof  # 1.3 s
def test_a_run_that_was_stopped_is_gone_on_with(tmp_path: Path) -> None:
    """A test that has failed is tried again first; one that has passed comes last, and is not left out."""
    (tmp_path / "test_it.py").write_text(MODULE, "utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "support"), "RULESPEC_PROOF_START": "0"}
    env.pop("PYTEST_XDIST_WORKER", None)
    env.pop("PYTEST_XDIST_WORKER_COUNT", None)

    def run(*words: str) -> str:
        command = [sys.executable, "-c", PLUGIN, "-v", *words]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False).stdout

    assert "begun at RULESPEC_PROOF_START=0" in run("--maxfail=1")
    assert read(tmp_path / "kept" / "short.tests") == {"test_it.py::test[0]"}
    assert re.findall(r"test\[(\d)\] \w+ ", run()) == ["1", "2", "3", "4", "5", "0"]


CASES = """
import pytest

@pytest.mark.sampled(2)
@pytest.mark.parametrize("n", range(5))
def test_some(n): ...

@pytest.mark.parametrize("n", [0, pytest.param(1, marks=pytest.mark.proof)])
def test_one(n): ...

@pytest.mark.proof
@pytest.mark.parametrize("n", range(3))
def test_none(n): ...
"""
CHOICE = """
import sys
import pytest
from chosen_cases import ChosenCases

class Lists:
    def pytest_configure(self, config):
        for name in ("proof", "sampled"): config.addinivalue_line("markers", name)
        config.pluginmanager.register(ChosenCases(config))

    def pytest_collection_finish(self, session):
        print("run", *(item.name for item in session.items))

    def pytest_deselected(self, items):
        print("left out", *(item.name for item in items))

sys.exit(pytest.main(["-p", "no:cacheprovider", "-p", "no:xdist", "--collect-only", *sys.argv[1:]], [Lists()]))
"""


def test_a_run_makes_the_cases_that_it_chooses(tmp_path: Path) -> None:
    """Cases that `make test` leaves out are made for the proofs, and where a test is named."""
    (tmp_path / "test_it.py").write_text(CASES, "utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "support")}

    def cases(*words: str) -> tuple[set[str], set[str]]:
        command = [sys.executable, "-c", CHOICE, *words]
        output = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False).stdout
        run, left_out = (re.search(rf"^{what} (.*)", output, re.MULTILINE) for what in ("run", "left out"))
        return set(run[1].split()) if run else set(), set(left_out[1].split()) if left_out else set()

    every = {f"test_{name}[{n}]" for name, count in [("some", 5), ("one", 2), ("none", 3)] for n in range(count)}
    run, left_out = cases("-m", "not proof")
    assert len(run) == 3 and "test_one[0]" in run and left_out == {"test_none[0]"}
    assert cases("-m", "proof") == (every - run, run)
    assert cases("-m", "not proof", "test_it.py::test_one") == ({"test_one[0]"}, {"test_one[1]"})


def test_every_proof_of_the_makefile_has_a_name() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    names = re.search(r"^PROOFS := (.+)", text, re.MULTILINE)
    assert names and names[1].split()[0] == "short"
    targets = set(re.findall(r"^proof-([\w-]+):", text, re.MULTILINE))
    assert targets == set(names[1].split())
    assert set(re.findall(r"RULESPEC_PROOF=([\w-]+)", text)) == targets
