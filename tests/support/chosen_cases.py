"""The cases of parametrized tests that a run makes: `make test` makes none of those that only the proofs run.

Two of five cases are proofs. To make them all and then leave them out takes seconds of each process.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any
from zlib import crc32

import pytest


def sample(name: str, size: int, count: int) -> set[int]:
    """Numbers of the cases of a test that `make test` runs, spread evenly.

    Args:
        name: the test's; tests of the same rulesets sample different ones.
        size: how many are wanted.
        count: how many there are.
    """
    step = max(1, count / size)
    first = crc32(name.encode()) % int(step)
    return {int(first + step * i) for i in range(size)}


class ChosenCases:
    """A plugin: marks what a sample leaves out as proofs, and makes no proofs where a run deselects them all."""

    def __init__(self, config: pytest.Config) -> None:
        named = any("::" in arg for arg in config.args)  # a test that is named is deselected, and not unknown
        self.without_proofs = config.option.markexpr == "not proof" and not named

    @pytest.hookimpl(wrapper=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> Generator[None]:
        yield
        test, cases = metafunc.definition, metafunc._calls  # pytest has no hook between these and the tests
        if (sampled := test.get_closest_marker("sampled")) and not test.get_closest_marker("proof"):
            _mark(test.nodeid, cases, *sampled.args)
        if self.without_proofs:
            all_are = test.get_closest_marker("proof") is not None
            cases[:] = [case for case in cases if not (all_are or _is_proof(case))] or cases[:1]


def _mark(name: str, cases: list[Any], size: int) -> None:
    """Marks as proofs the cases of a test that its sample leaves out."""
    cases = [case for case in cases if not _is_proof(case)]
    chosen = sample(name, size, len(cases))
    for at, case in enumerate(cases):
        if at not in chosen:
            case.marks.append(pytest.mark.proof.mark)


def _is_proof(case: Any) -> bool:
    return any(mark.name == "proof" for mark in case.marks)
