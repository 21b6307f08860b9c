"""The small-Python sources of the runtime modules' functions and of the operators' meanings."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rulespec.engine.wasm.small_python import SmallFunction, parsed
from rulespec.language import arithmetic

MODULES = (
    *("journal", "arithmetic", "wide", "alike", "draws", "several", "games", "hashes"),
    *("search", "values", "steps", "replay", "seen", "payoffs", "halving", "tree"),
)
"""The modules that every program includes; `stack` is only for programs with multi-word sets."""


@cache
def functions(module: str) -> list[SmallFunction]:
    """The functions of a module, cached."""
    return parsed(Path(__file__).with_name(f"{module}.py").read_text("utf-8"))


@cache
def meanings() -> list[SmallFunction]:
    """The meanings of operators, shared with the interpreter and generated Python."""
    return parsed(Path(arithmetic.__file__).read_text("utf-8"))


def stack_functions(words: int) -> list[SmallFunction]:
    """The functions for sets of up to `words` words; the name of each ends with the number of words."""
    return [*functions("stack"), *(each for count in range(1, words + 1) for each in parsed(stack_source(count)))]


def stack_source(words: int) -> str:
    """The source of the functions for sets of `words` words, with one parameter per word, lowest members first."""
    names = [f"w{k}" for k in range(words)]
    params = ", ".join(f"{name}: int" for name in names)
    lines = [f"def lowest{words}({params}) -> int:"]
    for k, name in enumerate(names):
        lines += [f"    if {name} != 0:", f"        return {64 * k} + lowest({name})"]
    after = ", ".join(f"{name} & from_start(start, {64 * k})" for k, name in enumerate(names))
    lines += [
        "    return -1",
        "",
        f"def pick{words}({params}, start: int) -> int:",
        f"    member = lowest{words}({after})",
        f"    return lowest{words}({', '.join(names)}) if member < 0 else member",
        "",
        f"def only{words}({params}) -> int:",
        f"    if {' + '.join(f'count({name})' for name in names)} != 1:",
        "        trap()",
        f"    return lowest{words}({', '.join(names)})",
    ]
    return "\n".join(lines)
