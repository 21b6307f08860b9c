"""`if e is some as x:` names the value of an optional in its branch, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game

FILES = """
--- kinds.yaml
kinds:
  stall: {facts: {rank: int}, entities: {corn: {rank: 1}, salt: {rank: 2}, wool: {rank: 3}}}
state: {n: {type: int}, open: {type: set stall}, last: {type: stall?}}
--- rules/play.rules
procedure play():
    repeat at most 9:
        decide act by first(player) ?? the(p in player where p.index == 0):
            option open(s in stall):
                set open to {s}
                look()
            option shut:
                set open to {}
                look()

procedure look():
"""
LOOK = """\
    if last is some as before:
        set n to before.rank * 100
        set last to none
    elif first(s in open) is some as s:
        set n to s.rank
        set last to s
    else:
        set n to 0 - 1
"""


def look(folder: Path, body: str) -> Game:
    return Game(small(folder, FILES + body), ["Ann", "Bob"])


def test_the_first_branch_whose_value_is_there_is_run(tmp_path: Path) -> None:
    game = look(tmp_path, LOOK)
    values = []
    for move in ("open(salt)", "shut", "shut", "open(wool)", "open(corn)"):
        game.apply(game.parse(move))
        values.append((game.omniscient.value("n"), game.omniscient.value("last")))
    assert values == [("2", "salt"), ("200", "none"), ("-1", "none"), ("3", "wool"), ("300", "none")]


REFUSED = {
    "after it": ("    if last is some as s:\n        pass\n    set n to s.rank\n", "RS221"),
    "of a name that is there": ("    let s = last\n    if last is some as s:\n        set n to s.rank\n", "RS223"),
    "of what may not be none": ("    if n > 1 is some as s:\n        pass\n", "RS131"),
    "that is none": ("    if last is some as s:\n        set n to 1\n    else:\n        set n to s.rank\n", "RS303"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_name_is_refused(what: str, tmp_path: Path) -> None:
    body, code = REFUSED[what]
    with pytest.raises(DiagnosticsError) as error:
        look(tmp_path, body)
    assert code in {d.code for d in error.value.diagnostics}
