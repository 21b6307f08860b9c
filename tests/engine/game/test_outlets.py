"""Every way out of the engine is known, and is for the omniscient or for a seat."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from typing import Any

import pytest
from folders import ROOT, TESTS

import rulespec
from rulespec.cli.main import COMMANDS
from rulespec.documents.yaml_nodes import to_plain
from rulespec.documents.yaml_reader import read_yaml
from rulespec.engine.game.game import Game

FILE = TESTS / "fixtures" / "outlets.yaml"
OUTLETS: dict[str, dict[str, Any]] = to_plain(read_yaml(FILE, FILE.name))
ROOMS = (
    "engine/game",
    "engine/logs",
    "engine/words",
    "engine/search",
    "engine/table",
    "drawing",
    "pages",
    "serve",
    "cli",
)


def told_a_seat() -> set[str]:
    """The public functions and classes of these rooms that are given the name of a seat."""
    results: set[str] = set()
    for path in (path for room in ROOMS for path in (ROOT / room).glob("*.py")):
        for item in ast.parse(path.read_text("utf-8")).body:
            if isinstance(item, ast.FunctionDef | ast.ClassDef) and item.name[0] != "_" and item.name != "command":
                results |= {f"{path.stem}.{item.name}" for part in ast.walk(item) if _names_a_seat(part)}
    return results - {"game.Game"}


def _names_a_seat(part: ast.AST) -> bool:
    if not isinstance(part, ast.FunctionDef) or (part.name.startswith("_") and part.name != "__init__"):
        return False
    args = [*part.args.args, *part.args.kwonlyargs]
    return any(a.arg in ("seat", "viewer") and a.annotation and "str" in ast.unparse(a.annotation) for a in args)


def public(*files: str) -> set[str]:
    """The functions and classes of these files."""
    items = [item for file in files for item in ast.parse((ROOT / file).read_text("utf-8")).body]
    return {i.name for i in items if isinstance(i, ast.FunctionDef | ast.ClassDef) and i.name[0] != "_"}


def seats_of_commands() -> set[str]:
    """The options of commands that name a seat, or a file that one was given."""
    results: set[str] = set()
    for name in COMMANDS:
        command = importlib.import_module(f"rulespec.cli.{name}").command
        for param in command.params:
            if param.metavar == "SEAT" or param.name in ("seat", "earlier", "viewer"):
                results.add(f"{name} {param.opts[0]}")
    return results


_SEARCH = ("payoffs", "open_search", "search", "uct")
KNOWN: dict[str, Callable[[], set[str]]] = {
    "Game": lambda: {name for name in dir(Game) if not name.startswith("_") or name.startswith("_repr")},
    "search": lambda: public(*(f"engine/search/{name}.py" for name in _SEARCH)),
    "functions": told_a_seat,
    "options": seats_of_commands,
    "rulespec": lambda: set(rulespec.__all__),
    "commands": lambda: set(COMMANDS),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("group", KNOWN)
def test_each_outlet_is_listed(group: str) -> None:
    assert set(OUTLETS[group]) == KNOWN[group]()


def test_what_is_for_a_seat_has_a_test() -> None:
    for group, outlets in OUTLETS.items():
        for name, whose in outlets.items():
            assert whose == "omniscient" or (ROOT / whose["seat"]).is_file(), (group, name)
