"""Small rulesets that cause much work: in chains of definitions, groups or extensions, each uses the last one twice."""

from __future__ import annotations

from collections.abc import Iterator

from fuzz.parts import Parts

_GAME = """id: small
title: Small
version: "1.0"
players: {kind: player, min: 1, max: 4}
units: [money]
start: play
"""
_KINDS = """kinds:
  k: {entities: {a: {}, b: {}, c: {}, d: {}, e: {}}, state: {s: {type: int}, t: {type: set k}}}
  kk: {product: [k, k]}
  player: {state: {cash: {account: money}}}
state: {n: {type: int}, m: {type: int}}
accounts: {bank: {account: money, unlimited: true}}
"""
_OVERLAY = "id: o\ntitle: O\nfor: small\nversion: '1'\n"
_PLAY = """procedure play():
    repeat at most 5:
        for p in player:
            decide act by p:
                option work:
                    {work}
                option numbers(i in 1 .. 9, j in 1 .. i):
                    set n to n * i + j
                {more}
"""


def growing() -> Iterator[Parts]:
    """Rulesets of different kinds; deep ones are rejected, or abandoned during play."""
    for depth in (3, 9, 25):
        levels = range(1, depth)
        twice = "".join(f"procedure q{i}():\n    q{i - 1}()\n    q{i - 1}()\n" for i in levels)
        yield _files(f"q{depth - 1}()", "procedure q0():\n    set n to n + 1\n" + twice)
        sums = "".join(f"def d{i}(x: int) -> int: d{i - 1}(x) + d{i - 1}(x)\n" for i in levels)
        yield _files(f"set n to d{depth - 1}(n)", "def d0(x: int) -> int: x + 1\n" + sums)
        lets = "".join(f"def d{i}(x: int) -> int:\n    let y = d{i - 1}(x)\n    y * y\n" for i in levels)
        yield _files(f"set n to d{depth - 1}(n + 2)", "def d0(x: int) -> int: x\n" + lets)
        unused = "".join(f"def d{i}(x: int) -> int:\n    let y = d{i - 1}(x) / n\n    x\n" for i in levels)
        yield _files(f"set n to d{depth - 1}(2)", "def d0(x: int) -> int: x\n" + unused)
        sets = " where ".join(f"any(x{i} in kk" for i in range(min(depth, 8))) + ")" * min(depth, 8)
        yield _files(f"if {sets}:\n                        set n to 1", "")
        constants = "".join(f"  c{i}: 'c{i - 1} * c{i - 1}'\n" for i in levels)
        yield _files("set n to n + c0", "", {"tables.yaml": "constants:\n  c0: 3\n" + constants})
        groups = "options g0:\n    option z:\n        set n to 1\n"
        extensions = ""
        for i in levels:
            groups += f"options g{i}:\n    option a{i}:\n"
            extensions += f"extend decision act:\n    option x{i}:\n"
            for name in "vw":
                groups += f"        for {name}{i} in player:\n            decide {name}{i}_ by {name}{i}:\n"
                groups += f"                include g{i - 1}\n"
                extensions += f"        for {name}{i} in player:\n            decide act by {name}{i}:\n"
                extensions += f"                option y{name}{i}:\n                    set n to 1\n"
        yield _files("set n to 1", groups, more=f"include g{depth - 1}")
        yield _files("set n to 1", "", {"variants/o.yaml": _OVERLAY, "variants/o.rules": extensions})
        doubled = "".join("change procedure turns:\n    replace n with n + n\n" for _ in levels)
        overlay = {"variants/o.yaml": _OVERLAY, "variants/o.rules": doubled}
        yield _files("turns()", "procedure turns():\n    set m to n\n", overlay)
        loops = "".join(" " * (20 + 4 * i) + f"for x{i} in k:\n" for i in range(min(depth, 12)))
        yield _files(loops.strip() + "\n" + " " * (24 + 4 * min(depth, 12)) + "set n to n + 1", "")


def _files(work: str, rules: str, files: dict[str, str] | None = None, more: str = "") -> Parts:
    play = _PLAY.format(work=work, more=more).rstrip() + "\n"
    texts = {"rules/play.rules": play + rules, "game.yaml": _GAME, "kinds.yaml": _KINDS, **(files or {})}
    return {name: text.encode() for name, text in texts.items()}
