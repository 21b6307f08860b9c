"""The checker's passes: a tuple of functions, each in a file of its name or beside its kin, and none left out of it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections import Counter
from collections.abc import Callable

import pytest

import rulespec.check
from rulespec.check.context import Context
from rulespec.check.lints.order import LINTS
from rulespec.check.passes import PASSES

RUNS = [*(each.run for each in PASSES), *LINTS]


KIN = {
    "declare": "declarations by section and by signature",
    "idle": "conditions of one value",
    "measures": "numbers of a position",
    "recursion": "procedures that call themselves",
    "set_ups": "entries of the set-up",
    "size": "limits on sizes",
    "table_rows": "rows of tables",
    "work": "limits on steps",
    "yaml_names": "names of rules in YAML",
}
"""The modules of several passes, each with their one idea."""


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.__name__)
def test_a_pass_stands_in_a_file_of_its_name(run: Callable[[Context], None]) -> None:
    file = run.__module__.rpartition(".")[2]
    assert run.__name__.removeprefix("check_") == file or file in KIN


def test_a_file_of_several_passes_has_several() -> None:
    files = Counter(run.__module__.rpartition(".")[2] for run in RUNS)
    assert {file for file, count in files.items() if count > 1} == KIN.keys()


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
