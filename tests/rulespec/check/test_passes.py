"""The checker's passes: a tuple of functions, each in a file of its name, and none left out of it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable

import pytest

import rulespec.check
from rulespec.check.context import Context
from rulespec.check.lints.order import LINTS
from rulespec.check.passes import PASSES

RUNS = [*(each.run for each in PASSES), *LINTS]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.__name__)
def test_a_pass_stands_in_a_file_of_its_name(run: Callable[[Context], None]) -> None:
    file = run.__module__.rpartition(".")[2]
    assert run.__name__.removeprefix("check_") == file


def test_no_pass_is_left_out_and_none_runs_twice() -> None:
    results = set()
    for module in pkgutil.walk_packages(rulespec.check.__path__, "rulespec.check."):
        for name, function in inspect.getmembers(importlib.import_module(module.name), inspect.isfunction):
            takes = [p.annotation for p in inspect.signature(function).parameters.values()]
            if function.__module__ == module.name and takes == ["Context"] and name[0] != "_":
                results.add(function)
    assert results == {*RUNS}
    assert len(results) == len(RUNS)


def test_a_pass_says_what_it_does() -> None:
    for run in RUNS:
        assert run.__doc__
