"""Damaged rulesets end quickly in diagnostics or in a sound ruleset, and never in any other exception."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from cases import GAME, small, write
from folders import GAMES
from limits import soon
from proofs import proofs_but
from worlds import IDLE, WORLD

from rulespec.diagnostics.codes import CODES
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.yaml_nodes import FileLimits, Node
from rulespec.documents.yaml_reader import read_yaml
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.state_json import scores
from rulespec.load import load_ruleset
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_expr, parse_rules, parse_type
from rulespec.typed import nodes as typed

MUTANTS = int(os.environ.get("RULESPEC_MUTANTS", "6"))
SEED = os.environ.get("RULESPEC_SEED", "mutant")
BROKEN = {
    "imperial": "+playimperial",
    "tetrarchia": "+imperivm+el_grande+diarchia",
    "gallery/chess": "",
    "gallery/backgammon": "",
    "gallery/connect_four": "",
}
"""The games to damage, with overlays that may be damaged too."""


def files_of(game: str) -> list[Path]:
    """The sections, rules and overlays of a game, by path."""
    files = [p.relative_to(GAMES / game) for p in (GAMES / game).rglob("*") if p.suffix in {".yaml", ".rules"}]
    overlays = BROKEN[game].split("+")
    return sorted(
        f
        for f in files
        if len(f.parts) == 1 or f.parts[0] == "rules" or (f.parts[0] == "variants" and f.stem in overlays)
    )


STRANGE = [
    "none",
    "players",
    "{}",
    "0",
    "-1",
    "99",
    "original",
    "set",
    "some",
    '""',
    "1 money",
    "player",
    "index",
    "next",
    "x",
]


# --- mutants of a real game


def mutated(text: str, rng: random.Random) -> str:
    """The text with one to three tokens or lines deleted, duplicated, swapped, replaced or moved."""
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.3:
            parts, joint = text.split("\n"), "\n"
        else:
            parts, joint = re.findall(r"\s+|\w+|[^\w\s]", text), ""
        solid = [i for i, p in enumerate(parts) if p.strip()]
        if not solid:
            return text
        i, j = rng.choice(solid), rng.choice(solid)
        match rng.randrange(6):
            case 0:
                del parts[i]
            case 1:
                parts.insert(i, parts[i] if joint else parts[i] + " ")
            case 2:
                parts[i], parts[j] = parts[j], parts[i]
            case 3:
                parts[i] = parts[j]
            case 4:
                parts[i] = rng.choice(STRANGE) if not joint else " " * rng.randrange(9) + parts[i].strip()
            case _:
                parts.insert(j, parts.pop(i))
        text = joint.join(parts)
    return text


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file reader that does not parse unchanged files again."""
    rules: dict[str, tuple[ast.Item, ...]] = {}
    nodes: dict[str, Node] = {}

    def parsed(text: str, file: str, *, cached: bool = False) -> tuple[ast.Item, ...]:
        if text not in rules:
            rules[text] = parse_rules(text, file)
        return rules[text]

    def read(path: Path, display: str, limits: FileLimits) -> Node:
        text = path.read_text("utf-8")
        if text not in nodes:
            nodes[text] = read_yaml(path, display, limits)
        return nodes[text]

    monkeypatch.setattr("rulespec.ruleset_files.parse_rules", parsed)
    monkeypatch.setattr("rulespec.ruleset_files.read_kept", read)


def survives(load: Callable[[], typed.Ruleset]) -> str:
    """Loads, starts and plays a little; returns the outcome."""
    results: list[Diagnostic] = []
    with soon():
        try:
            ruleset = load()
            for backend in ("python", "interpreter"):
                play_a_little(ruleset, backend)
            result = "sound"
        except DiagnosticsError as error:
            results = list(error.diagnostics)
            result = "refused"
        except RulesetFaultError as fault:
            results = [fault.diagnostic]
            result = "fault"
    assert bool(results) == (result != "sound")
    assert all(d.code in CODES and d.message for d in results)
    return result


