"""The order of the rooms: a file imports from its own room and earlier ones. And: no game is named outside `games/`."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest
from folders import ROOT, TESTS
from package_files import FOLDERS, modules, package

import rulespec
from rulespec.engine.game.game import Game

RULESPEC = (
    *(
        "errors",
        "records",
        "pictures",
        "types",
        "language",
        "signing",
        "cache",
        "diagnostics",
        "schemas",
        "documents",
        "edits",
        "syntax",
        "rule_ids",
        "overlays",
    ),
    *("references", "own_files", "ruleset_files", "typed", "check", "load", "bundles", "diff", "fixes"),
    "editor_schema",
)
ENGINE = (
    *("program", "lower", "passes", "python", "wasm", "game", "why", "words", "notation", "logs", "dialects"),
    *(
        "simulate",
        "search",
        "bots",
        "playtest",
        "table",
        "replay",
        "migrate",
        "corpus",
        "verify",
        "behaviour",
        "coverage",
    ),
)
ROOMS = (
    *RULESPEC,
    *(f"engine.{room}" for room in ENGINE),
    "drawing",
    "lsp",
    "pages",
    "serve",
    "guests",
    "cli",
    "__init__",
    "__main__",
    "testing",
)
"""The rooms of the package in the order of data flow; a room is a folder or a single file."""

# Words specific to one game.
GAME_WORDS = {
    *("nation", "bond", "treasury", "rondel", "imperial", "swiss", "fleet", "army", "armies", "emperor", "barbarian"),
    *("investor", "germany", "italy", "france", "berlin", "taxation", "manoeuvre", "maneuver", "convoy", "shipyard"),
    *("armaments", "playimperial", "tetrarchia", "electorate", "archdiocese", "thaler"),
}


def test_backends_stand_side_by_side() -> None:
    """Machines neither inherit from one another nor create one another: the caller passes the fallback."""
    names = package()
    for one, other in (("engine.python.", "engine.wasm."), ("engine.wasm.", "engine.python.")):
        files = [path for name, path in names.items() if name.startswith(one)]
        assert [f"{path}: {name}" for path in files for name in imported(path) if name.startswith(other)] == []


def room(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[: 2 if parts[0] == "engine" and len(parts) > 1 else 1])


def imported(path: Path) -> frozenset[str]:
    """The names imported by a file from `rulespec`, including imports in functions and for type checkers."""
    return outline(path).imported


def known(name: str, names: set[str]) -> str:
    """The module denoted by an imported name, or containing it."""
    while name not in names and f"{name}.__init__" not in names:
        name = name.rpartition(".")[0]
    return name if name in names else f"{name}.__init__"


def test_every_module_is_in_a_room() -> None:
    rooms = {room(name) for name in package()} - {"engine.__init__"}
    assert rooms == set(ROOMS)


def test_the_tests_mirror_the_rooms() -> None:
    folders = {p.parent.relative_to(TESTS) for p in TESTS.rglob("test_*.py")} - {Path()}
    assert {f for f in folders if not (ROOT / f).is_dir()} == set()
    of_the_whole = {
        "test_architecture.py",
        "test_examples.py",
        "test_one_door.py",
        "test_patterns.py",
        "test_proofs.py",
        "test_vocabulary.py",
        "test_wheel.py",
    }
    assert {p.name for p in TESTS.glob("test_*.py")} == of_the_whole


def test_files_that_are_named_in_text_are_there() -> None:
    folders = [ROOT / each for each in ("docs", "games", "bench", "fuzz", "tests")]
    pages = [p for folder in folders for suffix in ("md", "py") for p in folder.rglob(f"*.{suffix}")]
    named = {
        (path.relative_to(ROOT), name)
        for path in [ROOT / "Makefile", *ROOT.glob("*.md"), *pages]
        for name in re.findall(r"\btests/[\w/]+\.py\b", path.read_text("utf-8"))
    }
    assert {each for each in named if not (ROOT / each[1]).is_file()} == set()


def test_imports_go_from_a_room_to_rooms_before_it() -> None:
    files = package()
    upward = {
        f"{name} imports {other}"
        for name, path in files.items()
        if name not in ("engine.__init__", "__init__")
        for other in imported(path)
        if ROOMS.index(room(known(other, set(files)))) > ROOMS.index(room(name))
    }
    assert not upward


@pytest.mark.proof  # 1.6 s
@pytest.mark.parametrize("log", ["logs/quickstart.jsonl", "logs/playimperial/c002-standard-4p.json"])
def test_a_replay_climbs_at_most_six_times(log: str) -> None:
    """A climb is a call from a function of a room to one of a later room, passed as a value. Each pair counts once."""
    names = {path.relative_to(ROOT).as_posix(): room(name) for name, path in package().items()}
    words = [sys.executable, "tests/support/calls.py", "replay", f"games/imperial/{log}"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "RULESPEC_CACHE": ""}
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", check=True)
    calls = json.loads(done.stdout.splitlines()[-1])
    assert len(calls) > 500
    rank = {file: ROOMS.index(name) for file, name in names.items() if name in ROOMS}
    climbs = [f"{f} {caller} -> {g} {callee}" for f, caller, g, callee in calls if rank[g] > rank[f]]
    assert len(climbs) <= 6, climbs


def arrows() -> list[str]:
    """The imports between rooms, without those implied by others."""
    names = set(package())
    uses: dict[str, set[str]] = {each: set() for each in ROOMS}
    for name, path in package().items():
        if name not in ("engine.__init__", "__init__", "__main__"):
            uses[room(name)] |= {room(known(other, names)) for other in imported(path)} - {room(name)}
    below: dict[str, set[str]] = {}
    results = []
    for each in ROOMS:
        below[each] = uses[each].union(*(below[other] for other in uses[each]))
        near = uses[each] - set().union(*(below[other] for other in uses[each]))
        results += [f"{each} --> {other}" for other in sorted(near, key=ROOMS.index)]
    return results


def test_the_drawing_of_the_rooms_is_true() -> None:
    text = (ROOT / "docs" / "explanation" / "design.md").read_text("utf-8")
    drawn = text.partition("```mermaid\ngraph BT\n")[2].partition("```")[0].split("\n")[:-1]
    assert [line.strip() for line in drawn] == arrows()


def test_make_compiles_all_modules() -> None:
    """Without bytecode files, which some environments disable, commands would take twice as long."""
    text = (ROOT / "Makefile").read_text("utf-8")
    (rooms,) = re.findall(r"^ROOMS +:= (.*)$", text, re.MULTILINE)
    assert rooms.split() == [*FOLDERS] and "--no-compile" not in text
    assert "compileall -q $(ROOMS)" in text and "replay: $(CODE)" in text


LARGER = {
    "engine/program/ir.py": "one union of nodes, and the program that they make up",
    "rulespec/typed/nodes.py": "one union of nodes that refer to one another",
}
"""Modules that may exceed the size limit, with reasons."""

LARGE_CLASSES = {
    "cli/terminal_table.py": "TerminalTable",
    "drawing/board.py": "Board",
    "drawing/drawing_names.py": "_Names",
    "engine/dialects/importer.py": "Importer",
    "engine/game/game.py": "Game",
    "engine/game/position.py": "Position",
    "engine/lower/expressions.py": "ExpressionLowering",
    "engine/program/interpreter.py": "Interpreter",
    "engine/program/verify.py": "_Check",
    "engine/python/backend.py": "PythonBackend",
    "engine/python/blocks.py": "BlockWriter",
    "engine/python/expressions.py": "ExpressionWriter",
    "engine/search/particles.py": "Particles",
    "engine/search/search.py": "Search",
    "engine/search/wasm_search.py": "WasmSearch",
    "engine/verify/explore.py": "_Explorer",
    "engine/wasm/blocks.py": "BlockEmitter",
    "engine/wasm/options.py": "OptionEmitter",
    "engine/wasm/procedures.py": "ProcedureEmitter",
    "engine/table/table.py": "Table",
    "engine/wasm/backend.py": "WasmBackend",
    "engine/words/changes.py": "Changes",
    "engine/words/check.py": "TextCheck",
    "engine/words/narrator.py": "Narrator",
    "engine/words/words.py": "Words",
    "lsp/mentions.py": "Mentions",
    "rulespec/check/lints/secret_flow.py": "SecretFlow",
    "rulespec/edits/yaml_edits.py": "YamlEdits",
    "rulespec/syntax/expression_builder.py": "ExpressionBuilder",
    "rulespec/syntax/tree.py": "_Builder",
    "serve/connection.py": "Connection",
    "serve/hall.py": "Hall",
}
"""The classes of more than 250 lines, each reviewed to have one subject; there is no limit."""


class Part(NamedTuple):
    """A function, with the number of its parameters other than `self`, or a class, with None."""

    name: str
    line: int
    height: int
    params: int | None


class Outline(NamedTuple):
    """The parts and the imports of a file, parsed once for all tests."""

    parts: list[Part]
    imported: frozenset[str]


@cache
def outline(path: Path) -> Outline:
    defined: list[Part] = []
    names: set[str] = set()
    nodes: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while nodes:  # statements are nested in statements only; skipping expressions saves most of the tree
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            height = (node.end_lineno or node.lineno) - node.lineno + 1
            defined.append(Part(node.name, node.lineno, height, params(node)))
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(node, field, ())
            if isinstance(inner, list):
                nodes += inner
    return Outline(defined, frozenset(n.removeprefix("rulespec.") for n in names if n.startswith("rulespec.")))


def parts(path: Path) -> list[Part]:
    """The functions and classes in a file."""
    return outline(path).parts


def params(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int | None:
    if isinstance(node, ast.ClassDef):
        return None
    a = node.args
    names = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
    return len([arg for arg in names if arg.arg not in ("self", "cls")])


def test_functions_and_modules_fit_on_their_screens() -> None:
    large = {}
    for path in {p for folder in (*FOLDERS, "release") for p in modules(folder)}:
        name, lines = str(path.relative_to(ROOT)), path.read_text("utf-8").count("\n")
        if lines > 500 and name not in LARGER:
            large[name] = lines
        large |= {f"{name}:{p.line} {p.name}": p.height for p in parts(path) if p.params is not None and p.height > 60}
    assert not large


def test_large_classes_are_reviewed() -> None:
    large = {
        str(path.relative_to(ROOT)): part.name
        for path in {p for folder in (*FOLDERS, "release") for p in modules(folder)}
        for part in parts(path)
        if part.params is None and part.height > 250
    }
    assert large == LARGE_CLASSES


STAGES = (
    *(
        f"rulespec/{room}"
        for room in ("language", "check", "check/declarations", "check/expressions", "check/statements")
    ),
    *(f"engine/{room}" for room in ("lower", "program", "passes", "python", "wasm", "wasm/runtime")),
)
"""The rooms through which a language form passes, from records to machines; a subject has one name in all."""

FORMS = {"rulespec/syntax/ast.py", "rulespec/syntax/choice_nodes.py", "rulespec/typed/nodes.py", "engine/program/ir.py"}
"""The trees of a ruleset at three stages; a form has one name in all of them."""

SHARED_NAMES = {
    "Change": "an edit by an overlay, as it is parsed; a public name of changes in words",
    "Decision": "a node of the program; a public name of a game",
    "Move": "a statement, as it is parsed; a public name of moves in words",
    "Result": "a node of typed rules; a public name of a game",
    "diff": "the command, and the comparison that it prints",
    "explore": "the command, and the search that it runs",
    "facts": "the command, and the checks of facts",
    "format": "the command, and the formatter",
    "games": "the command, and whole games in a module",
    "identify": "the command, and the search that it runs",
    "match": "the command, and the matches that it plays",
    "migrate": "the command, and the carrying over that it runs",
    "paths": "lines of a drawing, and paths as values",
    "payoffs": "the same numbers in Python and in a module",
    "perft": "the command, and the counts in Python and in a module",
    "playtest": "the command, and the trials that it runs",
    "replay": "the command, and the replay in Python and in a module",
    "rules": "the command, and the rules in a bundle",
    "search": "the same searches in Python and in a module",
    "titles": "the command, and the files that it checks",
    "tree": "a tree of syntax, and a tree of options in a module",
    "why": "the command, and the reasons that it prints",
}
"""The names of classes and modules shared by two rooms, with reasons."""


def test_a_name_stands_in_one_room() -> None:
    rooms: dict[str, set[str]] = {}
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            file, room = str(path.relative_to(ROOT)), str(path.parent.relative_to(ROOT))
            if path.stem != "__init__":
                rooms.setdefault(path.stem, set()).add("stages" if room in STAGES else room)
            for name in re.findall(r"^ *class ([A-Z]\w*)", path.read_text("utf-8"), re.MULTILINE):
                rooms.setdefault(name, set()).add("forms" if file in FORMS else room)
    assert {name for name, places in rooms.items() if len(places) > 1} == set(SHARED_NAMES)


def test_functions_have_at_most_eight_parameters() -> None:
    """A function with more parameters takes a record."""
    many = {
        f"{path.relative_to(ROOT)}:{part.line} {part.name}": part.params
        for path in {p for folder in (*FOLDERS, "release", "tests") for p in modules(folder)}
        for part in parts(path)
        if part.params is not None and part.params > 8
    }
    assert many == {}


@pytest.mark.parametrize("folder", ["rulespec", "bench", "fuzz"])
def test_no_files_import_one_another_in_a_circle(folder: str) -> None:
    if folder == "rulespec":
        names = set(package())
        files = {n: p for n, p in package().items() if n != "__init__"}
        graph = {name: {known(other, names) for other in imported(path)} for name, path in files.items()}
    else:
        paths = {p.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."): p for p in modules(folder)}
        graph = {name: {o for o in direct(path) if o in paths} for name, path in paths.items()}
    TopologicalSorter(graph).prepare()  # raises an error for a cycle


def direct(path: Path) -> set[str]:
    results: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            results |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return results


def test_a_folder_of_modules_is_a_package() -> None:
    """The build collects packages only: without an `__init__.py` a room would be missing from the wheel."""
    for folder in {p.parent for name in FOLDERS for p in modules(name)}:
        assert (folder / "__init__.py").is_file(), folder


@pytest.mark.parametrize("name", [*FOLDERS[1:], "games", "diagnostics_pages"])
def test_the_package_has_links_to_the_folders_of_the_checkout(name: str) -> None:
    link = ROOT / "rulespec" / name
    assert link.is_symlink() and link.resolve() in (ROOT / name, ROOT / "docs" / "diagnostics")
    assert not link.readlink().is_absolute()


def test_no_room_reaches_through_a_game_into_its_position() -> None:
    inner = re.compile(
        r"\bgame\.(_?position\b|omniscient\.(?:_|visibility\.(?:secretive|tells)|numbers\.(?:program|machine))"
        r"|_session\b|_words\b)"
    )
    paths = [p for folder in FOLDERS for p in modules(folder) if p.parent != ROOT / "engine" / "game"]
    results = {p: inner.findall(re.sub(r"engine\.game\.position\b", "", p.read_text("utf-8"))) for p in paths}
    assert {p: names for p, names in results.items() if names} == {}


def test_the_public_names_of_a_game_are_few() -> None:
    members = {name for name in dir(Game) if not name.startswith("_")} - {"picture"}
    decisions = "decision legal_options interrupts drawn parse is_legal why_not apply undo ply history"
    assert members == {*decisions.split(), *["is_over", "result", "hash", "view", "copy", "omniscient", "shown_names"]}


@pytest.mark.parametrize("name", rulespec.__all__)
def test_public_names_are_there(name: str) -> None:
    assert getattr(rulespec, name).__name__ == name


def test_the_package_imports_nothing_before_it_is_used() -> None:
    """The exception is the registration of the drawing functions."""
    code = "import sys, rulespec; print([m for m in sys.modules if m.startswith('rulespec.')])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT).stdout
        == "['rulespec.pictures']\n"
    )


def words(text: str) -> set[str]:
    results: set[str] = set()
    for word in re.findall(r"[A-Za-z][A-Za-z_]*", text.lower()):
        for part in {word, *word.split("_")}:
            results |= {part, part.removesuffix("s")}
    return results


@pytest.mark.parametrize("folder", ["rulespec", "engine", "drawing", "lsp", "pages", "serve", "guests"])
def test_no_word_of_a_game_stands_outside_games(folder: str) -> None:
    files = [
        p for p in (ROOT / folder).rglob("*") if p.suffix in {".py", ".lark", ".js", ".css"} and "vendor" not in p.parts
    ]
    assert files
    for path in files:
        result = words(path.read_text(encoding="utf-8")) & GAME_WORDS
        assert not result, (path, result)


@pytest.mark.proof  # 0.3 s
def test_the_command_names_a_game_only_in_its_help() -> None:
    for path in modules("cli"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {
            n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)
        }
        assert not words(" ".join(names)) & GAME_WORDS, path


def test_games_hold_data_only() -> None:
    allowed = {".yaml", ".csv", ".rules", ".json", ".jsonl", ".md", ".svg", ".gz"}
    files = [p for p in (ROOT / "games").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    assert files
    for path in files:
        assert path.suffix in allowed, path
        assert not path.stat().st_mode & 0o111, path
        assert not path.is_symlink(), path
        assert path.read_bytes()[:2] != b"#!", path
