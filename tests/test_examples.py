"""Random examples: the same in each run of `make test`, new ones in proofs and in CI."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from folders import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

PRINTED = """
import sys
sys.path[:0] = ["tests", "tests/support"]
import conftest
from programs import programs
from hypothesis import HealthCheck, given, settings

@settings(max_examples=3, suppress_health_check=list(HealthCheck), deadline=None, database=None)
@given(text=programs())
def test(text: str) -> None:
    print(hash(text))

test()
"""


def printed(new: str) -> str:
    """The random programs that a process of its own tries."""
    env = os.environ | {"RULESPEC_NEW": new, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-c", PRINTED], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.proof
def test_random_programs_are_the_same_in_each_run() -> None:
    assert printed("") == printed("") != ""


@pytest.mark.proof
def test_random_programs_are_new_in_each_run_of_proofs() -> None:
    assert printed("1") != printed("1")


def test_this_run_has_its_profile() -> None:
    results: list[list[int]] = []

    for _ in range(2):
        results.append([])

        @settings(max_examples=20, database=None)
        @given(number=st.integers())
        def collect(number: int) -> None:
            results[-1].append(number)

        collect()
    assert (results[0] == results[1]) == settings().derandomize == (not os.environ.get("RULESPEC_NEW"))


@pytest.mark.parametrize(
    "file, line",
    [
        ("Makefile", "proof proof-short: export RULESPEC_NEW := 1"),
        (".ci/run", "make proof"),
    ],
)
def test_proofs_and_ci_ask_for_new_ones(file: str, line: str) -> None:
    assert line in (ROOT / file).read_text("utf-8")


def test_no_test_chooses_for_itself() -> None:
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        assert "derandomize=False" not in path.read_text("utf-8").replace('"derandomize=False"', ""), path