def play_a_little(ruleset: typed.Ruleset, backend: str) -> None:
    low, high = ruleset.players
    seats = [f"P{i}" for i in range(max(low, min(2, high)))]
    game = Game(ruleset, seats, backend="python" if backend == "python" else "interpreter")
    for _ in range(3):
        option = next(islice(every_option(game), 3, 4), None) or next(every_option(game), None)
        if option is None:
            break
        game.apply(option)
    game.omniscient.broken_invariants()
    scores(game)


@pytest.mark.usefixtures("quick")
def test_mutants_of_a_game_are_refused_or_sound(tmp_path: Path) -> None:
    ignore = shutil.ignore_patterns("logs", "scenarios", "dialects")
    files = {game: files_of(game) for game in BROKEN}
    for game in BROKEN:
        shutil.copytree(GAMES / game, tmp_path / game, ignore=ignore)
    results: list[str] = []
    for number in range(MUTANTS):
        rng = random.Random(f"{SEED} {number}")
        game = rng.choice(list(BROKEN))
        folder, file = tmp_path / game, rng.choice(files[game])
        original = (folder / file).read_text("utf-8")
        ref = f"{folder}{BROKEN[game]}" if file.parts[0] == "variants" else str(folder)
        (folder / file).write_text(mutated(original, rng), "utf-8")
        try:
            results.append(survives(lambda ref=ref: load_ruleset(ref)))  # type: ignore[misc]
        except BaseException as error:
            error.add_note(f"{SEED} {number}, {game}/{file}")
            raise
        (folder / file).write_text(original, "utf-8")
    assert results.count("refused") > MUTANTS / 2
    assert results.count("sound") > MUTANTS / 50


# --- texts


@pytest.mark.sampled(2)
@pytest.mark.parametrize("parse", [parse_expr, parse_type, parse_rules])
def test_any_text_is_parsed_or_refused(parse: Callable[[str, str], object]) -> None:
    rng = random.Random(1)
    results: list[Diagnostic] = []
    pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        '"',
        "\n",
        "    ",
        "#",
        "def ",
        "x",
        "1",
        ":",
        ",",
        "..",
        "-",
        " in ",
        "if ",
        "é",
        "\0",
        "\t",
        "?",
    ]
    for _ in range(400):
        text = "".join(rng.choice(pieces) for _ in range(rng.randrange(12)))
        try:
            parse(text, "f")
        except DiagnosticsError as error:
            results += error.diagnostics
    assert results
    assert all(d.span is not None and d.span.line >= 1 and d.span.column >= 1 for d in results)


