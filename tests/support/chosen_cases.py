"""Selection of parametrized test cases: `make test` does not create cases that only the proofs run.

Two fifths of the cases are proofs, and creating them only to deselect them would take each process seconds.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any
from zlib import crc32

import pytest


def sample(name: str, size: int, count: int) -> set[int]:
    """The indices of a test's cases that `make test` runs, spread evenly.

    Args:
        name: the name of the test; different tests of the same rulesets get different samples.
        size: the size of the sample.
        count: the number of cases.
    """
    step = max(1, count / size)
    first = crc32(name.encode()) % int(step)
    return {int(first + step * i) for i in range(size)}


class ChosenCases:
    """A plugin that marks cases outside a sample as proofs, and creates no proofs in a run that deselects them."""

    def __init__(self, config: pytest.Config) -> None:
        named = any("::" in arg for arg in config.args)  # an explicitly named test should be deselected, not unknown
        self.without_proofs = config.option.markexpr == "not proof" and not named

    @pytest.hookimpl(wrapper=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> Generator[None]:
        yield
        test, cases = metafunc.definition, metafunc._calls  # no hook comes between this and the tests
        if (sampled := test.get_closest_marker("sampled")) and not test.get_closest_marker("proof"):
            _mark(test.nodeid, cases, *sampled.args)
        if self.without_proofs:
            all_are = test.get_closest_marker("proof") is not None
            cases[:] = [case for case in cases if not (all_are or _is_proof(case))] or cases[:1]


def _mark(name: str, cases: list[Any], size: int) -> None:
    """Marks the cases of a test outside its sample as proofs."""
    cases = [case for case in cases if not _is_proof(case)]
    chosen = sample(name, size, len(cases))
    for at, case in enumerate(cases):
        if at not in chosen:
            case.marks.append(pytest.mark.proof.mark)


def _is_proof(case: Any) -> bool:
    return any(mark.name == "proof" for mark in case.marks)
