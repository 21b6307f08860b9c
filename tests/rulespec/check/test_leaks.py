"""What the rules may tell of what is private, each at the place where it is read; and what tells nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, write
from folders import TESTS

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset

KINDS = """
kinds:
  town: {facts: {near: set town}, state: {owner: {type: player?}}, entities: {oak: {near: [elm]}, elm: {}}}
  card: {entities: {ace: {}, king: {}}}
  tile:
    number: 4
    places:
      row: {}
      deck: {private: {to: "{}"}}
      hand: {index: player, private: true}
      sack: {private: {to: "{}", count: true}}
  share: {product: [town, player], state: {stake: {type: int, private: true}}}
  player:
    state:
      cash: {account: money}
      gold: {account: money, private: true}
      plan: {type: town?, private: true}
      bid: {type: int 0..9, private: true}
      note: {type: int, private: {to: friends(player)}}
      memo: {type: int, private: {to: friends(player)}}
      shown: {type: int 0..9, private: {open: over}}
      level: {type: int, private: fog}
      rank: {type: int, private: mist}
      drawn: {type: order card, private: true}
accounts: {bank: {account: money, unlimited: true}}
state:
  n: {type: int}
  over: {type: bool}
  who: {type: player?}
  pool: {type: int, private: {to: "{}"}}
pieces:
  hold:
    each: [card]
    places:
      box: {private: {to: "{}"}}
      hand: {index: player, private: true}
      table: {}
      bag: {private: {to: "{}", count: true}}
"""
SETTINGS = GAME.replace("start: play", "start: play\noptions: {fog: {default: true}, mist: {default: true}}")
RULES = """
def friends(p: player) -> set player: {{q in player where q.cash == p.cash}}
def rich(p: player) -> bool: p.gold > 3 money
def richest() -> player?: first(p in player where all(q in player: q.gold <= p.gold))
def owner(t: town) -> player?: t.owner
guard able(p: player, k: int):
    require p.bid >= k
guard sees(p: player):
    let least = max(q.bid for q in player, else 0)
    require least < 3
procedure pay_in(p: player, k: int):
    set n to k
procedure top() -> int:
    return max(p.bid for p in player, else 0)
procedure best_of(p: player) -> int:
    return p.bid
procedure question(p: player):
    decide say by p:
        option yes: pass
procedure play():
    for p in player:
        turn(p)
procedure turn(p: player):
    {}
"""


def warnings(folder: Path, rules: str, more: str = "") -> list[Diagnostic]:
    report = Report()
    files = {"game.yaml": SETTINGS, "kinds.yaml": KINDS, "rules/play.rules": rules}
    if more:
        files["rules.yaml"] = f"rules:\n  - {{id: T-01, text: It is shown.}}\ntold:\n{more}"
    load_ruleset(str(write(folder, files)), report)
    return [d for d in report.diagnostics if d.code.startswith("RS34")]


def told(folder: Path, body: str) -> list[str]:
    """The codes, each with the text at its place."""
    lines = body.strip("\n").split("\n")
    rules = RULES.format("\n    ".join(lines))
    written = rules.split("\n")
    found = []
    for d in warnings(folder, rules):
        assert d.span is not None
        found.append(f"{d.code} {written[d.span.line - 1][d.span.column - 1 : d.span.end_column - 1]}")
    return found


CASES = [
    (body, "" if head == "nothing" else head)
    for case in (TESTS / "fixtures" / "leaks.rules").read_text("utf-8").split("\n=== ")[1:]
    for head, _, body in [case.partition("\n")]
]


@pytest.mark.parametrize("body, found", CASES, ids=[f"{n}-{found}" for n, (_, found) in enumerate(CASES)])
def test_a_leak_is_told_where_the_secret_is_read(tmp_path: Path, body: str, found: str) -> None:
    assert told(tmp_path, body) == ([found] if found else [])