def deep(count: int) -> Iterator[tuple[str, str]]:
    n = count
    yield "brackets", f"procedure play():\n    set n to {'(' * n}1{')' * n}\n"
    yield "sum", f"procedure play():\n    set n to {' + '.join(['m'] * n)}\n"
    yield "minus", f"procedure play():\n    set n to {'-' * n}m\n"
    yield "not", f"procedure play():\n    if {'not ' * n}true:\n        set n to 1\n"
    yield "and", f"procedure play():\n    if {' and '.join(['n > 1'] * n)}:\n        set n to 1\n"
    yield "coalesce", f"procedure play():\n    set best to {' ?? '.join(['best'] * n)}\n"
    yield "choice", f"procedure play():\n    set n to {'1 if n > 1 else ' * n}2\n"
    yield "dots", f"procedure play():\n    set n to oak{'.twin' * n}.tax\n"
    yield "members", f"procedure play():\n    set towns to {{{', '.join(['oak', 'next(oak)'] * n)}}}\n"
    yield "arguments", f"procedure play():\n    set n to max({', '.join(['m'] * n)})\n"
    blocks = "".join(f"{'    ' * (i + 1)}if n > {i}:\n" for i in range(n))
    yield "blocks", f"procedure play():\n{blocks}{'    ' * (n + 1)}set n to 1\n"
    branches = "".join(f"    elif n == {i}:\n        set m to {i}\n" for i in range(n))
    yield "branches", f"procedure play():\n    if n == -1:\n        set m to 1\n{branches}"
    guards = "".join(f"    if n == {i}:\n        return\n" for i in range(1, n))
    yield "guards", f"procedure play():\n{guards}    set m to 1\n"
    loops = "".join(f"{'    ' * (i + 1)}for v{i} in {{oak}}:\n" for i in range(min(n, 100)))
    yield "loops", f"procedure play():\n{loops}{'    ' * (min(n, 100) + 1)}set n to 1\n"
    folds = "m"
    for i in range(n):
        folds = f"sum({folds} for x{i} in {{oak}})"
    yield "folds", f"procedure play():\n    set n to {folds}\n"
    defs = "".join(f"def f{i}(k: int) -> int: f{i - 1}(k) + 1\n" for i in range(1, n))
    yield "definitions", f"def f0(k: int) -> int: k\n{defs}procedure play():\n    set n to f{n - 1}(1)\n"
    back = "".join(f"def f{i}(k: int) -> int: f{i + 1}(k) + 1\n" for i in range(n))
    yield "definitions, the last first", f"{back}def f{n}(k: int) -> int: k\nprocedure play():\n    set n to f0(1)\n"
    procedures = "".join(f"procedure p{i}():\n    p{i + 1}()\n" for i in range(n))
    yield "procedures", f"procedure play():\n    p0()\n{procedures}procedure p{n}():\n    set n to 1\n"
    lets = "".join(f"    let a{i} = n + {i}\n    set m to a{i}\n" for i in range(n))
    yield "variables", f"procedure play():\n{lets}"
    pieces = "cart[corn].at[oak]"
    for i in range(n if n > 15 else 6):  # each level iterates over all towns, so the time multiplies
        pieces = f"cart[corn].at[first(z{i} in town where z{i}.tax > {pieces}) ?? oak]"
    yield "places", f"procedure play():\n    set n to {pieces}\n"


@pytest.mark.parametrize("count", proofs_but([15, 45, 700], 15))
def test_depth_and_length_are_bounded(count: int, tmp_path: Path) -> None:
    outcomes = {}
    for name, rules in deep(count):
        folder = tmp_path / name.replace(" ", "_").replace(",", "")
        outcomes[name] = survives(lambda r=rules, f=folder: small(f, r + WORLD))  # type: ignore[misc]
    if count == 15:
        assert [n for n, o in outcomes.items() if o != "sound"] == ["dots"], outcomes  # a twin may have no twin
    long = {"members", "arguments", "branches", "guards", "variables"}  # these may be arbitrarily long
    assert all(outcomes[n] == "sound" for n in long), outcomes


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("repeat at most 999999999999999:\n        set n to n + 1", marks=pytest.mark.proof),
        "repeat at most 100:\n        set n to (n + 2) * (n + 2)",
        "repeat at most 100000:\n        set n to n + n + 1",
        "repeat at most 100:\n        pay chest * (chest / 1 money) + 2 from bank to chest",
    ],
)
@pytest.mark.parametrize("backend", ["python", "interpreter"])
@pytest.mark.sampled(2)
def test_large_numbers_and_long_loops_end_in_a_fault(line: str, backend: Backend, tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", f"procedure play():\n    {line}\n{WORLD}")
    with soon(), pytest.raises(RulesetFaultError, match=r"digits|decision within|amount available"):
        assert Game(ruleset, ["a", "b"], backend=backend).is_over


@pytest.mark.parametrize("backend", ["python", "interpreter"])
def test_products_do_not_grow_without_end(backend: Backend, tmp_path: Path) -> None:
    powers = "def f0(k: int) -> int: k * k\n"
    powers += "".join(f"def f{i}(k: int) -> int: f{i - 1}(f{i - 1}(k))\n" for i in range(1, 6))
    ruleset = small(tmp_path / "small", f"{powers}procedure play():\n    set n to 3\n    set n to f5(n)\n{WORLD}")
    with pytest.raises(RulesetFaultError, match="15 digits"):
        assert Game(ruleset, ["a", "b"], backend=backend).is_over


def entities(count: int) -> str:
    return "{" + ", ".join(f"e{i}: {{}}" for i in range(count)) + "}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "kinds, code",
    [
        (
            "kinds:\n  a: {entities: " + entities(400) + "}\npieces:\n  x: {each: [a, a], places: {s: {index: a}}}\n",
            "RS701",
        ),
        ("kinds:\n  a: {entities: " + entities(400) + "}\n  b: {product: [a, a]}\n", "RS108"),
        (
            "kinds:\n  a: {entities: "
            + entities(2_000)
            + "}\nstate:\n  s: {type: set a}\npieces:\n  x: {each: [a], places: {s: {}}}\n",
            "",
        ),
    ],
)
def test_cells_are_bounded(kinds: str, code: str, tmp_path: Path) -> None:
    with soon():
        try:
            ruleset = small(tmp_path / "small", f"{IDLE}--- kinds.yaml\n{kinds}")
            assert Game(ruleset, ["a"]).hash
            result = ""
        except DiagnosticsError as error:
            result = error.diagnostics[0].code
    assert result == code


