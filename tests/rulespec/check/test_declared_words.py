"""Every word of the language as the name of every kind of declaration: refused at its place, or free to be used."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, split, write

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.load import load_ruleset
from rulespec.syntax.keywords import NO_DECLARATIONS, NO_DEFINITIONS, NO_NAMES, NO_PROCEDURES, NO_VALUES, WORDS

PLAY = """
procedure play():
    decide d by first(player):
        option o:
            pass
"""
KINDS = "kinds:\n  town: {entities: {oak: {}, elm: {}}}\n"
YAML = {"true", "false"}
"""They are no names where YAML reads them."""

DECLARED = {
    "a kind": (
        NO_DECLARATIONS,
        """--- kinds.yaml
kinds: {¦: {entities: {a: {}, b: {}}}}
--- rules/this.rules
def f(x: ¦) -> int: count(y in ¦ where y == x)
""",
    ),
    "an entity": (
        NO_VALUES,
        """--- kinds.yaml
kinds: {town: {entities: {oak: {}, ¦: {}}}}
state: {s: {type: town, start: ¦}}
--- rules/this.rules
def f(x: town) -> bool: x == ¦ or x in {oak, ¦}
procedure g():
    set s to ¦
""",
    ),
    "a fact": (
        {"index"},
        """--- kinds.yaml
kinds: {town: {facts: {¦: int}, entities: {oak: {¦: 1}}}}
--- rules/this.rules
def f() -> int: oak.¦ + 1
""",
    ),
    "a field of a kind": (
        {"index"},
        """--- kinds.yaml
kinds: {town: {state: {¦: {type: int}}, entities: {oak: {}}}}
--- rules/this.rules
def f() -> int: oak.¦ + 1
procedure g():
    set oak.¦ to f()
""",
    ),
    "a field": (
        NO_DECLARATIONS,
        """--- kinds.yaml
state: {¦: {type: int}}
--- rules/this.rules
def f() -> int: ¦ + 1
procedure g():
    set ¦ to ¦ + f()
""",
    ),
    "an account": (
        NO_DECLARATIONS,
        """--- kinds.yaml
accounts: {¦: {account: money}, b: {account: money}}
--- rules/this.rules
procedure g():
    pay ¦ from ¦ to b
""",
    ),
    "a pile": (
        NO_DECLARATIONS,
        """--- kinds.yaml
pieces: {¦: {places: {a: {}, b: {}}}}
--- rules/this.rules
def f() -> int: ¦.a
procedure g():
    move f() of ¦ from a to b
""",
    ),
    "a place": (
        NO_NAMES,
        """--- kinds.yaml
pieces: {p: {places: {a: {}, ¦: {}}}}
--- rules/this.rules
def f() -> int: p.¦
procedure g():
    move f() of p from a to ¦
    move 1 of p from ¦ to a
""",
    ),
    "a setting": (
        NO_DECLARATIONS,
        f"""--- game.yaml
{GAME}settings: {{¦: {{default: true}}}}
--- rules/this.rules
def f() -> int: 1 if ¦ else 2
""",
    ),
    "a value of a setting": (
        NO_VALUES,
        f"""--- game.yaml
{GAME}settings: {{s: {{values: [a, ¦], default: a}}}}
--- rules/this.rules
def f() -> int: 1 if s == ¦ else 2
""",
    ),
    "a constant": (
        NO_DECLARATIONS,
        """--- tables.yaml
constants: {¦: 3}
--- rules/this.rules
def f() -> int: ¦ + ¦
""",
    ),
    "a table": (
        NO_DECLARATIONS,
        f"""--- kinds.yaml
{KINDS}--- tables.yaml
tables: {{¦: {{key: town, value: int, rows: {{oak: 1, elm: 2}}}}}}
--- rules/this.rules
def f() -> int: ¦[oak]
""",
    ),
    "a track": (
        NO_DECLARATIONS,
        """--- tracks.yaml
tracks: {¦: {ring: space, spaces: {a: {}, b: {}}}}
--- rules/this.rules
def f(x: space) -> space: ¦.ahead(x, 1)
""",
    ),
    "a space": (
        NO_VALUES,
        """--- tracks.yaml
