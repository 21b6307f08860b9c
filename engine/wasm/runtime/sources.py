"""The functions of the runtime modules, and the meanings of operators that are small Python, read as source."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from rulespec.engine.wasm.small_python import parsed
from rulespec.language import arithmetic

MODULES = (
    *("journal", "arithmetic", "transfers", "sets", "rows", "wide", "alike", "draws", "games", "hashes", "perft"),
    *("search", "values", "steps", "replay", "seen", "payoffs", "halving", "tree"),
)
"""The modules that each program gets; `stack` is for those with sets of several words."""


@cache
def functions(module: str) -> list[ast.FunctionDef]:
    """The functions of a module; it is read and parsed the first time."""
    return parsed(Path(__file__).with_name(f"{module}.py").read_text("utf-8"))


@cache
def meanings() -> list[ast.FunctionDef]:
    """The meanings of operators that the interpreter and generated Python call, too."""
    return parsed(Path(arithmetic.__file__).read_text("utf-8"))


def stack_functions(words: int) -> list[ast.FunctionDef]:
    """The functions for sets of up to so many words; the name of one says for how many it is."""
    return [each for each in functions("stack") if not each.name[-1].isdigit() or int(each.name[-1]) <= words]
