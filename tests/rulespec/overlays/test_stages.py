"""Composition of independent overlays: order does not matter, except for wraps, options and additions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from cases import write
from limits import soon
from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.yaml_nodes import to_plain
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset, load_source
from rulespec.syntax import ast

BASE = {
    "game.yaml": """\
id: fair
title: Fair
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
settings: {rain: {default: false}}
""",
    "kinds.yaml": """\
kinds:
  stall: {facts: {rank: int}, entities: {corn: {rank: 1}, salt: {rank: 2}}}
state: {n: {type: int}}
""",
    "tables.yaml": "constants: {step: 1, far: 100}\n",
    "rules/play.rules": """\
procedure play():
    repeat at most 1000:
        for p in player:
            turn(p)

procedure turn(p: player):
    decide errand by p:
        option wait(s in stall):
            set n to n + step + s.rank + (1 if rain else 0)
        option stop:
            require n > far "not yet"
            end game

def doubled(x: int) -> int: x * 2
""",
}


def overlay(name: str, rules: str = "", facts: str = "") -> dict[str, str]:
    head = f'id: {name}\ntitle: {name.title()}\nfor: fair\nversion: "1.0"\n'
    return {f"variants/{name}.yaml": head + facts, **({f"variants/{name}.rules": rules} if rules else {})}


def extending(name: str, amount: int) -> str:
    return f"extend decision errand:\n    option {name}:\n        set n to n + {amount}\n"


@pytest.fixture
def fair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    write(tmp_path / "fair", BASE)
    return tmp_path / "fair"


def put(folder: Path, *overlays: dict[str, str]) -> None:
    write(folder, BASE | {name: text for files in overlays for name, text in files.items()})


def codes(ref: str) -> list[str]:
    report = Report()
    try:
        load_ruleset(ref, report)
    except DiagnosticsError as error:
        return [d.code for d in error.diagnostics]
    return [d.code for d in report.diagnostics if d.code not in ("RS405", "RS514")]


def references(*names: str) -> list[str]:
    return ["+".join(["fair", *order]) for order in permutations(names)]


# --- what a reference means, whatever its order -----------------------------------------------------------------------


def plain(node: object) -> Any:
    """A syntax tree without places, and with the options of decisions sorted by name."""
    if isinstance(node, tuple):
        return tuple([plain(part) for part in node])
    if isinstance(node, ast.Decide):
        fields = [getattr(node, name) for name in node.__struct_fields__ if name != "options"]
        return ("Decide", *map(plain, fields), *sorted(map(repr, map(plain, node.options))))
    if isinstance(node, Span):
        return None
    if isinstance(node, Struct):
        return (type(node).__name__, *[plain(getattr(node, name)) for name in node.__struct_fields__])
    return node


def meaning(ref: str) -> Any:
    """The facts and rules of a reference; a rule is the set of rules that wrap one another."""
    source = load_source(ref, Report()).source
    inner = {(kind, name) for (kind, _), name in source.originals.items()}
    rules = {}
    for key in source.items.keys() - inner:
        chain, at = [source.items[key]], key
        while at in source.originals:
            at = (at[0], source.originals[at])
            chain.append(source.items[at])
        rules[key] = sorted(repr(plain(item)) for item in chain)
    tree = to_plain(source.root)
    tree.pop("game")
    return tree, rules


def play(ref: str, seed: int, decisions: int = 30) -> Iterator[tuple[list[str], str]]:
    """The options and states of a random game, with options chosen by text, so that their order does not matter."""
    game, rng = Game(load_ruleset(ref), ["Ann", "Bob"]), random.Random(seed)
    for _ in range(decisions):
        if game.is_over:
            return
        texts = sorted(map(str, game.legal_options))
        game.apply(game.parse(rng.choice(texts)))
        yield texts, game.omniscient.value("n")


def everything(ref: str) -> Any:
    """The meaning of a reference, and some random games."""
    return meaning(ref), [list(play(ref, seed)) for seed in range(3)]


COMMUTING = {
    "options of one decision": [overlay(n, extending(n, i)) for i, n in enumerate("abc", 1)],
    "an extension of what another adds": [
        overlay("a", extending("a", 1) + "        for q in player:\n            decide gift by q:\n"
        "                option take:\n                    set n to n + 3\n"),
        overlay("b", "extend decision gift:\n    option leave_it:\n        set n to n + 4\n" + extending("b", 5)),
        overlay("c", "extend decision gift:\n    option give:\n        set n to n + 6\n"),
    ],
    "a replacement, a wrap around it, and an extension of it": [
        overlay("a", "replace procedure turn(p: player):\n    decide errand by p:\n        option run:\n"
        "            set n to n + 2\n        option stop:\n            require n > 20\n            end game\n"),
        overlay("b", "wrap procedure turn(p: player):\n    original(p)\n    set n to n + 1\n"),
        overlay("c", extending("c", 3)),
    ],
    "leaves of the facts": [
        overlay("a", facts="changes: {constants.far: 30}\n"),
        overlay("b", facts="changes: {constants: {step: 2}}\nsettings: {rain: true}\n"),
        overlay("c", facts="add: {constants: {other: 3}}\nremove: []\n"),
    ],
    "the first of a section": [
        overlay("a", facts="add: {questions.a: {asks: length, matters: 1}}\n"),
        overlay("b", facts="add: {questions: {b: {asks: wins, matters: 2}}}\n"),
        overlay("c", facts="add: {questions: {b: {asks: wins, matters: 2}}, measures.n: {value: n}}\n"),
    ],
    "what all say": [
        overlay(n, "remove def doubled\n", "changes: {constants.far: 30}\nsettings: {rain: true}\n") for n in "abc"
    ],
    "rules of their own": [
        overlay(n, f"def own_{n}() -> int: step\nwrap def doubled(x: int) -> int: original(x) + own_{n}()\n")
        for n in "abc"
    ],
    "what one includes, others include too": [
        overlay("part", extending("part", 7), "changes: {constants.far: 40}\n"),
        overlay("a", extending("a", 1), "includes: [part]\n"),
        overlay("b", extending("b", 2), "includes: [part]\n"),
    ],
    "one that includes another, and changes it further": [
        overlay("a", "wrap procedure turn(p: player):\n    original(p)\n", "changes: {constants.far: 40}\n"),
        overlay("b", "replace procedure turn(p: player):\n    set n to n + far\n    if n > 90: end game\n"
        "    decide errand by p:\n        option on:\n            pass\n",
        "includes: [a]\nchanges: {constants.far: 50}\n"),
        overlay("c", extending("c", 2)),
    ],
}  # fmt: skip


@pytest.mark.parametrize("what", COMMUTING)
@pytest.mark.sampled(1)
def test_overlays_compose_in_any_order(what: str, fair: Path) -> None:
    put(fair, *COMMUTING[what])
    names = [Path(next(iter(files))).stem for files in COMMUTING[what]]
    all_ = references(*names)
    assert [codes(ref) for ref in all_] == [[]] * len(all_)
    first, *others = [everything(ref) for ref in all_]
    assert all(other == first for other in others)


def value_after(ref: str, option: str) -> int:
    game = Game(load_ruleset(ref), ["Ann", "Bob"])
    game.apply(game.parse(option))
    return int(game.omniscient.value("n"))


def test_the_first_wrap_is_the_innermost(fair: Path) -> None:
    put(
        fair,
        overlay("add", "wrap procedure turn(p: player):\n    original(p)\n    set n to n + 1\n"),
        overlay("times", "wrap procedure turn(p: player):\n    original(p)\n    set n to n * 10\n"),
        overlay("less", "wrap procedure turn(p: player):\n    original(p)\n    set n to n - 3\n"),
    )
    assert [value_after(ref, "wait(corn)") for ref in references("add", "times", "less")] == [27, 0, 18, 18, 0, -9]
    # add, times, less: (2 + 1) * 10 - 3, and so on in the order of the references


def chain(count: int, of: str = "") -> list[dict[str, str]]:
    """Overlays that each include the next one, and that wrap and extend the same rules."""
    rules = "wrap procedure turn(p: player):\n    original(p)\n"
    return [
        overlay(f"o{i}", rules + extending(f"w{i}", i), f"includes: [o{i + 1}]\n" if i + 1 < count else of)
        for i in range(count)
    ]


def test_deep_includes_end(fair: Path) -> None:
    put(fair, *chain(8))
    assert codes("fair+o0") == [] and codes("fair+o3+o0+o7") == []
    put(fair, *chain(40))
    assert "RS512" in codes("fair+o0")
    put(fair, *chain(3, "includes: [o0]\n"))
    assert codes("fair+o1") == ["RS512"]


def test_wide_includes_are_laid_once(fair: Path) -> None:
    """Each of many overlays includes all later ones, but no file is read twice."""
    laid = [overlay(f"o{i}", extending(f"w{i}", i), f"includes: [{', '.join(f'o{j}' for j in range(i + 1, 8))}]\n")
            for i in range(8)]  # fmt: skip
    put(fair, *laid)
    game = Game(load_ruleset("fair+o0+o1+o2"), ["Ann", "Bob"])
    assert sum(str(o).startswith("w") for o in game.legal_options) == 2 + 8  # two of them are `wait`


def test_naming_an_overlay_twice_changes_nothing(fair: Path) -> None:
    put(fair, overlay("a", extending("a", 1)))
    assert codes("fair+a+a") == ["RS504"]


def test_extensions_within_extensions_are_bounded(fair: Path) -> None:
    rules = "".join(
        f"extend decision d{i}:\n    option x{i}:\n        for q{i} in player:\n            decide d{i + 1} by q{i}:\n"
        f"                option y{i}:\n                    set n to 1\n"
        for i in range(20)
    )
    put(fair, overlay("a", rules.replace("decision d0", "decision errand")))
    assert codes("fair+a") == ["RS108"]


def test_what_nothing_takes_any_more_is_told_with_who_has_replaced_it(fair: Path) -> None:
    """The replacing overlays are named even if two are needed to replace all places of a decision."""
    more = "procedure other(p: player):\n    decide errand by p:\n        option rest:\n            pass\n"
    put(
        fair,
        {"rules/other.rules": more},
        overlay("a", "replace procedure turn(p: player): end game\n"),
        overlay("b", "replace procedure other(p: player): pass\n"),
        overlay("c", extending("c", 1)),
    )
    assert all(codes(ref) == [] for pair in ("ab", "ac", "bc") for ref in references(*pair))
    for ref in references("a", "b", "c"):
        with pytest.raises(
            DiagnosticsError, match=r"`c` extends `errand`, which is no longer used once `[ab]` has replaced"
        ):
            load_source(ref, Report())


FACTS = [
    "changes: {constants.far: 30}",
    "changes: {constants.far: 31}",
    "changes: {constants: {step: 2}}",
    "replaces: [constants]",
    "add: {constants: {other: 3}}",
    "add: {constants.other: 4}",
    "add: {kinds.stall.entities.rice: {rank: 5}}",
    "changes: {kinds.stall.entities: {salt: {rank: 7}}}",
    "remove: [kinds.stall.entities.salt]",
    "remove: [constants.far]",
    "settings: {rain: true}",
    "",
]
RULES = [
    "wrap procedure turn(p: player):\n    original(p)\n    set n to n + {}\n",
    "replace procedure turn(p: player):\n    decide errand by p:\n        option x{0}:\n            set n to {0}\n",
    "remove procedure turn\n",
    "extend decision errand:\n    option x{0}:\n        set n to {0}\n",
    "extend decision errand:\n    option y:\n        decide second by p:\n            option z: pass\n",
    "extend decision second:\n    option w{}:\n        pass\n",
    "def own{}() -> int: step\n",
    "def own() -> int: step\n",
    "remove def doubled\n",
    "wrap def doubled(x: int) -> int: original(x) + {}\n",
]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.sampled(8)
def test_every_order_has_one_meaning_or_one_conflict(seed: int, fair: Path) -> None:
    """Random overlays, three at a time: refused in one order means refused in all, for the same reasons."""
    rng = random.Random(seed)
    for name in "abc":
        rules = "".join(text.format(rng.randrange(1, 4)) for text in rng.sample(RULES, rng.randrange(3)))
        put_more(fair, overlay(name, rules, rng.choice(FACTS) + "\n"))
    outcomes = [outcome(ref) for ref in references("a", "b", "c")]
    assert all(each == outcomes[0] for each in outcomes), outcomes


def put_more(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def outcome(ref: str) -> Any:
    """The meaning of a reference, or the distinct codes of its mistakes."""
    try:
        return meaning(ref)
    except DiagnosticsError as error:
        return {d.code for d in error.diagnostics}


@pytest.mark.proof
def test_many_edits_of_one_thing_are_compared_within_bounds(fair: Path) -> None:
    """Two hundred overlays of one family, or twenty unrelated ones, that all change the same thing."""
    entities = ", ".join(f"e{i}: {{rank: {{}}}}" for i in range(250))
    rules = "".join(f"def own{i}() -> int: {i}\n" for i in range(90))
    same = f"add: {{kinds.stall.entities: {{{entities.replace('{}', '1')}}}}}\n"
    put(fair, *[overlay(f"o{i}", rules, same) for i in range(20)])
    with soon():
        assert codes("+".join(["fair", *(f"o{i}" for i in range(20))]))[-1] in ("RS902", "RS505", "RS107")
    within = []
    for i in range(200):
        includes = ", ".join(f"o{j}" for j in range(20 * i + 20, min(20 * i + 40, 200)))
        within.append(overlay(f"o{i}", "", f"includes: [{includes}]\nchanges: {{constants.far: {i + 200}}}\n"))
    put(fair, *within)
    with soon():
        codes("fair+" + "+".join(f"o{i}" for i in range(20)))