# --- overlays and references


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "overlay",
    [
        "changes: {kinds: {town: 5}}",
        "changes: {game.players: {min: 9}}",
        "changes: {game: {id: other}}",
        "changes: {map: {}}",
        "changes: {kinds.town.entities: {oak: {near: [oak, fir]}}}",
        "changes: {tracks.wheel.spaces.work: {upto: 3}}",
        "add: {kinds.town.entities.yew: {}}",
        "add: {kinds.town.entities.yew: {tax: 3}, kinds.town.facts.wet: bool}",
        "add: {kinds.town.facts.oak: {}}",
        "add: {a.b.c: 5}",
        "add: {tables: {}}",
        "remove: [kinds]",
        "remove: [kinds.town]",
        "remove: [kinds.town.entities.oak, kinds.town.entities.oak]",
        "remove: [game]",
        "remove: [game.players]",
        "remove: [tracks.wheel.ring]",
        "remove: [setup.pieces, setup.pieces.flag.supply]",
        "settings: {none: true}",
    ],
)
def test_any_overlay_is_laid_or_refused(overlay: str, tmp_path: Path) -> None:
    head = f"--- variants/o.yaml\nid: o\ntitle: O\nfor: small\nversion: '1'\n{overlay}\n"
    survives(lambda: small(tmp_path / "small", IDLE + WORLD + head, "+o"))


def test_an_overlay_may_name_itself_and_be_named_twice(tmp_path: Path) -> None:
    head = "--- variants/o.yaml\nid: o\ntitle: O\nfor: o\nversion: '1'\nchanges: {constants.limit: 7}\n"
    text = (
        IDLE
        + WORLD
        + head
        + "--- variants/o.rules\nwrap procedure play():\n    original()\nwrap procedure play():\n    original()\n"
    )
    for overlays in ("+o", "+o+o", "+"):
        assert survives(lambda o=overlays: small(tmp_path / "small", text, o)) == "refused"  # type: ignore[misc]
    text = text.replace("for: o\n", "for: small\n")
    assert survives(lambda: small(tmp_path / "small", text, "+o")) == "sound"
    assert survives(lambda: small(tmp_path / "small", text, "+o+o")) == "refused"


def test_a_chain_of_rulesets_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    write(tmp_path / "r0", {"game.yaml": GAME.replace("small", "r0"), "rules/r.rules": IDLE})
    for i in range(1, 30):
        write(tmp_path / f"r{i}", {"game.yaml": f"id: r{i}\ntitle: R\nversion: '1'\nextends: r{i - 1}\n"})
    assert survives(lambda: load_ruleset("r5")) == "sound"
    assert survives(lambda: load_ruleset("r29")) == "refused"