tracks: {way: {ring: space, spaces: {a: {}, ¦: {}}}}
--- rules/this.rules
def f() -> space: ¦
""",
    ),
    "a board": (
        NO_DECLARATIONS,
        """--- boards.yaml
boards: {¦: {grid: {columns: a..b, rows: 1..2}, directions: {n: [0, 1]}}}
--- rules/this.rules
def f(x: ¦) -> int: count(ray(x, n) & ¦)
""",
    ),
    "a direction": (
        NO_VALUES,
        """--- boards.yaml
boards: {field: {grid: {columns: a..b, rows: 1..2}, directions: {¦: [0, 1]}}}
--- rules/this.rules
def f(x: field) -> int: count(ray(x, ¦))
""",
    ),
    "a unit": (
        WORDS,
        f"""--- game.yaml
{GAME.replace("money", "¦")}
--- rules/this.rules
def f(x: ¦) -> ¦: x + 1 ¦
""",
    ),
    "the kind of the players": (
        NO_DECLARATIONS,
        f"""--- game.yaml
{GAME.replace("kind: player", "kind: ¦")}
--- rules/play.rules
{PLAY.replace("player", "¦")}
""",
    ),
    "a procedure": (NO_PROCEDURES, "procedure ¦():\n    pass\nprocedure g():\n    ¦()\n"),
    "a definition": (NO_DEFINITIONS, "def ¦() -> int: 1\ndef f() -> int: ¦() + 1\n"),
    "a guard": (
        NO_PROCEDURES,
        """guard ¦(p: player):
    require p.index > 1
procedure g():
    decide e by first(player):
        option a(p in player):
            needs ¦(p)
            pass
        option b:
            pass
""",
    ),
    "a parameter": (NO_VALUES, "def f(¦: int) -> int: ¦ + 1\n"),
    "a local": (
        NO_VALUES,
        """procedure g():
    let ¦ = 1
    set ¦ to ¦ + 1
    h(¦)
procedure h(x: int):
    pass
""",
    ),
    "a bound variable": (NO_VALUES, "def f() -> int: count(¦ in player where ¦.index > 1)\n"),
    "a parameter of an option": (
        NO_VALUES,
        """procedure g():
    decide e by first(player):
        option a(¦ in player where ¦.index > 1):
            h(¦)
        option b:
            pass
procedure h(p: player):
    pass
""",
    ),
}
"""Refusals, and files in which `¦` is declared and used."""


def errors(folder: Path, files: dict[str, str], word: str) -> list[Diagnostic]:
    """The errors of a ruleset with a word for `¦`."""
    named = {name: text.replace("¦", word) for name, text in files.items()}
    try:
        load_ruleset(str(write(folder, {"game.yaml": GAME, "rules/play.rules": PLAY, **named})))
    except DiagnosticsError as error:
        return list(error.diagnostics)
    return []


@pytest.mark.parametrize("what", DECLARED)
@pytest.mark.sampled(1)
def test_a_word_is_told_where_it_is_declared_or_can_be_used(what: str, tmp_path: Path) -> None:
    refused, text = DECLARED[what]
    files = split(text, "rules/this.rules")
    name = next(name for name, text in files.items() if "¦" in text)
    before = files[name].partition("¦")[0]
    place = (name, before.count("\n") + 1, len(before) - before.rfind("\n"))
    wrong = []
    for number, word in enumerate(sorted(WORDS - YAML)):
        result = errors(tmp_path / str(number), files, word)
        places = [(d.span.file, d.span.line, d.span.column) for d in result if d.span is not None]
        note = any(file.endswith(place[0]) and at == list(place[1:]) for file, *at in places)
        if note if word not in refused else not note:
            wrong.append(f"{word}: {'; '.join(map(str, result)) or 'no diagnostic'}")
        elif word not in refused and result:
            wrong.append(f"{word} is free here, but: {'; '.join(map(str, result))}")
    assert wrong == []
